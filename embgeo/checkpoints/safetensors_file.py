"""Tables in safetensors files, single or sharded: headers first, then one tensor."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embgeo.checkpoints.choosing import Checkpoint, table_of
from embgeo.checkpoints.config import read_json
from embgeo.checkpoints.damage import damaged, unreadable
from embgeo.checkpoints.quantised import parameters_of
from embgeo.checkpoints.shards import shards_beside, weight_map
from embgeo.checkpoints.stored import StoredTable, StoredTensor
from embgeo.checkpoints.tying import Rows

if TYPE_CHECKING:
    import torch


def facts(path: Path, wanted: str = "") -> StoredTable:
    """The facts of a table in a .safetensors file, or in the shards that an index names.

    Parameters
    ----------
    path
        The file or the index.
    wanted
        The tensor that is asked for; "" for the model's input table.

    Raises
    ------
    CheckpointError
        If a file is missing or damaged, no tensor or more than one can be the table, or it is
        stored as packed or 8-bit values.
    """
    tensors = headers(path)
    parameters = parameters_of(tensors.values())
    checkpoint = Checkpoint(path.name, tensors, path.parent, parameters, wanted)
    return table_of(checkpoint, partial(_reader, path.parent))


def weight(folder: Path, table: StoredTable) -> torch.Tensor:
    """The table (rows, dim) as stored, memory-mapped: numbers are read when they are used."""
    with _opened(folder / table.file, "pt") as handle:
        found: torch.Tensor = handle.get_tensor(table.tensor)
    return found


def headers(path: Path) -> dict[str, StoredTensor]:
    """Every tensor that a file, or the shards of an index, declare in their headers."""
    index = path.suffix == ".json"
    files = shards_beside(path, weight_map(path, read_json(path)).values()) if index else (path,)
    tensors: dict[str, StoredTensor] = {}
    for file in files:
        # numpy, not torch: no number is read, and torch takes seconds to import.
        with _opened(file, "numpy") as handle:
            for name in sorted(handle.keys()):
                entry = handle.get_slice(name)
                shape = tuple(entry.get_shape())
                tensors[name] = StoredTensor(name, file.name, shape, str(entry.get_dtype()))
    return tensors


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


def _reader(folder: Path, tensor: StoredTensor) -> Rows:
    def read(start: int, stop: int) -> Any:
        with _opened(folder / tensor.file, "pt") as handle:
            return handle.get_slice(tensor.name)[start:stop].float()

    return read
