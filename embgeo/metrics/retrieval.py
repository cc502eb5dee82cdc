"""Does a token find its own group: precision among the nearest, within above between pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from embgeo.errors import ShapeError
from embgeo.metrics.permutation import Labels
from embgeo.metrics.precision import Array, as_array
from embgeo.metrics.rank_correlation import mean_ranks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

NEAREST = 10
"""The largest k that is offered."""
_DECIMALS = 12  # float64 cosines are right to about 1e-15: what differs by less is a tie


@dataclass(frozen=True)
class Retrieval:
    """How well tokens find their own group; all None without a pair within and one between.

    Attributes
    ----------
    precision
        Precision at k = 1, 2, …, as far as there are so many other tokens.
    best
        The most that each could be: a group of n tokens has n − 1 others.
    chance
        What any k give when nothing relates the tokens.
    auc
        Probability that a within pair has the larger cosine than a between pair, ties half.
    """

    precision: tuple[float, ...] = ()
    best: tuple[float, ...] = ()
    chance: float | None = None
    auc: float | None = None


def retrieval(
    cosines: Tensor | NDArray[np.floating],
    labels: Sequence[int] | Labels,
    *,
    most: int = NEAREST,
) -> Retrieval:
    """How well tokens find their own group among their nearest other tokens.

    Precision at k is the mean over tokens of the share of the k nearest other tokens that have
    their label; ties in cosine go by position. The token itself is left out by position.

    Parameters
    ----------
    cosines
        (n, n), symmetric; rows that are all NaN are left out first. The diagonal is not read.
    labels
        (n,), one group per row.
    most
        The largest k.

    Raises
    ------
    ShapeError
        If ``cosines`` is not square, or there is not one label for each row.

    References
    ----------
    Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, chapter 8;
    Hanley and McNeil (1982), The meaning and use of the area under an ROC curve.

    Examples
    --------
    >>> found = retrieval(np.array([[1, 0.9, 0.2], [0.9, 1, 0.1], [0.2, 0.1, 1]]), [0, 0, 1])
    >>> [round(share, 3) for share in found.precision], found.auc
    ([0.667, 0.333], 1.0)
    """
    matrix, given = as_array(cosines).copy(), np.asarray(labels)
    if matrix.ndim != 2 or not len(matrix) == matrix.shape[1] == len(given):
        raise ShapeError(
            f"Expected a square matrix of cosines and a label for each row, found shape "
            f"{matrix.shape} and {len(given)} labels."
        )
    np.fill_diagonal(matrix, np.nan)
    kept = ~np.isnan(matrix).all(axis=1)
    matrix, codes = matrix[np.ix_(kept, kept)], given[kept]
    same = codes[:, None] == codes
    np.fill_diagonal(same, False)
    own = same.sum(axis=1)
    if not own.any() or (own == len(codes) - 1).all():
        return Retrieval()
    wanted = np.arange(1, min(most, len(codes) - 1) + 1)
    return Retrieval(
        precision=_precision(matrix, same, wanted),
        best=tuple((np.minimum(own[:, None], wanted) / wanted).mean(axis=0).tolist()),
        chance=float(own.mean() / (len(codes) - 1)),
        auc=_auc(matrix, same),
    )


def _precision(
    cosines: Array, same: NDArray[np.bool_], wanted: NDArray[np.integer]
) -> tuple[float, ...]:
    others = cosines.round(_DECIMALS)
    np.fill_diagonal(others, -np.inf)
    nearest = np.argsort(-others, axis=1, kind="stable")[:, : len(wanted)]
    hits = np.take_along_axis(same, nearest, axis=1).cumsum(axis=1)
    return tuple((hits / wanted).mean(axis=0).tolist())


def _auc(cosines: Array, same: NDArray[np.bool_]) -> float:
    first, second = np.triu_indices(len(cosines), 1)
    inside, pairs = same[first, second], cosines[first, second].round(_DECIMALS)
    within = int(inside.sum())
    # Mann and Whitney's count of won comparisons, from ranks instead of one by one.
    won = mean_ranks(pairs)[inside].sum() - within * (within + 1) / 2
    return float(won / (within * (len(pairs) - within)))
