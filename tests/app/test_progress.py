"""Long work: shown while it runs, stopped by a person, asked for again; the rest stays."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from opened import Opened, open_page

from embgeo.jobs import Progress, silent
from embgeo.populations import Population
from embgeo.sources import TableSource, parse_source
from embgeo.statistics import directions, scored_pairs
from embgeo.tables import EmbeddingTable, load
from embgeo.ui import opening, stages, work

pytestmark = pytest.mark.app


@pytest.fixture
def let_go(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Set it, and tables that were asked for since are read; until then pages do not wait."""
    event = threading.Event()

    def slow(source: TableSource, progress: Progress = silent) -> EmbeddingTable:
        while not event.wait(0.01):
            progress(0.4, f"{source.label}: reading slowly")
        return load(source, progress)

    open_page("norms", models="minilm")
    monkeypatch.setattr(opening, "load", slow)
    monkeypatch.setattr(work, "PATIENCE", 0.05)
    yield event
    event.set()


def _waited_for(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> Opened:
    monkeypatch.setattr(work, "PATIENCE", 60.0)
    opened.app.run()
    return opened.works()


def test_work_is_shown_while_it_runs_and_then_its_charts(
    let_go: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = open_page("norms", models="minilm,random:101x5").works()
    assert opened.app.get("progress")
    assert all(alt.startswith("minilm") for alt in opened.charts)
    assert opened.charts
    let_go.set()
    assert not _waited_for(opened, monkeypatch).app.get("progress")
    assert any(alt.startswith("random:101x5") for alt in opened.charts)


def test_stopped_work_stays_stopped_until_it_is_asked_for_again(
    let_go: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = open_page("norms", models="minilm,random:102x5").press("Stop").works()
    assert "Stopped before its numbers were ready." in opened.words
    assert opened.charts
    opened.app.run()
    assert "Stopped before its numbers were ready." in opened.words
    let_go.set()
    opened.press("Run again")
    assert "Stopped before its numbers were ready." not in _waited_for(opened, monkeypatch).words
    assert any(alt.startswith("random:102x5") for alt in opened.charts)


def test_two_sessions_that_want_one_table_read_it_once(
    let_go: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    slow = opening.load

    def counted(source: TableSource, progress: Progress = silent) -> EmbeddingTable:
        read.append(source.text)
        return slow(source, progress)

    monkeypatch.setattr(opening, "load", counted)
    both = [open_page("norms", models="random:103x5") for _ in range(2)]
    assert all(opened.app.get("progress") for opened in both)
    let_go.set()
    for opened in both:
        assert _waited_for(opened, monkeypatch).charts
    assert read == ["random:103x5"]


@pytest.fixture
def second_stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Set it, and what a part of a page asks for beside the rest is computed."""
    event = threading.Event()

    def held(progress: Progress) -> None:
        while not event.wait(0.01):
            progress(0.4, "holding")

    for module, name in ((directions, "counted_mean_cosine"), (scored_pairs, "pair_cosines")):
        monkeypatch.setattr(module, name, _after(held, getattr(module, name)))
    yield event
    event.set()


def _after(held: Callable[[Progress], None], compute: Callable[..., Any]) -> Callable[..., Any]:
    def slow(*arguments: Any) -> Any:
        if callable(arguments[-1]):  # a job's progress
            held(arguments[-1])
        return compute(*arguments)

    return slow


@pytest.mark.parametrize("page", ["isotropy", "whitening"])
def test_a_part_that_waits_or_was_stopped_leaves_the_rest_of_the_page(
    page: str, second_stage: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = open_page(page, models="minilm").works()
    before = opened.charts.keys()
    monkeypatch.setattr(work, "PATIENCE", 0.3)
    if page == "isotropy":
        field = opened.control("file_uploader", "How often each token occurs")
        field.upload("counts.csv", b"the,50\nof,30\ncat,7\n", "text/csv").run()
    else:
        opened.set("toggle", "Try it with an example", True)
    opened.works()
    assert opened.app.get("progress")
    assert opened.charts.keys() == before
    opened.press("Stop").works()
    assert "Stopped before its numbers were ready." in opened.words
    assert opened.charts.keys() == before
    second_stage.set()
    opened.press("Run again")
    assert "Stopped" not in _waited_for(opened, monkeypatch).words


def test_a_card_that_was_stopped_is_not_asked_again_by_the_claims() -> None:
    opened = open_page("overview", models="random:106x120").press("Measure the rest").works()
    stage = stages.spectrum(Population())
    opened.app.session_state["stopped work"] = {stage.key(load(parse_source("random:104x120")))}
    opened.add_model("random:104x120").works()
    assert "Stopped before its numbers were ready." in opened.words
