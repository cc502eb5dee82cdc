"""How many directions a table really uses, from the eigenvalues of its centred covariance.

Every function takes all d eigenvalues λ, zeros included, in any order; those that rounding left
below 0 count as 0. Centring has removed the mean row, so none of these numbers sees a narrow cone:
that is what the mean cosine is for. Each is None where all eigenvalues are 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from embgeo.metrics.precision import Array, as_array

if TYPE_CHECKING:
    from torch import Tensor

_ROUNDING_SHARE = 1e-10


def without_rounding(eigenvalues: Tensor | NDArray[np.floating], mean_norm: float) -> Array:
    """Eigenvalues with what is only rounding set to 0.

    Rows that are all the same have no spectrum, but subtracting their mean leaves rounding that
    looks like one. So all become 0 where their sum is at most 1e-10·|μ|².

    Parameters
    ----------
    eigenvalues
        (d,) of the centred covariance.
    mean_norm
        |μ|, the norm of the mean row.

    Returns
    -------
    ndarray
        (d,) float64, none negative, largest first.
    """
    spectrum = np.sort(as_array(eigenvalues).clip(min=0))[::-1].copy()
    if spectrum.sum() <= _ROUNDING_SHARE * mean_norm**2:
        return np.zeros_like(spectrum)
    return spectrum


def participation_ratio(eigenvalues: Tensor | NDArray[np.floating]) -> float | None:
    """How many directions carry the variance: PR = (Σλ)² / Σλ².

    Parameters
    ----------
    eigenvalues
        (d,) of the centred covariance.

    Returns
    -------
    float or None
        From 1 (one direction) to d (all alike).

    References
    ----------
    Gao et al. (2017), A theory of multineuronal dimensionality, dynamics and measurement.

    Examples
    --------
    >>> participation_ratio(np.array([2.0, 2.0, 0.0]))
    2.0
    """
    shares = _shares(as_array(eigenvalues))
    return None if shares is None else float(1 / np.square(shares).sum())


def isoscore(eigenvalues: Tensor | NDArray[np.floating]) -> float | None:
    """IsoScore: the share of the directions the variance fills, (PR − 1) / (d − 1).

    The definition goes through the distance of the normalised spectrum from that of an isotropic
    cloud; written out, it is this function of the participation ratio, exactly.

    Parameters
    ----------
    eigenvalues
        (d,) of the centred covariance.

    Returns
    -------
    float or None
        From 0 (one direction) to 1 (all alike); None for d = 1.

    References
    ----------
    Rudman et al. (2022), arXiv:2108.07344.

    Examples
    --------
    >>> isoscore(np.array([2.0, 2.0, 0.0]))
    0.5
    """
    ratio = participation_ratio(eigenvalues)
    if ratio is None or len(eigenvalues) < 2:
        return None
    beyond_one = ratio - 1 if ratio - 1 > 1e-12 else 0.0  # less is rounding
    return min(1.0, beyond_one / (len(eigenvalues) - 1))


def effective_rank(eigenvalues: Tensor | NDArray[np.floating]) -> float | None:
    """Effective rank exp(−Σp ln p), with p = σ/Σσ over the singular values σ = √λ.

    On singular values, as it was defined, not on variances: never below the participation ratio.

    Parameters
    ----------
    eigenvalues
        (d,) of the centred covariance.

    Returns
    -------
    float or None
        From 1 (one direction) to d (all alike).

    References
    ----------
    Roy and Vetterli (2007), The effective rank: a measure of effective dimensionality, EUSIPCO.

    Examples
    --------
    >>> round(effective_rank(np.array([16.0, 4.0, 1.0, 1.0])), 6)
    3.363586
    """
    shares = _shares(np.sqrt(as_array(eigenvalues).clip(min=0)))
    if shares is None:
        return None
    filled = shares[shares > 0]
    return float(np.exp(-(filled * np.log(filled)).sum()))


def explained_variance(eigenvalues: Tensor | NDArray[np.floating]) -> Array | None:
    """Share of the variance in the first k principal components, for k = 1 to d.

    Parameters
    ----------
    eigenvalues
        (d,) of the centred covariance.

    Returns
    -------
    ndarray or None
        (d,) rising to 1; k/d everywhere for an isotropic cloud.

    Examples
    --------
    >>> explained_variance(np.array([1.0, 3.0])).tolist()
    [0.75, 1.0]
    """
    shares = _shares(as_array(eigenvalues))
    return None if shares is None else np.minimum(np.cumsum(np.sort(shares)[::-1]), 1.0)


def numerical_rank(eigenvalues: Tensor | NDArray[np.floating], floor: float = 1e-10) -> int:
    """How many eigenvalues are more than rounding: those above ``floor`` times the largest.

    Parameters
    ----------
    eigenvalues
        (d,) of the centred covariance.
    floor
        Share of the largest eigenvalue; 1e-10 suits a float64 Gram matrix, 1e-6 a float32 one.

    Returns
    -------
    int
        From 0 (all are 0) to d.
    """
    spectrum = as_array(eigenvalues).clip(min=0)
    return int((spectrum > floor * spectrum.max(initial=0.0)).sum())


def _shares(values: Array) -> Array | None:
    positive = values.clip(min=0)
    total = positive.sum()
    return np.asarray(positive / total) if 0 < total < np.inf else None
