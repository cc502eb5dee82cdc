"""The spectrum page's numbers again, slow and from the definitions; never imports embgeo."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def singular_values(rows: Array, *, centred: bool) -> Array:
    """(min(n, d),) from the rows themselves."""
    table = rows - rows.mean(axis=0) if centred else rows
    return np.asarray(np.linalg.svd(table, compute_uv=False))


def entropy_rank(weights: Array) -> float:
    total = weights.sum()
    return float(np.exp(-sum(p * np.log(p) for p in weights / total if p > 0)))


def stable_rank(rows: Array, *, centred: bool) -> float:
    table = rows - rows.mean(axis=0) if centred else rows
    return float(np.linalg.norm(table, "fro") ** 2 / np.linalg.norm(table, 2) ** 2)


def mean_alignment(rows: Array) -> float:
    mean = rows.mean(axis=0)
    first = np.linalg.svd(rows - mean)[2][0]
    return float(abs(first @ mean) / np.linalg.norm(mean))


def components_for(rows: Array, share: float) -> int:
    squares = singular_values(rows, centred=True) ** 2
    k = 1
    while squares[:k].sum() < share * squares.sum():
        k += 1
    return k


def condition(rows: Array) -> float:
    return float(np.linalg.cond(np.cov(rows.T)))


def power_law(eigenvalues: Array, first: int, last: int) -> Array:
    """(2,) exponent and R²."""
    x, y = np.log(np.arange(first, last + 1)), np.log(eigenvalues[first - 1 : last])
    return np.array([-np.polyfit(x, y, 1)[0], np.corrcoef(x, y)[0, 1] ** 2])
