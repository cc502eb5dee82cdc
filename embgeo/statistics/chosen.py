"""Chosen rows of a table, transformed: their norms and every cosine between them, kept once found.

A row is a token's, or the mean of the raw rows of several tokens.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from embgeo.metrics.cosine import cosine_matrix
from embgeo.metrics.norms import row_norms
from embgeo.populations import Population
from embgeo.statistics.moments import moments, store_key
from embgeo.statistics.transformed import fitted
from embgeo.tables import EmbeddingTable
from embgeo.transforms import RAW, Transform, spelled

if TYPE_CHECKING:
    import torch

Array = np.ndarray[Any, np.dtype[Any]]
Ids = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class ChosenRows:
    """Chosen rows as numbers.

    Attributes
    ----------
    norms
        (n,) Euclidean norms before the transform.
    cosines
        (n, n) after it; NaN where a row has no direction.
    degenerate
        (n,) bool: the row is too short to have a direction, before the transform or after it.
    """

    norms: Array
    cosines: Array
    degenerate: Array


def chosen_rows(
    table: EmbeddingTable,
    rows: Sequence[Ids],
    transform: Transform = RAW,
    population: Population = Population(),
) -> ChosenRows:
    """The rows of these tokens (of several, the mean of their raw rows) after a transform.

    Raises
    ------
    ShapeError
        If the transform cannot be fitted, an id has no row, or there are too many rows.
    """
    named = " ".join("+".join(map(str, ids)) for ids in rows)
    key = (*store_key("chosen", table, population), spelled(transform), named)
    kept = table.store.read(*key)
    if kept is not None:
        return ChosenRows(**kept.arrays)
    found = _compute(table, rows, transform, population)
    arrays = {"norms": found.norms, "cosines": found.cosines, "degenerate": found.degenerate}
    table.store.write(*key, arrays=arrays)
    return found


def _compute(
    table: EmbeddingTable, rows: Sequence[Ids], transform: Transform, population: Population
) -> ChosenRows:
    raw = raw_rows(table, rows)
    moved = moved_rows(table, raw, transform, population)
    lost = ~moved.any(dim=1).numpy()
    return ChosenRows(row_norms(raw), cosine_matrix(moved).numpy(), lost)


def moved_rows(
    table: EmbeddingTable,
    raw: "torch.Tensor",
    transform: Transform = RAW,
    population: Population = Population(),
) -> "torch.Tensor":
    """(n, m) float64: raw rows after a transform, exact zeros where one has no direction.

    Raises
    ------
    ShapeError
        If the transform cannot be fitted.
    """
    import torch

    moved = fitted(table, transform, population).directions(raw) if transform else raw.clone()
    long = row_norms(raw) >= moments(table, population).shortest
    moved[torch.from_numpy(~long)] = 0.0
    return moved


def raw_rows(table: EmbeddingTable, rows: Sequence[Ids]) -> "torch.Tensor":
    """(n, d) float64: the rows of these tokens; of several, the mean of theirs."""
    import torch

    if not rows:
        return torch.empty(0, table.dim, dtype=torch.float64)
    flat = table.take([token_id for ids in rows for token_id in ids])
    return torch.stack([piece.mean(dim=0) for piece in torch.split(flat, [len(i) for i in rows])])
