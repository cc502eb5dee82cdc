"""Mean and covariance of a table with its rows weighted as frequent tokens are.

The frequency is a proxy, p ∝ 1/(rank of the id + 10); see `embgeo.statistics.frequency`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from embgeo.errors import ShapeError
from embgeo.jobs import Progress, silent
from embgeo.metrics.spectrum import without_rounding
from embgeo.populations import Population
from embgeo.statistics.frequency import zipf_of
from embgeo.statistics.moments import moments, store_key
from embgeo.tables import EmbeddingTable

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, eq=False)
class WeightedSpread:
    """How the used rows spread around their frequency-weighted mean.

    Attributes
    ----------
    count
        Rows used, n.
    mean
        (d,) μ_p = Σ pᵢ xᵢ.
    eigenvalues, eigenvectors
        (d,) descending and (d, d), one a column, of Σ pᵢ (xᵢ − μ_p)(xᵢ − μ_p)ᵀ.
    """

    count: int
    mean: Array
    eigenvalues: Array
    eigenvectors: Array


def weighted_spread(
    table: EmbeddingTable,
    population: Population = Population(),
    progress: Progress = silent,
) -> WeightedSpread:
    """The table's weighted spread: from memory, from the store, or from two passes over its rows.

    Raises
    ------
    ShapeError
        If fewer than two rows are ranked.

    References
    ----------
    Yokoi et al. (2024), Zipfian whitening, arXiv:2411.00680, who weight by counted frequencies.
    """
    return table.remember(
        ("weighted spread", population), lambda: _load(table, population, progress)
    )


def _load(table: EmbeddingTable, population: Population, progress: Progress) -> WeightedSpread:
    key = store_key("weighted spread", table, population)
    kept = table.store.read(*key)
    if kept is not None:
        fields: dict[str, Any] = {**kept.arrays, **kept.facts}
        return WeightedSpread(**fields)
    progress(0.0, f"{table.name}: starting PyTorch")
    from embgeo.statistics.weighted_passes import weighted_covariance_pass, weighted_mean_pass

    first = moments(table, population, progress)
    weights = zipf_of(table, first)
    if np.count_nonzero(weights) < 2:
        raise ShapeError(
            f"{table.name} has no tokens whose ids could stand for how frequent they are, which "
            "Zipf weights need. Take the steps without weights."
        )
    mean = weighted_mean_pass(table, weights, progress)
    covariance = weighted_covariance_pass(table, weights, mean, progress)
    progress(0.99, f"{table.name}: eigenvalues")
    values, vectors = np.linalg.eigh(covariance)
    arrays = {
        "mean": mean,
        "eigenvalues": without_rounding(values, float(np.linalg.norm(mean))),
        "eigenvectors": vectors[:, ::-1].copy(),
    }
    table.store.write(*key, arrays=arrays, facts={"count": first.count})
    return WeightedSpread(first.count, **arrays)
