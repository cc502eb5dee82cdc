"""The pass after a transform was chosen: what all pairs of transformed rows have as mean cosine."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from embgeo.errors import ShapeError
from embgeo.jobs import Progress, silent
from embgeo.metrics.cosine import mean_cosine_from_sum
from embgeo.metrics.floor import stratum_cosines
from embgeo.populations import Population
from embgeo.statistics.moments import moments, store_key
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
        return mean_cosine_from_sum(self.unit_sums.sum(axis=0), self.count)

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
        if not spread.count:
            raise ShapeError(
                f"No row of {table.name} can be used: each is zero, not finite, or left out. "
                "Only a table with rows that have a direction can be transformed."
            )
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
    progress(0.0, f"{table.name}: starting PyTorch")
    from embgeo.statistics.passes import transformed_pass

    spectrum(table, population, progress)
    result = transformed_pass(table, transform, population, progress)
    table.store.write(*key, arrays={"unit_sums": result.unit_sums, "counts": result.counts})
    return result


def sampled_cosines(
    table: EmbeddingTable, transform: Transform, population: Population = Population()
) -> Array:
    """Cosines of the same `PAIRS` seeded pairs of different used rows, whatever the transform."""

    def sample() -> Array:
        from embgeo.statistics.passes import cosines_of_pairs

        ids = np.flatnonzero(moments(table, population).used)
        if len(ids) < 2:
            return np.empty(0)
        generator = np.random.default_rng(SEED)
        left = generator.integers(len(ids), size=PAIRS)
        right = (left + generator.integers(1, len(ids), size=PAIRS)) % len(ids)
        how = fitted(table, transform, population) if transform else None
        return cosines_of_pairs(table, ids[left], ids[right], how)

    return table.remember(("pairs", spelled(transform), population), sample)
