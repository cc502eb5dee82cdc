"""Tables in repositories on the hub: their facts, from the headers of the shards that matter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from embgeo.checkpoints.architecture import resolved_input
from embgeo.checkpoints.choosing import Checkpoint, candidates, table_of
from embgeo.checkpoints.config import read_json
from embgeo.checkpoints.hub_headers import header
from embgeo.checkpoints.quantised import parameters_of
from embgeo.checkpoints.stored import StoredTable, StoredTensor
from embgeo.checkpoints.tying import Rows
from embgeo.errors import CheckpointError
from embgeo.sources import Files
from embgeo.sources.hub import Repository, fetch_small
from embgeo.sources.listing import INDEX, listed
from embgeo.sources.ranges import read_range

_MOST_SHARDS = 6  # that candidates may lie in: only their headers are read, but there is an end
_LOOKED_AT = 2**17  # bytes of each of two tables that are compared


def facts(files: Files) -> StoredTable:
    """The facts of the table in a repository.

    An output table that is stored too is compared with the input table on a few rows; reading all
    of it would double what is fetched.

    Raises
    ------
    CheckpointError
        If a header is damaged, or no tensor or more than one can be the table.
    SourceError
        If the hub cannot be read.
    """
    repository = files.repository
    assert repository is not None
    if files.weights.endswith(INDEX):
        index = read_json(fetch_small(repository, files.weights))
        where = _weight_map(index, files.weights)
        tensors = _headers(repository, _worth_opening(files, where))
        parameters = _counted(index, repository)
    else:
        tensors = header(repository, files.weights)
        parameters = parameters_of(tensors.values())
    checkpoint = Checkpoint(repository.hub_id, tensors, files.folder, parameters, files.tensor)
    return table_of(checkpoint, lambda tensor: _rows(repository, tensor), _few(tensors))


def _weight_map(index: Mapping[str, Any], name: str) -> dict[str, str]:
    found = index.get("weight_map")
    if not isinstance(found, dict) or not all(isinstance(each, str) for each in found.values()):
        raise CheckpointError(f"{name} has no weight_map from tensors to files.")
    folder = name.rpartition("/")[0]
    return {tensor: f"{folder}/{file}".lstrip("/") for tensor, file in found.items()}


def _worth_opening(files: Files, where: Mapping[str, str]) -> list[str]:
    """The shards that the table, or another that can be asked for, may lie in.

    CheckpointError where they are no files of the repository: ".." would lead out of it.
    """
    assert files.repository is not None
    names = [name for name in (files.tensor, *candidates(where)) if name in where]
    if not names and files.folder is not None:
        resolved = resolved_input(files.folder, where)
        names = [resolved] if resolved else []
    shards = [where[name] for name in names] or sorted(where.values())[:1]
    shards = list(dict.fromkeys(shards))[:_MOST_SHARDS]
    missing = [shard for shard in shards if shard not in files.repository.sizes]
    if missing:
        raise CheckpointError(
            f"{files.weights} names {listed(missing)}, which {files.repository.hub_id} does not "
            "hold: an incomplete upload. Name another revision (owner/name@revision) or model."
        )
    return shards


def _headers(repository: Repository, shards: list[str]) -> dict[str, StoredTensor]:
    tensors: dict[str, StoredTensor] = {}
    for shard in shards:
        tensors |= header(repository, shard)
    return tensors


def _counted(index: Mapping[str, Any], repository: Repository) -> int | None:
    """Weights of a sharded checkpoint, where its index or the hub has counted them."""
    meta = index.get("metadata")
    said = meta.get("total_parameters") if isinstance(meta, dict) else None
    return said if type(said) is int else repository.parameters


def _few(tensors: Mapping[str, StoredTensor]) -> int:
    """How many rows of two tables are compared."""
    spans = [(each.span, each.shape) for each in tensors.values() if len(each.shape) == 2]
    sizes = ((span[1] - span[0]) // max(1, shape[0]) for span, shape in spans if span)
    widest = max(sizes, default=1)
    return max(3, _LOOKED_AT // max(1, widest))


def _rows(repository: Repository, tensor: StoredTensor) -> Rows:
    def read(start: int, stop: int) -> Any:
        assert tensor.span is not None
        first, end = tensor.span
        row = (end - first) // max(1, tensor.shape[0])
        raw = read_range(repository, tensor.file, first + start * row, first + stop * row)
        return _numbers(raw, tensor.dtype)

    return read


def _numbers(raw: bytes, dtype: str) -> Any:
    if dtype == "BF16":  # the upper half of a float32
        return (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32)
    return np.frombuffer(raw, {"F64": "<f8", "F32": "<f4", "F16": "<f2"}[dtype])


def pickle_name(files: Files) -> str:
    """The PyTorch file of a repository that holds the table: the only one, or one of its shards.

    Raises
    ------
    CheckpointError
        If the index names none.
    """
    if not files.weights.endswith(INDEX):
        return files.weights
    repository = files.repository
    assert repository is not None
    where = _weight_map(read_json(fetch_small(repository, files.weights)), files.weights)
    shards = _worth_opening(files, where)
    if not shards:
        raise CheckpointError(f"{files.weights} of {repository.hub_id} names no file.")
    return shards[0]
