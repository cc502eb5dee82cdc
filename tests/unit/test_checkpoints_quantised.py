"""Quantised checkpoints: a table of floats is read, a packed one refused by its scheme's name."""

from pathlib import Path
from typing import Any

import pytest
import tiny
import torch
from safetensors.torch import save_file

from embgeo.checkpoints import StoredTable, read_facts
from embgeo.checkpoints.quantised import COMPANIONS
from embgeo.errors import CheckpointError
from embgeo.sources import TableSource, locate

STEM = "model.embed_tokens"
T = tiny.table()
INTEGERS = torch.zeros(12, 2, dtype=torch.int32)
NAMED: dict[str, dict[str, Any]] = {
    "gptq": {"quantization_config": {"quant_method": "gptq", "bits": 4}},
    "awq": {"quantization_config": {"quant_method": "awq"}},
    "bitsandbytes": {"quantization_config": {"load_in_4bit": True}},
    "fp8": {"quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}},
    "mxfp4": {"quantization_config": {"quant_method": "mxfp4"}},
    "compressed-tensors": {"compression_config": {"quant_method": "compressed-tensors"}},
    "hqq": {"text_config": {"quantization_config": {"quant_method": "hqq"}}},
    "MLX, 4-bit": {"quantization": {"group_size": 64, "bits": 4}},
    "an unnamed scheme": {"quantization_config": {"scheme": "new"}},
}


def facts_of(folder: Path) -> StoredTable:
    return read_facts(locate(TableSource("local", str(folder))))


@pytest.mark.parametrize(("scheme", "settings"), NAMED.items(), ids=NAMED)
def test_a_table_that_was_spared_is_read(
    scheme: str, settings: dict[str, Any], tmp_path: Path
) -> None:
    tiny.config(tmp_path, model_type="llama", **settings)
    tiny.safetensors(tmp_path, **{f"{STEM}.weight": T, "model.layers.0.q_proj.qweight": INTEGERS})
    facts = facts_of(tmp_path)
    assert (facts.tensor, facts.scheme, facts.quantised) == (f"{STEM}.weight", scheme, False)
    assert facts.parameters is None


@pytest.mark.parametrize(("scheme", "settings"), NAMED.items(), ids=NAMED)
def test_a_packed_table_is_refused_by_name(
    scheme: str, settings: dict[str, Any], tmp_path: Path
) -> None:
    tiny.config(tmp_path, model_type="llama", **settings)
    tiny.safetensors(tmp_path, **{f"{STEM}.weight": torch.zeros(12, 1, dtype=torch.uint32)})
    says = rf"stored as U32: packed or 8-bit numbers .*\(quantised by {scheme}\).* unquantised"
    with pytest.raises(CheckpointError, match=says):
        facts_of(tmp_path)


@pytest.mark.parametrize("companion", COMPANIONS, ids=lambda each: each.suffix)
def test_companions_tell_what_the_config_does_not(companion: Any, tmp_path: Path) -> None:
    beside = {f"{STEM}{companion.suffix}": torch.ones(12, 1)}
    path = tmp_path / "model.safetensors"
    by = f"quantised by {companion.scheme}"
    save_file({f"{STEM}.weight": torch.zeros(12, 1, dtype=torch.uint8), **beside}, path)
    with pytest.raises(CheckpointError, match=rf"stored as U8.*{by}"):
        facts_of(tmp_path)
    save_file({f"{STEM}.weight": T, **beside}, path)
    with pytest.raises(CheckpointError, match=rf"which must multiply it first \({by}"):
        facts_of(tmp_path)
    save_file({**beside, "other": T}, path)
    with pytest.raises(CheckpointError, match=rf"is packed, as .*{by}"):
        facts_of(tmp_path)


@pytest.mark.parametrize(
    ("name", "scheme"),
    [
        ("model.layers.0.q_proj.qweight", "GPTQ or AWQ"),
        ("model.layers.0.q_proj.SCB", "bitsandbytes, 8-bit"),
        ("model.layers.0.q_proj.weight.absmax", "bitsandbytes, 4-bit"),
        ("model.layers.0.q_proj.weight_scale_inv", "fp8 in blocks"),
        ("model.layers.0.mlp.weight_packed", "compressed-tensors"),
        # Words that other models use too.
        ("model.layers.0.biases", ""),
        ("model.quantizer.codebooks", ""),
    ],
)
def test_the_scheme_of_the_rest_is_told_by_its_names(
    name: str, scheme: str, tmp_path: Path
) -> None:
    tiny.safetensors(tmp_path, **{f"{STEM}.weight": T, name: torch.ones(3)})
    assert facts_of(tmp_path).scheme == scheme


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2])
def test_8_bit_floats_are_refused_with_and_without_scales(
    dtype: torch.dtype, tmp_path: Path
) -> None:
    tiny.config(tmp_path, quantization_config={"quant_method": "fp8"})
    tiny.safetensors(tmp_path, **{f"{STEM}.weight": T.to(dtype)})
    with pytest.raises(CheckpointError, match=r"stored as F8_E.*quantised by fp8"):
        facts_of(tmp_path)


@pytest.mark.parametrize(
    ("settings", "original"),
    [
        ({"_name_or_path": "owner/original-7b"}, r"checkpoint \(owner/original-7b\), or"),
        ({"base_model": "owner/base", "_name_or_path": "owner/b"}, r"checkpoint \(owner/base\)"),
        ({"_name_or_path": "/data/models/mine"}, "checkpoint, or"),
        ({"_name_or_path": 3}, "checkpoint, or"),
    ],
)
def test_the_original_is_named_where_the_config_knows_it(
    settings: dict[str, Any], original: str, tmp_path: Path
) -> None:
    tiny.config(tmp_path, **settings)
    tiny.safetensors(tmp_path, **{f"{STEM}.weight": torch.zeros(12, 4, dtype=torch.int8)})
    with pytest.raises(CheckpointError, match=rf"Use the unquantised {original}.*GGUF"):
        facts_of(tmp_path)


def test_a_packed_head_is_not_compared(tmp_path: Path) -> None:
    head = torch.zeros(12, 4, dtype=torch.int8)
    tiny.safetensors(tmp_path, **{f"{STEM}.weight": T, "lm_head.weight": head})
    facts = facts_of(tmp_path)
    assert (facts.tied, facts.tied_reason) == (None, "lm_head.weight is stored as I8, not compared")
    assert (facts.output, facts.others) == ("lm_head.weight", ())


def test_blocks_of_more_than_two_axes_hide_the_number_of_weights(tmp_path: Path) -> None:
    blocks = torch.zeros(2, 4, 3, 16, dtype=torch.uint8)
    tiny.safetensors(tmp_path, **{f"{STEM}.weight": T, "mlp.experts.down_proj_blocks": blocks})
    assert facts_of(tmp_path).parameters is None


def test_triangles_are_no_weights(tmp_path: Path) -> None:
    masks = {
        "h.0.attn.bias": torch.ones(1, 1, 8, 8),
        "h.1.attn.bias": torch.ones(1, 1, 8, 8).bool(),
    }
    tiny.safetensors(tmp_path, **{"wte.weight": T, "cls_token": torch.ones(1, 1, 4), **masks})
    assert facts_of(tmp_path).parameters == T.numel() + 4
