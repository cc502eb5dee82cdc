"""A second pass: the covariance of the rows and the Gram of the unit rows, d × d each.

Both are summed in float64 over rows from which the mean, known from the first pass, was taken
first; an uncentred float32 Gram of a cone-shaped table would lose the small eigenvalues.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from embgeo.jobs import Progress, silent
from embgeo.metrics.spectrum import effective_rank, isoscore, participation_ratio
from embgeo.populations import Population
from embgeo.statistics.moments import store_key
from embgeo.tables import EmbeddingTable

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, eq=False)
class Spectrum:
    """How the used rows spread around their mean.

    Attributes
    ----------
    count
        Rows used, n.
    mean
        (d,) mean row.
    eigenvalues, eigenvectors
        (d,) descending and (d, d), one a column, of the covariance (ddof 1).
    cosine_sd
        Standard deviation (ddof 0) of the cosine over all pairs of different rows, or None.
    """

    count: int
    mean: Array
    eigenvalues: Array
    eigenvectors: Array
    cosine_sd: float | None

    @cached_property
    def defined(self) -> bool:
        """Whether there is any spread at all; rows that are all the same have none."""
        return self.count > 1 and float(self.eigenvalues.sum()) > 0

    @property
    def participation_ratio(self) -> float | None:
        return participation_ratio(self.eigenvalues)

    @property
    def isoscore(self) -> float | None:
        return isoscore(self.eigenvalues)

    @property
    def effective_rank(self) -> float | None:
        """Of the centred table's singular values."""
        return effective_rank(self.eigenvalues)


def spectrum(
    table: EmbeddingTable,
    population: Population = Population(),
    progress: Progress = silent,
) -> Spectrum:
    """The table's spectrum: from memory, from the store, or from one pass over its rows."""
    return table.remember(("spectrum", population), lambda: _load(table, population, progress))


def _load(table: EmbeddingTable, population: Population, progress: Progress) -> Spectrum:
    key = store_key("spectrum", table, population)
    kept = table.store.read(*key)
    if kept is not None:
        fields: dict[str, Any] = {**kept.arrays, **kept.facts}
        return Spectrum(**fields)
    progress(0.0, f"{table.name}: starting PyTorch")
    from embgeo.statistics.passes import spectrum_pass

    result = spectrum_pass(table, population, progress)
    arrays = {name: getattr(result, name) for name in ("mean", "eigenvalues", "eigenvectors")}
    table.store.write(
        *key,
        arrays=arrays,
        facts={"count": result.count, "cosine_sd": result.cosine_sd},
    )
    return result
