"""Tables of repositories on the hub: which bytes are asked for, and what is done with them."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import repositories
import torch
from repositories import Made
from stand_in import StandIn

import embgeo
from embgeo.errors import CheckpointError, SourceError
from embgeo.memory import host_memory
from embgeo.sources.hub import refresh
from embgeo.tables import EmbeddingTable, plan

ID = "owner/name"
ALLOWANCE = 1_000_000
"""Bytes beside the table and the tokenizer that a repository may cost."""


def forget_all() -> None:
    """As in a new process: nothing is at hand but what the disk holds."""
    from embgeo.sources import hub

    host_memory().forget(("table",))
    hub._known.clear()


def read(hub: StandIn, made: Made, text: str = ID) -> EmbeddingTable:
    hub.add(ID, made.folder)
    table = embgeo.load(text)
    assert torch.equal(table.weight, made.table)
    return table


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("sharded", [False, True])
@pytest.mark.parametrize("tied", [False, True])
def test_only_the_table_and_its_tokens_are_read(
    sharded: bool, tied: bool, dtype: torch.dtype, hub: StandIn, tmp_path: Path
) -> None:
    made = repositories.llama(tmp_path / "made", sharded=sharded, tied=tied, dtype=dtype)
    table = read(hub, made)
    assert table.weight.dtype == dtype
    assert (table.facts.tied, table.revision) == (tied, hub.commit(ID))
    assert table.vocabulary.encode("the")
    sent = hub.bytes_sent()
    assert made.table_bytes < sent < made.table_bytes + made.small_bytes + ALLOWANCE
    ranges = [each for each in hub.requests if each.path.endswith(".safetensors")]
    assert all(each.method == "GET" and each.range and each.status == 206 for each in ranges)
    whole = [each for each in ranges if each.bytes_sent == made.table_bytes]
    assert [each.path.rsplit("/", 1)[1] for each in whole] == [made.file.name]


def test_a_table_read_once_needs_no_network(
    hub: StandIn, tmp_path: Path, go_offline: Callable[[], None]
) -> None:
    made = repositories.llama(tmp_path / "made", sharded=True, tied=False)
    read(hub, made)
    hub.clear()
    embgeo.load(ID)  # as on a rerun of a page
    forget_all()  # as after a restart
    embgeo.load(ID)
    assert hub.requests == ()
    go_offline()
    forget_all()
    with hub.unreachable():
        assert torch.equal(embgeo.load(ID).weight, made.table)
    with pytest.raises(SourceError, match="was not read before on this machine, or not by"):
        embgeo.load("owner/other")
    assert hub.requests == ()


def test_a_restarted_process_needs_no_network(hub: StandIn, tmp_path: Path) -> None:
    hub.add(ID, repositories.llama(tmp_path / "made").folder)
    code = f"import embgeo; print(embgeo.info_record(embgeo.load({ID!r}))['mean_cosine'])"
    first = hub.run(code)
    assert first.returncode == 0, first.stderr
    second = hub.run(code, offline=True)
    assert (second.returncode, second.stdout) == (0, first.stdout), second.stderr


def test_a_revision_stays_the_commit_it_was(hub: StandIn, tmp_path: Path) -> None:
    old = repositories.llama(tmp_path / "old", seed=1)
    new = repositories.llama(tmp_path / "new", seed=2)
    hub.add(ID, old.folder, revisions={"v1": old.folder})
    assert torch.equal(embgeo.load(ID).weight, old.table)
    commit = hub.commit(ID)
    hub.add(ID, new.folder, revisions={"v1": old.folder})
    assert embgeo.load(ID).revision == commit
    assert torch.equal(embgeo.load(f"{ID}@v1").weight, old.table)
    assert torch.equal(embgeo.load(f"{ID}@{hub.commit(ID)}").weight, new.table)
    with pytest.raises(SourceError, match=r"owner/name has no revision 'v9'\. Name a branch"):
        embgeo.load(f"{ID}@v9")


def test_a_branch_is_looked_up_again_when_that_is_asked_for(hub: StandIn, tmp_path: Path) -> None:
    old = repositories.llama(tmp_path / "old", seed=1)
    new = repositories.llama(tmp_path / "new", seed=2)
    hub.add(ID, old.folder)
    embgeo.load(ID)
    hub.add(ID, new.folder)
    with hub.unreachable(), pytest.raises(SourceError, match="cannot be reached"):
        refresh(ID, "main")
    assert torch.equal(embgeo.load(ID).weight, old.table)
    assert refresh(ID, "main").commit == hub.commit(ID)
    assert torch.equal(embgeo.load(ID).weight, new.table)
    forget_all()
    assert torch.equal(embgeo.load(ID).weight, new.table)


def test_an_id_of_one_part(hub: StandIn, tmp_path: Path) -> None:
    made = repositories.bert(tmp_path / "made")
    hub.add("gpt2", made.folder)
    assert torch.equal(embgeo.load("gpt2").weight, made.table)


def test_a_dropped_connection_is_gone_on_with(
    hub: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("embgeo.sources.ranges._PAUSE", 0.0)
    made = repositories.llama(tmp_path / "made", rows=20_000)
    hub.add(ID, made.folder)
    plan(ID)
    hub.fault(ID, "drop", 700_000, times=2, path="*.safetensors")
    assert torch.equal(embgeo.load(ID).weight, made.table)
    sent = sum(each.bytes_sent for each in hub.requests if each.path.endswith(".safetensors"))
    assert made.table_bytes < sent < made.table_bytes + ALLOWANCE  # nothing was sent twice
    broken = [each for each in hub.requests if each.bytes_sent == 700_000]
    assert len(broken) == 2


def test_a_line_that_stays_broken_is_given_up_and_later_gone_on_with(
    hub: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("embgeo.sources.ranges._PAUSE", 0.0)
    made = repositories.llama(tmp_path / "made", rows=20_000)
    hub.add(ID, made.folder)
    plan(ID)  # the headers come through
    hub.clear()
    hub.fault(ID, "drop", 0, path="*.safetensors")
    hub.fault(ID, "drop", 900_000, times=1, path="*.safetensors")  # the later one counts
    with pytest.raises(SourceError, match=r"broke off 6 times in a row .* it goes on from there"):
        embgeo.load(ID)
    hub.heal(ID)
    assert torch.equal(embgeo.load(ID).weight, made.table)
    assert hub.bytes_sent("*.safetensors") == made.table_bytes


def test_a_cancelled_transfer_stops_and_is_gone_on_with(hub: StandIn, tmp_path: Path) -> None:
    made = repositories.llama(tmp_path / "made", rows=20_000)
    hub.add(ID, made.folder)
    plan(ID)
    hub.clear()
    hub.fault(ID, "slow", 4_000_000, path="*.safetensors")
    told: list[str] = []

    def progress(fraction: float, doing: str) -> None:
        told.append(doing)
        if fraction > 0.4 and " of " in doing:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        embgeo.load(ID, progress)
    assert "of 2.56 MB" in told[-1] and told[-1].endswith("/s")
    hub.heal(ID)
    assert torch.equal(embgeo.load(ID).weight, made.table)
    assert hub.bytes_sent("*.safetensors") < 1.5 * made.table_bytes


def test_a_server_without_ranges_is_refused_before_its_answer_is_read(
    hub: StandIn, tmp_path: Path
) -> None:
    made = repositories.llama(tmp_path / "made")
    hub.fault(hub.add(ID, made.folder).name, "whole", path="*.safetensors")
    with pytest.raises(SourceError, match=r"with the whole file, which was not read.*Download"):
        embgeo.load(ID)
    assert hub.bytes_sent("*.safetensors") < made.file.stat().st_size / 4


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        ("wrong range", 30, "answered with other bytes than asked for"),
        ("changing etag", 0, "was changed while it was read"),
    ],
)
def test_other_bytes_than_asked_for_are_refused(
    kind: str, value: int, said: str, hub: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("embgeo.sources.ranges._PAUSE", 0.0)
    made = repositories.llama(tmp_path / "made", rows=20_000)
    hub.add(ID, made.folder)
    plan(ID)
    hub.fault(ID, kind, value, path="*.safetensors")  # type: ignore[arg-type]
    hub.fault(ID, "drop", 500_000, times=1, path="*.safetensors")
    with pytest.raises(SourceError, match=said):
        embgeo.load(ID)


def test_a_short_answer_is_asked_for_again(hub: StandIn, tmp_path: Path) -> None:
    made = repositories.llama(tmp_path / "made", rows=20_000)
    hub.add(ID, made.folder)
    plan(ID)
    hub.fault(ID, "short", 30, times=1, path="*.safetensors")
    with pytest.raises(SourceError, match="answered with other bytes than asked for"):
        embgeo.load(ID)
    assert torch.equal(embgeo.load(ID).weight, made.table)


def test_weights_on_another_host_are_read_without_the_token(
    hub: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_mine")
    made = repositories.llama(tmp_path / "made")
    hub.add(ID, made.folder, private=True, token="hf_mine", redirected=True)
    assert torch.equal(embgeo.load(ID).weight, made.table)
    elsewhere = [each for each in hub.requests if each.path.startswith("/cdn/")]
    assert elsewhere and not any(each.authorised for each in elsewhere)
    assert any(each.authorised for each in hub.requests)


def test_a_long_header_takes_a_second_request(hub: StandIn, tmp_path: Path) -> None:
    made = repositories.long_header(tmp_path / "made")
    read(hub, made)
    assert hub.bytes_sent() < made.table_bytes + made.small_bytes + ALLOWANCE
    sizes = [each.bytes_sent for each in hub.requests if each.path.endswith(".safetensors")]
    assert sizes[0] == 2**16 < 200_000 < sizes[1]


def test_what_is_downloaded_whole_already_is_not_fetched_again(
    hub: StandIn, tmp_path: Path, go_offline: Callable[[], None]
) -> None:
    from huggingface_hub import snapshot_download

    made = repositories.llama(tmp_path / "made", sharded=True)
    hub.add(ID, made.folder)
    snapshot_download(ID)
    hub.clear()
    go_offline()
    assert plan(ID).remaining == 0
    table = embgeo.load(ID)
    assert torch.equal(table.weight, made.table)
    assert table.facts.mapped and table.revision == hub.commit(ID)
    assert hub.requests == ()


def test_a_download_that_is_gone_again_is_fetched_not_made_up(hub: StandIn, tmp_path: Path) -> None:
    from huggingface_hub import snapshot_download

    made = repositories.llama(tmp_path / "made")
    hub.add(ID, made.folder)
    snapshot_download(ID)
    assert embgeo.load(ID).facts.mapped
    shutil.rmtree(hub.cache)
    forget_all()
    table = embgeo.load(ID)
    assert torch.equal(table.weight, made.table)
    assert not table.facts.mapped


def test_a_download_without_config_or_tokenizer_is_completed(
    hub: StandIn, tmp_path: Path, go_offline: Callable[[], None]
) -> None:
    from huggingface_hub import hf_hub_download

    made = repositories.llama(tmp_path / "made")
    hub.add(ID, made.folder)
    hf_hub_download(ID, "model.safetensors")
    with hub.unreachable():  # better than nothing
        assert "no tokenizer.json" in embgeo.load(ID).vocabulary.note
    forget_all()
    table = embgeo.load(ID)
    assert table.vocabulary.encode("the") and table.facts.tied
    go_offline()
    forget_all()
    assert torch.equal(embgeo.load(ID).weight, made.table)


def test_the_plan_says_the_bytes_before_they_are_read(hub: StandIn, tmp_path: Path) -> None:
    made = repositories.llama(tmp_path / "made", rows=20_000)
    hub.add(ID, made.folder)
    planned = plan(ID)
    assert hub.bytes_sent() < ALLOWANCE < made.table_bytes
    tokenizer = (made.folder / "tokenizer.json").stat().st_size
    assert planned.remaining == made.table_bytes + tokenizer
    assert planned.said.startswith(f"Reads 2.57 MB from {hub.endpoint}: the table (20,000 × 64, BF")
    assert f"{ID} at commit {hub.commit(ID)[:7]}" in planned.said
    hub.clear()
    announced = planned.remaining
    embgeo.load(ID)
    assert hub.bytes_sent() == announced
    assert (plan(ID).remaining, plan(ID).said) == (0, "name lies on this machine.")


def test_the_unembedding_is_read_when_it_is_asked_for(hub: StandIn, tmp_path: Path) -> None:
    made = repositories.llama(tmp_path / "made", sharded=True, tied=False, rows=20_000)
    table = read(hub, made)
    assert made.unembedding is not None
    assert (table.facts.output, table.facts.others) == ("lm_head.weight", ("lm_head.weight",))
    hub.clear()
    assert table.unembedding is not None
    assert torch.equal(table.unembedding.weight, made.unembedding)
    compared = 2 * 2**17
    assert made.table_bytes <= hub.bytes_sent() < made.table_bytes + compared
    assert table.unembedding.source.text == f"{ID}#lm_head.weight"
    tied = embgeo.load("random:10x2")
    assert tied.unembedding is None


def test_a_pickle_is_read_whole_where_it_is_allowed(
    hub: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, go_offline: Callable[[], None]
) -> None:
    made = repositories.bin_only(tmp_path / "made")
    hub.add(ID, made.folder)
    planned = plan(ID)
    assert planned.facts is None and "a whole PyTorch file" in planned.said
    assert hub.bytes_sent("*.bin") == 0
    table = embgeo.load(ID)
    assert torch.equal(table.weight, made.table)
    assert hub.bytes_sent("*.bin") == made.file.stat().st_size
    go_offline()
    forget_all()
    assert torch.equal(embgeo.load(ID).weight, made.table)
    assert table.vocabulary.encode("the")
    monkeypatch.setenv("EMBGEO_ALLOW_PICKLE", "0")
    forget_all()
    with pytest.raises(SourceError, match="is a pickle, and pickles are switched off"):
        embgeo.load(ID)


def test_one_of_several_pickles_knows_neither_size_nor_tie(hub: StandIn, tmp_path: Path) -> None:
    made = repositories.llama(tmp_path / "made", tied=False)
    made.file.unlink()
    assert made.unembedding is not None
    parts = {"model.embed_tokens.weight": made.table, "lm_head.weight": made.unembedding}
    where = {}
    for number, (name, tensor) in enumerate(parts.items(), start=1):
        where[name] = f"pytorch_model-0000{number}-of-00002.bin"
        torch.save({name: tensor}, made.folder / where[name])
    index = made.folder / "pytorch_model.bin.index.json"
    index.write_text(json.dumps({"weight_map": where}))
    table = read(hub, made)
    assert (table.facts.parameters, table.facts.tied) == (None, None)
    assert "one part of several" in table.facts.tied_reason
    assert hub.bytes_sent("*-00002-of-00002.bin") == 0


def test_a_table_cut_short_in_the_cache_is_fetched_again(
    hub: StandIn, tmp_path: Path, fresh_cache: Path
) -> None:
    made = repositories.llama(tmp_path / "made")
    read(hub, made)
    (kept,) = fresh_cache.glob("table-*")
    kept.write_bytes(kept.read_bytes()[:-7])
    forget_all()
    assert torch.equal(embgeo.load(ID).weight, made.table)
    contents = bytearray(kept.read_bytes())
    contents[-1] ^= 1
    kept.write_bytes(contents)
    forget_all()
    assert torch.equal(embgeo.load(ID).weight, made.table)


def test_a_table_larger_than_the_cache_is_refused(
    hub: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.add(ID, repositories.llama(tmp_path / "made").folder)
    monkeypatch.setenv("EMBGEO_CACHE_GIB", "0.00001")
    with pytest.raises(SourceError, match=r"takes 51,200 bytes, more .*EMBGEO_CACHE_GIB"):
        embgeo.load(ID)


@pytest.mark.parametrize("broken", [True, False])
def test_a_tokenizer_that_cannot_be_used_leaves_the_table(
    broken: bool, hub: StandIn, tmp_path: Path
) -> None:
    made = repositories.llama(tmp_path / "made", tokenizer=False)
    if broken:
        (made.folder / "tokenizer.json").write_text("{")
    table = read(hub, made)
    assert "The table still works by token id" in table.vocabulary.note


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (repositories.adapter_only, SourceError, "is an adapter.*base model: owner/base"),
        (repositories.gguf_only, SourceError, "holds only GGUF files: model-Q8_0.gguf. Download"),
        (repositories.lfs_pointer, CheckpointError, "incomplete upload or git-LFS pointer"),
        (repositories.truncated, CheckpointError, r"\(4.19 MB\).*incomplete upload"),
        (repositories.corrupt_header, CheckpointError, "incomplete upload"),
        (repositories.no_table, CheckpointError, "is a vision model.* no token embedding table"),
    ],
)
def test_repositories_without_a_table_are_refused(
    make: Callable[[Path], Path], error: type[Exception], said: str, hub: StandIn, tmp_path: Path
) -> None:
    hub.add(ID, make(tmp_path / "made"))
    with pytest.raises(error, match=said):
        plan(ID)
    assert hub.bytes_sent() < ALLOWANCE


def test_what_was_damaged_while_it_lay_half_read_is_fetched_anew(
    hub: StandIn, tmp_path: Path, fresh_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("embgeo.sources.ranges._PAUSE", 0.0)
    made = repositories.llama(tmp_path / "made", rows=20_000)
    hub.add(ID, made.folder)
    plan(ID)
    hub.fault(ID, "drop", 0, path="*.safetensors")
    hub.fault(ID, "drop", 300_000, times=1, path="*.safetensors")  # the later one counts
    with pytest.raises(SourceError, match="broke off"):
        embgeo.load(ID)
    (part,) = (each for each in fresh_cache.glob("growing-*") if not each.suffix)
    contents = bytearray(part.read_bytes())
    assert len(contents) > 300_000
    contents[-9] ^= 0xFF
    part.write_bytes(contents)
    hub.heal(ID)
    assert torch.equal(embgeo.load(ID).weight, made.table)


def test_a_file_that_is_not_small_is_not_read_before_one_has_agreed(
    hub: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("embgeo.sources.hub._LARGEST_SMALL", 10_000)
    made = repositories.llama(tmp_path / "made")
    (made.folder / "config.json").write_text(" " * 20_000 + "{}")
    hub.add(ID, made.folder)
    with pytest.raises(SourceError, match=r"config.json of owner/name takes 20.0 kB, where"):
        plan(ID)
    assert hub.bytes_sent("*config.json") == 0


@pytest.mark.parametrize("said", [-5, 100, True])
def test_a_count_of_weights_that_cannot_be_is_not_believed(
    said: int, hub: StandIn, tmp_path: Path
) -> None:
    made = repositories.llama(tmp_path / "made", sharded=True)
    index = made.folder / "model.safetensors.index.json"
    content = json.loads(index.read_text()) | {"metadata": {"total_parameters": said}}
    index.write_text(json.dumps(content))
    assert read(hub, made).facts.parameters is None
