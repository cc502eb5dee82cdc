"""The token lookup again, slow and obvious, in numpy float64; never imports embgeo."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def neighbours(rows: Array, token: int, k: int) -> list[int]:
    """Ids by falling cosine, ties by id; rows without a direction are none."""
    norms = np.linalg.norm(rows, axis=1)
    found = []
    for other in range(len(rows)):
        if other != token and norms[other] > 0 and norms[token] > 0:
            product = sum(
                float(a) * float(b) for a, b in zip(rows[token], rows[other], strict=True)
            )
            found.append((-product / (norms[token] * norms[other]), other))
    return [other for _, other in sorted((round(cosine, 12), other) for cosine, other in found)][:k]


def one_hot_product(rows: Array, token: int) -> Array:
    one_hot = np.zeros(len(rows))
    one_hot[token] = 1.0
    return one_hot @ rows


def coordinate(rows: Array, index: int, k: int) -> tuple[list[int], list[int]]:
    """Ids of the highest and of the lowest values, ties by id."""
    column = [(float(value), at) for at, value in enumerate(rows[:, index])]
    highest = sorted(column, key=lambda each: (-each[0], each[1]))[:k]
    return [at for _, at in highest], [at for _, at in sorted(column)[:k]]


def share(rows: Array, index: int) -> float:
    return float((rows[:, index] ** 2).sum() / (rows**2).sum())
