"""Tables and vocabularies in GGUF files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embgeo.checkpoints.gguf_reading import OpenedGguf, opened_gguf
from embgeo.checkpoints.layouts import output_table
from embgeo.checkpoints.stored import StoredTable, StoredTensor, Tie
from embgeo.checkpoints.tying import Rows, compared
from embgeo.errors import CheckpointError, VocabularyError

if TYPE_CHECKING:
    import torch

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


def facts(path: Path) -> StoredTable:
    """The facts of the table in a GGUF file.

    Raises
    ------
    CheckpointError
        If the file is damaged, holds no token_embd.weight, or holds it as integers.
    """
    opened = opened_gguf(path)
    table = opened.tensors.get(INPUT)
    if table is None or len(table.shape) != 2:
        raise CheckpointError(
            f"{path.name} holds no token embedding table: looked for {INPUT} among "
            f"{len(opened.tensors)} tensors. A vision projector or an adapter has none."
        )
    if table.dtype in _INTEGERS:
        raise CheckpointError(
            f"{INPUT} in {path.name} is stored as {table.dtype}: bare integers are not numbers to "
            "plot; use another GGUF file."
        )
    tie = _tie(opened, table)
    return StoredTable(
        tensor=table.name,
        file=path.name,
        rows=table.shape[0],
        dim=table.shape[1],
        dtype=table.dtype,
        quantised=table.dtype not in _PLAIN,
        parameters=sum(t.numbers for t in opened.tensors.values() if t.dtype not in _INTEGERS),
        tied=tie.tied,
        tied_reason=tie.reason,
        architecture=opened.architecture or None,
        title=opened.fields.get("general.name"),
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
    tokens = opened.fields.get("tokenizer.ggml.tokens")
    if not tokens:
        raise VocabularyError(f"{path.name} carries no token list; use a GGUF file that has one.")
    types = opened.fields.get("tokenizer.ggml.token_type") or [1] * len(tokens)
    model = str(opened.fields.get("tokenizer.ggml.model", ""))
    return GgufVocabulary(tuple(tokens), tuple(types), model, opened.architecture)


def _dequantised(array: Any, dtype: str) -> Any:
    from gguf import GGMLQuantizationType, dequantize

    try:
        return array if dtype == "F64" else dequantize(array, GGMLQuantizationType[dtype])
    except NotImplementedError:
        raise CheckpointError(
            f"{INPUT} is stored as {dtype}, which embgeo cannot dequantise; use another GGUF file."
        ) from None


def _tie(opened: OpenedGguf, table: StoredTensor) -> Tie:
    matrices = {name: t.shape[0] for name, t in opened.tensors.items() if len(t.shape) == 2}
    output = output_table(matrices, table.shape[0])
    if output is not None:
        return compared(table, opened.tensors[output], partial(_rows, opened))
    if opened.is_encoder:
        return Tie(None, f"no output table stored; {opened.architecture} is an encoder")
    return Tie(True, "no output table stored; a GGUF model then uses its input table for both")


def _rows(opened: OpenedGguf, tensor: StoredTensor) -> Rows:
    array = opened.arrays[tensor.name]
    return lambda start, stop: _dequantised(array[start:stop], tensor.dtype)
