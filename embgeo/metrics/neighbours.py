"""Nearest rows of a few rows by cosine, found part by part, so that nothing grows with V × V."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from embgeo.metrics.cosine import unit_rows
from embgeo.metrics.precision import in_float64

if TYPE_CHECKING:
    from torch import Tensor

Array = NDArray[np.float64]
Ids = NDArray[np.int64]
_SLACK = 1e-12
"""A product of matrices may round equal rows unequally; what is this near to the last place is
looked at again, row by row, where equal rows give equal cosines."""


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The k nearest rows of each query, nearest first.

    Attributes
    ----------
    ids
        (q, k) int64; −1 where there are fewer.
    cosines
        (q, k) float64 in [−1, 1]; NaN there.
    """

    ids: Ids
    cosines: Array


def nobody(queries: int, k: int) -> Neighbours:
    """The neighbours that are known before any row was looked at."""
    return Neighbours(np.full((queries, k), -1, dtype=np.int64), np.full((queries, k), np.nan))


def nearest_rows(queries: Tensor, own: Ids, rows: Tensor, ids: Ids, k: int) -> Neighbours:
    """The rows most alike to each query by cosine; ties go to the smaller id.

    A query is left out of its own neighbours by its id, never by being equal: a duplicate row is a
    neighbour, of cosine 1. Rows that are zero or not finite have no direction: they are nobody's
    neighbour and have none.

    Parameters
    ----------
    queries, own
        (q, d), any float dtype, and (q,) their ids.
    rows, ids
        (n, d) on the same device, and (n,) their ids.
    k
        How many neighbours (> 0).

    Raises
    ------
    ShapeError
        If ``queries`` or ``rows`` is not a table.

    Examples
    --------
    >>> import torch
    >>> rows = torch.tensor([[1.0, 0.0], [0.0, 1.0], [3.0, 4.0]])
    >>> nearest_rows(rows[:1], np.array([0]), rows, np.arange(3), 2).ids.tolist()
    [[2, 1]]
    """
    import torch

    wide = in_float64(rows)
    wanted = unit_rows(queries).to(wide)
    found = nobody(len(wanted), k)
    # Only the few that are near are divided by their length, not the whole table.
    lengths = torch.linalg.vector_norm(wide, dim=1)
    usable = (lengths > 0) & lengths.isfinite()
    for at, dots in enumerate(wanted @ wide.T):
        cosines = torch.where(usable, dots / lengths, -torch.inf)
        places = torch.nonzero(_near(cosines, k)).flatten()
        if len(places) and bool(wanted[at].any()):
            exact = (unit_rows(wide[places]) * wanted[at]).sum(dim=1).clamp(-1.0, 1.0)
            known = ids[places.cpu().numpy()]
            keep = known != own[at]
            _fill(found, at, known[keep], exact.cpu().numpy()[keep])
    return found


def nearer(one: Neighbours, other: Neighbours) -> Neighbours:
    """The nearest of two lists of neighbours of the same queries, found in different rows."""
    found = nobody(*one.ids.shape)
    for at in range(len(one.ids)):
        ids = np.concatenate([one.ids[at], other.ids[at]])
        cosines = np.concatenate([one.cosines[at], other.cosines[at]])
        _fill(found, at, ids[ids >= 0], cosines[ids >= 0])
    return found


def _near(cosines: Tensor, k: int) -> Tensor:
    """(n,) bool: may be among the k nearest, with room for the query itself."""
    taken = min(k + 1, len(cosines))
    bar = cosines.topk(taken).values[-1] - _SLACK if taken else 1.0
    return (cosines >= bar) & (cosines > -math.inf)


def _fill(found: Neighbours, at: int, ids: Ids, cosines: Array) -> None:
    order = np.lexsort((ids, -cosines))[: found.ids.shape[1]]
    found.ids[at, : len(order)] = ids[order]
    found.cosines[at, : len(order)] = cosines[order]
