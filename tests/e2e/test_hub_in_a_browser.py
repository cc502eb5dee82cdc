"""A model of the hub, by hand: typed, described, added, agreed to, watched, stopped, read."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest
import repositories
from e2e.browsing import Person
from playwright.sync_api import Browser, expect
from repositories import Made
from stand_in import StandIn

from bench.serving import Server, serving

pytestmark = pytest.mark.e2e

ID = "owner/name"
ROWS = 20_000
ARRIVED = re.compile(r"owner/name: [\d.]+ [kM]?B of 2\.56 MB, [\d.]+ [kM]?B/s")


@pytest.fixture
def stand_in(tmp_path: Path) -> Iterator[StandIn]:
    hub = StandIn(tmp_path / "hf-home")
    yield hub
    hub.off()


@pytest.fixture
def made(stand_in: StandIn, tmp_path: Path) -> Made:
    found = repositories.llama(tmp_path / "made", rows=ROWS)
    stand_in.add(ID, found.folder)
    return found


@pytest.fixture
def hub_server(browser: Browser, stand_in: StandIn, made: Made, tmp_path: Path) -> Iterator[Server]:
    """A server whose hub is the stand-in, with nobody logged in and nothing read before."""
    own = {
        **stand_in.environment(),
        "EMBGEO_CACHE": str(tmp_path / "cache"),
        "HF_HUB_OFFLINE": "0",
        "HF_TOKEN": "",
        "HUGGING_FACE_HUB_TOKEN": "",
    }
    with serving(tmp_path / "log.txt", environment=own) as running:
        yield running


def test_a_typed_id_is_described_added_agreed_to_and_drawn(
    hub_server: Server, stand_in: StandIn, made: Made, person: Person
) -> None:
    person.open(hub_server.url("norms", "models=minilm"))
    person.press("Add a model")
    field = person.page.get_by_role("textbox", name="Model")
    field.press_sequentially(ID)
    expect(person.page.get_by_text("the exact bytes are said, and asked for")).to_be_visible()
    assert stand_in.requests == ()
    person.press(f"Add {ID}")
    expect(person.chosen("name")).to_be_visible()
    expect(field).to_have_value("")
    person.page.keyboard.press("Escape")
    offer = person.page.get_by_role("button", name=re.compile(r"^Read \d"))
    expect(offer).to_be_visible()
    assert all(person.stands().marks("minilm"))
    assert stand_in.bytes_sent("*.safetensors") == 2**16
    offer.click()
    expect(person.charts("name: norms").first).to_be_visible()
    assert all(person.stands().marks("name: norms"))
    assert unquote(unquote(person.page.url)).endswith(f"models=minilm,{ID}")
    stand_in.clear()
    person.page.reload()
    assert all(person.stands().marks("name: norms"))
    assert stand_in.requests == ()


def test_a_slow_transfer_is_seen_stopped_and_gone_on_with(
    hub_server: Server, stand_in: StandIn, made: Made, person: Person
) -> None:
    person.open(hub_server.url("norms", f"models=minilm,{ID}"))
    stand_in.fault(ID, "slow", 200_000, path="*.safetensors")
    stand_in.clear()
    person.page.get_by_role("button", name=re.compile(r"^Read \d")).click()
    expect(person.page.get_by_test_id("stProgress")).to_contain_text(ARRIVED)
    assert all(person.marks("minilm"))
    person.press("Stop")
    expect(person.page.get_by_text("Stopped before its numbers were ready.")).to_be_visible()
    first = stand_in.bytes_sent("*.safetensors")
    assert 0 < first < made.table_bytes
    stand_in.heal(ID)
    stand_in.clear()
    person.stands().press("Run again")
    expect(person.charts("name: norms").first).to_be_visible()
    assert all(person.stands().marks("name: norms"))
    assert first + stand_in.bytes_sent("*.safetensors") < made.table_bytes + 2**19


def test_a_hub_that_is_away_is_tried_again(
    hub_server: Server, stand_in: StandIn, made: Made, person: Person
) -> None:
    with stand_in.unreachable():
        person.open(hub_server.url("norms", f"models=minilm,{ID}"))
        expect(person.page.get_by_text(f"{stand_in.endpoint} cannot be reached")).to_be_visible()
        assert all(person.stands().marks("minilm"))
    person.press("Try again")
    expect(person.page.get_by_role("button", name=re.compile(r"^Read \d"))).to_be_visible()
    expect(person.page.get_by_text("cannot be reached")).to_have_count(0)
