"""A hub's model in a page: what reading takes is said, agreed to, done once, and then at hand."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
import repositories
from opened import PAGES, Opened, open_page
from repositories import Made
from stand_in import StandIn

from embgeo.memory import host_memory
from embgeo.quantities import bytes_text
from embgeo.sources import hub as sources_hub
from embgeo.ui import work

pytestmark = pytest.mark.app

ID = "owner/name"
BOTH = f"minilm,{ID}"
ROWS = 20_000
HEADER = 2**16
"""Bytes of a weight file that are read to find the table in it."""
SOON = 60.0


@pytest.fixture
def made(hub: StandIn, tmp_path: Path) -> Made:
    found = repositories.llama(tmp_path / "made", rows=ROWS)
    hub.add(ID, found.folder)
    return found


@pytest.fixture
def slow(hub: StandIn, made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that takes six seconds to arrive, on a page that is planned and does not wait."""
    open_page("norms", models=BOTH)
    hub.fault(ID, "slow", made.table_bytes // 6, path="*.safetensors")
    monkeypatch.setattr(work, "PATIENCE", 0.05)


def names(opened: Opened) -> set[str]:
    """The models that charts are drawn of."""
    return {name for name in ("minilm", "name") if any(name in alt for alt in opened.charts)}


def doing(opened: Opened) -> str:
    return "".join(each.proto.text for each in opened.app.get("progress")).replace("\\", "")


def until(opened: Opened, arrived: Callable[[], bool]) -> None:
    """Look at the page again and again, as its own clock makes it, until something is so."""
    end = time.monotonic() + SOON
    while not arrived():
        assert time.monotonic() < end, opened.words
        time.sleep(0.05)
        opened.app.run()


@pytest.mark.parametrize("page", PAGES)
def test_what_reading_takes_is_said_before_anything_is_read(
    page: str, hub: StandIn, made: Made
) -> None:
    opened = open_page(page, models=BOTH).works()
    size = made.table_bytes + (made.folder / "tokenizer.json").stat().st_size
    assert opened.offer == f"Read {bytes_text(size)}"
    assert f"Reads {bytes_text(size)} from {hub.endpoint}" in opened.words
    assert f"{ROWS:,} × {repositories.DIM}, BF16" in opened.words
    assert f"{ID} at commit {hub.commit(ID)[:7]}" in opened.words
    assert hub.bytes_sent("*.safetensors") == HEADER
    assert not hub.bytes_sent("*/tokenizer.json")
    assert any("minilm" in alt for alt in opened.charts)
    assert not any(alt.startswith("name") for alt in opened.charts)


def test_what_was_said_is_what_is_read_and_then_drawn(hub: StandIn, made: Made) -> None:
    opened = open_page("norms", models=BOTH)
    offer = opened.offer
    hub.clear()
    opened.press(offer).works()
    assert offer == f"Read {bytes_text(hub.bytes_sent())}"
    assert names(opened) == {"minilm", "name"}


def test_what_was_read_needs_no_request_on_any_page_for_anybody(
    hub: StandIn, made: Made, go_offline: Callable[[], None]
) -> None:
    opened = open_page("norms", models=BOTH)
    opened.press(opened.offer)
    hub.clear()
    opened.app.run()
    for page in PAGES:
        assert names(opened.go(page).works()) == {"minilm", "name"}
        assert names(open_page(page, models=BOTH).works()) == {"minilm", "name"}
    assert hub.requests == ()
    work.pool.clear()  # as after a restart
    host_memory().forget(("table",))
    sources_hub._known.clear()
    go_offline()
    with hub.unreachable():
        assert names(open_page("norms", models=BOTH).works()) == {"minilm", "name"}
    assert hub.requests == ()


def test_a_plan_that_nobody_agreed_to_is_not_asked_for_again(hub: StandIn, made: Made) -> None:
    opened = open_page("norms", models=BOTH)
    hub.clear()
    opened.app.run()
    opened.go("overview").works()
    assert open_page("norms", models=BOTH).offer == opened.offer
    assert hub.requests == ()


@pytest.mark.usefixtures("slow")
def test_a_stopped_transfer_goes_on_where_it_was(
    hub: StandIn, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("embgeo.jobs._FAREWELL", 0.1)
    opened = open_page("norms", models=BOTH)
    hub.clear()
    opened.press(opened.offer)
    part = bytes_text(made.table_bytes)
    until(opened, lambda: f"of {part}, " in doing(opened))
    assert "/s" in doing(opened)
    assert names(opened.works()) == {"minilm"}
    opened.press("Stop")
    assert "Stopped before its numbers were ready." in opened.words
    first = hub.bytes_sent("*.safetensors")  # waits until the connection is closed
    assert 0 < first < made.table_bytes
    hub.heal(ID)
    hub.clear()
    opened.app.run()
    assert hub.requests == ()
    monkeypatch.setattr(work, "PATIENCE", SOON)
    assert names(opened.press("Run again").works()) == {"minilm", "name"}
    second = hub.bytes_sent("*.safetensors")
    assert made.table_bytes <= first + second < made.table_bytes + 2**19
    assert second < made.table_bytes


@pytest.mark.usefixtures("slow")
def test_two_who_read_at_once_read_once(
    hub: StandIn, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("embgeo.jobs._FAREWELL", 20.0)
    both = [open_page("norms", models=BOTH) for _ in range(2)]
    hub.clear()
    for opened in both:
        opened.press(opened.offer)
    until(both[0], lambda: " of " in doing(both[0]))
    both[0].press("Stop")  # the other one still waits
    until(both[1], lambda: "name" in names(both[1]))
    assert hub.bytes_sent("*.safetensors") == made.table_bytes
    assert "Stopped before its numbers were ready." in both[0].words
    monkeypatch.setattr(work, "PATIENCE", SOON)
    assert names(both[0].press("Run again").works()) == {"minilm", "name"}
    assert hub.bytes_sent("*.safetensors") == made.table_bytes


def test_a_link_may_name_a_revision_and_a_tensor(hub: StandIn, tmp_path: Path) -> None:
    old = repositories.llama(tmp_path / "old", tied=False, seed=3)
    hub.add(ID, repositories.llama(tmp_path / "new").folder, revisions={"v1": old.folder})
    opened = open_page("overview", models=f"{ID}@v1#lm_head.weight")
    opened.press(opened.offer).works()
    said = "".join(opened.tables)
    assert "lm_head.weight in model.safetensors" in said
    assert hub.commit(ID, "v1") in said
    assert f"commit of {ID}; v1 when it was first read" in said
    hub.clear()
    again = open_page("overview", **opened.query).works()
    assert again.models == [f"{ID}@v1#lm_head.weight"]
    assert again.charts == opened.charts
    assert again.charts
    assert hub.requests == ()


def test_a_pickle_says_that_it_is_read_whole(
    hub: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = repositories.bin_only(tmp_path / "made")
    hub.add(ID, made.folder)
    opened = open_page("norms", models=BOTH)
    tokenizer = (made.folder / "tokenizer.json").stat().st_size
    assert opened.offer == f"Read {bytes_text(made.file.stat().st_size + tokenizer)}"
    assert "a whole PyTorch file" in opened.words
    assert hub.bytes_sent("*.bin") == 0
    assert names(opened.press(opened.offer).works()) == {"minilm", "name"}
    assert hub.bytes_sent("*.bin") == made.file.stat().st_size
    monkeypatch.setenv("EMBGEO_ALLOW_PICKLE", "0")
    work.pool.clear()
    opened = open_page("norms", models=BOTH).works()
    assert "pickles are switched off" in opened.words
    assert names(opened) == {"minilm"}


def test_a_server_for_strangers_reads_public_models_and_remembers_nobody(
    hub: StandIn, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBGEO_ALLOW_LOCAL", "0")
    opened = open_page("norms", models=BOTH)
    assert names(opened.press(opened.offer).works()) == {"minilm", "name"}
    assert ID not in open_page("norms", models="minilm").type_model("name").picker.split("\n")
    monkeypatch.setenv("EMBGEO_ALLOW_LOCAL", "1")
    assert "recent" not in open_page("norms", models="minilm").picker


def test_the_hub_can_be_switched_off(
    hub: StandIn, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBGEO_ALLOW_HUB", "0")
    opened = open_page("norms", models=BOTH).works()
    assert "the hub is switched off on this server" in opened.words
    assert names(opened) == {"minilm"}
    assert not [each for each in opened.app.get("button") if each.label == "Try again"]
    assert hub.requests == ()
