"""Tables and vocabularies in GGUF files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from embgeo.checkpoints.gguf_reading import OpenedGguf, opened_gguf
from embgeo.checkpoints.layouts import named_tables, output_table
from embgeo.checkpoints.scaling import Scale, gguf_scale
from embgeo.checkpoints.stored import Head, StoredTable, StoredTensor, Tie
from embgeo.checkpoints.tying import Rows, compared
from embgeo.errors import CheckpointError, VocabularyError

if TYPE_CHECKING:
    import torch

_T = TypeVar("_T")

INPUT = "token_embd.weight"
_PLAIN = frozenset({"F64", "F32", "F16", "BF16"})
_INTEGERS = frozenset({"I8", "I16", "I32", "I64"})


@dataclass(frozen=True)
class GgufVocabulary:
    """The vocabulary inside a GGUF file: one entry per token id.

    Attributes
    ----------
    tokens
        The entries as stored, in id order.
    types
        llama.cpp's type of each entry: 1 normal, 2 unknown, 3 control, 4 user-defined, 5 unused,
        6 byte; all 1 where the file does not say.
    model
        Kind of tokenizer: "gpt2" (byte-level BPE), "llama" (SentencePiece), "bert" (WordPiece).
    architecture
        The family that the file names, such as "llama".
    """

    tokens: tuple[str, ...]
    types: tuple[int, ...]
    model: str
    architecture: str


def facts(path: Path, wanted: str = "") -> StoredTable:
    """The facts of a table in a GGUF file, or in the parts of a split model.

    Parameters
    ----------
    path
        The file, or any part.
    wanted
        The tensor that is asked for; "" for token_embd.weight.

    Raises
    ------
    CheckpointError
        If a file is damaged, holds no such table, or holds it as integers.
    """
    opened = opened_gguf(path)
    table = _table(path, opened, wanted or INPUT)
    head, name = _head(opened), opened.fields.get("general.name")
    scale = Scale()
    if table.name == INPUT:
        stated = opened.fields.get(f"{opened.architecture}.embedding_scale")
        scale = gguf_scale(opened.architecture, stated, table.shape[1])
    return StoredTable(
        tensor=table.name,
        file=table.file,
        rows=table.shape[0],
        dim=table.shape[1],
        dtype=table.dtype,
        quantised=table.dtype not in _PLAIN,
        parameters=_parameters(opened),
        tied=head.tie.tied,
        tied_reason=head.tie.reason,
        architecture=opened.architecture or None,
        title=name if isinstance(name, str) else None,
        mapped=table.dtype in _PLAIN,
        output=head.output,
        others=tuple(name for name in _tables(opened) if name != table.name),
        scale=scale.factor,
        scale_reason=scale.reason,
    )


def weight(path: Path, table: StoredTable) -> torch.Tensor:
    """The table (rows, dim): as stored where it is plain, else dequantised to float32."""
    import torch

    array = opened_gguf(path).arrays[table.tensor]
    if table.dtype == "BF16":
        return torch.from_numpy(array.view("int16")).view(torch.bfloat16)
    if table.quantised:
        return torch.from_numpy(_dequantised(array, table.dtype))
    return torch.from_numpy(array)


def gguf_vocabulary(path: Path) -> GgufVocabulary:
    """The vocabulary of a GGUF file, parsed together with its headers.

    Raises
    ------
    CheckpointError
        If the file is damaged or cannot be read.
    VocabularyError
        If the file carries no token list.
    """
    opened = opened_gguf(path)
    tokens = _listed(opened.fields.get("tokenizer.ggml.tokens"), str)
    types = _listed(opened.fields.get("tokenizer.ggml.token_type"), int)
    if not tokens:
        raise VocabularyError(f"{path.name} carries no token list; use a GGUF file that has one.")
    if len(types) != len(tokens):
        types = (1,) * len(tokens)
    model = str(opened.fields.get("tokenizer.ggml.model", ""))
    return GgufVocabulary(tokens, types, model, opened.architecture)


def _listed(found: object, kind: type[_T]) -> tuple[_T, ...]:
    """What a file lists under a name; nothing where it lists anything else."""
    listed = isinstance(found, list) and all(isinstance(each, kind) for each in found)
    return tuple(found) if isinstance(found, list) and listed else ()


def _dequantised(array: Any, dtype: str) -> Any:
    from gguf import GGMLQuantizationType, dequantize

    try:
        return array if dtype == "F64" else dequantize(array, GGMLQuantizationType[dtype])
    except NotImplementedError:
        raise CheckpointError(
            f"The table is stored as {dtype}, which embgeo cannot dequantise: use another file."
        ) from None


def _table(path: Path, opened: OpenedGguf, name: str) -> StoredTensor:
    table = opened.tensors.get(name)
    if table is None or len(table.shape) != 2:
        parts = f" {opened.missing} of its parts are not beside it." if opened.missing else ""
        raise CheckpointError(
            f"{path.name} holds no table {name}: looked for it among {len(opened.tensors)} tensors."
            f"{parts} Its tables are: {', '.join(_tables(opened)) or 'none'}. A vision projector "
            "or an adapter has none."
        )
    if table.dtype in _INTEGERS:
        raise CheckpointError(
            f"{name} in {table.file} is stored as {table.dtype}: bare integers are not numbers to "
            "plot; use another GGUF file."
        )
    return table


def _tables(opened: OpenedGguf) -> tuple[str, ...]:
    """Names of the tables that can be asked for, the input table first."""
    stored = opened.tensors.values()
    names = [t.name for t in stored if len(t.shape) == 2 and t.dtype not in _INTEGERS]
    return tuple(sorted(named_tables(names), key=lambda name: (name != INPUT, name)))


def _parameters(opened: OpenedGguf) -> int | None:
    if opened.missing:
        return None
    return sum(t.numbers for t in opened.tensors.values() if t.dtype not in _INTEGERS)


def _head(opened: OpenedGguf) -> Head:
    table = opened.tensors.get(INPUT)
    if table is None:
        return Head("", Tie(None, f"{INPUT} is not stored"))
    matrices = {name: t.shape[0] for name, t in opened.tensors.items() if len(t.shape) == 2}
    output = output_table(matrices, table.shape[0])
    if output is not None:
        return Head(output, compared(table, opened.tensors[output], partial(_rows, opened)))
    if opened.missing:
        return Head("", Tie(None, "one part of several: an output table may lie in another"))
    if opened.is_encoder:
        return Head("", Tie(None, f"no output table stored; {opened.architecture} is an encoder"))
    reason = "no output table stored; a GGUF model then uses its input table for both"
    return Head("", Tie(True, reason))


def _rows(opened: OpenedGguf, tensor: StoredTensor) -> Rows:
    array = opened.arrays[tensor.name]
    return lambda start, stop: _dequantised(array[start:stop], tensor.dtype)
