"""The whitening page's numbers again, slow and obvious, in numpy float64.

Never imports embgeo. Takes (n, d) arrays without zero rows; labels are (n,) ints. Transforms are
applied one after another to the whole table, each fitted on what the one before left.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from oracle import cosine, covariance, eigenvalues

Array = NDArray[np.float64]


def contributions(rows: Array) -> Array:
    """Mean over all pairs of the product of their unit rows, coordinate by coordinate."""
    units = [row / np.linalg.norm(row) for row in rows]
    return np.mean([u * v for u, v in combinations(units, 2)], axis=0)


def zipf(count: int) -> Array:
    weights = np.array([1 / (rank + 10) for rank in range(count)])
    return weights / weights.sum()


def weighted_mean(rows: Array, weights: Array) -> Array:
    return np.asarray(sum(p * row for p, row in zip(weights, rows, strict=True)))


def weighted_covariance(rows: Array, weights: Array) -> Array:
    mean = weighted_mean(rows, weights)
    return np.asarray(
        sum(p * np.outer(row - mean, row - mean) for p, row in zip(weights, rows, strict=True))
    )


def drop_rogue(rows: Array, count: int, raw: Array) -> Array:
    """Zero the coordinates that contribute most to the raw rows' mean cosine."""
    left = rows.copy()
    left[:, sorted(range(rows.shape[1]), key=lambda k: -contributions(raw)[k])[:count]] = 0
    return left


def drop_top(rows: Array, count: int) -> Array:
    top = np.linalg.eigh(covariance(rows))[1][:, ::-1][:, :count]
    return np.asarray(rows - rows @ top @ top.T)


def whiten(rows: Array, k: int | None, shrinkage: float, weights: Array | None) -> Array:
    sigma = covariance(rows) if weights is None else weighted_covariance(rows, weights)
    values, vectors = np.linalg.eigh(sigma)
    values, vectors = values[::-1].clip(min=0), vectors[:, ::-1]
    kept = k or int((values > 1e-10 * values.max()).sum())
    shrunk = (1 - shrinkage) * values + shrinkage * np.trace(sigma) / len(sigma)
    return np.asarray(rows @ vectors[:, :kept] / np.sqrt(shrunk[:kept]))


def standardise(rows: Array) -> Array:
    sd = rows.std(axis=0, ddof=1)
    constant = sd**2 <= 1e-10 * (sd**2).max()
    return np.asarray(np.where(constant, 0.0, rows / np.where(constant, 1.0, sd)))


def after(rows: Array, words: Sequence[str]) -> Array:
    """The steps one after another, as a link spells them."""
    moved, weights = rows, zipf(len(rows))
    for word in words:
        name, _, rest = word.partition("~")
        kind, _, number = name.partition(":")
        count, shrinkage = int(number or 0), float(rest or 0)
        if kind == "rogue":
            moved = drop_rogue(moved, count, rows)
        elif kind == "centre":
            moved = moved - moved.mean(axis=0)
        elif kind == "zipf-centre":
            moved = moved - weighted_mean(moved, weights)
        elif kind == "standardise":
            moved = standardise(moved)
        elif kind == "drop":
            moved = drop_top(moved, count)
        else:
            moved = whiten(
                moved, count or None, shrinkage, weights if kind == "zipf-whiten" else None
            )
    return moved


def isoscore(rows: Array) -> float:
    values = eigenvalues(rows).clip(min=0)
    return float((values.sum() ** 2 / (values**2).sum() - 1) / (len(values) - 1))


def precision_at(rows: Array, labels: Array, k: int) -> float:
    shares = []
    for i in range(len(rows)):
        others = [j for j in range(len(rows)) if j != i]
        nearest = sorted(others, key=lambda j: (-round(cosine(rows[i], rows[j]), 12), j))[:k]
        shares.append(np.mean([labels[j] == labels[i] for j in nearest]))
    return float(np.mean(shares))


def best_precision(labels: Array, k: int) -> float:
    return float(np.mean([min(k, int((labels == name).sum()) - 1) / k for name in labels]))


def chance(labels: Array) -> float:
    pairs = [a == b for a, b in combinations(labels.tolist(), 2)]
    return float(np.mean(pairs))


def auc(rows: Array, labels: Array) -> float:
    """Every within pair against every between pair."""
    cosines = {
        (i, j): round(cosine(rows[i], rows[j]), 12) for i, j in combinations(range(len(rows)), 2)
    }
    inside = [value for (i, j), value in cosines.items() if labels[i] == labels[j]]
    across = [value for (i, j), value in cosines.items() if labels[i] != labels[j]]
    return float(np.mean([(w > b) + 0.5 * (w == b) for w in inside for b in across]))


def spearman(x: Array, y: Array) -> float:
    def ranks(values: Array) -> Array:
        return np.array([np.mean([(v < x) + 0.5 * (v == x) for v in values]) for x in values])

    return float(np.corrcoef(ranks(x), ranks(y))[0, 1])
