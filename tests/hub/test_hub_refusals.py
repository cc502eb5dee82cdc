"""Each thing that can go wrong with a hub has words of its own, and never shows a token."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import repositories
from stand_in import StandIn

import embgeo
from embgeo.errors import SourceError
from embgeo.tables import plan

ID = "owner/name"
TOKEN = "hf_secret_of_one_person"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return repositories.llama(tmp_path / "made").folder


def refusal(text: str = ID) -> str:
    with pytest.raises(SourceError) as caught:
        embgeo.load(text)
    assert TOKEN not in str(caught.value)
    return str(caught.value)


def test_no_such_model(hub: StandIn) -> None:
    said = refusal("owner/nobody")
    assert "no model owner/nobody, or it is private. Check the spelling" in said
    assert "hf auth login" in said


def test_private_models_look_like_none(hub: StandIn, folder: Path, monkeypatch: Patch) -> None:
    hub.add(ID, folder, private=True, token=TOKEN)
    assert "or it is private" in refusal()
    monkeypatch.setenv("HF_TOKEN", "hf_of_somebody_else")
    assert "your account has no access" in refusal()
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    assert embgeo.load(ID).rows == repositories.ROWS


def test_gated_models_say_where_to_ask(hub: StandIn, folder: Path, monkeypatch: Patch) -> None:
    hub.add(ID, folder, gated=True, token=TOKEN)
    said = refusal()
    assert "is gated, and nobody is logged in here" in said
    assert f"{hub.endpoint}/{ID}" in said
    monkeypatch.setenv("HF_TOKEN", "hf_of_somebody_else")
    said = refusal()
    assert "your hub account has no access yet" in said
    assert f"Ask for it at {hub.endpoint}/{ID}" in said
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    assert embgeo.load(ID).rows == repositories.ROWS


@pytest.mark.parametrize("facts", [{"private": True}, {"gated": True}])
def test_what_a_token_read_is_shown_to_nobody_else(
    facts: dict[str, bool],
    hub: StandIn,
    folder: Path,
    fresh_cache: Path,
    monkeypatch: Patch,
    go_offline: Callable[[], None],
) -> None:
    hub.add(ID, folder, token=TOKEN, **facts)
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    embgeo.load(ID)
    monkeypatch.setenv("HF_TOKEN", "hf_of_somebody_else")
    refusal()
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    monkeypatch.setenv("EMBGEO_ALLOW_LOCAL", "0")  # a server for strangers
    refusal()
    monkeypatch.delenv("HF_TOKEN")
    go_offline()
    assert "not read before on this machine" in refusal()
    kept = b"".join(path.read_bytes() for path in fresh_cache.rglob("*") if path.is_file())
    assert kept and TOKEN.encode() not in kept


def test_too_many_requests(hub: StandIn, folder: Path) -> None:
    hub.add(ID, folder)
    hub.fault(ID, "status", 429)
    assert "too many requests from here (429)" in refusal()
    assert "in 30 seconds" in refusal()


def test_too_many_requests_in_the_middle(hub: StandIn, folder: Path) -> None:
    hub.add(ID, folder)
    hub.fault(ID, "status", 429, path="*.safetensors")
    assert "too many requests from here (429)" in refusal()


def test_a_tired_server_is_asked_again(hub: StandIn, folder: Path, monkeypatch: Patch) -> None:
    monkeypatch.setattr("embgeo.sources.ranges._PAUSE", 0.0)
    hub.add(ID, folder)
    hub.fault(ID, "status", 503, times=3, path="*.safetensors")
    assert embgeo.load(ID).rows == repositories.ROWS
    hub.add("owner/tired", folder)
    hub.fault("owner/tired", "status", 503, path="*.safetensors")
    assert "broke off 6 times in a row (the server answered 503)" in refusal("owner/tired")


def test_a_server_that_answers_nonsense(hub: StandIn, folder: Path) -> None:
    hub.add(ID, folder)
    hub.fault(ID, "status", 500, path="/api/*")
    assert "The hub answered 500 when asked for owner/name" in refusal()


def test_no_hub_at_all(hub: StandIn, folder: Path) -> None:
    hub.add(ID, folder)
    with hub.unreachable():
        assert f"{hub.endpoint} cannot be reached" in refusal()


def test_a_hub_that_goes_away_between_plan_and_reading(
    hub: StandIn, folder: Path, monkeypatch: Patch
) -> None:
    monkeypatch.setattr("embgeo.sources.ranges._PAUSE", 0.0)
    hub.add(ID, folder)
    plan(ID)
    with hub.unreachable():
        assert refusal()


def test_a_refused_token(hub: StandIn, folder: Path, monkeypatch: Patch) -> None:
    hub.add(ID, folder)
    hub.revoke(TOKEN)
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    assert "HF_TOKEN is valid" in refusal() or "no access" in refusal()


def test_the_hub_can_be_switched_off(hub: StandIn, folder: Path, monkeypatch: Patch) -> None:
    hub.add(ID, folder)
    monkeypatch.setenv("EMBGEO_ALLOW_HUB", "0")
    assert "the hub is switched off on this server" in refusal()
    assert hub.requests == ()


def test_a_cache_that_cannot_be_written(hub: StandIn, folder: Path, monkeypatch: Patch) -> None:
    hub.add(ID, folder)
    hub.cache.parent.mkdir(parents=True, exist_ok=True)
    hub.cache.write_text("a file is in its place")
    assert "Point HF_HOME at a folder that can" in refusal()


def test_one_model_that_fails_leaves_the_others(hub: StandIn, folder: Path, capsys: Cap) -> None:
    from embgeo.__main__ import main

    hub.add(ID, folder)
    assert main(["info", "owner/nobody", ID]) == 1
    printed = capsys.readouterr()
    assert "owner/nobody" in printed.err and "mean_cosine" in printed.out


Patch = pytest.MonkeyPatch
Cap = pytest.CaptureFixture[str]
