"""How narrow the cone is that the rows lie in: its length, and mean cosines of weighted pairs.

All of them follow from sums of unit rows; no pair is ever formed but those of the small sample.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from embgeo.metrics.cosine import unit_rows
from embgeo.metrics.precision import Array, as_array

if TYPE_CHECKING:
    from torch import Tensor

TEXT_PAIRS = 1_000
"""Pairs that the usual estimate of the mean cosine draws."""
_ZIPF_SHIFT = 10


def cone_length(unit_sum: Tensor | Array, count: int) -> float | None:
    """Length of the mean unit row: how far all rows point one way, L = |Σû| / n.

    It is also the mean cosine of the rows to their mean direction, and L² is the mean cosine over
    all pairs with the n pairs of a row with itself counted in.

    Parameters
    ----------
    unit_sum
        (d,) float64, the sum of the unit rows.
    count
        How many non-zero rows n were summed.

    Returns
    -------
    float or None
        From 0 (directions cancel) to 1 (all in one direction); about 1/√n for random directions.
        None without a row.

    Examples
    --------
    >>> cone_length(np.array([0.0, 3.0]), 4)
    0.75
    """
    return min(1.0, float(np.linalg.norm(as_array(unit_sum))) / count) if count else None


def zipf_weights(ranks: NDArray[np.integer]) -> Array:
    """How often tokens occur by Zipf's law, from their rank alone: p ∝ 1/(rank + 10).

    Parameters
    ----------
    ranks
        (n,) from 0, the most frequent token's.

    Returns
    -------
    ndarray
        (n,) positive, of sum 1.

    Examples
    --------
    >>> zipf_weights(np.array([0, 10])).round(3).tolist()
    [0.667, 0.333]
    """
    weights = 1.0 / (np.asarray(ranks, dtype=np.float64) + _ZIPF_SHIFT)
    return np.asarray(weights / weights.sum())


def weighted_mean_cosine(weighted_sum: Tensor | Array, weights: Array) -> float | None:
    """Mean cosine of two different tokens of a text, each drawn as often as it occurs.

    A_p = (|Σpû|² − Σp²) / (1 − Σp²): pairs of a token with itself, each 1, are taken out.

    Parameters
    ----------
    weighted_sum
        (d,) float64, Σpû over rows that have a direction.
    weights
        (n,) the p of those rows, 0 or more, of sum 1.

    Returns
    -------
    float or None
        In [−1, 1]; equal weights give the mean cosine over all pairs. None where no two rows have
        a weight.

    Examples
    --------
    >>> weighted_mean_cosine(np.array([0.5, 0.5]), np.array([0.5, 0.5]))
    0.0
    """
    if np.count_nonzero(weights) < 2:
        return None
    total, own = as_array(weighted_sum), float(weights @ weights)
    if 1.0 - own <= 0:
        return None
    return min(1.0, max(-1.0, (float(total @ total) - own) / (1.0 - own)))


def pairs_drawn(count: int, pairs: int = TEXT_PAIRS, seed: int = 0) -> NDArray[np.int64]:
    """Pairs of row numbers as texts draw them: each row at random, so a row can meet itself.

    Parameters
    ----------
    count
        Rows to draw from, at least 1.
    pairs, seed
        How many, and the seed.

    Returns
    -------
    ndarray
        (pairs, 2), each in [0, count); a pair is of one row with itself with probability 1/count.
    """
    import torch

    generator = torch.Generator().manual_seed(seed)
    return np.asarray(torch.randint(0, count, (pairs, 2), generator=generator).numpy())


def sampled_mean_cosine(rows: Tensor, pairs: int = TEXT_PAIRS, seed: int = 0) -> float | None:
    """Mean cosine of randomly drawn pairs, the estimate that texts print.

    Parameters
    ----------
    rows
        (n, d), any float dtype, none of them zero.
    pairs, seed
        See :func:`pairs_drawn`.

    Returns
    -------
    float or None
        In [−1, 1], about A + (1 − A)/n, see :func:`sampled_error`. None without a row.

    Raises
    ------
    ShapeError
        If ``rows`` is not a table.
    """
    units = unit_rows(rows)
    if not len(units):
        return None
    left, right = pairs_drawn(len(units), pairs, seed).T
    return float((units[left] * units[right]).sum(dim=1).mean())


def sampled_error(mean: float, sd: float, count: int, pairs: int = TEXT_PAIRS) -> float:
    """Standard error of :func:`sampled_mean_cosine`: sd/√pairs but for rows that meet themselves.

    Parameters
    ----------
    mean, sd
        Of the cosines of all pairs of different rows.
    count
        Rows, at least 2: one pair in as many is of a row with itself, of cosine 1.
    pairs
        Pairs drawn.

    Examples
    --------
    >>> round(sampled_error(0.0, 0.1, 50_000), 5)
    0.00317
    >>> sampled_error(0.0, 0.0, 2, pairs=100)
    0.05
    """
    own, different = 1 / count, 1 - 1 / count
    variance = different * sd**2 + own * different * (1 - mean) ** 2
    return math.sqrt(variance / pairs)


def pairs_for_error(sd: float, error: float) -> int:
    """How many independent pairs a mean needs for a standard error: (sd / error)².

    >>> pairs_for_error(0.143, 0.0005)
    81796
    """
    return math.ceil(round((sd / error) ** 2, 6))
