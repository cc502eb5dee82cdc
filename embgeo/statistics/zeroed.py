"""What zeroing the coordinates that add most to the mean cosine does, one more at a time."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from embgeo.errors import ShapeError
from embgeo.jobs import Progress, silent
from embgeo.metrics.contributions import informativity, largest
from embgeo.populations import Population
from embgeo.statistics.directions import directions
from embgeo.statistics.moments import store_key
from embgeo.statistics.transformed import sampled_cosines, transformed
from embgeo.tables import EmbeddingTable
from embgeo.transforms import RAW, Centre, Standardise

Array = np.ndarray[Any, np.dtype[Any]]

MOST_ZEROED = 20
STANDARDISED = (Centre(), Standardise())


@dataclass(frozen=True, eq=False)
class Zeroed:
    """The table with its first 0 … K coordinates of `order` zeroed.

    Attributes
    ----------
    order
        (K,) coordinates by what they add to the mean cosine, the largest first.
    mean_cosines
        (K + 1,) mean cosine over all pairs of what is left of the rows, exact; NaN where undefined.
    counts
        (K + 1,) rows that have anything left.
    informativity
        (K + 1,) squared correlation of sampled cosines before and after; NaN where undefined.
    """

    order: Array
    mean_cosines: Array
    counts: Array
    informativity: Array


def zeroed(
    table: EmbeddingTable,
    population: Population = Population(),
    progress: Progress = silent,
) -> Zeroed:
    """The table without its top coordinates: from memory, from the store, or from one pass."""
    return table.remember(("zeroed", population), lambda: _load(table, population, progress))


def _load(table: EmbeddingTable, population: Population, progress: Progress) -> Zeroed:
    key = store_key("zeroed", table, population)
    kept = table.store.read(*key)
    if kept is not None:
        return Zeroed(**kept.arrays)
    found = directions(table, population, progress).contributions
    # All coordinates but one: of a table without any there is nothing to take a cosine of.
    most = min(MOST_ZEROED, table.dim - 1)
    order = np.empty(0, dtype=np.int64) if found is None else largest(found, most)
    progress(0.0, f"{table.name}: starting PyTorch")
    from embgeo.statistics.direction_passes import zeroed_pass

    result = zeroed_pass(table, order, population, progress)
    arrays = {name: getattr(result, name) for name in _ARRAYS}
    table.store.write(*key, arrays=arrays)
    return result


_ARRAYS = ("order", "mean_cosines", "counts", "informativity")


@dataclass(frozen=True)
class Standardised:
    """Mean cosine and informativity after standardising; None where that is undefined."""

    mean_cosine: float | None
    informativity: float | None


def standardised(
    table: EmbeddingTable,
    population: Population = Population(),
    progress: Progress = silent,
) -> Standardised:
    """What dividing every centred coordinate by its standard deviation does to the cosines."""
    try:
        after = transformed(table, STANDARDISED, population, progress)
        pairs = [sampled_cosines(table, steps, population) for steps in (RAW, STANDARDISED)]
    except ShapeError:  # rows that are all the same have no spread to divide by
        return Standardised(None, None)
    return Standardised(after.mean_cosine, informativity(*pairs))
