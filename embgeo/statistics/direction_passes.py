"""The passes over unit rows: to the mean direction, by id, weighted, and without coordinates."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch

from embgeo.devices import compute_device
from embgeo.jobs import Progress
from embgeo.metrics.contributions import (
    SumsWithout,
    cosines_without,
    informativity,
    sums_without,
)
from embgeo.metrics.cosine import unit_rows
from embgeo.populations import Population
from embgeo.statistics.directions import Directions
from embgeo.statistics.frequency import zipf_of
from embgeo.statistics.moments import moments
from embgeo.statistics.pairs import Pairs, sampled_pairs
from embgeo.statistics.passes import working
from embgeo.statistics.zeroed import Zeroed
from embgeo.tables import EmbeddingTable

Array = np.ndarray[Any, np.dtype[Any]]


def directions_pass(
    table: EmbeddingTable, population: Population, progress: Progress
) -> Directions:
    """Squares by coordinate, cosine to the mean direction, and the sum weighted by id."""
    first = moments(table, population, progress)
    total = first.unit_sums.sum(axis=0)
    length = float(np.linalg.norm(total))
    # What is left of directions that cancel is rounding.
    cancels = length <= 1e-12 * max(1, first.count)
    direction = torch.from_numpy(total / (1.0 if cancels else length))
    squares = torch.zeros(table.dim, dtype=torch.float64)
    zipf_sum = torch.zeros_like(squares)
    to_mean = np.full(table.rows, np.nan, dtype=np.float32)
    zipf = zipf_of(table, first)
    for ids, units in _unit_chunks(table, first.used, "directions", progress):
        squares += units.square().sum(dim=0).cpu()
        zipf_sum += (torch.from_numpy(zipf[ids]).to(units) @ units).cpu()
        if not cancels:
            to_mean[ids] = (units @ direction.to(units)).clamp(-1, 1).cpu().numpy()
    return Directions(first.count, total, squares.numpy(), to_mean, zipf_sum.numpy())


def weighted_pass(table: EmbeddingTable, weights: Array, progress: Progress) -> Array:
    """(d,) Σ w û over the rows that have a weight."""
    total = torch.zeros(table.dim, dtype=torch.float64)
    for ids, units in _unit_chunks(table, weights > 0, "weighted mean cosine", progress):
        total += (torch.from_numpy(weights[ids]).to(units) @ units).cpu()
    return total.numpy()


def bins_pass(
    table: EmbeddingTable, edges: Sequence[int], population: Population, progress: Progress
) -> tuple[Array, Array]:
    """(bins, d) sum and (bins,) number of the used unit rows of each bin of ids."""
    used = moments(table, population, progress).used
    used = used & (np.arange(table.rows) >= edges[0])
    sums = torch.zeros(len(edges), table.dim, dtype=torch.float64)
    counts = np.zeros(len(edges), dtype=np.int64)
    for ids, units in _unit_chunks(table, used, "mean cosine by id", progress):
        where = np.searchsorted(edges, ids, side="right") - 1
        sums.index_add_(0, torch.from_numpy(where), units.cpu())
        counts += np.bincount(where, minlength=len(edges))
    return sums.numpy(), counts


def zeroed_pass(
    table: EmbeddingTable, order: Array, population: Population, progress: Progress
) -> Zeroed:
    """Mean cosines without the first coordinates of `order`, and how a sample of pairs changed."""
    used = moments(table, population, progress).used
    sums = np.zeros((len(order) + 1, table.dim))
    counts = np.zeros(len(order) + 1, dtype=np.int64)
    for _, units in _unit_chunks(table, used, "zeroing coordinates", progress):
        found = sums_without(units, order)
        sums += found.unit_sums
        counts += found.counts
    progress(0.95, f"{table.name}: sampling pairs")
    cosines = _cosines_without(table, sampled_pairs(used), order)
    kept = [informativity(cosines[0], each) for each in cosines]
    return Zeroed(
        order,
        SumsWithout(sums, counts).mean_cosines,
        counts,
        np.array([np.nan if value is None else value for value in kept]),
    )


def _cosines_without(table: EmbeddingTable, pairs: Pairs, order: Array) -> Array:
    """(K + 1, pairs) cosine of each pair of rows as coordinates are zeroed."""
    count = len(pairs.left)
    if not count:
        return np.empty((len(order) + 1, 0))
    cosines = [
        cosines_without(
            table.take(pairs.left[at].tolist()), table.take(pairs.right[at].tolist()), order
        )
        for at in np.array_split(np.arange(count), max(1, count * table.dim // 2**21))
    ]
    return np.concatenate(cosines, axis=1)


def _unit_chunks(
    table: EmbeddingTable, wanted: Array, doing: str, progress: Progress
) -> Iterator[tuple[Array, torch.Tensor]]:
    """The wanted rows once through, as ids and float64 unit rows on the device that has it."""
    device = compute_device()
    for rows, stored in table.chunks(doing, progress, device):
        chosen = wanted[rows]
        if chosen.any():
            ids = rows.start + np.flatnonzero(chosen)
            yield ids, unit_rows(working(stored[torch.from_numpy(chosen)], device))
