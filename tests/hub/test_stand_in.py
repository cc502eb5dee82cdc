"""The stand-in: the real hub client gets from it what the real hub would give."""

import time
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest
import repositories
from huggingface_hub import HfApi, get_safetensors_metadata, hf_hub_download, hf_hub_url
from huggingface_hub import model_info as model_info_of_the_module
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    LocalEntryNotFoundError,
    OfflineModeIsEnabled,
    RemoteEntryNotFoundError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.utils import build_hf_headers, get_session
from repositories import Made
from shelf import Kind
from stand_in import StandIn

ID = "owner/name"
WEIGHTS = "model.safetensors"


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return repositories.llama(tmp_path / "repository")


def ranged(name: str = ID, part: str = "bytes=0-99") -> httpx2.Response:
    headers = {**build_hf_headers(), "Range": part}
    return get_session().get(hf_hub_url(name, WEIGHTS), headers=headers)


def test_a_file_is_downloaded_once_and_then_kept(hub: StandIn, made: Made) -> None:
    hub.add(ID, made.folder)
    path = hf_hub_download(ID, WEIGHTS)
    assert Path(path).read_bytes() == made.file.read_bytes()
    assert Path(path).is_relative_to(hub.cache)
    assert hub.commit(ID) in path
    size = made.file.stat().st_size
    sent = [(each.method, each.status, each.bytes_sent) for each in hub.requests]
    assert sent == [("HEAD", 200, 0), ("GET", 200, size)]
    hub.clear()
    assert hf_hub_download(ID, WEIGHTS) == path
    assert [each.method for each in hub.requests] == ["HEAD"]


@pytest.mark.parametrize("name", [ID, "gpt2"])
def test_model_info_lists_sizes_and_the_commit(hub: StandIn, made: Made, name: str) -> None:
    hub.add(name, made.folder, information={"safetensors": {"parameters": {"BF16": 7}, "total": 7}})
    info = HfApi().model_info(name, files_metadata=True)
    assert info.id == name and info.sha == hub.commit(name) and info.gated is False
    assert info.safetensors is not None and info.safetensors.total == 7
    assert info.siblings is not None
    sizes = {each.rfilename: each.size for each in info.siblings}
    assert sizes == {each.name: each.stat().st_size for each in made.folder.iterdir()}
    assert model_info_of_the_module(name).sha == info.sha
    assert {each.path for each in HfApi().list_repo_tree(name)} == sizes.keys()


def test_revisions_are_branches_tags_and_commits(hub: StandIn, tmp_path: Path, made: Made) -> None:
    other = repositories.llama(tmp_path / "other", seed=9)
    hub.add(ID, made.folder, revisions={"v1": other.folder, "refs/pr/1": other.folder})
    for revision in ("v1", "refs/pr/1", hub.commit(ID, "v1")):
        assert HfApi().model_info(ID, revision=revision).sha == hub.commit(ID, "v1")
        path = hf_hub_download(ID, WEIGHTS, revision=revision)
        assert Path(path).read_bytes() == other.file.read_bytes()
    assert hub.commit(ID, "v1") != hub.commit(ID)


@pytest.mark.parametrize("part", ["bytes=0-99", "bytes=8388000-", "bytes=-10", "bytes=7-99999999"])
def test_a_range_is_just_those_bytes(hub: StandIn, made: Made, part: str) -> None:
    hub.add(ID, made.folder)
    contents = made.file.read_bytes()
    start, _, last = part.removeprefix("bytes=").partition("-")
    expected = contents[-int(last) :] if not start else contents[int(start) :]
    if start and last:
        expected = contents[int(start) : int(last) + 1]
    answer = ranged(part=part)
    assert answer.status_code == 206 and answer.content == expected
    begin = len(contents) - len(expected) if not start else int(start)
    said = f"bytes {begin}-{begin + len(expected) - 1}/{len(contents)}"
    assert answer.headers["Content-Range"] == said
    assert hub.bytes_sent("*/model.safetensors") == len(expected)
    assert ranged(part=f"bytes={len(contents)}-").status_code == 416


def test_shards_and_long_headers_are_read_by_the_hub_client(hub: StandIn, tmp_path: Path) -> None:
    hub.add(ID, repositories.llama(tmp_path / "sharded", sharded=True, tied=False).folder)
    found = get_safetensors_metadata(ID)
    assert found.sharded and len(found.files_metadata) == 3
    assert found.weight_map["model.embed_tokens.weight"] == "model-00002-of-00003.safetensors"
    hub.add("owner/long", repositories.long_header(tmp_path / "long").folder)
    assert len(get_safetensors_metadata("owner/long").files_metadata[WEIGHTS].tensors) > 3000


def test_who_is_not_allowed_gets_the_error_of_the_real_hub(
    hub: StandIn, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.add("owner/gated", made.folder, gated=True, token="hf_mine")
    hub.add("owner/private", made.folder, private=True, token="hf_mine")
    for token in (None, "hf_other"):
        if token:
            monkeypatch.setenv("HF_TOKEN", token)
        with pytest.raises(GatedRepoError) as gated:
            hf_hub_download("owner/gated", "config.json")
        assert gated.value.response.status_code == (403 if token else 401)
        assert HfApi().model_info("owner/gated").gated == "manual"
        for name in ("owner/private", "owner/nothing"):
            with pytest.raises(RepositoryNotFoundError) as missing:
                HfApi().model_info(name)
            assert not isinstance(missing.value, GatedRepoError)
            with pytest.raises(RepositoryNotFoundError):
                hf_hub_download(name, "config.json")
    monkeypatch.setenv("HF_TOKEN", "hf_mine")
    hf_hub_download("owner/gated", "config.json")
    assert HfApi().model_info("owner/private").private
    assert hub.requests[0].authorised is False and hub.requests[-1].authorised is True
    hub.revoke("hf_mine")
    with pytest.raises(HfHubHTTPError, match="Invalid credentials"):
        HfApi().model_info("owner/gated")


def test_a_missing_file_and_a_missing_revision_are_told_apart(hub: StandIn, made: Made) -> None:
    hub.add(ID, made.folder)
    with pytest.raises(RemoteEntryNotFoundError):
        hf_hub_download(ID, "nothing.json")
    with pytest.raises(RevisionNotFoundError):
        hf_hub_download(ID, "config.json", revision="v2")
    with pytest.raises(RevisionNotFoundError):
        HfApi().model_info(ID, revision="v2")
    assert get_session().get(hf_hub_url(ID, "..%2F..%2Fx")).status_code == 404


def test_a_renamed_repository_is_found_under_its_old_name(hub: StandIn, made: Made) -> None:
    hub.add("openai-community/gpt2", made.folder)
    hub.rename("gpt2", "openai-community/gpt2")
    assert HfApi().model_info("gpt2").id == "openai-community/gpt2"
    assert Path(hf_hub_download("gpt2", WEIGHTS)).read_bytes() == made.file.read_bytes()


def test_weights_behind_a_redirect_are_fetched_without_the_token(
    hub: StandIn, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.add(ID, made.folder, private=True, token="hf_mine", redirected=True)
    monkeypatch.setenv("HF_TOKEN", "hf_mine")
    answer = ranged(part="bytes=5-24")
    assert answer.status_code == 206 and answer.content == made.file.read_bytes()[5:25]
    first, second = hub.requests
    assert (first.status, first.authorised, first.bytes_sent) == (302, True, 0)
    assert second.path.startswith("/cdn/") and not second.authorised
    assert (second.status, second.bytes_sent, second.range) == (206, 20, "bytes=5-24")
    assert get_session().get(str(answer.url).partition("?")[0]).status_code == 403
    path = hf_hub_download(ID, WEIGHTS)
    assert Path(path).read_bytes() == made.file.read_bytes()


def test_a_rate_limit_says_how_long_and_ends(hub: StandIn, made: Made, waits: list[float]) -> None:
    hub.add(ID, made.folder)
    hub.fault(ID, "status", 429)
    with pytest.raises(HfHubHTTPError) as limited:
        HfApi().model_info(ID)
    assert limited.value.response.headers["Retry-After"] == "30"
    hub.heal(ID)
    hub.fault(ID, "status", 500, times=2, path="/api/*")
    statuses = [get_session().get(f"{hub.endpoint}/api/models/{ID}").status_code for _ in "123"]
    assert statuses == [500, 500, 200]
    assert waits == []


def test_a_dropped_download_is_taken_up_again(hub: StandIn, made: Made, waits: list[float]) -> None:
    hub.add(ID, made.folder)
    hub.fault(ID, "drop", 11_000_000, times=1, path="*.safetensors")
    assert Path(hf_hub_download(ID, WEIGHTS)).read_bytes() == made.file.read_bytes()
    dropped, resumed = hub.requests[1:]
    assert dropped.bytes_sent == 11_000_000
    assert resumed.range == f"bytes={10 * 2**20}-"  # the client writes pieces of 10 MiB
    assert waits == [1]
    hub.fault(ID, "drop", 10)
    for _ in "12":
        with pytest.raises(httpx2.RemoteProtocolError):
            ranged()


@pytest.mark.parametrize(
    ("kind", "status", "said", "length"),
    [
        ("whole", 200, "", 12_634_824),
        ("wrong range", 206, "bytes 30-129/", 100),
        ("short", 206, "bytes 0-69/", 70),
    ],
)
def test_an_answer_that_is_not_what_was_asked_for(
    hub: StandIn, made: Made, kind: Kind, status: int, said: str, length: int
) -> None:
    hub.add(ID, made.folder)
    hub.fault(ID, kind, 0 if kind == "whole" else 30, times=1)
    answer = ranged()
    assert (answer.status_code, len(answer.content)) == (status, length)
    assert answer.headers.get("Content-Range", "").startswith(said)
    assert ("Accept-Ranges" in answer.headers) == (kind != "whole")
    assert ranged().content == made.file.read_bytes()[:100]


def test_an_etag_that_changes_and_a_slow_body(hub: StandIn, made: Made) -> None:
    hub.add(ID, made.folder)
    assert ranged().headers["ETag"] == ranged().headers["ETag"]
    hub.fault(ID, "changing etag")
    assert ranged().headers["ETag"] != ranged().headers["ETag"]
    hub.fault(ID, "slow", 1000)
    begun = time.perf_counter()
    ranged(part="bytes=0-299")
    assert time.perf_counter() - begun > 0.25


def test_a_body_that_nobody_reads_is_hardly_counted(hub: StandIn, made: Made) -> None:
    hub.add(ID, made.folder)
    with get_session().stream("GET", hf_hub_url(ID, WEIGHTS)) as answer:
        assert answer.status_code == 200
    assert hub.bytes_sent() < 1_000_000 < made.file.stat().st_size


def test_a_closed_port_is_no_answer_and_it_opens_again(
    hub: StandIn, made: Made, waits: list[float]
) -> None:
    hub.add(ID, made.folder)
    hf_hub_download(ID, "config.json")
    with hub.unreachable():
        with pytest.raises((httpx2.ConnectError, httpx2.RemoteProtocolError)):
            HfApi().model_info(ID)
        assert hf_hub_download(ID, "config.json")
        with pytest.raises(LocalEntryNotFoundError):
            hf_hub_download(ID, WEIGHTS)
    assert HfApi().model_info(ID).sha


def test_offline_asks_for_nothing(hub: StandIn, made: Made, go_offline: Callable[[], None]) -> None:
    hub.add(ID, made.folder)
    path = hf_hub_download(ID, "config.json")
    hub.clear()
    go_offline()
    with pytest.raises(OfflineModeIsEnabled):
        HfApi().model_info(ID)
    assert hf_hub_download(ID, "config.json") == path
    with pytest.raises(LocalEntryNotFoundError):
        hf_hub_download(ID, WEIGHTS)
    assert hub.requests == ()


def test_a_process_of_its_own_sees_the_same_hub(hub: StandIn, made: Made) -> None:
    hub.add(ID, made.folder, gated=True, token="hf_mine")
    code = f"import huggingface_hub as h; print(h.hf_hub_download({ID!r}, 'config.json'))"
    refused = hub.run(code)
    assert refused.returncode != 0 and "GatedRepoError" in refused.stderr
    ran = hub.run(code, token="hf_mine")
    assert ran.returncode == 0, ran.stderr
    hub.clear()
    assert hub.run(code, offline=True).stdout == ran.stdout
    assert Path(ran.stdout.strip()).is_relative_to(hub.cache)
    assert hub.requests == ()
