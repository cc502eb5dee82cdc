"""GGUF files: plain tables as stored, blocks dequantised, one parse for everything."""

from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
import tiny
import torch

from embgeo.checkpoints import (
    StoredTable,
    gguf_reading,
    gguf_vocabulary,
    open_weight,
    read_facts,
    release_gguf,
)
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


def test_a_part_of_a_split_model_knows_neither_size_nor_tie(tmp_path: Path) -> None:
    part = tiny.gguf(tmp_path / "a-00001-of-00002.gguf", {INPUT: TABLE})
    whole = tiny.gguf(tmp_path / "a-00001-of-00001.gguf", {INPUT: TABLE})
    facts, _ = facts_and_weight(part)
    assert (facts.tied, facts.parameters) == (None, None)
    assert facts_and_weight(whole)[0].tied is True


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
