"""What unrelated tokens of the same kind would give: the floor under a group's cosines.

In one table the mean cosine runs from .12 among frequent tokens to .53 among rare ones, so a mean
over the whole vocabulary is no floor for a group. Tokens are put into strata (token class × id
bin) and a pair is compared with the mean cosine over all pairs of rows from its two strata. That
mean comes from the sums of the unit rows: it is exact, and nothing is drawn at random.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from embgeo.metrics.precision import Array, as_array
from embgeo.metrics.similarity import block_means

if TYPE_CHECKING:
    from torch import Tensor


def stratum_cosines(unit_sums: Tensor | NDArray[np.floating], counts: NDArray[np.int64]) -> Array:
    """Mean cosine over all pairs of different rows from stratum s and stratum t.

    M[s, t] = S_s·S_t / (n_s n_t), and (|S_s|² − n_s) / (n_s(n_s − 1)) on the diagonal.

    Parameters
    ----------
    unit_sums
        (T, d), the sum S of the unit rows of each stratum.
    counts
        (T,), how many non-zero rows each sum holds.

    Returns
    -------
    ndarray
        (T, T) in [−1, 1]; NaN with an empty stratum, and on the diagonal for one of a single row.

    Examples
    --------
    >>> stratum_cosines(np.array([[2.0, 0.0], [1.0, 0.0]]), np.array([2, 1])).tolist()
    [[1.0, 1.0], [1.0, nan]]
    """
    sums = as_array(unit_sums)
    size = np.asarray(counts, dtype=np.float64)
    total, pairs = sums @ sums.T, np.outer(size, size)
    itself = np.diag_indices(len(size))
    total[itself] -= size
    pairs[itself] -= size
    means = np.full_like(total, np.nan)
    np.divide(total, pairs, out=means, where=pairs > 0)
    return means.clip(-1.0, 1.0)


def floor_of_pairs(
    means: Array, strata: NDArray[np.integer], members: Sequence[Sequence[int]]
) -> Array:
    """The floor under each block of a heat map: what its pairs would give if unrelated.

    Averages M[s_i, s_j] over exactly the pairs (i, j) whose cosines
    :func:`~embgeo.metrics.similarity.block_means` averages.

    Parameters
    ----------
    means
        (T, T) from :func:`stratum_cosines`.
    strata
        (n,), the stratum of each row, or −1 for a row without one (the mean of a word's pieces):
        its pairs are left out.
    members
        For each group the positions of its rows, in [0, n).

    Returns
    -------
    ndarray
        (K, K) in [−1, 1]; NaN where no pair of a block has a floor.

    Raises
    ------
    ShapeError
        If a member is not in [0, n).
    """
    # −1 picks the NaN border put around the means.
    bordered = np.pad(means, (0, 1), constant_values=np.nan)
    return block_means(bordered[np.ix_(strata, strata)], members).mean
