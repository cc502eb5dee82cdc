"""Cosines of given pairs of tokens, after a transform."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from embgeo.jobs import Progress, silent
from embgeo.populations import Population
from embgeo.statistics.chosen import Ids, moved_rows, raw_rows
from embgeo.statistics.moments import moments
from embgeo.tables import EmbeddingTable
from embgeo.transforms import RAW, Transform, spelled

Cosines = np.ndarray[Any, np.dtype[Any]]
Pair = tuple[Ids, Ids]

_BATCH = 512


def pair_cosines(
    table: EmbeddingTable,
    pairs: Sequence[Pair],
    transform: Transform = RAW,
    population: Population = Population(),
    progress: Progress = silent,
) -> Cosines:
    """The cosine of each pair of tokens (of several, of the mean of their raw rows).

    Returns
    -------
    ndarray
        (pairs,) float64 in [−1, 1]; NaN where a row has no direction, before or after.

    Raises
    ------
    ShapeError
        If the transform cannot be fitted, or an id has no row.
    """

    def compute() -> Cosines:
        moments(table, population, progress)
        cosines = [np.empty(0)]
        for start in range(0, len(pairs), _BATCH):
            progress(start / len(pairs), f"{table.name}: scored pairs")
            cosines.append(_batch(table, pairs[start : start + _BATCH], transform, population))
        return np.concatenate(cosines)

    return table.remember(("scored pairs", tuple(pairs), spelled(transform), population), compute)


def _batch(
    table: EmbeddingTable,
    pairs: Sequence[Pair],
    transform: Transform,
    population: Population,
) -> Cosines:
    import torch

    from embgeo.metrics.cosine import unit_rows

    raw = raw_rows(table, [ids for pair in pairs for ids in pair])
    units = unit_rows(moved_rows(table, raw, transform, population))
    cosines = (units[0::2] * units[1::2]).sum(dim=1).clamp(-1, 1)
    pointing = units.any(dim=1)
    cosines[~(pointing[0::2] & pointing[1::2])] = torch.nan
    return cosines.numpy()
