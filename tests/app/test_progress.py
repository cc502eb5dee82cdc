"""Long work: shown while it runs, stopped by a person, asked for again; the rest stays."""

import threading
from collections.abc import Iterator

import pytest
from opened import Opened, open_page

from embgeo.jobs import Progress, silent
from embgeo.sources import TableSource
from embgeo.tables import EmbeddingTable, load
from embgeo.ui import opening, work

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
