"""Whether two quantities rise together, whatever their scale."""

import numpy as np

from embgeo.metrics.precision import Array

_FEWEST = 3


def spearman(x: Array, y: Array) -> float | None:
    """Spearman's ρ: Pearson's correlation of the ranks, equal values sharing their mean rank.

    Parameters
    ----------
    x, y
        (n,) finite numbers of the same n things.

    Returns
    -------
    float or None
        −1 (one falls as the other rises) to 1 (both rise together); None for fewer than 3 things
        or where one of the two is constant.

    References
    ----------
    Spearman (1904), The proof and measurement of association between two things.

    Examples
    --------
    >>> spearman(np.array([1.0, 2.0, 9.0]), np.array([5.0, 6.0, 7.0]))
    1.0
    """
    if len(x) < _FEWEST:
        return None
    a, b = mean_ranks(x), mean_ranks(y)
    a, b = a - a.mean(), b - b.mean()
    size = float(np.sqrt((a @ a) * (b @ b)))
    return min(1.0, max(-1.0, float(a @ b) / size)) if size > 0 else None


def mean_ranks(values: Array) -> Array:
    """(n,) ranks from 1; equal values share the mean of the ranks they take together.

    Examples
    --------
    >>> mean_ranks(np.array([10.0, 30.0, 10.0])).tolist()
    [1.5, 3.0, 1.5]
    """
    _, at, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[at], dtype=np.float64)
