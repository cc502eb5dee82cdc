"""Clicks: cells, switches, groups, transforms; two people at once; somebody very fast."""

import re
from collections.abc import Callable
from urllib.parse import unquote

import pytest
from e2e.browsing import Person
from playwright.sync_api import expect

from bench.serving import Server

pytestmark = pytest.mark.e2e

CELLS = '[aria-roledescription="rect mark"]'
PAIRS = "Above floor"
"""A heading that only the list of token pairs has."""


def test_click_on_a_cell_lists_its_pairs_and_survives_a_reload(
    server: Server, person: Person
) -> None:
    person.open(server.url("group_similarity"))
    expect(person.page.get_by_text(PAIRS)).to_have_count(0)
    cells = person.charts("minilm: mean cosine").locator(CELLS)
    cells.and_(person.page.locator('[aria-label*="english × code"]')).click()
    expect(person.page.get_by_role("columnheader", name=PAIRS)).to_have_count(2)
    picked = person.page.get_by_role("combobox", name="Token pairs of")
    expect(picked).to_have_value("english × code")
    person.stands().page.reload()
    person.stands()
    expect(picked).to_have_value("english × code")
    expect(person.page.get_by_role("columnheader", name=PAIRS)).to_have_count(2)


def test_floor_switch_changes_the_numbers_in_the_cells(server: Server, person: Person) -> None:
    person.open(server.url("group_similarity"))
    raw = person.numbers("minilm: mean cosine")
    person.flip("Show cosines above the floor").stands()
    above = person.numbers("minilm: mean cosine")
    assert above != raw
    assert "+" in "".join(above)
    person.flip("Show cosines above the floor").stands()
    assert person.numbers("minilm: mean cosine") == raw


def test_group_edited_in_the_page_takes_its_place_in_the_charts(
    server: Server, person: Person
) -> None:
    person.open(server.url("group_similarity")).press("Edit or add groups")
    person.page.get_by_role("textbox", name="Name").fill("marks")
    person.page.get_by_role("textbox", name="Entries, one a line").fill("!\n?\n<b>\n$x$")
    person.page.get_by_role("textbox", name="Entries, one a line").press("Control+Enter")
    person.page.get_by_role("button", name="Apply").click()
    expect(person.chosen("marks")).to_be_visible()
    expect(person.chosen("punctuation")).to_have_count(0)
    person.stands()
    expect(
        person.charts("minilm: mean cosine").locator('[aria-label*="within marks"]').first
    ).to_be_visible()


def test_transform_changes_what_is_after_and_not_what_is_before(
    server: Server, person: Person
) -> None:
    person.open(server.url("whitening"))
    states = ("minilm, before", "minilm, after")
    before, after = map(person.numbers, states)
    person.page.get_by_role("radio", name="Standardised").click()
    expect(person.page.get_by_role("radio", name="Standardised")).to_be_checked()
    person.stands()
    assert person.numbers(states[0]) == before
    assert person.numbers(states[1]) != after


def test_model_typed_into_the_field_joins_the_comparison(server: Server, person: Person) -> None:
    person.open(server.url("norms", "models=minilm"))
    person.press("Add a model")
    person.page.get_by_role("textbox", name="Model").fill("random:300x8")
    person.press("Add random:300x8")
    expect(person.charts("random:300x8").first).to_be_visible(timeout=30_000)
    assert all(person.stands().marks("random:300x8"))
    assert "random:300x8" in unquote(person.page.url)


def test_two_people_at_once_do_not_disturb_each_other(
    server: Server, visit: Callable[..., Person]
) -> None:
    one, other = visit(), visit()
    one.page.goto(server.url("norms", "models=minilm"))
    other.page.goto(server.url("norms", "models=smollm2"))
    one.stands().flip("In medians of each table")
    other.stands().press("Remove code")
    one.stands()
    other.stands()
    expect(one.switch("In medians of each table")).not_to_be_checked()
    expect(other.switch("In medians of each table")).to_be_checked()
    expect(one.chosen("code")).to_be_visible()
    expect(other.chosen("code")).to_have_count(0)
    assert one.marks("minilm")
    assert not one.marks("smollm2")
    assert other.marks("smollm2")
    assert not other.marks("minilm")


def test_fast_clicks_end_where_the_last_one_said(server: Server, person: Person) -> None:
    person.open(server.url("whitening", "models=minilm"))
    for _ in range(3):
        for name in ("Centred", "All-but-the-top", "Raw", "Standardised"):
            person.page.get_by_role("radio", name=name).click(no_wait_after=True)
    person.press("Remove code")
    person.stands()
    expect(person.page.get_by_role("radio", name="Standardised")).to_be_checked()
    expect(person.chosen("code")).to_have_count(0)
    after = person.numbers("minilm, after")
    person.page.reload()
    person.stands()
    expect(person.page.get_by_role("radio", name="Standardised")).to_be_checked()
    expect(person.chosen("code")).to_have_count(0)
    assert person.numbers("minilm, after") == after


def test_another_sentence_has_tokens_of_its_own(server: Server, person: Person) -> None:
    person.open(server.url("token_lookup", "models=minilm"))
    sentence = person.page.get_by_role("textbox", name="A sentence")
    token = person.page.get_by_role("combobox", name="Token", exact=True)
    for words, second in (("hello there world", "there"), ("what else is here", "else")):
        sentence.fill(words)
        sentence.press("Enter")
        expect(token).to_have_value(re.compile(f"^2  {second}  #"))
        person.stands()


def test_a_number_can_be_emptied_again(server: Server, person: Person) -> None:
    person.open(server.url("whitening", "models=minilm"))
    field = person.page.get_by_test_id("stNumberInput").filter(has_text="Components kept, k")
    kept = field.locator("input")
    everything = person.numbers("minilm, after")
    kept.fill("5")
    kept.press("Enter")
    assert person.stands().numbers("minilm, after") != everything
    kept.fill("")
    kept.press("Enter")
    person.stands()
    expect(kept).to_have_value("")
    assert person.numbers("minilm, after") == everything


def test_fast_page_switches_end_on_the_last_page_with_its_charts(
    server: Server, person: Person
) -> None:
    person.open(server.url())
    for title in ("Norms", "Whitening", "Group similarity", "Norms", "Overview", "Norms"):
        person.go(title)
    expect(person.page.get_by_role("heading", level=1)).to_have_text("How long are the rows?")
    assert all(person.stands().marks("norms"))


@pytest.mark.parametrize(
    ("kind", "starts"),
    [("CSV", b"\xef\xbb\xbf"), ("JSON", b"{"), ("SVG", b"<svg"), ("PNG", b"\x89PNG")],
)
def test_chart_downloads_without_a_network(
    kind: str, starts: bytes, server: Server, person: Person
) -> None:
    person.open(server.url("group_similarity", "models=minilm"))
    person.page.get_by_role("button", name="Download", exact=True).first.click()
    with person.page.expect_download() as started:
        files = person.page.get_by_test_id("stPopoverBody")
        files.get_by_role("button", name=kind, exact=True).click()
    content = started.value.path().read_bytes()
    assert started.value.suggested_filename.endswith(f".{kind.lower()}")
    assert content.startswith(starts)
    assert len(content) > 500
