"""What cannot be read is refused with its name, its size, and what to do."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
import tiny
import torch

from embgeo.checkpoints import (
    choosing,
    gguf_vocabulary,
    open_weight,
    read_facts,
    release_gguf,
)
from embgeo.errors import CheckpointError, SourceError, VocabularyError
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


def test_a_hash_embedding_has_no_row_for_a_token(tmp_path: Path) -> None:
    hashes = {f"embeddings.HashBucketCodepointEmbedder_{n}.weight": tiny.table(n) for n in range(2)}
    tiny.config(tmp_path, architectures=["CanineModel"], model_type="canine")
    tiny.safetensors(tmp_path, **{name.replace(".", "__"): t for name, t in hashes.items()})
    with pytest.raises(CheckpointError, match="canine reads characters through several hash table"):
        read(tmp_path)


@pytest.mark.parametrize(
    "settings",
    [
        {"architectures": ["T5ForConditionalGeneration"], "tokenizer_class": "ByT5Tokenizer"},
        {"architectures": ["PerceiverForMaskedLM"], "model_type": "perceiver"},
        {"model_type": "custom", "tokenizer_class": "PerceiverTokenizer"},
        {"architectures": ["BltForCausalLM"], "model_type": "blt"},
    ],
)
def test_a_byte_model_has_no_row_for_a_token(settings: dict[str, Any], tmp_path: Path) -> None:
    tiny.config(tmp_path, **settings, vocab_size=384)
    tiny.safetensors(tmp_path, shared__weight=tiny.table(rows=384))
    with pytest.raises(CheckpointError, match=r" reads bytes: its table has a row for each byte"):
        read(tmp_path)


FOREIGN: dict[str, dict[str, Any]] = {
    "a vision": {"architectures": ["ViTModel"], "model_type": "vit"},
    "a vision model of clip's": {"model_type": "clip_vision_model", "vocab_size": 49408},
    "a vision model of pixels as tokens": {"model_type": "imagegpt", "vocab_size": 12},
    "a vision model nobody knows": {"model_type": "newvit", "image_size": 224, "patch_size": 16},
    "a vision model in a wrapper": {"model_type": "new", "backbone_config": {"image_size": 9}},
    "an audio": {"architectures": ["Wav2Vec2ForCTC"], "model_type": "wav2vec2", "vocab_size": 32},
    "an audio model nobody knows": {"model_type": "newcodec", "sampling_rate": 24000},
}


@pytest.mark.parametrize(("kind", "settings"), FOREIGN.items(), ids=FOREIGN)
def test_pictures_and_sounds_have_no_table(
    kind: str, settings: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        pytest.fail("transformers was asked")

    monkeypatch.setattr(choosing, "resolved_input", never)
    tiny.config(tmp_path, **settings)
    tiny.safetensors(tmp_path, encoder__layer__0__weight=tiny.table())
    what = " ".join(kind.split()[:2])
    with pytest.raises(CheckpointError, match=rf"is {what} model; it has no token embedding tabl"):
        read(tmp_path)


@pytest.mark.parametrize(
    "settings",
    [
        {"model_type": "clip", "text_config": {}, "vision_config": {"image_size": 9}},
        {"model_type": "whisper", "num_mel_bins": 80, "vocab_size": 12},
        {"model_type": "newvlm", "image_size": 9},
    ],
)
def test_a_text_tower_beside_pictures_or_sounds_is_read(
    settings: dict[str, Any], tmp_path: Path
) -> None:
    tiny.config(tmp_path, **settings)
    tiny.safetensors(tmp_path, model__decoder__embed_tokens__weight=tiny.table())
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
    with pytest.raises(CheckpointError, match=rf"stored as {name}: packed or 8-bit numbers"):
        read(tmp_path)


def test_a_gguf_file_without_a_table(tmp_path: Path) -> None:
    tiny.gguf(tmp_path / "mmproj.gguf", {"v.patch_embd.weight": tiny.table()}, "clip")
    with pytest.raises(CheckpointError, match=r"holds no table token_embd\.weight"):
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


def test_a_config_that_transformers_refuses_is_no_obstacle(tmp_path: Path) -> None:
    settings = {"architectures": ["LlamaForCausalLM"], "model_type": "llama"}
    tiny.config(tmp_path, **settings, hidden_size=15, num_attention_heads=2)
    tiny.safetensors(tmp_path, strange__weight=tiny.table())
    with pytest.raises(CheckpointError, match="no token embedding table"):
        read(tmp_path)
    # Its own defaults contradict each other.
    tiny.config(tmp_path, architectures=["Gemma4AssistantForCausalLM"])
    tiny.safetensors(tmp_path, model__embed_tokens__weight=tiny.table())
    read(tmp_path)


ODD_CONFIGS = {
    "list for a family": '{"model_type": ["llama"]}',
    "object for a family": '{"model_type": {"a": 1}, "architectures": "x"}',
    "list for a tokenizer": '{"tokenizer_class": ["a"]}',
    "endless factor": '{"model_type": "granite", "embedding_multiplier": 1e999}',
    "no factor": '{"model_type": "granite", "embedding_multiplier": NaN}',
    "nothing as a factor": '{"model_type": "granite", "embedding_multiplier": 0}',
    "truth as a factor": '{"model_type": "granite", "embedding_multiplier": true}',
    "absurd factor": '{"model_type": "granite", "embedding_multiplier": 1' + "0" * 400 + "}",
}


@pytest.mark.parametrize("text", ODD_CONFIGS.values(), ids=ODD_CONFIGS)
def test_odd_settings_change_nothing(text: str, tmp_path: Path) -> None:
    tiny.safetensors(tmp_path, model__embed_tokens__weight=tiny.table())
    (tmp_path / "config.json").write_text(text)
    facts = read_facts(locate(TableSource("local", str(tmp_path))))
    assert (facts.rows, facts.scale) == (tiny.ROWS, 1.0)


def test_a_bottomless_config_is_refused(tmp_path: Path) -> None:
    tiny.safetensors(tmp_path, model__embed_tokens__weight=tiny.table())
    (tmp_path / "config.json").write_text('{"a":' * 100_000)
    with pytest.raises(CheckpointError, match=r"config.json is not valid JSON"):
        read(tmp_path)


@pytest.mark.parametrize("settings", [{"num_hidden_layers": 10**7}, {"num_labels": 10**9}])
def test_no_model_of_endless_parts_is_built(settings: dict[str, int], tmp_path: Path) -> None:
    tiny.config(tmp_path, model_type="llama", architectures=["LlamaForCausalLM"], **settings)
    tiny.safetensors(tmp_path, a=tiny.table(), b=tiny.table(1))
    with pytest.raises(CheckpointError, match="holds no token embedding table"):
        read(tmp_path)  # at once: there would be no end to wait for


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.bin")
    with pytest.raises(SourceError, match="is neither a folder nor a file"):
        read(tmp_path / "pipe.bin")
