"""Would shuffled labels separate rows as well? Exact where every labelling can be tried."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from embgeo.metrics.precision import Array

MOST_ROWS = 3000
_BATCH_ENTRIES = 2**21
# Float64 cosines are right to about 1e-15: what differs by less than this is a tie.
ROUNDING = 1e-12

Labels = NDArray[np.integer]


@dataclass(frozen=True)
class PermutationTest:
    """A one-sided p-value, how many labellings it rests on, and whether those are all there are."""

    p_value: float | None = None
    permutations: int = 0
    exact: bool = False


def permutation_test(
    cosines: Array, labels: Labels, *, permutations: int, seed: int
) -> PermutationTest:
    """How often relabelled rows show at least the observed within − between difference.

    Group sizes stay as they are. If there are no more than ``permutations`` distinct labellings,
    all are tried and p is their share; otherwise ``permutations`` of them are drawn and
    p = (1 + hits) / (1 + permutations), which is never 0. Ties count as hits.

    Parameters
    ----------
    cosines
        (n, n), symmetric, no NaN but on the diagonal, which is not read.
    labels
        (n,) ints, at least two different ones and one of them twice.
    permutations
        How many labellings to try at most; 0 for no test.
    seed
        Of the draw.

    Returns
    -------
    PermutationTest
        p in (0, 1]; None above 3000 rows, where the test would take minutes.

    References
    ----------
    Phipson and Smyth (2010), Permutation p-values should never be zero.
    """
    if len(labels) > MOST_ROWS or permutations < 1:
        return PermutationTest()
    sizes = np.unique_counts(labels).counts.tolist()
    distinct = math.factorial(len(labels)) // math.prod(math.factorial(size) for size in sizes)
    exact = distinct <= permutations
    tried = distinct if exact else permutations
    draws = _all_labellings(sizes) if exact else _random_labellings(labels, permutations, seed)
    others = cosines.copy()
    np.fill_diagonal(others, 0)
    # With the sizes fixed, within − between rises with the within mean: that alone is compared.
    reached = _within_means(others, labels[None])[0] - ROUNDING
    hits = sum(int((_within_means(others, draw) >= reached).sum()) for draw in draws)
    p_value = hits / tried if exact else (1 + hits) / (1 + tried)
    return PermutationTest(p_value, tried, exact)


def _within_means(others: Array, labellings: Labels) -> Array:
    """(b,) mean within groups for (b, n) labellings, all with the same group sizes."""
    total, pairs = np.zeros(len(labellings)), 0
    for label, size in zip(*np.unique_counts(labellings[0]), strict=True):
        inside = (labellings == label).astype(np.float64)
        total += np.einsum("bn,bn->b", inside @ others, inside)
        pairs += size * (size - 1)
    return total / pairs


def _random_labellings(labels: Labels, permutations: int, seed: int) -> Iterator[Labels]:
    generator = np.random.default_rng(seed)
    batch = max(1, _BATCH_ENTRIES // len(labels))
    for start in range(0, permutations, batch):
        copies = np.tile(labels, (min(batch, permutations - start), 1))
        yield generator.permuted(copies, axis=1)


def _all_labellings(sizes: list[int]) -> Iterator[Labels]:
    """Every way to give ``sizes[k]`` rows the label k, a batch at a time."""
    table = np.full((1, sum(sizes)), -1, dtype=np.int16)
    # Smallest first: the last, largest group takes all the rows that are left, in one way.
    for label, size in enumerate(sorted(sizes)):
        free = np.nonzero(table < 0)[1].reshape(len(table), -1)
        choices = np.array(list(combinations(range(free.shape[1]), size)))
        taken = free[:, choices].reshape(-1, size)
        table = np.repeat(table, len(choices), axis=0)
        np.put_along_axis(table, taken, label, axis=1)
    batch = max(1, _BATCH_ENTRIES // table.shape[1])
    yield from (table[start : start + batch] for start in range(0, len(table), batch))
