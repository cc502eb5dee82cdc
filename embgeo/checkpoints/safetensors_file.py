"""Tables in safetensors files, single or sharded: headers first, then one tensor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embgeo.checkpoints.architecture import resolved_input
from embgeo.checkpoints.config import ModelConfig, read_config, read_json
from embgeo.checkpoints.damage import damaged, unreadable
from embgeo.checkpoints.layouts import INPUTS, input_tables, output_table
from embgeo.checkpoints.stored import StoredTable, StoredTensor, Tie
from embgeo.checkpoints.tying import Rows, compared, declared
from embgeo.errors import CheckpointError

if TYPE_CHECKING:
    import torch

_FLOATS = frozenset({"F64", "F32", "F16", "BF16"})
_PACKED = frozenset({"I8", "U8", "I16", "U16", "I32", "U32"})


def facts(path: Path) -> StoredTable:
    """The facts of the table in a .safetensors file, or in the shards that an index names.

    Raises
    ------
    CheckpointError
        If a file is missing or damaged, no tensor or more than one can be the input table, or
        the table is stored as packed or 8-bit values.
    """
    config = read_config(path.parent)
    tensors = headers(path)
    table = _input_table(path, tensors, config)
    tie = _tie(path.parent, tensors, table, config)
    return StoredTable(
        tensor=table.name,
        file=table.file,
        rows=table.shape[0],
        dim=table.shape[1],
        dtype=table.dtype,
        quantised=False,
        parameters=_parameters(tensors),
        tied=tie.tied,
        tied_reason=tie.reason,
        architecture=config.architecture if config else None,
        title=None,
    )


def weight(folder: Path, table: StoredTable) -> torch.Tensor:
    """The table (rows, dim) as stored, memory-mapped: numbers are read when they are used."""
    with _opened(folder / table.file, "pt") as handle:
        found: torch.Tensor = handle.get_tensor(table.tensor)
    return found


def headers(path: Path) -> dict[str, StoredTensor]:
    """Every tensor that a file, or the shards of an index, declare in their headers."""
    files = _shards(path) if path.suffix == ".json" else (path,)
    tensors: dict[str, StoredTensor] = {}
    for file in files:
        # numpy, not torch: no number is read, and torch takes seconds to import.
        with _opened(file, "numpy") as handle:
            for name in sorted(handle.keys()):
                entry = handle.get_slice(name)
                shape = tuple(entry.get_shape())
                tensors[name] = StoredTensor(name, file.name, shape, str(entry.get_dtype()))
    return tensors


def _shards(index: Path) -> tuple[Path, ...]:
    names = read_json(index).get("weight_map")
    if not isinstance(names, dict) or not all(isinstance(name, str) for name in names.values()):
        raise CheckpointError(f"{index.name} has no weight_map from tensors to files; restore it.")
    shards = tuple(index.parent / name for name in sorted(set(names.values())))
    missing = [s.name for s in shards if s.parent != index.parent or not s.is_file()]
    if missing:
        raise CheckpointError(
            f"{index.name} names {', '.join(missing)}, which is not beside it: an incomplete "
            "download. Fetch the missing shard."
        )
    return shards


@contextmanager
def _opened(path: Path, framework: str) -> Iterator[Any]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework=framework) as handle:
            yield handle
    except SafetensorError as error:
        raise damaged(path) from error
    except OSError as error:
        raise unreadable(path, error) from error


def _input_table(
    path: Path, tensors: Mapping[str, StoredTensor], config: ModelConfig | None
) -> StoredTensor:
    rows = _rows_by_name(tensors)
    found = input_tables(rows, config.vocab_size if config else None)
    if len(found) != 1 and config is not None:
        resolved = resolved_input(path.parent, rows)
        found = (resolved,) if resolved else found
    elif not found and len(rows) == 1:
        found = tuple(rows)
    if len(found) != 1:
        raise _not_found(path, rows, found)
    table = tensors[found[0]]
    if table.dtype not in _FLOATS:
        raise CheckpointError(
            f"{table.name} in {table.file} is stored as {table.dtype}: packed or 8-bit integers "
            "are not numbers to plot; use the unquantised checkpoint or a GGUF file."
        )
    return table


def _not_found(path: Path, rows: Mapping[str, int], found: tuple[str, ...]) -> CheckpointError:
    if found:
        return CheckpointError(
            f"{path.name} holds several tensors that may be the input table: {', '.join(found)}. "
            "A config.json that names the architecture beside it decides."
        )
    there = ", ".join(sorted(rows)[:8]) + (f" and {len(rows) - 8} more" if len(rows) > 8 else "")
    return CheckpointError(
        f"{path.name} holds no token embedding table. Looked for "
        f"{', '.join(layout.name for layout in INPUTS)}; its 2-D tensors are: {there or 'none'}."
    )


def _tie(
    folder: Path,
    tensors: Mapping[str, StoredTensor],
    table: StoredTensor,
    config: ModelConfig | None,
) -> Tie:
    output = output_table(_rows_by_name(tensors), table.shape[0])
    if output is None:
        said = declared(config)
        # A head tied to a table of its own (a decoder's) makes that one the output table.
        if said.source is None or said.source == table.name or said.source not in tensors:
            return Tie(said.source is not None or None, said.reason)
        output = said.source
    return compared(table, tensors[output], partial(_reader, folder))


def _reader(folder: Path, tensor: StoredTensor) -> Rows:
    def read(start: int, stop: int) -> Any:
        with _opened(folder / tensor.file, "pt") as handle:
            return handle.get_slice(tensor.name)[start:stop].float()

    return read


def _rows_by_name(tensors: Mapping[str, StoredTensor]) -> dict[str, int]:
    return {name: tensor.shape[0] for name, tensor in tensors.items() if len(tensor.shape) == 2}


def _parameters(tensors: Mapping[str, StoredTensor]) -> int | None:
    """Floating-point weights; packed matrices hide how many they hold, and small masks do not."""
    stored = tensors.values()
    if any(tensor.dtype in _PACKED and len(tensor.shape) == 2 for tensor in stored):
        return None
    return sum(tensor.numbers for tensor in stored if "F" in tensor.dtype)
