"""The pass after a transform was chosen: what all pairs of transformed rows have as mean cosine."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch

from embgeo.devices import compute_device, working_dtype
from embgeo.errors import ShapeError
from embgeo.jobs import Progress, silent
from embgeo.metrics.cosine import mean_cosine_from_sum, unit_rows
from embgeo.metrics.floor import stratum_cosines
from embgeo.populations import STRATA, Population
from embgeo.statistics.moments import moments, store_key, sum_by_stratum
from embgeo.statistics.spectrum import spectrum
from embgeo.tables import EmbeddingTable
from embgeo.transforms import RAW, Fitted, Transform, fit, spelled

Array = np.ndarray[Any, np.dtype[Any]]

PAIRS = 10_000
"""Pairs in the sample that a distribution of cosines is drawn from."""
SEED = 0


@dataclass(frozen=True, eq=False)
class Transformed:
    """A table after a transform, as sums over all its used rows.

    Attributes
    ----------
    unit_sums, counts
        (STRATA, m) and (STRATA,): sum and number of unit rows; a row that the transform sends to
        zero has no direction and is not counted.
    """

    unit_sums: Array
    counts: Array

    @property
    def count(self) -> int:
        return int(self.counts.sum())

    @property
    def mean_cosine(self) -> float | None:
        """Mean cosine over all pairs of different rows after the transform."""
        return mean_cosine_from_sum(torch.from_numpy(self.unit_sums.sum(axis=0)), self.count)

    @cached_property
    def floors(self) -> Array:
        """(STRATA, STRATA) mean cosine of all pairs of two strata, NaN where there is no pair."""
        return stratum_cosines(self.unit_sums, self.counts)


def fitted(
    table: EmbeddingTable, transform: Transform, population: Population = Population()
) -> Fitted:
    """A transform fitted on the used rows of the whole table; see `embgeo.transforms.fit`.

    Raises
    ------
    ShapeError
        If the rows have no spread, or the transform cannot be fitted on so few.
    """

    def compute() -> Fitted:
        spread = spectrum(table, population)
        if not spread.defined:
            raise ShapeError(
                f"The {spread.count:,} rows used of {table.name} are all the same: there is no "
                "spread to centre, standardise or whiten. Only the raw table can be shown."
            )
        return fit(transform, spread)

    return table.remember(("fitted", spelled(transform), population), compute)


def transformed(
    table: EmbeddingTable,
    transform: Transform,
    population: Population = Population(),
    progress: Progress = silent,
) -> Transformed:
    """The transformed table's sums: from memory, from the store, or from one pass over its rows.

    Raises
    ------
    ShapeError
        If the transform cannot be fitted on this table.
    """
    if transform == RAW:
        first = moments(table, population, progress)
        return Transformed(first.unit_sums, first.counts)
    return table.remember(
        ("transformed", spelled(transform), population),
        lambda: _load(table, transform, population, progress),
    )


def _load(
    table: EmbeddingTable, transform: Transform, population: Population, progress: Progress
) -> Transformed:
    key = (*store_key("transformed", table, population), spelled(transform))
    kept = table.store.read(*key)
    if kept is not None:
        return Transformed(**kept.arrays)
    spectrum(table, population, progress)
    result = _pass(table, transform, population, progress)
    table.store.write(*key, arrays={"unit_sums": result.unit_sums, "counts": result.counts})
    return result


def _pass(
    table: EmbeddingTable, transform: Transform, population: Population, progress: Progress
) -> Transformed:
    first, how = moments(table, population), fitted(table, transform, population)
    device = compute_device()
    stratum = torch.from_numpy(first.stratum).to(torch.long)
    used = torch.from_numpy(first.used)
    width = table.dim if how.matrix is None else how.matrix.shape[1]
    sums = torch.zeros(STRATA, width, dtype=torch.float64)
    counts = np.zeros(STRATA, dtype=np.int64)
    for rows, stored in table.chunks(f"after {spelled(transform)}", progress):
        chosen = used[rows]
        chunk = how.directions(stored[chosen].to(device).to(working_dtype(device)))
        units = unit_rows(chunk)
        where = stratum[rows][chosen]
        sums += sum_by_stratum(units, where)
        nonzero = units.abs().sum(dim=1).cpu() > 0
        counts += np.bincount(where[nonzero].numpy(), minlength=STRATA)
    return Transformed(sums.numpy(), counts)


def sampled_cosines(
    table: EmbeddingTable, transform: Transform, population: Population = Population()
) -> Array:
    """Cosines of the same `PAIRS` seeded pairs of different used rows, whatever the transform."""

    def sample() -> Array:
        ids = np.flatnonzero(moments(table, population).used)
        if len(ids) < 2:
            return np.empty(0)
        generator = np.random.default_rng(SEED)
        left = generator.integers(len(ids), size=PAIRS)
        right = (left + generator.integers(1, len(ids), size=PAIRS)) % len(ids)
        how = fitted(table, transform, population) if transform else None
        cosines = []
        for some in np.array_split(np.arange(PAIRS), max(1, PAIRS * table.dim // 2**21)):
            a, b = table.take(ids[left[some]].tolist()), table.take(ids[right[some]].tolist())
            if how is not None:
                a, b = how.apply(a), how.apply(b)
            cosines.append((unit_rows(a) * unit_rows(b)).sum(dim=1).clamp(-1, 1))
        return torch.cat(cosines).numpy()

    return table.remember(("pairs", spelled(transform), population), sample)
