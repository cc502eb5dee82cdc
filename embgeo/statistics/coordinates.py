"""One coordinate over all rows: its extreme tokens, and its share of the table's squared length."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from embgeo.errors import ShapeError
from embgeo.jobs import Progress, silent
from embgeo.populations import Population
from embgeo.statistics.moments import store_key
from embgeo.tables import EmbeddingTable

Array = np.ndarray[Any, np.dtype[Any]]

EXTREMES = 8
ROTATION_SEED = 0


@dataclass(frozen=True, eq=False)
class Coordinate:
    """What one pass knows of one coordinate.

    Attributes
    ----------
    highest, lowest
        (k,) ids of the used rows with the largest and the smallest value; ties by id.
    high_values, low_values
        (k,) their values.
    share
        Σ x_j² / Σ |x|² over the used rows, in [0, 1]; 1/d where length is spread evenly. NaN where
        no row has a length.
    """

    highest: Array
    high_values: Array
    lowest: Array
    low_values: Array
    share: float


def coordinate(
    table: EmbeddingTable,
    index: int,
    rotated: bool = False,
    population: Population = Population(),
    progress: Progress = silent,
) -> Coordinate:
    """One coordinate, as stored or after the seeded rotation: remembered, or from one pass.

    Raises
    ------
    ShapeError
        If the table has no such coordinate.
    """
    if not 0 <= index < table.dim:
        raise ShapeError(
            f"{table.name} has coordinates 0 to {table.dim - 1}; found {index}. Choose a smaller "
            "one."
        )
    turned = f"rotated by seed {ROTATION_SEED}" if rotated else "as stored"
    return table.remember(
        ("coordinate", index, turned, population),
        lambda: _load(table, (index, turned), population, progress),
    )


def _load(
    table: EmbeddingTable, which: tuple[int, str], population: Population, progress: Progress
) -> Coordinate:
    index, turned = which
    key = (*store_key("coordinate", table, population), str(EXTREMES), str(index), turned)
    kept = table.store.read(*key)
    if kept is not None:
        fields: dict[str, Any] = {**kept.arrays, "share": float(kept.arrays["share"][0])}
        return Coordinate(**fields)
    progress(0.0, f"{table.name}: starting PyTorch")
    from embgeo.statistics.lookups import coordinate_pass

    found = coordinate_pass(table, index, turned != "as stored", population, progress)
    arrays = {name: getattr(found, name) for name in _ARRAYS}
    table.store.write(*key, arrays=arrays | {"share": np.array([found.share])})
    return found


_ARRAYS = ("highest", "high_values", "lowest", "low_values")
