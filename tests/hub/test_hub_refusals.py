"""Each thing that can go wrong with a hub has words of its own, and never shows a token."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import repositories
from answers import Answer, Asked
from stand_in import StandIn

import embgeo
from embgeo.errors import CheckpointError, SourceError
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
    monkeypatch.setenv("EMBGEO_ALLOW_LOCAL", "0")  # a server for strangers: nobody can log in
    assert "this server reads only what everybody may read" in refusal()
    monkeypatch.delenv("EMBGEO_ALLOW_LOCAL")
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


def spoil(hub: StandIn, monkeypatch: Patch, change: Callable[[Asked, Answer], Answer]) -> None:
    """Lets every answer go through a change."""
    plain = hub._shelf.answer
    monkeypatch.setattr(hub._shelf, "answer", lambda asked: change(asked, plain(asked)))


NONSENSE = {
    "login page": b"<html>Please log in</html>",
    "list": b"[]",
    "no facts": b"{}",
    "no commit": b'{"id": "owner/name"}',
    "path for a commit": b'{"id": "owner/name", "sha": "../../../elsewhere"}',
    "nameless file": b'{"id": "owner/name", "sha": "%s", "siblings": [{}]}' % (b"a" * 40),
    "bottomless": b"[" * 100_000,
}


@pytest.mark.parametrize("body", NONSENSE.values(), ids=NONSENSE)
def test_an_answer_that_no_hub_gives(
    body: bytes, hub: StandIn, folder: Path, monkeypatch: Patch
) -> None:
    hub.add(ID, folder)

    def change(asked: Asked, answer: Answer) -> Answer:
        return replace(answer, body=body) if asked.path.startswith("/api/") else answer

    spoil(hub, monkeypatch, change)
    assert "something that is no description of owner/name: a login page" in refusal()


def test_a_gated_repository_without_files(
    hub: StandIn, folder: Path, tmp_path: Path, monkeypatch: Patch
) -> None:
    (tmp_path / "empty").mkdir()
    hub.add(ID, tmp_path / "empty", gated=True)
    assert "holds no weights that embgeo reads" in refusal()


def test_a_compressed_answer_is_refused(hub: StandIn, folder: Path, monkeypatch: Patch) -> None:
    hub.add(ID, folder)

    def change(asked: Asked, answer: Answer) -> Answer:
        if answer.status != 206:
            return answer
        packed = gzip.compress(answer.body)
        return replace(answer, body=packed, headers={**answer.headers, "Content-Encoding": "gzip"})

    spoil(hub, monkeypatch, change)
    assert "model.safetensors of owner/name was sent compressed" in refusal()


def test_a_token_that_is_none_is_not_sent(hub: StandIn, folder: Path, monkeypatch: Patch) -> None:
    hub.add(ID, folder)
    monkeypatch.setenv("HF_TOKEN", "hf_§")
    assert "The hub token (HF_TOKEN, or that of hf auth login) has characters" in refusal()
    assert hub.requests == ()


@pytest.mark.parametrize("kind", ["safetensors", "bin"])
@pytest.mark.parametrize("file", ["../../../../secret/private/resolve/main/model.safetensors", "x"])
def test_an_index_leads_to_no_other_repository(
    file: str, kind: str, hub: StandIn, tmp_path: Path, monkeypatch: Patch
) -> None:
    hub.add("secret/private", repositories.llama(tmp_path / "s").folder, private=True, token=TOKEN)
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    made = repositories.llama(tmp_path / "made", sharded=True)
    index = made.folder / "model.safetensors.index.json"
    tensors = json.loads(index.read_text())["weight_map"]
    index.unlink()
    name = "model.safetensors" if kind == "safetensors" else "pytorch_model.bin"
    text = json.dumps({"weight_map": dict.fromkeys(tensors, file)})
    (made.folder / f"{name}.index.json").write_text(text)
    for shard in made.folder.glob("*.safetensors"):
        shard.unlink()
    hub.add(ID, made.folder)
    with pytest.raises(CheckpointError, match=f"names {file}, which owner/name does not hold"):
        embgeo.load(ID)
    assert not any("secret" in each.path for each in hub.requests)


def test_a_pickle_of_unknown_length_is_not_read(
    hub: StandIn, tmp_path: Path, monkeypatch: Patch
) -> None:
    hub.add(ID, repositories.bin_only(tmp_path / "made").folder)

    def change(asked: Asked, answer: Answer) -> Answer:
        if not asked.path.startswith("/api/"):
            return answer
        said = json.loads(answer.body)
        said["siblings"] = [{"rfilename": each["rfilename"]} for each in said["siblings"]]
        return replace(answer, body=json.dumps(said).encode())

    spoil(hub, monkeypatch, change)
    assert "does not say how long pytorch_model.bin of owner/name is" in refusal()


def entry(shape: str, stop: int = 16, name: str = "model.embed_tokens.weight") -> str:
    return f'"{name}": {{"dtype": "F32", "shape": {shape}, "data_offsets": [0, {stop}]}}'


ODD_HEADERS = {
    "no matrix": entry("[4]"),
    "nothing": "",
    "endless": entry("[1e999, 2]"),
    "a text": entry('"22"'),
    "fractions": entry("[2.5, 2]"),
    "half a character": entry("[2, 2]", name=r"\ud800.embed_tokens.weight"),
    "no rows": f"{entry('[0, 4]', 0)}, {entry('[0, 4]', 0, 'lm_head.weight')}",
}


@pytest.mark.parametrize("header", ODD_HEADERS.values(), ids=ODD_HEADERS)
def test_an_odd_header_is_refused_in_words(header: str, hub: StandIn, folder: Path) -> None:
    text = f"{{{header}}}".encode()
    contents = len(text).to_bytes(8, "little") + text + bytes(64)
    (folder / "model.safetensors").write_bytes(contents)
    hub.add(ID, folder)
    with pytest.raises(CheckpointError, match=r"incomplete upload|no token embedding|no number in"):
        embgeo.load(ID)


Patch = pytest.MonkeyPatch
Cap = pytest.CaptureFixture[str]
