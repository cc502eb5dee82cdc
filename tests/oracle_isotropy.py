"""The isotropy page's numbers again, slow and obvious, pair by pair; never imports embgeo."""

from itertools import combinations, permutations

import numpy as np
from numpy.typing import ArrayLike
from oracle import Array, mean_cosine, pair_cosines


def units(rows: ArrayLike) -> Array:
    table = np.asarray(rows, dtype=np.float64)
    return np.array([row / np.sqrt(row @ row) for row in table])


def contributions(rows: ArrayLike) -> Array:
    """(d,) the mean over all pairs of the product of each coordinate."""
    return np.mean([u * v for u, v in combinations(units(rows), 2)], axis=0)


def zeroed(rows: ArrayLike, coordinates: list[int]) -> Array:
    table = np.asarray(rows, dtype=np.float64).copy()
    table[:, coordinates] = 0.0
    return table


def zeroed_mean_cosines(rows: ArrayLike, most: int) -> list[float]:
    """After zeroing the 0 … `most` coordinates that contribute most."""
    order = sorted(range(np.shape(rows)[1]), key=lambda k: -contributions(rows)[k])
    return [mean_cosine(zeroed(rows, order[:k])) for k in range(most + 1)]


def weighted_mean_cosine(rows: ArrayLike, weights: ArrayLike) -> float:
    """Over ordered pairs of different rows, each as likely as its two rows are to be drawn."""
    p, table = np.asarray(weights, dtype=np.float64), units(rows)
    pairs = list(permutations(range(len(table)), 2))
    likely = np.array([p[i] * p[j] for i, j in pairs])
    cosines = np.array([table[i] @ table[j] for i, j in pairs])
    return float(likely @ cosines / likely.sum())


def cosines_to_mean(rows: ArrayLike) -> Array:
    table = units(rows)
    mean = table.mean(axis=0)
    return np.array([row @ mean / np.sqrt(mean @ mean) for row in table])


def cone_length(rows: ArrayLike) -> float:
    mean = units(rows).mean(axis=0)
    return float(np.sqrt(mean @ mean))


def informativity(rows: ArrayLike, changed: ArrayLike) -> float:
    """Over all pairs."""
    return float(np.corrcoef(pair_cosines(rows), pair_cosines(changed))[0, 1] ** 2)
