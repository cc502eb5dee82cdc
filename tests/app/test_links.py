"""A bad, cut or outdated link costs what cannot be read and nothing else; the page works."""

import base64
import json
import zlib
from typing import Any

import pytest
from opened import PAGES, open_page

from embgeo.ui.choices import Choices
from embgeo.ui.links import to_query

pytestmark = pytest.mark.app

CUT = to_query(Choices(minus_floor=True, relative=False))["view"][:-9]
BROKEN = {
    "cut short": CUT,
    "another version": "7.eJyrVkrLz1eyUkpKLFKqBQAhLgSE",
    "no version": "hello",
    "not base64": "1.§§§",
    "not compressed": "1.aGVsbG8",
    "empty": "1.",
}


def _view(**wanted: Any) -> str:
    packed = base64.urlsafe_b64encode(zlib.compress(json.dumps(wanted).encode()))
    return "1." + packed.decode().rstrip("=")


@pytest.mark.parametrize("view", BROKEN.values(), ids=list(BROKEN))
def test_unreadable_view_gives_a_notice_and_the_models_of_the_link(view: str) -> None:
    opened = open_page("norms", models="minilm", view=view).works()
    assert any("could not be read" in each.value for each in opened.app.warning)
    assert opened.models == ["minilm"]
    assert opened.charts
    assert opened.query == {"models": "minilm"}


@pytest.mark.parametrize("page", PAGES)
def test_every_page_works_after_an_outdated_link(page: str) -> None:
    view = _view(shape="cube", relative=False, spacing="sideways")
    opened = open_page(page, models="minilm", view=view).works()
    [notice] = opened.app.warning
    assert "shape" in notice.value
    assert "spacing" in notice.value
    assert opened.charts


def test_what_an_outdated_link_says_rightly_is_kept() -> None:
    opened = open_page("norms", models="minilm", view=_view(shape="cube", relative=False))
    assert opened.control("toggle", "In medians of each table").value is False


HOSTILE = {
    "a group of numbers": {"groups": [[1, [2], 3]]},
    "groups that are none": {"groups": {"a": 1}},
    "a cell of three": {"cell": ["a", "b", "c"]},
    "components below one": {"components": -4},
    "components of a kind": {"components": True},
    "a switch that is none": {"minus_floor": "yes"},
    "a transform that is none": {"transform": ["whitened"]},
    "a policy of the wrong kind": {"pieces": {"a": 1}},
}


@pytest.mark.parametrize("wanted", HOSTILE.values(), ids=list(HOSTILE))
def test_impossible_choice_in_a_link_is_named_and_the_default_stands(wanted: Any) -> None:
    opened = open_page("group_similarity", models="minilm", view=_view(**wanted)).works()
    assert any(next(iter(wanted)) in each.value for each in opened.app.warning)
    assert opened.charts


def test_cell_of_a_group_that_is_not_chosen_lists_nothing_and_breaks_nothing() -> None:
    view = _view(cell=["punctuation", "planets"])
    opened = open_page("group_similarity", models="minilm", view=view).works()
    assert opened.control("selectbox", "Token pairs of").value == ()


def test_notice_leaves_once_something_is_changed() -> None:
    opened = open_page("norms", models="minilm", view="hello")
    assert opened.app.warning
    assert not opened.set("toggle", "In medians of each table", False).app.warning


def test_link_of_too_many_models_shows_the_first_six() -> None:
    names = [f"random:{rows}x4" for rows in range(20, 28)]
    opened = open_page("norms", models=",".join(names)).works()
    assert opened.models == names[:6]
    assert any("8 models" in each.value for each in opened.app.warning)


def test_models_named_twice_are_shown_once() -> None:
    opened = open_page("norms", models="minilm,minilm,").works()
    assert opened.models == ["minilm"]


@pytest.mark.parametrize("page", PAGES)
def test_unknown_model_of_a_link_is_named_beside_the_good_one(page: str) -> None:
    opened = open_page(page, models="minilm,gpt-17").works()
    [problem] = opened.app.error
    assert "gpt\\-17" in problem.value
    assert opened.charts
    assert opened.models == ["minilm", "gpt-17"]
