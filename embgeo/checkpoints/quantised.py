"""Quantised checkpoints: what scheme packed them, and whether their table is spared.

A quantised model often keeps its table in floating point; then it is read. Packed integers, 8-bit
floats, and numbers that a scale beside them must multiply first are never shown as they lie.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from embgeo.checkpoints.config import ModelConfig
from embgeo.checkpoints.layouts import INPUTS
from embgeo.checkpoints.stored import StoredTensor
from embgeo.errors import CheckpointError

FLOATS = frozenset({"F64", "F32", "F16", "BF16"})
"""Types whose numbers are the table's own."""

_PACKED = frozenset({"I8", "U8", "I16", "U16", "I32", "U32"})
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


@dataclass(frozen=True)
class Companion:
    """A tensor that lies beside a quantised one: what its name ends with, and who writes it."""

    suffix: str
    scheme: str


# The most telling first: GPTQ has .scales too.
COMPANIONS = (
    Companion(".qweight", "GPTQ or AWQ"),
    Companion(".qzeros", "GPTQ or AWQ"),
    Companion(".weight_packed", "compressed-tensors"),
    Companion(".weight_scale_inv", "fp8 in blocks"),
    Companion(".weight_scale", "fp8 or int8 with scales"),
    Companion(".weight.absmax", "bitsandbytes, 4-bit"),
    Companion(".weight.quant_map", "bitsandbytes, 4-bit"),
    Companion(".weight.quant_state.bitsandbytes__nf4", "bitsandbytes, nf4"),
    Companion(".weight.quant_state.bitsandbytes__fp4", "bitsandbytes, fp4"),
    Companion(".SCB", "bitsandbytes, 8-bit"),
    Companion(".W_q", "HQQ"),
    Companion(".weight._data", "quanto"),
    Companion(".weight._scale", "quanto"),
    Companion(".weight_qdata", "torchao"),
    Companion("_weight_qdata", "torchao"),
    Companion(".codebooks", "AQLM"),
    Companion("_blocks", "MXFP4"),
    Companion(".biases", "MLX"),
    Companion(".scales", "MLX or another scheme with scales"),
    Companion(".weight_scales", "a scheme with scales"),
)
"""Names of the tensors that quantisation leaves, behind the layer's name."""

_WEAK = frozenset({".biases", ".scales", ".weight_scales", ".codebooks", "_blocks"})
"""Suffixes that mean something only beside the table: other models use the words too."""


def scheme(config: ModelConfig | None, names: Iterable[str]) -> str:
    """What quantised a checkpoint, by its config or by the names of its tensors; "" for nothing."""
    said = _declared(config)
    if said:
        return said
    ends = [found for found in COMPANIONS if found.suffix not in _WEAK]
    names = tuple(names)
    return next(
        (end.scheme for end in ends if any(name.endswith(end.suffix) for name in names)), ""
    )


def check_numbers(
    table: StoredTensor, names: Iterable[str], config: ModelConfig | None
) -> StoredTensor:
    """The same table, where its numbers are its own.

    Raises
    ------
    CheckpointError
        If it is stored as packed or 8-bit values, or with a scale beside it.
    """
    beside = _beside(table.name, frozenset(names))
    if table.dtype in FLOATS and beside is None:
        return table
    by = _declared(config) or (beside.scheme if beside else "")
    if table.dtype in FLOATS and beside is not None:
        what = f"lies beside {_stem(table.name)}{beside.suffix}, which must multiply it first"
    else:
        what = f"is stored as {table.dtype}: packed or 8-bit numbers are not the table's own"
    raise CheckpointError(
        f"{table.name} in {table.file} {what}{f' (quantised by {by})' if by else ''}. "
        f"{_instead(config)}"
    )


def pieces_of_tables(names: Iterable[str]) -> dict[str, Companion]:
    """Those of the names that quantisation leaves of an input table, with what they are."""
    return {
        name: found
        for name in names
        for found in COMPANIONS
        if name.endswith(found.suffix) and _is_table(name.removesuffix(found.suffix))
    }


def packed_table(names: Iterable[str], config: ModelConfig | None) -> CheckpointError | None:
    """The error for a checkpoint that stores its table in pieces of other names; None otherwise."""
    pieces = pieces_of_tables(names)
    for found in COMPANIONS:  # the most telling piece says it
        name = next((name for name, piece in pieces.items() if piece == found), None)
        if name is not None:
            by = _declared(config) or found.scheme
            return CheckpointError(
                f"The token embedding table is packed, as {name} (quantised by {by}), and packed "
                f"numbers are not the table's own. {_instead(config)}"
            )
    return None


def _is_table(stem: str) -> bool:
    return any(layout.matches(f"{stem}.weight") for layout in INPUTS)


def parameters_of(tensors: Iterable[StoredTensor]) -> int | None:
    """Floating-point weights of a checkpoint; None where packed matrices hide how many there are.

    Masks are no weights: small integers, and the (1, 1, n, n) triangles that GPT-2 stores.
    """
    weights = [tensor for tensor in tensors if not _is_triangle(tensor.shape)]
    if any(tensor.dtype in _PACKED and len(tensor.shape) > 1 for tensor in weights):
        return None
    return sum(tensor.numbers for tensor in weights if "F" in tensor.dtype)


def _is_triangle(shape: tuple[int, ...]) -> bool:
    return len(shape) == 4 and shape[:2] == (1, 1) and shape[2] == shape[3]


def _beside(table: str, names: frozenset[str]) -> Companion | None:
    stem = _stem(table)
    return next((found for found in COMPANIONS if f"{stem}{found.suffix}" in names), None)


def _stem(table: str) -> str:
    return table.removesuffix(".weight")


def _declared(config: ModelConfig | None) -> str:
    for tower in config.towers() if config else ():
        for key in ("quantization_config", "compression_config", "quantization"):
            found = tower.get(key)
            if isinstance(found, dict) and found:
                return _named(found)
    return ""


def _named(settings: Mapping[str, Any]) -> str:
    method, bits = settings.get("quant_method"), settings.get("bits")
    if isinstance(method, str) and method:
        return method
    if settings.get("load_in_4bit") or settings.get("load_in_8bit"):
        return "bitsandbytes"
    if "group_size" in settings and bits is not None:
        return f"MLX, {bits}-bit"
    return "an unnamed scheme"


def _instead(config: ModelConfig | None) -> str:
    settings = config.settings if config else {}
    keys = ("base_model", "base_model_name_or_path", "_name_or_path")
    said = [settings[key] for key in keys if isinstance(settings.get(key), str)]
    # A path on the machine of whoever quantised it helps nobody.
    original = next((f" ({name})" for name in said if _HUB_ID.fullmatch(name)), "")
    return f"Use the unquantised checkpoint{original}, or a GGUF file, which embgeo dequantises."
