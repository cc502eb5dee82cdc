"""Tables in PyTorch's own files (.bin, .pt, .pth), single or sharded: names first, then a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embgeo.checkpoints.choosing import Checkpoint, candidates, table_of
from embgeo.checkpoints.config import read_json
from embgeo.checkpoints.pickle_reading import can_be_mapped, tensors_in
from embgeo.checkpoints.quantised import parameters_of
from embgeo.checkpoints.shards import shards_beside, weight_map
from embgeo.checkpoints.stored import StoredTable, StoredTensor
from embgeo.checkpoints.tying import Rows
from embgeo.errors import CheckpointError

if TYPE_CHECKING:
    import torch

_DTYPES = {
    "float64": "F64",
    "float32": "F32",
    "float16": "F16",
    "bfloat16": "BF16",
    "int64": "I64",
    "int32": "I32",
    "int16": "I16",
    "int8": "I8",
    "uint8": "U8",
    "bool": "BOOL",
    "float8_e4m3fn": "F8_E4M3",
    "float8_e5m2": "F8_E5M2",
}


def facts(path: Path, wanted: str = "", folder: Path | None = None) -> StoredTable:
    """The facts of a table in a PyTorch file, or in those that an index names.

    Of a sharded checkpoint only the shards are opened that can hold the table or its twin.

    Parameters
    ----------
    path
        The file or the index.
    wanted
        The tensor that is asked for; "" for the model's input table.
    folder
        Where config.json is; None: beside the file.

    Raises
    ------
    CheckpointError
        If a file is missing or damaged, asks to run code, or no tensor or more than one can be the
        table.
    """
    if path.suffix != ".json":
        found = tensors_in(path)
        parameters = parameters_of(_distinct(path.name, found))
        shards = {path.name: found}
    else:
        index = read_json(path)
        shards = {file.name: tensors_in(file) for file in _shards(path, index, wanted)}
        parameters = _counted(index)
    tensors = {
        name: _described(name, file, tensor)
        for file, found in shards.items()
        for name, tensor in found.items()
    }
    checkpoint = Checkpoint(path.name, tensors, folder or path.parent, parameters, wanted)
    table = table_of(checkpoint, partial(_reader, path.parent))
    # The store, which keeps what cannot be mapped, has no bfloat16: such a table stays in memory.
    return replace(table, mapped=table.dtype == "BF16" or can_be_mapped(path.with_name(table.file)))


def weight(folder: Path, table: StoredTable) -> torch.Tensor:
    """The table (rows, dim) as stored; memory-mapped, unless the file is of the old kind."""
    found = tensors_in(folder / table.file, numbers=True)[table.tensor]
    if found.is_meta or found.nbytes > found.untyped_storage().nbytes():
        raise CheckpointError(
            f"{table.tensor} in {table.file} is {table.rows:,} × {table.dim:,}, but the file holds "
            "fewer numbers and repeats them. Save the tensor's own numbers: tensor.contiguous()."
        )
    return found.contiguous()


def _shards(index: Path, content: Mapping[str, Any], wanted: str) -> tuple[Path, ...]:
    """The files that can hold the table; all of them where no name tells."""
    where = weight_map(index, content)
    telling = [wanted] * (wanted in where) + list(candidates(where))
    return shards_beside(index, {where[name] for name in telling} or where.values())


def _counted(index: Mapping[str, Any]) -> int | None:
    meta = index.get("metadata")
    said = meta.get("total_parameters") if isinstance(meta, dict) else None
    return said if type(said) is int else None


def _distinct(file: str, found: Mapping[str, torch.Tensor]) -> Iterator[StoredTensor]:
    """Every tensor once, also where two names share the numbers, as a tied head does."""
    seen = set()
    for name, tensor in found.items():
        described = _described(name, file, tensor)
        strided = str(tensor.layout) == "torch.strided"
        storage = _identity(tensor) if strided else name
        key = (storage, tensor.storage_offset() if strided else 0, described.shape)
        if key not in seen:
            seen.add(key)
            yield described


def _identity(tensor: torch.Tensor) -> int:
    from torch.multiprocessing.reductions import StorageWeakRef

    # The address of the numbers would do, had those whose shapes alone were read any.
    found: int = StorageWeakRef(tensor.untyped_storage()).cdata  # type: ignore[no-untyped-call]
    return found


def _described(name: str, file: str, tensor: torch.Tensor) -> StoredTensor:
    plain = str(tensor.layout) == "torch.strided"
    kind = str(tensor.dtype if plain else tensor.layout).removeprefix("torch.")
    # What is packed in a way of PyTorch's own is named as PyTorch names it, and then refused.
    return StoredTensor(name, file, tuple(tensor.shape), _DTYPES.get(kind, kind))


def _reader(folder: Path, tensor: StoredTensor) -> Rows:
    stored = tensors_in(folder / tensor.file, numbers=True)[tensor.name]
    return lambda start, stop: stored[start:stop].float()
