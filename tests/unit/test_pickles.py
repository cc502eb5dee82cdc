"""PyTorch's own files: the same table as from safetensors, and nothing in them is ever run."""

import argparse
import json
import os
import pickle
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import made
import pytest
import spelled
import tiny
import torch

import embgeo
from embgeo.checkpoints import pickle_file, pickle_reading
from embgeo.errors import CheckpointError, SourceError
from embgeo.groups import TokenGroup, resolve

INPUT, OUTPUT = "model.embed_tokens.weight", "lm_head.weight"
ROWS = made.random_rows(40, 4).float()


def saved(path: Path, content: object, old: bool = False) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save(content, path, _use_new_zipfile_serialization=not old)
    return path


def sharded(folder: Path, *shards: dict[str, torch.Tensor], **meta: int) -> Path:
    names = [f"pytorch_model-{n + 1:05d}-of-{len(shards):05d}.bin" for n in range(len(shards))]
    where: dict[str, str] = {}
    for name, tensors in zip(names, shards, strict=True):
        saved(folder / name, tensors)
        where |= dict.fromkeys(tensors, name)
    index = {"metadata": meta, "weight_map": where}
    (folder / "pytorch_model.bin.index.json").write_text(json.dumps(index))
    return folder


@pytest.mark.parametrize("old", [False, True], ids=["zip", "old"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64])
@pytest.mark.usefixtures("fresh_cache")
def test_a_table_keeps_its_stored_type(dtype: torch.dtype, old: bool, tmp_path: Path) -> None:
    rows = ROWS.to(dtype)
    saved(tmp_path / "pytorch_model.bin", {INPUT: rows, "norm": torch.ones(4)}, old)
    for _ in range(2):
        table = embgeo.load(str(tmp_path))
        assert (table.files.format, table.facts.tensor) == ("pickle", INPUT)
        assert table.weight.dtype == dtype
        assert torch.equal(table.weight, rows)
        assert torch.equal(table.take([7]), rows[[7]].double())


@pytest.mark.parametrize("old", [False, True], ids=["zip", "old"])
@pytest.mark.parametrize("head", ["none", "shared", "equal", "other"])
def test_facts_are_those_of_the_same_tensors_in_safetensors(
    head: str, old: bool, tmp_path: Path
) -> None:
    shared = {"shared": ROWS, "equal": ROWS.clone(), "other": ROWS + 1}
    tensors = {INPUT: ROWS, "mask": torch.ones(3, 3, dtype=torch.bool)}
    tensors |= {OUTPUT: shared[head]} if head in shared else {}
    saved(tmp_path / "bin" / "pytorch_model.bin", tensors, old)
    distinct = {name: each for name, each in tensors.items() if head != "shared" or name != OUTPUT}
    tiny.safetensors(tmp_path / "safe", **distinct)
    for folder in ("bin", "safe"):
        tiny.config(tmp_path / folder, architectures=["LlamaForCausalLM"], vocab_size=40)
    got, expected = (embgeo.load(str(tmp_path / each)).facts for each in ("bin", "safe"))
    assert got.parameters == expected.parameters == (320 if head in {"equal", "other"} else 160)
    assert got.tied is {"none": None, "shared": True, "equal": True, "other": False}[head]
    assert (got.rows, got.dim, got.dtype) == (40, 4, "F32")
    assert (got.architecture, got.tensor) == (expected.architecture, expected.tensor)


def test_a_folder_works_with_its_tokenizer(tmp_path: Path) -> None:
    tokenizer = spelled.wordpiece(["the", "cat"])
    rows = made.random_rows(tokenizer.get_vocab_size(), 4)
    saved(tmp_path / "pytorch_model.bin", {"bert.embeddings.word_embeddings.weight": rows})
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    table = embgeo.load(str(tmp_path))
    found = resolve([TokenGroup("g", ("the", "cat"))], [table])[0][0]
    ids = [member.ids[0] for member in found.members]
    assert torch.equal(table.take(ids), rows[[tokenizer.token_to_id(w) for w in ("the", "cat")]])


@pytest.mark.parametrize("name", ["state_dict", "model", "module"])
def test_a_training_checkpoint_holds_the_model_inside(name: str, tmp_path: Path) -> None:
    path = saved(tmp_path / "last.pt", {name: {"module.wte.weight": ROWS}, "epoch": 3})
    table = embgeo.load(str(path))
    assert table.facts.tensor == "module.wte.weight"
    assert torch.equal(table.weight, ROWS)


def test_a_bare_tensor_is_a_table(tmp_path: Path) -> None:
    path = saved(tmp_path / "table.pth", torch.nn.Parameter(ROWS.T.contiguous().T))
    weight = embgeo.load(str(path)).weight
    assert torch.equal(weight, ROWS) and weight.is_contiguous() and not weight.requires_grad


def test_a_tensor_can_be_asked_for(tmp_path: Path) -> None:
    path = saved(tmp_path / "pytorch_model.bin", {INPUT: ROWS, OUTPUT: ROWS * 2})
    assert embgeo.load(str(path)).facts.others == (OUTPUT,)
    assert torch.equal(embgeo.load(f"{path}#{OUTPUT}").weight, ROWS * 2)


def test_only_the_shard_with_the_table_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sharded(tmp_path, {"a.weight": ROWS}, {"wte.weight": ROWS}, {"b.weight": ROWS})
    opened: list[str] = []
    load = torch.load

    def watched(path: Path, **how: Any) -> Any:
        opened.append(path.name)
        assert how["weights_only"] and how["mmap"]
        return load(path, **how)

    monkeypatch.setattr(torch, "load", watched)
    table = embgeo.load(str(tmp_path))
    assert torch.equal(table.weight, ROWS)
    assert set(opened) == {"pytorch_model-00002-of-00003.bin"}
    assert table.facts.parameters is None


def test_a_shard_stands_for_its_model(tmp_path: Path) -> None:
    sharded(tmp_path, {"wte.weight": ROWS}, {"lm_head.weight": ROWS}, total_parameters=320)
    for name in ("", "pytorch_model.bin.index.json", "pytorch_model-00002-of-00002.bin"):
        facts = embgeo.load(str(tmp_path / name)).facts
        assert (facts.tied, facts.parameters) == (True, 320)
    (tmp_path / "pytorch_model.bin.index.json").unlink()
    alone = embgeo.load(str(tmp_path / "pytorch_model-00001-of-00002.bin")).facts
    assert alone.tied is None and "one part of several" in alone.tied_reason


def test_the_names_of_an_old_file_are_read_without_its_numbers(tmp_path: Path) -> None:
    path = saved(tmp_path / "m.bin", {"wte.weight": ROWS}, old=True)
    assert type(pickle_reading.tensors_in(path)["wte.weight"]).__name__ == "FakeTensor"
    assert torch.equal(pickle_reading.tensors_in(path, numbers=True)["wte.weight"], ROWS)


def test_the_config_may_lie_elsewhere(tmp_path: Path) -> None:
    path = saved(tmp_path / "fetched" / "file", {"wte.weight": ROWS})
    tiny.config(tmp_path / "snapshot", architectures=["GPT2LMHeadModel"], vocab_size=40)
    found = pickle_file.facts(path, folder=tmp_path / "snapshot")
    assert (found.architecture, found.tied) == ("GPT2LMHeadModel", True)
    assert pickle_file.facts(path).architecture is None


def test_a_missing_shard_is_named(tmp_path: Path) -> None:
    sharded(tmp_path, {"wte.weight": ROWS}, {"b.weight": ROWS})
    (tmp_path / "pytorch_model-00001-of-00002.bin").unlink()
    with pytest.raises(CheckpointError, match=r"names pytorch_model-00001-of-00002\.bin"):
        embgeo.load(str(tmp_path))


def test_pickles_can_be_switched_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(tmp_path / "pytorch_model.bin", {INPUT: ROWS})
    monkeypatch.setenv("EMBGEO_ALLOW_PICKLE", "0")
    for each in (path, tmp_path):
        with pytest.raises(SourceError, match=r"EMBGEO_ALLOW_PICKLE.*save_pretrained"):
            embgeo.load(str(each))
    tiny.safetensors(tmp_path, wte__weight=ROWS)
    assert embgeo.load(str(tmp_path)).rows == 40


class Bad:
    """What a malicious file holds: opened without care, it writes a file."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[Any, ...]:
        return (os.system, (f"touch '{self.trace}'",))


def bad_files(folder: Path) -> Iterator[Path]:
    bad = Bad(folder / "ran")
    for old in (False, True):
        yield saved(folder / f"inside-{old}.bin", {"wte.weight": ROWS, "x": bad}, old)
        yield saved(folder / f"whole-{old}.bin", bad, old)
    for protocol in (2, 4):
        path = folder / f"bare-{protocol}.bin"
        path.write_bytes(pickle.dumps(bad, protocol=protocol))
        yield path


def test_a_malicious_pickle_runs_nothing(tmp_path: Path) -> None:
    for path in bad_files(tmp_path):
        with pytest.raises(CheckpointError, match=r"asks to run code|can run code"):
            embgeo.load(str(path))
    assert not (tmp_path / "ran").exists()
    torch.load(tmp_path / "inside-False.bin", weights_only=False)  # it would have
    assert (tmp_path / "ran").exists()


def test_what_a_pickle_asks_for_is_named(tmp_path: Path) -> None:
    path = saved(tmp_path / "last.pt", {"model": {}, "args": argparse.Namespace()})
    with pytest.raises(CheckpointError, match=r"asks to run code \(argparse\.Namespace\)"):
        embgeo.load(str(path))


@pytest.mark.parametrize("old", [False, True], ids=["zip", "old"])
def test_a_file_that_is_cut_short_is_refused(old: bool, tmp_path: Path) -> None:
    path = saved(tmp_path / "m.bin", {"wte.weight": ROWS, "b": torch.zeros(9)}, old)
    whole = path.read_bytes()
    for keep in range(0, len(whole) - 1, len(whole) // 25):
        path.write_bytes(whole[:keep])
        with pytest.raises(CheckpointError, match="incomplete download"):
            embgeo.load(str(path)).take([39])


def test_a_pointer_and_an_empty_dictionary_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "pytorch_model.bin"
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
    with pytest.raises(CheckpointError, match="git-LFS pointer"):
        embgeo.load(str(path))
    with pytest.raises(CheckpointError, match="no token embedding table"):
        embgeo.load(str(saved(tmp_path / "optimizer.pt", {"step": 3})))
    with pytest.raises(CheckpointError, match="no token embedding table"):
        embgeo.load(str(saved(tmp_path / "list.pt", [ROWS])))


@pytest.mark.filterwarnings("ignore:.*torch.jit")
def test_a_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "traced.pt"
    torch.jit.save(torch.jit.script(torch.nn.Embedding(4, 2)), path)
    with pytest.raises(CheckpointError, match="is a TorchScript program"):
        embgeo.load(str(path))


def test_a_file_that_was_compressed_afterwards_is_refused(tmp_path: Path) -> None:
    plain = saved(tmp_path / "plain.pt", {INPUT: ROWS})
    packed = tmp_path / "packed.pt"
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
    with pytest.raises(CheckpointError, match=r"packed.pt is a PyTorch file that was compressed"):
        embgeo.load(str(packed))


def test_a_table_is_no_larger_than_its_numbers(tmp_path: Path) -> None:
    path = saved(tmp_path / "m.bin", {INPUT: torch.zeros(1).expand(10**6, 10**5)})
    with pytest.raises(CheckpointError, match="the file holds fewer numbers and repeats them"):
        _ = embgeo.load(str(path)).weight


def test_tensors_without_plain_numbers_are_refused(tmp_path: Path) -> None:
    sparse = saved(tmp_path / "sparse.bin", {INPUT: ROWS.to_sparse()})
    with pytest.raises(CheckpointError, match="is stored as sparse_coo"):
        embgeo.load(str(sparse))
    empty = saved(tmp_path / "meta.bin", {INPUT: torch.zeros(4, 3, device="meta")})
    with pytest.raises(CheckpointError, match="the file holds fewer numbers"):
        _ = embgeo.load(str(empty)).weight
