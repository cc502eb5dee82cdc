"""What a person sees: both colour schemes, a narrow window, many tokens as a picture, markup."""

from collections.abc import Callable
from urllib.parse import urlencode

import pytest
from e2e.browsing import PATHS, Person
from playwright.sync_api import expect

from bench.serving import Server
from embgeo.groups import TokenGroup
from embgeo.ui.choices import Choices
from embgeo.ui.links import to_query

pytestmark = pytest.mark.e2e

LARGEST_PAGE = 500_000
_TURNING = """
window.turning = [0, 0];
new MutationObserver(() => {
  const box = document.querySelector("[data-testid=stSpinner]")?.getBoundingClientRect();
  if (box) window.turning = [
    Math.max(window.turning[0], box.height), Math.max(window.turning[1], box.x)];
}).observe(document, { childList: true, subtree: true });
"""
_COLOURS = """chart => [...new Set([...chart.querySelectorAll('svg *')].flatMap(
  mark => [mark.getAttribute('fill'), mark.getAttribute('stroke')]))].join()"""


@pytest.mark.parametrize("path", PATHS)
def test_page_fits_a_narrow_window_and_sends_little(
    path: str, server: Server, visit: Callable[..., Person]
) -> None:
    narrow = visit(width=800)
    sent = [0]
    narrow.page.on(
        "websocket",
        lambda socket: socket.on(
            "framereceived", lambda frame: sent.__setitem__(0, sent[0] + len(frame))
        ),
    )
    narrow.open(server.url(path))
    wide = narrow.page.get_by_test_id("stMain").evaluate(
        "main => main.scrollWidth - main.clientWidth"
    )
    whole = narrow.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert wide <= 0
    assert whole <= 0
    assert 1000 < sent[0] < LARGEST_PAGE
    for chart in narrow.page.get_by_test_id("stVegaLiteChart").all():
        box = chart.bounding_box()
        assert box is not None
        assert box["width"] > 100


@pytest.mark.parametrize("path", PATHS)
def test_light_and_dark_draw_the_same_marks_in_other_colours(
    path: str, server: Server, visit: Callable[..., Person]
) -> None:
    light, dark = visit(), visit(scheme="dark")
    for person in (light, dark):
        person.open(server.url(path, "models=minilm"))
    assert light.marks("minilm") == dark.marks("minilm")
    colours = [person.charts("minilm").first.evaluate(_COLOURS) for person in (light, dark)]
    assert colours[0] != colours[1]


def test_what_turns_while_a_page_works_is_one_line(server: Server, person: Person) -> None:
    person.page.add_init_script(_TURNING)
    person.open(server.url("isotropy", "models=random:30001x96"))
    tallest, rightmost = person.page.evaluate("window.turning")
    assert 0 < tallest < 40
    assert rightmost > person.page.get_by_role("heading", level=1).bounding_box()["x"]


@pytest.mark.parametrize("width", [1280, 1440])
def test_models_are_equally_wide_and_the_steps_of_two_are_seen_whole(
    width: int, server: Server, visit: Callable[..., Person]
) -> None:
    person = visit(width=width)
    person.open(server.url("norms", "models=minilm,smollm2,random:900x30,random:900x31"))
    columns = person.page.get_by_test_id("stColumn")
    widths = {round(box["width"]) for each in columns.all() if (box := each.bounding_box())}
    assert len(widths) == 1
    person.open(server.url("whitening"))
    tables = person.page.locator(".embgeo-scroll:visible")
    assert tables.evaluate_all("all => all.filter(e => e.scrollWidth > e.clientWidth).length") == 0


def test_many_tokens_are_a_picture_that_answers_a_click(server: Server, person: Person) -> None:
    groups = (TokenGroup("random tokens", drawn=90),)
    query = to_query(Choices(models=("minilm",), groups=groups))
    person.open(server.url("group_similarity", urlencode(query)))
    picture = person.page.get_by_role("img", name="cosine of each of 90 tokens")
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.naturalWidth") == 90
    expect(person.page.get_by_text("Click a place for its exact cosine")).to_be_visible()
    picture.click(position={"x": 40, "y": 12})
    expect(person.page.get_by_role("columnheader", name="Above floor")).to_be_visible()
    assert "nan" not in person.stands().page.get_by_test_id("stMain").inner_text().lower().split()


def test_token_of_markup_is_text_in_the_page(server: Server, person: Person) -> None:
    marks = ("<script>alert(1)</script>", "**", "$", "`", ":smile:", "[x](javascript:1)")
    group = TokenGroup("<img src=x onerror=alert(1)>", marks)
    query = to_query(Choices(models=("smollm2",), groups=(group,), pieces="mean"))
    person.page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    person.open(server.url("group_similarity", urlencode(query)))
    person.page.get_by_text("Entries and their tokens").click()
    for mark in marks:
        expect(person.page.get_by_role("cell", name=mark, exact=True).first).to_be_visible()
    assert person.page.get_by_test_id("stMain").locator("img[src=x], script").count() == 0
