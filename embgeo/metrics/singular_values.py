"""What singular values say, raw and centred, from the centred covariance and the mean row alone.

The raw table's Gram matrix is (n − 1)Σ + nμμᵀ. In the basis of the principal components it is a
diagonal and one outer product, d × d, so nothing here needs the rows again. Whatever is undefined
(no spread, no row, a rank that is not full) is None.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from embgeo.metrics.precision import Array, as_array
from embgeo.metrics.spectrum import effective_rank, explained_variance, numerical_rank

_ROUNDING = 1e-12
_SAME = 1e-9


@dataclass(frozen=True)
class PowerLaw:
    """λₖ ∝ k^−``exponent``, fitted over k = ``first`` to ``last``; ``r_squared`` of the fit."""

    exponent: float
    r_squared: float
    first: int
    last: int


def singular_values(eigenvalues: Array, count: int) -> Array:
    """Singular values of the centred table, σ = √((n − 1)λ), largest first.

    Parameters
    ----------
    eigenvalues
        (d,) of the covariance (ddof 1).
    count
        Rows it was taken over, n.

    Returns
    -------
    ndarray
        (d,) float64, 0 or more; what is below 1e-6 of the largest is rounding and becomes 0.

    Examples
    --------
    >>> singular_values(np.array([2.0, 8.0]), 3).tolist()
    [4.0, 2.0]
    """
    return _roots(max(0, count - 1) * eigenvalues)


def raw_singular_values(eigenvalues: Array, mean_scores: Array, count: int) -> Array:
    """Singular values of the table as it is, the mean row left in, largest first.

    Parameters
    ----------
    eigenvalues
        (d,) of the covariance (ddof 1).
    mean_scores
        (d,) the mean row in the basis of the components, Vᵀμ, in the order of `eigenvalues`.
    count
        Rows, n.

    Returns
    -------
    ndarray
        (d,) float64, 0 or more; their squares add up to Σ|x|².

    Examples
    --------
    >>> raw_singular_values(np.array([0.0, 0.0]), np.array([3.0, 4.0]), 4).tolist()
    [10.0, 0.0]
    """
    spread = np.diag(max(0, count - 1) * eigenvalues)
    gram = spread + count * np.outer(mean_scores, mean_scores)
    return _roots(as_array(np.linalg.eigvalsh(gram)))


def stable_rank(singular: Array) -> float | None:
    """How many directions as strong as the first the squares make: Σσ² / σ₁².

    Parameters
    ----------
    singular
        (d,) singular values; those of the raw table see the mean row, those of the centred do not.

    Returns
    -------
    float or None
        From 1 (one direction) to d (all alike); its inverse is the share of the first.

    References
    ----------
    Rudelson & Vershynin (2007), Sampling from large matrices, J. ACM 54.

    Examples
    --------
    >>> stable_rank(np.array([4.0, 2.0, 1.0, 1.0]))
    1.375
    """
    largest = singular.max(initial=0.0)
    return float(np.square(singular / largest).sum()) if 0 < largest < np.inf else None


def effective_rank_of_variances(eigenvalues: Array) -> float | None:
    """Effective rank exp(−Σp ln p) on variances, p = λ/Σλ, not on their roots.

    Parameters
    ----------
    eigenvalues
        (d,) of the centred covariance.

    Returns
    -------
    float or None
        From 1 to d; never above the effective rank, never below the participation ratio.

    Examples
    --------
    >>> round(effective_rank_of_variances(np.array([16.0, 4.0, 1.0, 1.0])), 6)
    2.276322
    """
    largest = eigenvalues.max(initial=0.0)
    return effective_rank(np.square(eigenvalues / largest)) if 0 < largest < np.inf else None


def components_for(eigenvalues: Array, share: float = 0.9) -> int | None:
    """How many principal components it takes for this share of the variance.

    Examples
    --------
    >>> components_for(np.array([6.0, 3.0, 1.0]), 0.8)
    2
    """
    cumulative = explained_variance(eigenvalues)
    return None if cumulative is None else int((cumulative < share - _ROUNDING).sum()) + 1


def condition(eigenvalues: Array, count: int) -> float | None:
    """Largest over smallest variance, λ₁/λ_d; None where some direction has none.

    Parameters
    ----------
    eigenvalues
        (d,) of the covariance, largest first.
    count
        Rows, n: at most d of them leave some direction without variance, whatever rounding says.

    Returns
    -------
    float or None
        1 (all alike) or more.
    """
    wide = count <= len(eigenvalues)
    if wide or not len(eigenvalues) or numerical_rank(eigenvalues) < len(eigenvalues):
        return None
    return float(eigenvalues[0] / eigenvalues[-1])


def mean_alignment(eigenvalues: Array, mean_scores: Array) -> float | None:
    """|cos| of the first principal component with the mean row.

    Near 1, rows vary most along the very direction they share. The sign of a component is
    arbitrary, so only the size is said; None where there is no mean, or no one first component.

    Parameters
    ----------
    eigenvalues
        (d,) of the covariance, largest first.
    mean_scores
        (d,) Vᵀμ in the same order.

    Returns
    -------
    float or None
        0 (across) to 1 (along).
    """
    total, length = float(eigenvalues.sum()), float(np.linalg.norm(mean_scores))
    if not 0 < total < np.inf or length <= _SAME * np.sqrt(total):
        return None
    if len(eigenvalues) > 1 and eigenvalues[0] - eigenvalues[1] <= _SAME * eigenvalues[0]:
        return None
    return float(min(1.0, abs(mean_scores[0]) / length))


def power_law(
    eigenvalues: Array, first: int | None = None, last: int | None = None
) -> PowerLaw | None:
    """How fast the variances fall: the slope of ln λₖ on ln k, least squares, sign turned.

    It depends on the range a good deal, so the range and R² belong to it. The middle, d/20 to d/2,
    leaves out the first few components and the tail.

    Parameters
    ----------
    eigenvalues
        (d,) of the covariance, largest first.
    first, last
        The range of k, both ends included; d/20 (rounded up) and d/2, if None.

    Returns
    -------
    PowerLaw or None
        None where fewer than three components of the range have any variance.

    Examples
    --------
    >>> power_law(np.arange(1.0, 101.0) ** -0.5).exponent.__round__(6)
    0.5
    """
    width = len(eigenvalues)
    low = max(1, -(-width // 20)) if first is None else first
    high = min(numerical_rank(eigenvalues), max(1, width // 2) if last is None else last)
    if high - low < 2:
        return None
    x, y = np.log(np.arange(low, high + 1)), np.log(eigenvalues[low - 1 : high])
    x, y = x - x.mean(), y - y.mean()
    slope, spread = float(x @ y / (x @ x)), float(y @ y)
    r_squared = 1.0 if spread <= _ROUNDING else float((x @ y) ** 2 / ((x @ x) * spread))
    return PowerLaw(-slope, r_squared, low, high)


def _roots(squares: Array) -> Array:
    ordered = np.sort(squares.clip(min=0))[::-1]
    kept = ordered > _ROUNDING * ordered.max(initial=0.0)
    return np.asarray(np.sqrt(np.where(kept, ordered, 0.0)))
