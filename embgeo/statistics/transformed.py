"""The pass after a transform was chosen: what all pairs of transformed rows have as mean cosine."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from embgeo.errors import ShapeError
from embgeo.jobs import Progress, silent
from embgeo.metrics.cosine import mean_cosine_from_sum
from embgeo.metrics.floor import stratum_cosines
from embgeo.populations import Population
from embgeo.statistics.directions import directions
from embgeo.statistics.moments import moments, store_key
from embgeo.statistics.pairs import sampled_pairs
from embgeo.statistics.spectrum import spectrum
from embgeo.statistics.weighted import weighted_spread
from embgeo.tables import EmbeddingTable
from embgeo.transforms import RAW, DropRogue, Fitted, Transform, fit, spelled, uses_weights

Array = np.ndarray[Any, np.dtype[Any]]


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
    table: EmbeddingTable,
    transform: Transform,
    population: Population = Population(),
    progress: Progress = silent,
) -> Fitted:
    """A transform fitted on the used rows of the whole table; see `embgeo.transforms.fit`.

    Raises
    ------
    ShapeError
        If the rows have no spread, or the transform cannot be fitted on so few.
    """

    def compute() -> Fitted:
        spread = spectrum(table, population, progress)
        if not spread.count:
            raise ShapeError(
                f"No row of {table.name} can be used: each is zero, not finite, or left out. "
                "Only a table with rows that have a direction can be transformed."
            )
        if not spread.defined:
            raise ShapeError(
                f"The rows used of {table.name} ({spread.count:,}) are all the same: there is no "
                "spread to centre, standardise or whiten. Only the raw table can be shown."
            )
        weighted = contributions = None
        if uses_weights(transform):
            weighted = weighted_spread(table, population, progress)
        if any(isinstance(step, DropRogue) for step in transform):
            contributions = directions(table, population, progress).contributions
        return fit(transform, spread, weighted, contributions)

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
        _memory_key(transform, population),
        lambda: _load(table, [transform], population, progress)[0],
    )


def after_each_step(
    table: EmbeddingTable,
    transform: Transform,
    population: Population = Population(),
    progress: Progress = silent,
) -> list[Transformed]:
    """The sums of the raw table and after each step; those not known yet share one pass.

    Raises
    ------
    ShapeError
        If a step cannot be fitted on this table.
    """
    prefixes = [transform[:steps] for steps in range(1, len(transform) + 1)]
    found = _load(table, prefixes, population, progress) if prefixes else []
    for prefix in prefixes:  # also where the sums were kept: pages show its eigenvalues
        fitted(table, prefix, population, progress)
    for prefix, each in zip(prefixes, found, strict=True):
        table.remember(_memory_key(prefix, population), partial(_itself, each))
    return [transformed(table, RAW, population, progress), *found]


def _memory_key(transform: Transform, population: Population) -> tuple[str, str, Population]:
    return "transformed", spelled(transform), population


def _itself(found: Transformed) -> Transformed:
    return found


def _load(
    table: EmbeddingTable,
    transforms: Sequence[Transform],
    population: Population,
    progress: Progress,
) -> list[Transformed]:
    def key(transform: Transform) -> tuple[str, ...]:
        return *store_key("transformed", table, population), spelled(transform)

    kept = {each: table.store.read(*key(each)) for each in transforms}
    known = {each: Transformed(**found.arrays) for each, found in kept.items() if found is not None}
    missing = [each for each in transforms if each not in known]
    if missing:
        progress(0.0, f"{table.name}: starting PyTorch")
        from embgeo.statistics.passes import transformed_pass

        for each in missing:
            fitted(table, each, population, progress)
        for each, result in zip(
            missing, transformed_pass(table, missing, population, progress), strict=True
        ):
            arrays = {"unit_sums": result.unit_sums, "counts": result.counts}
            table.store.write(*key(each), arrays=arrays)
            known[each] = result
    return [known[each] for each in transforms]


def sampled_cosines(
    table: EmbeddingTable, transform: Transform, population: Population = Population()
) -> Array:
    """Cosines of the same `PAIRS` seeded pairs of different used rows, whatever the transform.

    NaN where a transform leaves a row of the pair without a direction.
    """

    def sample() -> Array:
        from embgeo.statistics.passes import cosines_of_pairs

        pairs = sampled_pairs(moments(table, population).used)
        if not len(pairs.left):
            return np.empty(0)
        how = fitted(table, transform, population) if transform else None
        return cosines_of_pairs(table, pairs.left, pairs.right, how)

    return table.remember(("pairs", spelled(transform), population), sample)
