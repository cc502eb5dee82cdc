"""The passes behind the token lookup: neighbours and one-hot products, and one coordinate."""

from typing import Any

import numpy as np
import torch

from embgeo.devices import compute_device, working_dtype
from embgeo.jobs import Progress
from embgeo.metrics.neighbours import nearer, nearest_rows, nobody
from embgeo.metrics.rotations import rotated_axis
from embgeo.populations import Population
from embgeo.statistics.coordinates import EXTREMES, ROTATION_SEED, Coordinate
from embgeo.statistics.moments import moments
from embgeo.statistics.nearest import NEIGHBOURS, LookedUp
from embgeo.tables import EmbeddingTable

Array = np.ndarray[Any, np.dtype[Any]]

_MOST_ROWS = 2**15  # a narrow table's chunk has many rows, and each query has a cosine with each


def lookup_pass(
    table: EmbeddingTable, ids: tuple[int, ...], population: Population, progress: Progress
) -> LookedUp:
    """The nearest used rows of a few tokens, and their one-hot products, in one pass."""
    first = moments(table, population, progress)
    device = compute_device()
    own, used = np.array(ids, dtype=np.int64), first.used
    rows = table.take(ids)
    queries = rows.to(device, working_dtype(device)) * 1.0
    queries[torch.from_numpy(first.degenerate[own])] = 0.0
    near, products = nobody(len(ids), NEIGHBOURS), torch.zeros_like(rows)
    for chunk, stored in table.chunks("one-hot product and neighbours", progress, device):
        products += _one_hot(own, chunk) @ stored.cpu().to(torch.float64)
        for some in _parts(chunk):
            part = stored[some.start - chunk.start : some.stop - chunk.start].to(device)
            if not used[some].all():
                part = part[torch.from_numpy(used[some]).to(device)]
            among = np.flatnonzero(used[some]) + some.start
            near = nearer(near, nearest_rows(queries, own, part, among, NEIGHBOURS))
    apart = (products - rows).abs().amax(dim=1).numpy()
    return LookedUp(own, near, np.where(np.isfinite(apart), apart, np.nan))


def _one_hot(ids: Array, chunk: slice) -> torch.Tensor:
    """(q, rows of the chunk): the part of each token's one-hot row that meets this chunk."""
    columns = torch.arange(chunk.start, chunk.stop)
    return (torch.from_numpy(ids)[:, None] == columns).to(torch.float64)


def _parts(chunk: slice) -> list[slice]:
    starts = range(chunk.start, chunk.stop, _MOST_ROWS)
    return [slice(start, min(start + _MOST_ROWS, chunk.stop)) for start in starts]


def coordinate_pass(
    table: EmbeddingTable, index: int, rotated: bool, population: Population, progress: Progress
) -> Coordinate:
    """One coordinate's extreme tokens and share, in one pass that keeps one number a row."""
    first = moments(table, population, progress)
    axis = torch.from_numpy(rotated_axis(table.dim, index, ROTATION_SEED)) if rotated else None
    values = np.empty(table.rows)
    for chunk, stored in table.chunks(f"coordinate {index}", progress):
        column = stored[:, index] if axis is None else stored.to(torch.float64) @ axis
        values[chunk] = column.to(torch.float64).numpy()
    ids = np.flatnonzero(first.used)
    used = values[ids]
    lowest, highest = (np.lexsort((ids, way * used))[:EXTREMES] for way in (1.0, -1.0))
    length = float(np.square(first.norms[ids]).sum())
    share = float(np.square(used).sum()) / length if length > 0 else float("nan")
    return Coordinate(ids[highest], used[highest], ids[lowest], used[lowest], share)
