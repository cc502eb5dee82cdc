"""What cannot be read is refused with its name, its size, and what to do."""

import json
from pathlib import Path

import pytest
import tiny
import torch

from embgeo.checkpoints import gguf_vocabulary, open_weight, read_facts, release_gguf
from embgeo.errors import CheckpointError, VocabularyError
from embgeo.sources import TableSource, locate

LFS = b"version https://git-lfs.example/spec/v1\noid sha256:4d7a2146\nsize 12345\n"
BROKEN = "is an incomplete download or git-LFS pointer"


def read(path: Path) -> None:
    files = locate(TableSource("local", str(path)))
    open_weight(files, read_facts(files))


@pytest.mark.parametrize("suffix", ["safetensors", "gguf"])
@pytest.mark.parametrize("content", [b"", LFS, b"\xff" * 64, b"GGUF", b"{}"])
def test_files_that_are_something_else(suffix: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"model.{suffix}"
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match=rf"model.{suffix} \({len(content)} bytes\) {BROKEN}"):
        read(path)


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.99])
@pytest.mark.parametrize("name", ["model.safetensors", "model.gguf"])
def test_truncated_files(name: str, kept: float, tmp_path: Path) -> None:
    tiny.safetensors(tmp_path, wte__weight=tiny.table())
    tiny.gguf(tmp_path / "model.gguf", {"token_embd.weight": tiny.table()})
    path = tmp_path / name
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * kept)])
    with pytest.raises(CheckpointError, match=BROKEN):
        read(path)


def test_a_header_that_is_not_json(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes((16).to_bytes(8, "little") + b"not json at all!")
    with pytest.raises(CheckpointError, match=BROKEN):
        read(tmp_path)


def test_a_file_that_went_away_between_facts_and_weight(tmp_path: Path) -> None:
    tiny.safetensors(tmp_path, wte__weight=tiny.table())
    files = locate(TableSource("local", str(tmp_path)))
    facts = read_facts(files)
    (tmp_path / "model.safetensors").unlink()
    with pytest.raises(CheckpointError, match="cannot be read"):
        open_weight(files, facts)


def test_a_missing_shard_is_named(tmp_path: Path) -> None:
    tiny.sharded(tmp_path, {"wte.weight": tiny.table()}, {"b": tiny.table()})
    (tmp_path / "model-00002-of-00002.safetensors").unlink()
    with pytest.raises(CheckpointError, match=r"names model-00002-of-00002.safetensors, which"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("index", "says"),
    [
        ("{", "not valid JSON"),
        ("[]", "no JSON object"),
        ("{}", "no weight_map"),
        (json.dumps({"weight_map": {"wte.weight": 3}}), "no weight_map"),
        (json.dumps({"weight_map": {"wte.weight": "../outside.safetensors"}}), "not beside it"),
    ],
)
def test_a_broken_index(index: str, says: str, tmp_path: Path) -> None:
    tiny.safetensors(tmp_path, wte__weight=tiny.table())
    (tmp_path / "model.safetensors").rename(tmp_path / "outside.safetensors")
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "model.safetensors.index.json").write_text(index)
    with pytest.raises(CheckpointError, match=says):
        read(inner)


def test_a_broken_config(tmp_path: Path) -> None:
    tiny.safetensors(tmp_path, wte__weight=tiny.table())
    (tmp_path / "config.json").write_bytes(LFS)
    with pytest.raises(CheckpointError, match=r"config\.json is not valid JSON"):
        read(tmp_path)


def test_a_config_with_odd_values_is_no_obstacle(tmp_path: Path) -> None:
    tiny.safetensors(tmp_path, wte__weight=tiny.table())
    tiny.config(tmp_path, architectures=None, vocab_size="many", text_config=[1])
    read(tmp_path)


def test_a_missing_table_lists_what_was_looked_for_and_found(tmp_path: Path) -> None:
    tiny.config(tmp_path, architectures=["LlamaForCausalLM"], model_type="llama", vocab_size=12)
    tiny.safetensors(tmp_path, lm_head__weight=tiny.table(), model__norm__weight=torch.ones(4))
    says = r"no token embedding table.*embed_tokens\.weight.*2-D tensors are: lm_head\.weight\."
    with pytest.raises(CheckpointError, match=says):
        read(tmp_path)


def test_two_tables_of_equal_right_are_not_guessed_between(tmp_path: Path) -> None:
    tiny.safetensors(tmp_path, a__wte__weight=tiny.table(), b__wte__weight=tiny.table(1))
    with pytest.raises(CheckpointError, match=r"several tensors.*a\.wte\.weight, b\.wte\.weight"):
        read(tmp_path)


def test_a_vision_model_has_no_table(tmp_path: Path) -> None:
    tiny.config(tmp_path, architectures=["ViTModel"], model_type="vit")
    tiny.safetensors(tmp_path, encoder__layer__0__weight=tiny.table())
    with pytest.raises(CheckpointError, match="no token embedding table"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("dtype", "name"),
    [
        (torch.uint8, "U8"),
        (torch.int8, "I8"),
        (torch.int32, "I32"),
        (torch.uint32, "U32"),
        (torch.float8_e4m3fn, "F8_E4M3"),
        (torch.float8_e5m2, "F8_E5M2"),
    ],
)
def test_packed_and_8_bit_tables_are_refused(dtype: torch.dtype, name: str, tmp_path: Path) -> None:
    tiny.safetensors(tmp_path, model__embed_tokens__weight=torch.zeros(12, 4).to(dtype))
    with pytest.raises(CheckpointError, match=rf"stored as {name}: packed or 8-bit integers"):
        read(tmp_path)


def test_a_gguf_file_without_a_table(tmp_path: Path) -> None:
    tiny.gguf(tmp_path / "mmproj.gguf", {"v.patch_embd.weight": tiny.table()}, "clip")
    with pytest.raises(CheckpointError, match=r"looked for token_embd\.weight"):
        read(tmp_path / "mmproj.gguf")


def test_a_gguf_file_without_tokens(tmp_path: Path) -> None:
    path = tiny.gguf(tmp_path / "a.gguf", {"token_embd.weight": tiny.table()}, tokens=False)
    release_gguf()
    with pytest.raises(VocabularyError, match="no token list"):
        gguf_vocabulary(path)


def test_nothing_in_a_config_is_run(tmp_path: Path) -> None:
    (tmp_path / "evil.py").write_text("raise SystemExit('was run')")
    auto = {"AutoConfig": "evil.Config", "AutoModel": "evil.Model"}
    tiny.config(tmp_path, architectures=["pipeline"], model_type="evil", auto_map=auto)
    tiny.safetensors(tmp_path, strange__weight=tiny.table())
    with pytest.raises(CheckpointError, match="no token embedding table"):
        read(tmp_path)


@pytest.mark.parametrize("shape", [(0, 4), (4, 0)])
def test_a_table_without_a_number_is_refused(shape: tuple[int, int], tmp_path: Path) -> None:
    tiny.safetensors(tmp_path, wte__weight=torch.zeros(shape))
    with pytest.raises(CheckpointError, match=r"no number in it"):
        read(tmp_path)
