"""The overview's claims: cheap verdicts at once, the rest on a button, and a way to every page."""

import pytest
from opened import Opened, open_page

from embgeo.ui.claim_panels import PAGES

pytestmark = pytest.mark.app


def said(opened: Opened) -> str:
    [table] = [each for each in opened.tables if "narrow cone" in each]
    return table


def test_what_is_cheap_is_there_at_once_and_the_rest_on_a_button() -> None:
    opened = open_page(models="random:701x130").works()
    assert "<b>no</b>: 0.000 ±" in said(opened)
    assert ">–<" in said(opened)
    opened.press("Measure the rest").works()
    assert ">–<" not in said(opened)
    assert "mean cosine 0.000, there is no cone" in said(opened)
    assert "Measure the rest" not in [each.label for each in opened.app.get("button")]


def test_a_table_that_cannot_be_whitened_says_so_in_its_cell() -> None:
    opened = open_page(models="random:40x64").press("Measure the rest").works()
    assert ">–<" not in said(opened)
    assert not opened.app.get("error")


def test_what_another_page_has_measured_is_shown_without_being_asked_for() -> None:
    opened = open_page("isotropy", models="random:702x130").works().go("overview").works()
    assert "there is no cone" in said(opened)
    assert ">–<" in said(opened)


def test_every_claim_has_a_way_to_its_page() -> None:
    links = open_page(models="minilm").app.main.get("page_link")
    assert [each.proto.label for each in links] == list(PAGES.values())
