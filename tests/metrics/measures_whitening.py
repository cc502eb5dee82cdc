"""The whitening page's numbers as functions of rows, for the test of declared invariances."""

from collections.abc import Callable

import numpy as np
import torch

from embgeo.metrics.cosine import cosine_matrix, unit_rows
from embgeo.metrics.rank_correlation import spearman
from embgeo.metrics.retrieval import Retrieval, retrieval

Array = np.ndarray


def _retrieved(rows: Array) -> Retrieval:
    return retrieval(cosine_matrix(torch.from_numpy(rows)), np.arange(len(rows)) % 3)


def _pairs(rows: Array) -> object:
    units = unit_rows(torch.from_numpy(rows)).numpy()
    cosines = (units[0::2] * units[1::2]).sum(axis=1).round(12)
    return spearman(cosines, np.arange(len(cosines), dtype=float))


MEASURES: dict[str, Callable[[Array], object]] = {
    "precision_at_k": lambda rows: _retrieved(rows).precision,
    "auc": lambda rows: _retrieved(rows).auc,
    "pair_spearman": _pairs,
}
