"""One pass over a table: the norm of every row, the mean row, and the unit-row sums by stratum.

Every mean cosine over all pairs, of the table or between strata, follows from the unit-row sums
alone: Σ_{i≠j} û_i·û_j = |Σ û_i|² − n. No pair is ever formed.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from embgeo.jobs import Progress, silent
from embgeo.metrics.cosine import mean_cosine_from_sum
from embgeo.metrics.floor import stratum_cosines
from embgeo.metrics.norms import DEGENERATE_SHARE, NormSummary, degenerate, norm_summary
from embgeo.populations import Population
from embgeo.tables import EmbeddingTable

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, eq=False)
class Moments:
    """What one pass over a table knows; all float64.

    Attributes
    ----------
    norms
        (rows,) Euclidean length of every row, NaN where a row is not finite.
    classes, stratum
        (rows,) token class (−1: no token) and stratum of every row.
    used
        (rows,) bool: in the population and not degenerate.
    mean
        (d,) mean of the used rows.
    unit_sums, counts
        (STRATA, d) and (STRATA,): sum and number of the used unit rows of each stratum.
    population
        Which rows were asked for.
    """

    norms: Array
    classes: Array
    stratum: Array
    used: Array
    mean: Array
    unit_sums: Array
    counts: Array
    population: Population

    @property
    def count(self) -> int:
        """Rows used."""
        return int(self.used.sum())

    @property
    def padding_rows(self) -> int:
        """Rows that no token has."""
        return int((self.classes < 0).sum())

    @cached_property
    def degenerate(self) -> Array:
        """(rows,) bool: below 1e-6 of the median norm, or not finite; their direction is noise."""
        return degenerate(self.norms)

    @cached_property
    def shortest(self) -> float:
        """The norm from which on a row has a direction; NaN where no row is finite."""
        known = self.norms[np.isfinite(self.norms)]
        return DEGENERATE_SHARE * float(np.median(known)) if len(known) else np.nan

    @property
    def zero_rows(self) -> int:
        """Rows of zeros, or as good as: finite, and below 1e-6 of the median norm."""
        return int((self.degenerate & np.isfinite(self.norms)).sum())

    @property
    def mean_cosine(self) -> float | None:
        """Mean cosine over all pairs of different used rows."""
        return mean_cosine_from_sum(self.unit_sums.sum(axis=0), self.count)

    @cached_property
    def norm_summary(self) -> NormSummary | None:
        return norm_summary(self.norms[self.used])

    @cached_property
    def floors(self) -> Array:
        """(STRATA, STRATA) mean cosine of all pairs of two strata, NaN where there is no pair."""
        return stratum_cosines(self.unit_sums, self.counts)


def moments(
    table: EmbeddingTable,
    population: Population = Population(),
    progress: Progress = silent,
) -> Moments:
    """The table's moments: from memory, from the store, or from one pass over its rows."""
    return table.remember(("moments", population), lambda: _load(table, population, progress))


def _load(table: EmbeddingTable, population: Population, progress: Progress) -> Moments:
    key = store_key("moments", table, population)
    kept = table.store.read(*key)
    if kept is not None:
        return Moments(**kept.arrays, population=population)
    progress(0.0, f"{table.name}: starting PyTorch")
    from embgeo.statistics.passes import moments_pass

    result = moments_pass(table, population, progress)
    arrays = {name: getattr(result, name) for name in _ARRAYS}
    table.store.write(*key, arrays=arrays)
    return result


def store_key(name: str, table: EmbeddingTable, population: Population) -> tuple[str, ...]:
    """What a statistic of a table is kept under; its tokens decide which rows are padding."""
    return name, *table.key, population.spelled(), str(len(table.vocabulary))


_ARRAYS = ("norms", "classes", "stratum", "used", "mean", "unit_sums", "counts")
