"""Cosines between rows: their mean over all pairs, their spread, and the matrix for a few rows.

The mean and the spread come from sums over unit rows, so no V×V matrix is ever built. Tables too
large for one tensor are summed chunk by chunk elsewhere; the ``_from_`` functions finish the sums.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from embgeo.errors import ShapeError
from embgeo.metrics.precision import Array, as_array, in_float64

if TYPE_CHECKING:
    from torch import Tensor

LARGEST_MATRIX = 4096


def unit_rows(rows: Tensor) -> Tensor:
    """Rows scaled to length 1; zero and non-finite rows become zeros and so add nothing to sums.

    Dividing in float64 keeps rows as short as 1e-21 (whose squares vanish in float32) and fp16
    rows whose squares overflow.

    Parameters
    ----------
    rows
        (n, d), any float dtype and device.

    Returns
    -------
    Tensor
        (n, d) float64, each row of norm 1 or 0.

    Raises
    ------
    ShapeError
        If ``rows`` is not a table.

    Examples
    --------
    >>> import torch
    >>> unit_rows(torch.tensor([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    import torch

    wide = in_float64(rows)
    norms = torch.linalg.vector_norm(wide, dim=1, keepdim=True)
    return torch.where((norms > 0) & norms.isfinite(), wide / norms, 0.0)


def mean_cosine_from_sum(unit_sum: Tensor | Array, count: int) -> float | None:
    """Mean cosine over all pairs of different rows, from the sum of their unit rows.

    A = (|s|² − n) / (n(n − 1)): the n self-pairs, each 1, are taken out of |s|².

    Parameters
    ----------
    unit_sum
        (d,) float64, the sum s of the unit rows.
    count
        How many non-zero rows n were summed.

    Returns
    -------
    float or None
        From −1/(n − 1) (spread out evenly) to 1 (all in one direction); None below two rows.

    References
    ----------
    Ethayarajh (2019), arXiv:1909.00512, for the measure; the closed form is exact algebra.
    """
    if count < 2:
        return None
    total = as_array(unit_sum)
    value = (float(total @ total) - count) / (count * (count - 1))
    return min(1.0, max(-1.0, value))


def cosine_sd_from_gram(frobenius_squared: float, mean: float, count: int) -> float | None:
    """Standard deviation of the cosine over all pairs of different rows (ddof 0).

    sd = √((‖G‖² − n) / (n(n − 1)) − A²), with G = ÛᵀÛ or ÛÛᵀ, whose Frobenius norms are equal. The
    difference cancels, so a spread below about 1e-7 cannot be told from 0.

    Parameters
    ----------
    frobenius_squared
        ‖G‖², the sum of the squared entries of the Gram matrix of the unit rows.
    mean
        The mean cosine A over the same pairs.
    count
        How many non-zero rows n went into G.

    Returns
    -------
    float or None
        In [0, 1]; random directions in d dimensions give 1/√d. None below two rows.
    """
    if count < 2:
        return None
    second_moment = (frobenius_squared - count) / (count * (count - 1))
    return min(1.0, math.sqrt(max(0.0, second_moment - mean**2)))


def mean_cosine(rows: Tensor) -> float | None:
    """Mean cosine over all pairs of different rows; zero and non-finite rows are left out.

    Parameters
    ----------
    rows
        (n, d), any float dtype and device.

    Returns
    -------
    float or None
        In [−1, 1], about 0 for random directions; None below two usable rows.

    Raises
    ------
    ShapeError
        If ``rows`` is not a table.

    Examples
    --------
    >>> import torch
    >>> mean_cosine(torch.eye(3))
    0.0
    """
    units = unit_rows(rows)
    return mean_cosine_from_sum(units.sum(dim=0), _usable(units))


def cosine_sd(rows: Tensor) -> float | None:
    """Standard deviation of the cosine over the same pairs as :func:`mean_cosine` (ddof 0).

    Parameters
    ----------
    rows
        (n, d), any float dtype and device.

    Returns
    -------
    float or None
        In [0, 1]; None below two usable rows.

    Raises
    ------
    ShapeError
        If ``rows`` is not a table.

    Examples
    --------
    >>> import torch
    >>> cosine_sd(torch.eye(3))
    0.0
    """
    units = unit_rows(rows)
    count = _usable(units)
    mean = mean_cosine_from_sum(units.sum(dim=0), count)
    if mean is None:
        return None
    gram = units.T @ units if len(units) > units.shape[1] else units @ units.T
    return cosine_sd_from_gram(float(gram.square().sum()), mean, count)


def cosine_matrix(rows: Tensor) -> Tensor:
    """Every cosine between a few rows.

    Parameters
    ----------
    rows
        (n, d) with n at most 4096, any float dtype and device.

    Returns
    -------
    Tensor
        (n, n) float64 in [−1, 1], exactly 1 on the diagonal; the row and column of a zero or
        non-finite row are NaN, because it has no direction.

    Raises
    ------
    ShapeError
        If ``rows`` is not a table, or has more than 4096 rows.
    """
    if len(rows) > LARGEST_MATRIX:
        raise ShapeError(
            f"A cosine matrix is drawn for at most {LARGEST_MATRIX} rows, found {len(rows)}: it "
            "grows with the square of the rows. Choose smaller groups, or use the mean cosine, "
            "which needs no matrix."
        )
    units = unit_rows(rows)
    cosines = (units @ units.T).clamp(-1.0, 1.0)
    cosines.fill_diagonal_(1.0)
    without_direction = ~units.any(dim=1)
    cosines[without_direction] = math.nan
    cosines[:, without_direction] = math.nan
    return cosines


def _usable(units: Tensor) -> int:
    return int(units.any(dim=1).sum())
