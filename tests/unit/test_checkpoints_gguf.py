"""GGUF files: plain tables as stored, blocks dequantised, one parse for everything."""

import struct
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
import tiny
import torch
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, GGUFWriter, quants

from embgeo.checkpoints import (
    StoredTable,
    gguf_reading,
    gguf_vocabulary,
    open_weight,
    read_facts,
    release_gguf,
)
from embgeo.errors import CheckpointError, VocabularyError
from embgeo.sources import TableSource, locate

INPUT = "token_embd.weight"
TABLE = tiny.table(dim=64)


def facts_and_weight(path: Path) -> tuple[StoredTable, torch.Tensor]:
    files = locate(TableSource("local", str(path)))
    facts = read_facts(files)
    return facts, open_weight(files, facts)


def test_a_plain_table_stays_as_stored(tmp_path: Path) -> None:
    path = tiny.gguf(tmp_path / "a.gguf", {INPUT: TABLE, "blk.0.norm": torch.ones(64)})
    facts, weight = facts_and_weight(path)
    assert (facts.dtype, facts.quantised, facts.rows, facts.dim) == ("F32", False, 12, 64)
    assert (facts.parameters, facts.title, facts.architecture) == (13 * 64, "Tiny", "llama")
    assert torch.equal(weight, TABLE)


@pytest.mark.parametrize("kind", ["F16", "BF16"])
def test_half_precision_is_no_quantisation(kind: str, tmp_path: Path) -> None:
    path = tiny.gguf(tmp_path / "a.gguf", {f"{INPUT}:{kind}": TABLE})
    facts, weight = facts_and_weight(path)
    dtype = {"F16": torch.float16, "BF16": torch.bfloat16}[kind]
    assert (facts.dtype, facts.quantised, weight.dtype) == (kind, False, dtype)
    assert torch.equal(weight, TABLE.to(dtype))


def test_blocks_are_dequantised_exactly(tmp_path: Path) -> None:
    path = tiny.gguf(tmp_path / "a.gguf", {f"{INPUT}:Q8_0": TABLE})
    facts, weight = facts_and_weight(path)
    assert (facts.dtype, facts.quantised, weight.dtype) == ("Q8_0", True, torch.float32)
    # Q8_0 by hand: blocks of 32, a float16 scale of largest / 127 and one signed byte a number.
    blocks = TABLE.numpy().reshape(-1, 32)
    scale = np.abs(blocks).max(axis=1, keepdims=True) / np.float32(127)
    expected = np.round(blocks / scale) * scale.astype(np.float16).astype(np.float32)
    assert np.allclose(weight.numpy().reshape(-1, 32), expected, atol=1e-6)


@pytest.mark.parametrize("kind", ["F32", "Q8_0"])
def test_an_output_table_is_compared(kind: str, tmp_path: Path) -> None:
    table = {f"{INPUT}:{kind}": TABLE}
    alone = tiny.gguf(tmp_path / "alone.gguf", table)
    same = tiny.gguf(tmp_path / "same.gguf", table | {f"output.weight:{kind}": TABLE})
    other = tiny.gguf(tmp_path / "other.gguf", table | {"output.weight": TABLE + 1})
    assert [facts_and_weight(path)[0].tied for path in (alone, same, other)] == [True, True, False]


def test_an_encoder_has_no_output_table(tmp_path: Path) -> None:
    facts, _ = facts_and_weight(tiny.gguf(tmp_path / "a.gguf", {INPUT: TABLE}, "bert"))
    assert (facts.tied, facts.tied_reason) == (None, "no output table stored; bert is an encoder")


@pytest.mark.parametrize("kind", sorted(quants._type_traits, key=lambda kind: kind.name))
def test_every_block_type_is_dequantised_as_gguf_does(
    kind: GGMLQuantizationType, tmp_path: Path
) -> None:
    block, size = GGML_QUANT_SIZES[kind]
    rows, dim = 3, 2 * max(block, 32)
    blocks = random_blocks(kind, rows * dim // block).reshape(rows, dim // block * size)
    path = tiny.gguf_blocks(tmp_path / "a.gguf", {INPUT: blocks}, kind)
    facts, weight = facts_and_weight(path)
    expected = quants.dequantize(blocks, kind)
    assert np.isfinite(expected).all() and np.unique(expected).size > 2
    assert np.array_equal(weight.float().numpy(), expected)
    assert (facts.rows, facts.dim, weight.shape) == (rows, dim, (rows, dim))
    assert (facts.dtype, facts.quantised) == (kind.name, kind.name != "BF16")
    assert (facts.mapped, facts.parameters) == (not facts.quantised, rows * dim)


def random_blocks(kind: GGMLQuantizationType, count: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Blocks of random bits whose numbers are all finite, whatever the layout."""
    size = GGML_QUANT_SIZES[kind][1]
    generator = np.random.default_rng(0)
    good: list[np.ndarray[Any, np.dtype[np.uint8]]] = []
    while len(good) < count:
        blocks = generator.integers(0, 256, (64, size), dtype=np.uint8)
        with np.errstate(all="ignore"):
            numbers = quants.dequantize(blocks, kind)
        # Random bits make odd scales: blocks with a NaN, or numbers no model has, are left out.
        good += list(blocks[(np.abs(numbers) < 1e6).all(axis=1)])
    return np.stack(good[:count])


def test_a_type_that_cannot_be_dequantised_is_refused(tmp_path: Path) -> None:
    kind = GGMLQuantizationType.Q8_K
    blocks = np.zeros((3, GGML_QUANT_SIZES[kind][1]), np.uint8)
    path = tiny.gguf_blocks(tmp_path / "a.gguf", {INPUT: blocks}, kind)
    with pytest.raises(CheckpointError, match="stored as Q8_K, which embgeo cannot dequantise"):
        facts_and_weight(path)


OUTPUT, LAYER = "output.weight", "blk.0.attn_q.weight"
SPLITS: dict[str, list[dict[str, torch.Tensor]]] = {
    "table first": [{INPUT: TABLE}, {LAYER: TABLE}, {OUTPUT: TABLE}],
    "table in the middle": [{LAYER: TABLE}, {INPUT: TABLE}, {OUTPUT: TABLE}],
    "table last": [{}, {OUTPUT: TABLE, LAYER: TABLE}, {INPUT: TABLE}],
}


def split(folder: Path, parts: list[dict[str, torch.Tensor]]) -> list[Path]:
    """A split model: only the first part has a vocabulary."""
    names = [f"a-{n:05d}-of-{len(parts):05d}.gguf" for n in range(1, len(parts) + 1)]
    return [
        tiny.gguf(folder / name, tensors, tokens=name == names[0])
        for name, tensors in zip(names, parts, strict=True)
    ]


@pytest.mark.parametrize("parts", SPLITS.values(), ids=SPLITS)
@pytest.mark.parametrize("pointed_at", [0, 1, 2])
def test_the_table_of_a_split_model_is_found_in_any_part(
    parts: list[dict[str, torch.Tensor]], pointed_at: int, tmp_path: Path
) -> None:
    paths = split(tmp_path, parts)
    facts, weight = facts_and_weight(paths[pointed_at])
    assert torch.equal(weight, TABLE)
    assert facts.file == next(p.name for p, part in zip(paths, parts, strict=True) if INPUT in part)
    assert (facts.tied, facts.output, facts.parameters) == (True, OUTPUT, 3 * TABLE.numel())
    assert gguf_vocabulary(paths[pointed_at]).tokens == ("<s>", "▁cat", "<0x0A>")


def test_a_part_alone_knows_neither_size_nor_tie(tmp_path: Path) -> None:
    part, other = split(tmp_path, [{INPUT: TABLE}, {LAYER: TABLE}])
    assert facts_and_weight(part)[0].tied is True
    other.unlink()
    facts, _ = facts_and_weight(part)
    assert (facts.tied, facts.parameters) == (None, None)
    assert facts.tied_reason == "one part of several: an output table may lie in another"
    whole = tiny.gguf(tmp_path / "b-00001-of-00001.gguf", {INPUT: TABLE})
    assert facts_and_weight(whole)[0].tied is True


def test_a_part_without_the_table_says_what_is_missing(tmp_path: Path) -> None:
    first, table = split(tmp_path, [{LAYER: TABLE}, {INPUT: TABLE}])
    table.unlink()
    with pytest.raises(CheckpointError, match=r"no table token_embd.* 1 of its parts are not besi"):
        facts_and_weight(first)


@pytest.mark.parametrize(
    ("architecture", "stated", "scale", "reason"),
    [
        ("gemma3", None, 8.0, "gemma3 multiplies by √64"),
        ("llama", None, 1.0, ""),
        ("granite", 12.0, 12.0, "granite.embedding_scale = 12"),
        ("minicpm", None, 12.0, "minicpm multiplies by 12"),
        ("minicpm", 2.0, 2.0, "minicpm.embedding_scale = 2"),
    ],
)
def test_what_multiplies_a_row(
    architecture: str, stated: float | None, scale: float, reason: str, tmp_path: Path
) -> None:
    path = tiny.gguf(tmp_path / "a.gguf", {INPUT: TABLE}, architecture, scale=stated)
    facts, _ = facts_and_weight(path)
    assert (facts.scale, facts.scale_reason) == (scale, reason)


def test_the_vocabulary_is_exact(tmp_path: Path) -> None:
    vocabulary = gguf_vocabulary(tiny.gguf(tmp_path / "a.gguf", {INPUT: TABLE}))
    assert vocabulary.tokens == ("<s>", "▁cat", "<0x0A>")
    assert vocabulary.types == (3, 1, 6)
    assert (vocabulary.model, vocabulary.architecture) == ("llama", "llama")


def test_one_parse_serves_all_until_the_file_changes_or_is_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = Mock(wraps=gguf_reading._reader)
    monkeypatch.setattr(gguf_reading, "_reader", reader)
    path = tiny.gguf(tmp_path / "a.gguf", {INPUT: TABLE})
    facts_and_weight(path)
    gguf_vocabulary(path)
    assert reader.call_count == 1
    release_gguf()
    gguf_vocabulary(path)
    assert reader.call_count == 2
    tiny.gguf(path, {INPUT: tiny.table(rows=20, dim=64)})
    assert facts_and_weight(path)[0].rows == 20


def test_editing_the_weight_leaves_the_file_alone(tmp_path: Path) -> None:
    path = tiny.gguf(tmp_path / "a.gguf", {INPUT: TABLE})
    before = path.read_bytes()
    facts_and_weight(path)[1].zero_()
    assert path.read_bytes() == before


def odd(path: Path, fields: dict[str, Any]) -> Path:
    writer = GGUFWriter(path, "llama")
    for name, value in fields.items():
        add = {str: writer.add_string, int: writer.add_uint32, list: writer.add_array}[type(value)]
        add(name, value)
    writer.add_tensor(INPUT, TABLE.numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.mark.parametrize("tokens", [7, [1, 2, 3], "abc"])
def test_a_token_list_that_is_none_leaves_the_table(tokens: Any, tmp_path: Path) -> None:
    path = odd(tmp_path / "a.gguf", {"tokenizer.ggml.tokens": tokens})
    assert torch.equal(facts_and_weight(path)[1], TABLE)
    with pytest.raises(VocabularyError, match="carries no token list"):
        gguf_vocabulary(path)


@pytest.mark.parametrize("types", [[1], ["x", "y"], 3])
def test_token_types_that_fit_no_list_are_left_out(types: Any, tmp_path: Path) -> None:
    fields = {"tokenizer.ggml.tokens": ["a", "b"], "tokenizer.ggml.token_type": types}
    assert gguf_vocabulary(odd(tmp_path / "a.gguf", fields)).types == (1, 1)


def test_a_name_and_a_factor_that_are_none(tmp_path: Path) -> None:
    path = odd(tmp_path / "a.gguf", {"general.name": 5, "llama.embedding_scale": "much"})
    facts, _ = facts_and_weight(path)
    assert (facts.title, facts.scale) == (None, 1.0)


LIST = struct.pack("<I", 9)
ENDLESS = {
    "list": LIST + struct.pack("<IQ", 0, 2**62),
    "lists in lists": LIST + struct.pack("<IQ", 9, 1) * 5000,
}


@pytest.mark.parametrize("value", ENDLESS.values(), ids=ENDLESS)
def test_an_endless_header_is_refused(value: bytes, tmp_path: Path) -> None:
    begin = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1) + b"a"
    (tmp_path / "a.gguf").write_bytes(begin + value + bytes(100))
    with pytest.raises(CheckpointError, match="is an incomplete download"):
        facts_and_weight(tmp_path / "a.gguf")
