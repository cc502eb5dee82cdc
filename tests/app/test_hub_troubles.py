"""A hub that refuses: its words where the model would stand; asked again when a person says so."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import repositories
from opened import Opened, open_page
from stand_in import StandIn

pytestmark = [pytest.mark.app, pytest.mark.usefixtures("waits")]

ID = "owner/name"
BOTH = f"minilm,{ID}"


@dataclass(frozen=True)
class Trouble:
    """What is wrong with a hub, what is said of it, and what mends it."""

    begin: Callable[[StandIn, Path], object]
    said: str
    mend: Callable[[StandIn, Path], object]


def whole(hub: StandIn, folder: Path) -> None:
    hub.add(ID, repositories.llama(folder / "whole").folder)


def instead(make: Callable[[Path], Path]) -> Callable[[StandIn, Path], object]:
    """A repository that holds something else than a model's table."""
    return lambda hub, folder: hub.add(ID, make(folder / "other"))


def gated(hub: StandIn, folder: Path) -> None:
    hub.add(ID, repositories.llama(folder / "whole").folder, gated=True)


def spoilt(status: int, path: str = "*") -> Callable[[StandIn, Path], object]:
    def begin(hub: StandIn, folder: Path) -> None:
        whole(hub, folder)
        hub.fault(ID, "status", status, path=path)

    return begin


def healed(hub: StandIn, folder: Path) -> None:
    hub.heal(ID)


def unreachable(hub: StandIn, folder: Path) -> None:
    whole(hub, folder)
    hub.off()


TROUBLES = {
    "no such id": Trouble(lambda hub, folder: None, "no model owner/name, or it is private", whole),
    "gated": Trouble(gated, "is gated, and nobody is logged in here", whole),
    "429": Trouble(spoilt(429), "too many requests from here (429)", healed),
    "500": Trouble(spoilt(500), "The hub answered 500", healed),
    "unreachable": Trouble(unreachable, "cannot be reached", lambda hub, folder: hub.on()),
    "adapter": Trouble(instead(repositories.adapter_only), "base model: owner/base", whole),
    "GGUF": Trouble(instead(repositories.gguf_only), "holds only GGUF files", whole),
    "pointer": Trouble(instead(repositories.lfs_pointer), "git-LFS pointer", whole),
    "vision": Trouble(instead(repositories.no_table), "no token embedding table", whole),
}


@pytest.fixture(params=TROUBLES.values(), ids=list(TROUBLES))
def trouble(request: pytest.FixtureRequest, hub: StandIn, tmp_path: Path) -> Trouble:
    found: Trouble = request.param
    found.begin(hub, tmp_path)
    return found


def refused(opened: Opened, said: str) -> None:
    """The trouble is said once, and the other model stands."""
    [error] = opened.works().app.error
    assert said in re.sub(r"\\(.)", r"\1", error.value)
    assert opened.charts
    assert all(alt.startswith("minilm") for alt in opened.charts)


def test_trouble_is_said_and_not_asked_about_again_until_a_person_does(
    trouble: Trouble, hub: StandIn, tmp_path: Path
) -> None:
    opened = open_page("norms", models=BOTH)
    refused(opened, trouble.said)
    hub.clear()
    opened.app.run()
    refused(opened.go("group_similarity"), trouble.said)
    refused(open_page("norms", models=BOTH), trouble.said)
    assert hub.requests == ()
    opened.press("Try again")
    refused(opened, trouble.said)
    assert hub.requests or "reached" in trouble.said
    trouble.mend(hub, tmp_path)
    opened.press("Try again").works()
    opened.press(opened.offer).works()
    assert not opened.app.error
    assert any(alt.startswith("name") for alt in opened.charts)


@pytest.mark.parametrize("revision", ["v9", "x" * 300, "refs/pr/1", "ü"])
def test_a_revision_that_is_none_is_named(revision: str, hub: StandIn, tmp_path: Path) -> None:
    whole(hub, tmp_path)
    assert open_page("norms", models=ID).offer  # so that the hub's cache has a folder for it
    refused(open_page("norms", models=f"minilm,{ID}@{revision}"), f"has no revision {revision!r}")


def test_a_transfer_that_broke_can_be_tried_again(
    hub: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("embgeo.sources.ranges._PAUSE", 0.0)
    made = repositories.llama(tmp_path / "made", rows=20_000)
    hub.add(ID, made.folder)
    opened = open_page("norms", models=BOTH)
    offer = opened.offer
    hub.clear()
    hub.fault(ID, "drop", 900_000, times=1, path="*.safetensors")
    hub.fault(ID, "drop", 0, path="*.safetensors")
    refused(opened.press(offer), "broke off 6 times in a row")
    hub.heal(ID)
    opened.press("Try again").works()
    assert not opened.app.error
    assert any(alt.startswith("name") for alt in opened.charts)
    assert hub.bytes_sent("*.safetensors") == made.table_bytes
    assert not [each for each in hub.requests if each.path.startswith("/api/")]


def test_somebody_who_was_let_in_meanwhile_tries_again(
    hub: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.add(ID, repositories.llama(tmp_path / "made").folder, gated=True, token="hf_mine")
    opened = open_page("norms", models=BOTH)
    refused(opened, "nobody is logged in here")
    monkeypatch.setenv("HF_TOKEN", "hf_mine")
    opened.press("Try again").works()
    opened.press(opened.offer).works()
    assert any(alt.startswith("name") for alt in opened.charts)
    assert "hf_mine" not in str(opened.app.main)


def test_a_text_that_is_a_path_and_a_hub_that_is_off_have_no_button_to_try_again(
    tmp_path: Path,
) -> None:
    opened = open_page("norms", models=f"minilm,{tmp_path / 'gone'}").works()
    assert opened.app.error
    assert "Try again" not in [each.label for each in opened.app.get("button")]


def test_words_of_a_hub_are_not_read_as_markup(hub: StandIn, tmp_path: Path) -> None:
    folder = repositories.adapter_only(tmp_path / "made", base="<b>x</b> **y** [z](http://a)")
    hub.add(ID, folder)
    opened = open_page("norms", models=BOTH).works()
    [error] = opened.app.error
    assert r"\<b\>x\</b\> \*\*y\*\* \[z\]\(http" in error.value


@pytest.mark.parametrize("strangers", [False, True])
def test_a_cache_that_cannot_be_written_is_named_to_who_may_name_paths(
    strangers: bool, hub: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole(hub, tmp_path)
    hub.home.mkdir(exist_ok=True)
    hub.cache.write_text("a file is in its place")
    monkeypatch.setenv("EMBGEO_ALLOW_LOCAL", "0" if strangers else "1")
    opened = open_page("norms", models=BOTH)
    refused(opened, "Point HF_HOME at a folder that can")
    assert (str(hub.cache) in opened.words) is not strangers
