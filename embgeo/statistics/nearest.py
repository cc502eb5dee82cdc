"""One pass for a few tokens: their nearest rows, and their rows by multiplying one-hot rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from embgeo.jobs import Progress, silent
from embgeo.metrics.neighbours import Neighbours
from embgeo.populations import Population
from embgeo.statistics.moments import store_key
from embgeo.tables import EmbeddingTable

Array = np.ndarray[Any, np.dtype[Any]]

NEIGHBOURS = 8


@dataclass(frozen=True, eq=False)
class LookedUp:
    """What a pass over the table knows of a few tokens.

    Attributes
    ----------
    ids
        (q,) the tokens, each once, ascending.
    near
        The `NEIGHBOURS` nearest used rows of each.
    apart
        (q,) largest difference, in any coordinate, between the one-hot product e_k E and the row
        E[k]; NaN where a row of the table is not finite, since 0 × ∞ is no number.
    """

    ids: Array
    near: Neighbours
    apart: Array

    def place(self, token_id: int) -> int:
        """Where a token stands in `ids`."""
        return int(np.searchsorted(self.ids, token_id))


def looked_up(
    table: EmbeddingTable,
    ids: Sequence[int],
    population: Population = Population(),
    progress: Progress = silent,
) -> LookedUp:
    """A few tokens' neighbours and products: from memory, the store, or one pass over the rows.

    Raises
    ------
    ShapeError
        If an id has no row.
    """
    wanted = tuple(sorted(set(ids)))
    return table.remember(
        ("looked up", wanted, population), lambda: _load(table, wanted, population, progress)
    )


def _load(
    table: EmbeddingTable, ids: tuple[int, ...], population: Population, progress: Progress
) -> LookedUp:
    key = (*store_key("looked up", table, population), str(NEIGHBOURS), " ".join(map(str, ids)))
    kept = table.store.read(*key)
    if kept is not None:
        near = Neighbours(kept.arrays["neighbours"], kept.arrays["cosines"])
        return LookedUp(kept.arrays["ids"], near, kept.arrays["apart"])
    progress(0.0, f"{table.name}: starting PyTorch")
    from embgeo.statistics.lookups import lookup_pass

    found = lookup_pass(table, ids, population, progress)
    arrays = {
        "ids": found.ids,
        "neighbours": found.near.ids,
        "cosines": found.near.cosines,
        "apart": found.apart,
    }
    table.store.write(*key, arrays=arrays)
    return found
