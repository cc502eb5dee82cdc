"""Addresses: cold deep links, copied links, reload, back; one link is one view on any server."""

from collections.abc import Callable
from urllib.parse import parse_qs, urlencode

import pytest
from e2e.browsing import PATHS, Person
from playwright.sync_api import expect

from bench.serving import Server
from embgeo.groups import DEFAULT, READY_MADE
from embgeo.ui.choices import Choices
from embgeo.ui.links import to_query

pytestmark = pytest.mark.e2e

TITLES = [
    "Overview",
    "Group similarity",
    "Token lookup",
    "Norms",
    "Isotropy",
    "Spectrum",
    "Size",
    "Whitening",
]


@pytest.mark.parametrize("path", PATHS)
def test_cold_deep_link_shows_the_linked_view_on_a_server_nobody_has_visited(
    path: str, fresh_server: Server, person: Person
) -> None:
    linked = Choices(models=("smollm2", "minilm"), groups=(*DEFAULT[:2], READY_MADE["days"]))
    query = to_query(linked)
    person.open(fresh_server.url(path, urlencode(query)))
    # The page alone, without dashboard.py, would list the names of files.
    assert person.pages.get_by_role("link").all_inner_texts() == TITLES
    expect(person.page.get_by_test_id("stSidebarNav")).to_have_count(0)
    for name in ("smollm2", "minilm", "punctuation", "english", "days"):
        expect(person.chosen(name)).to_be_visible()
    expect(person.chosen("code")).to_have_count(0)
    for model in ("smollm2", "minilm"):
        expect(person.charts(model).first).to_be_visible()
        marks = person.marks(model)
        assert marks
        assert all(marks), marks
    said = fresh_server.log.read_text()
    assert "Traceback" not in said
    assert "torch.classes" not in said
    assert "Warning" not in said


def test_choices_survive_page_switch_reload_and_back(server: Server, person: Person) -> None:
    person.open(server.url("group_similarity"))
    person.flip("Show cosines above the floor").stands()
    person.press("Remove code").stands()
    person.go("Norms").stands()
    expect(person.chosen("code")).to_have_count(0)
    person.flip("In medians of each table").stands()
    for _ in range(2):
        expect(person.switch("In medians of each table")).not_to_be_checked()
        expect(person.chosen("code")).to_have_count(0)
        address = person.page.url
        person.page.reload()
        person.stands()
        assert person.page.url == address
    person.go("Group similarity").stands()
    expect(person.switch("Show cosines above the floor")).to_be_checked()
    person.page.go_back()
    expect(person.page.get_by_role("heading", level=1)).to_have_text("How long are the rows?")
    person.stands()
    expect(person.switch("In medians of each table")).not_to_be_checked()
    expect(person.chosen("code")).to_have_count(0)
    person.page.go_forward()
    expect(person.page.get_by_role("heading", level=1)).to_contain_text("How alike")
    expect(person.stands().switch("Show cosines above the floor")).to_be_checked()


def test_one_press_on_back_is_one_page(server: Server, person: Person) -> None:
    person.open(server.url("", "models=minilm"))
    before = person.page.evaluate("history.length")
    questions = []
    for title in ("Spectrum", "Norms", "Isotropy"):
        person.go(title).stands()
        questions.append(person.page.get_by_role("heading", level=1).inner_text())
    assert person.page.evaluate("history.length") == before + 3
    for question in reversed(questions[:-1]):
        person.page.go_back()
        expect(person.page.get_by_role("heading", level=1)).to_have_text(question)
        person.stands()


def test_copied_link_shows_a_stranger_the_same_view(
    server: Server, person: Person, visit: Callable[..., Person]
) -> None:
    person.open(server.url("whitening"))
    person.page.get_by_role("radio", name="Centred").click()
    person.stands().press("Link to this view")
    link = person.page.get_by_text(f"{server.address}/whitening?").inner_text()
    stranger = visit().open(link)
    expect(stranger.page.get_by_role("radio", name="Centred")).to_be_checked()
    assert parse_qs(stranger.page.url) == parse_qs(person.page.url)
    assert stranger.marks("minilm, after") == person.marks("minilm, after")


def test_broken_link_gives_a_notice_and_a_working_page(server: Server, person: Person) -> None:
    person.open(server.url("norms", "models=minilm&view=1.broken"))
    expect(person.page.get_by_text("The link's view could not be read")).to_be_visible()
    assert all(person.marks("minilm"))
    person.page.reload()
    person.stands()
    expect(person.page.get_by_text("The link's view could not be read")).to_have_count(0)


def test_page_that_does_not_exist_leads_to_one_that_does(server: Server, person: Person) -> None:
    person.page.goto(server.url("planets"))
    expect(person.page.get_by_role("dialog")).to_contain_text("Page not found")
    person.page.keyboard.press("Escape")
    person.go("Norms").stands()
    assert all(person.marks("minilm"))
    [said] = person.complaints
    assert "does not seem to exist" in said
    person.complaints.clear()
