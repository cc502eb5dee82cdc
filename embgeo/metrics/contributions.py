"""What each coordinate adds to the mean cosine, and what is left of it without the largest.

After Timkey & van Schijndel (2021), arXiv:2109.04404, who sample pairs; here over all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from embgeo.errors import ShapeError
from embgeo.metrics.cosine import mean_cosine_from_sum, unit_rows
from embgeo.metrics.precision import Array, as_array

if TYPE_CHECKING:
    from torch import Tensor

LEAST_SHARED = 0.02
"""Mean cosines smaller than this are not divided into shares: the quotients would mean nothing."""
ROGUE = 3.0
"""Standard deviations from which on a coordinate's mean is called rogue."""


def contributions_from_sums(
    unit_sum: Tensor | Array, square_sum: Tensor | Array, count: int
) -> Array | None:
    """What each coordinate adds to the mean cosine: CC_k = (s_k² − Σû_k²) / (n(n − 1)).

    Exactly the mean over all pairs of different rows of û_k v̂_k; the sum over k is the mean cosine.

    Parameters
    ----------
    unit_sum, square_sum
        (d,) float64, the sum s of the unit rows and the sum of their squares, by coordinate.
    count
        How many non-zero rows n were summed.

    Returns
    -------
    ndarray or None
        (d,) each in [−1/(n − 1), 1]; None below two rows.

    References
    ----------
    Timkey and van Schijndel (2021), arXiv:2109.04404, section 3.

    Examples
    --------
    >>> contributions_from_sums(np.array([1.0, 1.0]), np.array([1.0, 1.0]), 2).tolist()
    [0.0, 0.0]
    """
    if count < 2:
        return None
    return np.asarray(
        (np.square(as_array(unit_sum)) - as_array(square_sum)) / (count * (count - 1))
    )


def contributions(rows: Tensor) -> Array | None:
    """What each coordinate adds to the mean cosine of these rows; zero rows are left out.

    Raises
    ------
    ShapeError
        If ``rows`` is not a table.

    Examples
    --------
    >>> import torch
    >>> contributions(torch.tensor([[3.0, 4.0], [4.0, 3.0], [5.0, 0.0]])).round(4).tolist()
    [0.6267, 0.16]
    """
    units = unit_rows(rows)
    count = int(units.any(dim=1).sum())
    return contributions_from_sums(units.sum(dim=0), units.square().sum(dim=0), count)


def largest(found: Array, count: int) -> NDArray[np.int64]:
    """The coordinates that add most, the largest first; equal ones by number.

    >>> largest(np.array([0.1, 0.3, 0.3, -0.5]), 2).tolist()
    [1, 2]
    """
    return np.asarray(np.argsort(-found, kind="stable")[:count])


def mean_z(means: Array) -> Array | None:
    """How many standard deviations (ddof 0) each coordinate's mean lies from that of all.

    Parameters
    ----------
    means
        (d,) the mean row.

    Returns
    -------
    ndarray or None
        (d,) of mean 0; from `ROGUE` on a coordinate is called rogue. None where all are alike.

    Examples
    --------
    >>> mean_z(np.array([0.0, 0.0, 3.0, 1.0])).round(3).tolist()
    [-0.816, -0.816, 1.633, 0.0]
    """
    spread = float(means.std())
    if not spread > 1e-12 * float(np.abs(means).max(initial=0.0)):
        return None
    return np.asarray((means - means.mean()) / spread)


@dataclass(frozen=True, eq=False)
class SumsWithout:
    """Sums (K + 1, d) and numbers (K + 1,) of unit rows once the first 0 … K coordinates are 0."""

    unit_sums: Array
    counts: NDArray[np.int64]

    @property
    def mean_cosines(self) -> Array:
        """(K + 1,) mean cosine over all pairs; NaN where fewer than two rows are left."""
        found = [
            mean_cosine_from_sum(total, int(count))
            for total, count in zip(self.unit_sums, self.counts, strict=True)
        ]
        return np.array([np.nan if value is None else value for value in found])


def sums_without(rows: Tensor, order: NDArray[np.integer]) -> SumsWithout:
    """Sums of unit rows after zeroing the first k of `order`, for every k from 0 to all of it.

    One product with the rows: what is left of a row's length is known from its squares.

    Parameters
    ----------
    rows
        (n, d), any float dtype; zero rows are not counted.
    order
        (K,) different coordinates, the first to be zeroed first.

    Raises
    ------
    ShapeError
        If ``rows`` is not a table, or a coordinate is not one of it.
    """
    _known(order, rows.shape[-1])
    units = unit_rows(rows)
    left = _squares_left(units, units, order)
    weights = (left > 0) * left.clamp(min=1e-300).rsqrt()
    sums = as_array(weights.T @ units).copy()
    for k in range(len(order) + 1):
        sums[k, order[:k]] = 0.0
    return SumsWithout(sums, as_array((left > 0).sum(dim=0).double()).astype(np.int64))


def cosines_without(left: Tensor, right: Tensor, order: NDArray[np.integer]) -> Array:
    """(K + 1, pairs) cosine of each pair once the first 0 … K coordinates of `order` are zeroed.

    NaN for a pair of which a row has nothing left.

    Raises
    ------
    ShapeError
        If the rows are not tables, or a coordinate is not one of them.
    """
    _known(order, left.shape[-1])
    a, b = unit_rows(left), unit_rows(right)
    size = _squares_left(a, a, order).sqrt() * _squares_left(b, b, order).sqrt()
    return as_array((_squares_left(a, b, order) / size).clamp(-1, 1).T)


def informativity(before: Array, after: Array) -> float | None:
    """How much of the cosines is still there after a change: r², the squared correlation.

    Parameters
    ----------
    before, after
        (pairs,) cosines of the same pairs; those that have none (NaN) on either side are left out.

    Returns
    -------
    float or None
        From 0 (nothing in common) to 1; None below two pairs, or where all cosines are alike.

    References
    ----------
    Timkey and van Schijndel (2021), arXiv:2109.04404, section 4.

    Examples
    --------
    >>> informativity(np.array([0.1, 0.2, 0.4]), np.array([0.0, 0.1, 0.3]))
    1.0
    """
    both = np.isfinite(before) & np.isfinite(after)
    before, after = before[both], after[both]
    if len(before) < 2 or min(before.std(), after.std()) < 1e-9:
        return None
    a, b = before - before.mean(), after - after.mean()
    return float(min(1.0, round(float((a @ b) ** 2 / ((a @ a) * (b @ b))), 12)))


def _squares_left(a: Tensor, b: Tensor, order: NDArray[np.integer]) -> Tensor:
    """(n, K + 1) Σ a_k b_k without the first 0 … K coordinates, summed without subtracting."""
    import torch

    at = torch.from_numpy(np.asarray(order, dtype=np.int64)).to(a.device)
    products = a * b
    others = torch.ones_like(products[:1]).index_fill(1, at, 0.0).T
    rest, behind = products @ others, products[:, at].flip(1).cumsum(dim=1).flip(1)
    return rest + torch.cat([behind, torch.zeros_like(rest)], dim=1)


def _known(order: NDArray[np.integer], dim: int) -> None:
    if len(order) and not 0 <= int(order.min()) <= int(order.max()) < dim:
        raise ShapeError(
            f"Coordinates go from 0 to {dim - 1}; found {int(order.min())} to {int(order.max())}."
        )
