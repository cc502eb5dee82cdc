"""How the norm page's signs of frequency and under-training are taken from rows."""

from collections.abc import Callable

import numpy as np
import torch

from embgeo.metrics.norms import row_norms
from embgeo.metrics.rank_correlation import spearman
from embgeo.metrics.undertrained import reference_distances

Array = np.ndarray
RESERVED = 5


def _to_mean(rows: Array) -> Array:
    table = torch.from_numpy(rows)
    return reference_distances(table[RESERVED:], table[:RESERVED].mean(dim=0))


def _to_nearest(rows: Array) -> Array:
    table = torch.from_numpy(rows)
    each = [reference_distances(table[RESERVED:], table[at]) for at in range(RESERVED)]
    return np.asarray(np.min(each, axis=0))


MEASURES: dict[str, Callable[[Array], object]] = {
    "norm_id_spearman": lambda rows: spearman(
        row_norms(torch.from_numpy(rows)), np.arange(float(len(rows)))
    ),
    "reference_distance": _to_mean,
    "nearest_reserved": _to_nearest,
}
