"""The pass over a table that finds under-trained rows and rows exactly alike."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from embgeo.devices import compute_device, working_dtype
from embgeo.jobs import Progress
from embgeo.metrics.cosine import unit_rows
from embgeo.metrics.undertrained import reference_distances
from embgeo.statistics.moments import Moments
from embgeo.tables import EmbeddingTable

Array = np.ndarray[Any, np.dtype[Any]]
_PIECE = 2048


@dataclass(frozen=True, eq=False)
class Signs:
    """(rows,) distance to the reference, and number of the group of equal rows."""

    distances: Array
    twins: Array


@dataclass(frozen=True, eq=False)
class Nearest:
    """(n,) id of the nearest of some rows, −1 where there is none, and its cosine distance."""

    ids: Array
    distances: Array


def mean_row(table: EmbeddingTable, ids: Array) -> torch.Tensor | None:
    """(d,) float64 mean of some rows; None for none, or where they cancel."""
    if not len(ids):
        return None
    total, size = torch.zeros(table.dim, dtype=torch.float64), 0.0
    for some in _pieces(ids):
        rows = table.take(some.tolist())
        total += rows.sum(dim=0)
        size += float(torch.linalg.vector_norm(rows, dim=1).sum())
    return total / len(ids) if float(total.norm()) > 1e-6 * size else None


def signs_pass(
    table: EmbeddingTable, first: Moments, reference: torch.Tensor | None, progress: Progress
) -> Signs:
    """Distances to the reference row and groups of equal rows, in one pass."""
    device = compute_device()
    distances = np.full(table.rows, np.nan)
    marks = np.zeros(table.rows, dtype=np.int64)
    factors = _factors(table.dim)
    for rows, stored in table.chunks("under-trained tokens", progress, device):
        chunk = stored.to(device).to(working_dtype(device))
        marks[rows] = _marks(chunk, factors)
        if reference is not None:
            distances[rows] = reference_distances(chunk, reference)
    distances[first.degenerate] = np.nan
    return Signs(distances, _twins(table, marks, np.isfinite(first.norms)))


def nearest_references(table: EmbeddingTable, ids: Array, others: Array, first: Moments) -> Nearest:
    """For each of some rows, which of the others is nearest by cosine.

    `metrics.neighbours` goes query by query; here are thousands, and only the nearest is wanted.
    """
    best, at = np.full(len(ids), -np.inf), np.full(len(ids), -1, dtype=np.int64)
    for part in _pieces(others):
        units = unit_rows(table.take(part.tolist()))
        for places in _pieces(np.arange(len(ids))):
            cosines = unit_rows(table.take(ids[places].tolist())) @ units.T
            high, which = (each.numpy() for each in cosines.max(dim=1))
            better = (high > best[places]) & ~first.degenerate[ids[places]]
            best[places[better]], at[places[better]] = high[better], part[which[better]]
    return Nearest(at, np.where(at >= 0, 1 - best.clip(-1, 1), np.nan))


def _pieces(values: Array) -> list[Array]:
    return np.array_split(values, -(-len(values) // _PIECE)) if len(values) else []


def _factors(dim: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.randint(-(2**62), 2**62, (dim,), generator=generator) * 2 + 1


def _marks(chunk: torch.Tensor, factors: torch.Tensor) -> Array:
    """(n,) a 64-bit mark of each row, the same for equal rows.

    The low bits of a number that was stored in fewer are all zero, so the high ones are folded in.
    """
    whole = chunk + 0.0  # −0 equals 0, but not in its bits
    bits = whole.view(torch.int64 if whole.dtype == torch.float64 else torch.int32).to(torch.int64)
    bits = bits ^ (bits >> 32)
    bits = bits ^ (bits >> 16)
    marks: Array = (bits * factors.to(bits.device)).sum(dim=1).cpu().numpy()
    return marks


def _twins(table: EmbeddingTable, marks: Array, finite: Array) -> Array:
    """Groups of rows that are equal in every number, numbered by their smallest id."""
    groups: list[Array] = []
    ids = np.flatnonzero(finite)
    ids = ids[np.argsort(marks[ids], kind="stable")]
    for group in np.split(ids, np.flatnonzero(np.diff(marks[ids])) + 1):
        groups += _equal(table, group) if len(group) > 1 else []
    twins = np.full(len(marks), -1, dtype=np.int32)
    for number, group in enumerate(sorted(groups, key=lambda some: int(some[0]))):
        twins[group] = number
    return twins


def _equal(table: EmbeddingTable, ids: Array) -> list[Array]:
    """Rows with one mark, split into those that are really equal: marks may collide."""
    found = []
    while len(ids) > 1:
        one = table.take([int(ids[0])])
        same = np.concatenate(
            [(table.take(some.tolist()) == one).all(dim=1).numpy() for some in _pieces(ids)]
        )
        if same.sum() > 1:
            found.append(ids[same])
        ids = ids[~same]
    return found
