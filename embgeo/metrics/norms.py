"""How long rows are: their norms, which of them are degenerate, and how the lengths spread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from embgeo.metrics.precision import Array, as_array, in_float64

if TYPE_CHECKING:
    from torch import Tensor

DEGENERATE_SHARE = 1e-6
_NARROWEST = 1e-9
_ONE_BAR = 1e-6


@dataclass(frozen=True)
class NormSummary:
    """Where the finite norms lie; ``sd`` has ddof 0, ``q05`` to ``q95`` are quantiles."""

    count: int
    mean: float
    sd: float
    minimum: float
    q05: float
    q25: float
    median: float
    q75: float
    q95: float
    maximum: float


@dataclass(frozen=True, eq=False)
class Histogram:
    """``counts`` (b,) int64 between ``edges`` (b + 1,) float64; both empty if there is no value."""

    edges: Array
    counts: NDArray[np.int64]


def row_norms(rows: Tensor) -> Array:
    """Euclidean length of each row, NaN where a row is not finite.

    r = √Σx², summed in float64 because the squares of a row of norm 1e-21 vanish in float32 and
    those of an fp16 row of 1100s overflow.

    Parameters
    ----------
    rows
        (n, d), any float dtype and device.

    Returns
    -------
    ndarray
        (n,) float64, 0 or more.

    Raises
    ------
    ShapeError
        If ``rows`` is not a table.

    Examples
    --------
    >>> import torch
    >>> row_norms(torch.tensor([[3.0, 4.0], [torch.inf, 0.0]])).tolist()
    [5.0, nan]
    """
    import torch

    norms = torch.linalg.vector_norm(in_float64(rows), dim=1)
    return as_array(torch.where(norms.isfinite(), norms, torch.nan))


def degenerate(norms: Array) -> NDArray[np.bool_]:
    """Which rows have no usable direction: not finite, zero, or below 1e-6 of the median norm.

    A share of the median, not a fixed length, because tables differ in scale.

    Parameters
    ----------
    norms
        (n,) norms as :func:`row_norms` gives them; the median is that of the finite ones.

    Returns
    -------
    ndarray
        (n,) bool.

    Examples
    --------
    >>> degenerate(np.array([1.0, 2.0, 0.0, 1e-7, np.nan])).tolist()
    [False, False, True, True, True]
    """
    finite = np.isfinite(norms)
    if not finite.any():
        return ~finite
    median = np.median(norms[finite])
    return np.asarray(~finite | (norms == 0) | (norms < DEGENERATE_SHARE * median))


def norm_summary(norms: Array) -> NormSummary | None:
    """Count, mean, sd, extremes and quantiles of the finite norms; None if there is none.

    Parameters
    ----------
    norms
        (n,) norms; NaN and infinite ones are left out and not counted.
    """
    finite = norms[np.isfinite(norms)]
    if not finite.size:
        return None
    marks = np.quantile(finite, [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1]).tolist()
    return NormSummary(finite.size, float(finite.mean()), float(finite.std()), *marks)


def histogram(
    values: Array, *, bins: int = 60, limits: tuple[float, float] | None = None
) -> Histogram:
    """How many finite values fall in each of ``bins`` equal bars.

    Values that are all but equal get one bar, 1e-6 of their size wide: sixty bars would show
    rounding as if it were a shape, and none of them would have a width.

    Parameters
    ----------
    values
        (n,) any numbers; NaN and infinite ones are left out.
    bins
        How many bars.
    limits
        Left and right end; values beyond them are left out. The extremes, if None.

    Returns
    -------
    Histogram
        Bars of positive width with finite edges, or no bar where there is neither value nor limit.
    """
    finite = values[np.isfinite(values)]
    if limits is None and not finite.size:
        return Histogram(np.empty(0), np.empty(0, dtype=np.int64))
    low, high = limits or (float(finite.min()), float(finite.max()))
    size = max(abs(low), abs(high))
    if high - low <= _NARROWEST * size:
        half = 0.5 * _ONE_BAR * (size or 1.0)
        centre = 0.5 * (low + high)
        low, high, bins = centre - half, centre + half, 1
    counts, edges = np.histogram(finite, bins=bins, range=(low, high))
    return Histogram(edges, counts.astype(np.int64))
