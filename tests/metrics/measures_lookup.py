"""The token lookup's numbers as functions of rows alone, for the proof of their invariances."""

from collections.abc import Callable

import numpy as np
import torch

from embgeo.metrics.neighbours import nearest_rows
from embgeo.metrics.two_rows import compare

Array = np.ndarray


def _near(rows: Array) -> Array:
    ids, table = np.arange(len(rows)), torch.from_numpy(np.ascontiguousarray(rows))
    found = nearest_rows(table[:3], ids[:3], table, ids, 4)
    return np.concatenate([found.ids, found.cosines])


def _two(name: str) -> Callable[[Array], object]:
    return lambda rows: getattr(compare(rows[0], rows[1]), name)


def _percentile(rows: Array) -> Array:
    norms = np.linalg.norm(rows, axis=1)
    return (norms <= norms[:, None] * (1 + 1e-12)).mean(axis=1)


def _share(rows: Array) -> float:
    return float(np.square(rows[:, 0]).sum() / np.square(rows).sum())


MEASURES: dict[str, Callable[[Array], object]] = {
    "neighbours": _near,
    "norm_percentile": _percentile,
    "coordinate_share": _share,
    "two_cosine": _two("cosine"),
    "angle": _two("degrees"),
    "dot_product": _two("dot"),
    "distance": _two("distance"),
}
