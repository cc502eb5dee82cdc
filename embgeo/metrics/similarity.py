"""How alike tokens are within and between groups: block means, and how well groups separate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from embgeo.errors import ShapeError
from embgeo.metrics.permutation import ROUNDING, Labels, permutation_test
from embgeo.metrics.precision import Array, as_array

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, eq=False)
class Blocks:
    """Cosines between group a and group b; each field is (K, K) and symmetric.

    ``mean`` and ``sd`` (ddof 0) are NaN where ``pairs``, how many pairs were used, is 0.
    """

    mean: Array
    sd: Array
    pairs: NDArray[np.int64]


@dataclass(frozen=True)
class Separation:
    """How far within-group cosines stand above between-group ones.

    A field is None where it is undefined: ``within`` without a group of two, ``between`` without a
    second group, all the rest without both, ``effect_size`` also where the cosines do not spread.
    """

    seed: int
    within: float | None = None
    between: float | None = None
    difference: float | None = None
    effect_size: float | None = None
    silhouette: float | None = None
    own_group_neighbours: float | None = None
    own_group_chance: float | None = None
    p_value: float | None = None
    permutations: int = 0
    exact: bool = False


def block_means(cosines: Tensor | NDArray[np.floating], members: Sequence[Sequence[int]]) -> Blocks:
    """Mean and spread of the cosine for each pair of groups.

    The diagonal block takes unordered pairs of different rows. An off-diagonal block takes every
    (i in a, j in b) but those with i = j: a row that two groups share never pairs with itself.

    Parameters
    ----------
    cosines
        (n, n), symmetric; pairs whose cosine is NaN are left out.
    members
        For each group the positions of its rows, in [0, n); one named twice counts once.

    Raises
    ------
    ShapeError
        If ``cosines`` is not square, or a member is not in [0, n).

    Examples
    --------
    >>> block_means(np.array([[1.0, 0.5], [0.5, 1.0]]), [[0, 1], [1]]).mean.tolist()
    [[0.5, 0.5], [0.5, nan]]
    """
    matrix = _square(cosines)
    np.fill_diagonal(matrix, np.nan)
    groups = [_positions(group, len(matrix)) for group in members]
    mean = np.full((len(groups), len(groups)), np.nan)
    sd, pairs = mean.copy(), np.zeros(mean.shape, dtype=np.int64)
    for a, b in combinations_with_replacement(range(len(groups)), 2):
        block = matrix[np.ix_(groups[a], groups[b])]
        used = block[~np.isnan(block)]
        pairs[[a, b], [b, a]] = used.size // 2 if a == b else used.size
        if used.size:
            mean[[a, b], [b, a]] = used.mean()
            sd[[a, b], [b, a]] = used.std()
    return Blocks(mean, sd, pairs)


def separation(
    cosines: Tensor | NDArray[np.floating],
    labels: Sequence[int] | Labels,
    *,
    permutations: int = 9999,
    seed: int = 0,
) -> Separation:
    """How well labels separate rows, and whether shuffled labels would do as well.

    Within and between are means over pairs, so large groups weigh more. Effect size is
    difference / pooled sd of the two sets of pairs (each variance, ddof 0, weighted by its pairs):
    descriptive only, since pairs share rows. Silhouette is on 1 − cosine, 0 for a group of one.

    Parameters
    ----------
    cosines
        (n, n), symmetric; rows that are all NaN are left out first. The diagonal is not read.
    labels
        (n,), one group per row.
    permutations, seed
        As in :func:`~embgeo.metrics.permutation.permutation_test`.

    Raises
    ------
    ShapeError
        If ``cosines`` is not square, or there is not one label for each row.

    References
    ----------
    Rousseeuw (1987), Silhouettes; Anderson (2001), a permutation test on pairwise distances.
    """
    matrix = _square(cosines)
    given = np.asarray(labels)
    if given.shape != (len(matrix),):
        raise ShapeError(f"Expected one label for each of {len(matrix)} rows, found {given.shape}.")
    kept = ~np.isnan(matrix).all(axis=1)
    matrix, codes = matrix[np.ix_(kept, kept)], np.unique_inverse(given[kept]).inverse_indices
    first, second = np.triu_indices(len(codes), 1)
    same, pairs = codes[first] == codes[second], matrix[first, second]
    within, between = pairs[same], pairs[~same]
    if not (within.size and between.size):
        return Separation(seed, _mean(within), _mean(between))
    test = permutation_test(matrix, codes, permutations=permutations, seed=seed)
    difference = float(within.mean() - between.mean())
    pooled = np.sqrt((within.size * within.var() + between.size * between.var()) / pairs.size)
    return Separation(
        seed=seed,
        within=_mean(within),
        between=_mean(between),
        difference=difference,
        effect_size=float(difference / pooled) if pooled > ROUNDING else None,
        silhouette=_silhouette(matrix, codes),
        own_group_neighbours=_own_group_neighbours(matrix, codes),
        own_group_chance=2 * within.size / (len(codes) * (len(codes) - 1)),
        p_value=test.p_value,
        permutations=test.permutations,
        exact=test.exact,
    )


def _silhouette(cosines: Array, codes: Labels) -> float:
    distances = 1 - cosines
    np.fill_diagonal(distances, 0)
    inside = np.eye(codes.max() + 1)[codes]
    sums, sizes = distances @ inside, inside.sum(axis=0)
    own = np.arange(len(codes)), codes
    a = sums[own] / np.maximum(sizes[codes] - 1, 1)
    means = sums / sizes
    means[own] = np.inf
    b = means.min(axis=1)
    widest = np.maximum(a, b)
    # Rows that coincide with their own and another group are 0 apart from both: neither nearer.
    defined = (sizes[codes] > 1) & (widest > ROUNDING)
    return float(np.divide(b - a, widest, out=np.zeros_like(a), where=defined).mean())


def _own_group_neighbours(cosines: Array, codes: Labels) -> float:
    others = cosines.round(12)
    np.fill_diagonal(others, -np.inf)
    return float((codes[others.argmax(axis=1)] == codes).mean())


def _mean(values: Array) -> float | None:
    return float(values.mean()) if values.size else None


def _square(cosines: Tensor | NDArray[np.floating]) -> Array:
    """A copy of a square matrix, refused if it is not one."""
    matrix = as_array(cosines).copy()
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ShapeError(f"Expected a square matrix of cosines, found shape {matrix.shape}.")
    return matrix


def _positions(group: Sequence[int], rows: int) -> NDArray[np.intp]:
    positions = np.unique(np.asarray(group, dtype=np.intp))
    if positions.size and not 0 <= positions[0] <= positions[-1] < rows:
        raise ShapeError(
            f"Expected members in 0 to {rows - 1}, found {positions[0]} to {positions[-1]}."
        )
    return positions
