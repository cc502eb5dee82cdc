"""A pass after the first: where the unit rows point, each to the mean direction and by coordinate.

What each coordinate adds to the mean cosine follows from it, and so does the mean cosine of tokens
weighted by how often they may occur.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from embgeo.jobs import Progress, silent
from embgeo.metrics.contributions import contributions_from_sums
from embgeo.metrics.cosine import mean_cosine_from_sum
from embgeo.metrics.isotropy import cone_length, pairs_drawn, weighted_mean_cosine
from embgeo.populations import ID_BINS, Population
from embgeo.statistics.frequency import zipf_of
from embgeo.statistics.moments import moments, store_key
from embgeo.tables import EmbeddingTable
from embgeo.tokens import CLASSES

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, eq=False)
class Directions:
    """Where the used rows point; sums are float64.

    Attributes
    ----------
    count
        Rows used, n.
    unit_sum, square_sum
        (d,) sum of the unit rows, and of their squares.
    to_mean
        (rows,) float32 cosine of each used row to the mean direction, NaN for other rows and where
        the directions cancel.
    zipf_sum
        (d,) Σp û with the p of `zipf_of`.
    """

    count: int
    unit_sum: Array
    square_sum: Array
    to_mean: Array
    zipf_sum: Array

    @property
    def cone_length(self) -> float | None:
        """Length of the mean unit row, which is the mean of `to_mean`."""
        return cone_length(self.unit_sum, self.count)

    @cached_property
    def contributions(self) -> Array | None:
        """(d,) what each coordinate adds to the mean cosine over all pairs."""
        return contributions_from_sums(self.unit_sum, self.square_sum, self.count)


def directions(
    table: EmbeddingTable,
    population: Population = Population(),
    progress: Progress = silent,
) -> Directions:
    """The table's directions: from memory, from the store, or from one pass over its rows."""
    return table.remember(("directions", population), lambda: _load(table, population, progress))


def _load(table: EmbeddingTable, population: Population, progress: Progress) -> Directions:
    key = store_key("directions", table, population)
    kept = table.store.read(*key)
    if kept is not None:
        return Directions(count=kept.facts["count"], **kept.arrays)
    progress(0.0, f"{table.name}: starting PyTorch")
    from embgeo.statistics.direction_passes import directions_pass

    result = directions_pass(table, population, progress)
    arrays = {name: getattr(result, name) for name in _ARRAYS}
    table.store.write(*key, arrays=arrays, facts={"count": result.count})
    return result


_ARRAYS = ("unit_sum", "square_sum", "to_mean", "zipf_sum")


def zipf_mean_cosine(table: EmbeddingTable, population: Population = Population()) -> float | None:
    """Mean cosine weighted by frequency, with the id as a proxy: p ∝ 1/(rank of the id + 10)."""
    weights = zipf_of(table, moments(table, population))
    return weighted_mean_cosine(directions(table, population).zipf_sum, weights)


def counted_mean_cosine(
    table: EmbeddingTable,
    counts: Array,
    population: Population = Population(),
    progress: Progress = silent,
) -> float | None:
    """Mean cosine of two different tokens of a text in which tokens occur as often as `counts`.

    Parameters
    ----------
    counts
        (rows,) how often each token occurs, 0 or more; rows that are not used do not count.
    """
    used = moments(table, population).used
    weights = np.where(used, counts, 0.0)
    if not weights.sum() > 0:
        return None
    weights = weights / weights.sum()

    def compute() -> Array:
        from embgeo.statistics.direction_passes import weighted_pass

        return weighted_pass(table, weights, progress)

    key = ("weighted", digest(counts), population)
    return weighted_mean_cosine(table.remember(key, compute), weights)


def digest(counts: Array) -> str:
    """What tells one set of counts from another."""
    return hashlib.sha256(np.ascontiguousarray(counts, dtype=np.float64).tobytes()).hexdigest()


def mean_cosines_by_id(
    table: EmbeddingTable,
    edges: Sequence[int] = ID_BINS,
    population: Population = Population(),
    progress: Progress = silent,
) -> tuple[Array, Array]:
    """Mean cosine over all pairs within each bin of ids, and how many used rows a bin has.

    Parameters
    ----------
    edges
        Lower ends of the bins, ascending; a bin ends where the next begins, the last with the
        table. The bins of the strata need no further pass.

    Returns
    -------
    tuple
        (bins,) float64, NaN below two rows; (bins,) rows.
    """
    if tuple(edges) == ID_BINS:
        first = moments(table, population)
        shape = (len(CLASSES), len(ID_BINS))
        sums = first.unit_sums.reshape(*shape, table.dim).sum(axis=0)
        counts = first.counts.reshape(shape).sum(axis=0)
    else:
        from embgeo.statistics.direction_passes import bins_pass

        sums, counts = bins_pass(table, edges, population, progress)
    means = [mean_cosine_from_sum(*each) for each in zip(sums, counts.tolist(), strict=True)]
    return np.array([np.nan if value is None else value for value in means]), counts


def text_estimate(table: EmbeddingTable, population: Population = Population()) -> float | None:
    """Mean cosine of 1,000 pairs of used rows drawn as texts do, a row with itself included."""

    def sample() -> float | None:
        ids = np.flatnonzero(moments(table, population).used)
        if not len(ids):
            return None
        from embgeo.statistics.passes import cosines_of_pairs

        left, right = ids[pairs_drawn(len(ids))].T
        return float(cosines_of_pairs(table, left, right, None).mean())

    return table.remember(("text estimate", population), sample)
