"""One colour scale for all models of a page: centred on floors, all of one reach."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from embgeo.ui.work import Model

if TYPE_CHECKING:
    from embgeo.views.group_rows import GroupRows

Array = np.ndarray[Any, np.dtype[Any]]
_LEAST = 0.05


@dataclass(frozen=True)
class Scale:
    """Where each model's colours are neutral, and how far from there they reach."""

    centres: dict[str, float]
    reach: float


def group_reach(rows: Sequence["GroupRows"]) -> float:
    """The largest distance of a cell from its own floor."""
    return reach([each.blocks.mean - each.block_floors for each in rows])


def token_scale(models: Sequence[Model], minus_floor: bool) -> Scale:
    """The scale that holds every pair of different tokens; a token with itself is off it."""
    centres = _centres(models, minus_floor)
    apart = []
    for model in models:
        assert model.rows is not None
        values = model.rows.cosines - (model.rows.pair_floors if minus_floor else 0.0)
        apart.append(values[~np.eye(len(values), dtype=bool)] - centres[model.text])
    return Scale(centres, reach(apart))


def reach(apart: Sequence[Array]) -> float:
    """The largest distance there is, undefined ones aside."""
    largest = [float(np.nanmax(np.abs(each))) for each in apart if np.isfinite(each).any()]
    return max(_LEAST, *largest) if largest else _LEAST


def _centres(models: Sequence[Model], minus_floor: bool) -> dict[str, float]:
    return {model.text: 0.0 if minus_floor else _floor(model) for model in models}


def _floor(model: Model) -> float:
    """What a pair of unrelated tokens of these groups gives, over all of a model's cells."""
    assert model.rows is not None
    floors = model.rows.block_floors
    return float(np.nanmean(floors)) if np.isfinite(floors).any() else 0.0
