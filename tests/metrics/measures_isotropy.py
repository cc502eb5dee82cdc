"""How each number of the isotropy page is taken from rows, for the proof of its invariances."""

from collections.abc import Callable

import numpy as np
import oracle
import torch

from embgeo.metrics.contributions import (
    contributions,
    cosines_without,
    informativity,
    largest,
    mean_z,
    sums_without,
)
from embgeo.metrics.cosine import mean_cosine, unit_rows
from embgeo.metrics.isotropy import (
    cone_length,
    sampled_mean_cosine,
    weighted_mean_cosine,
    zipf_weights,
)

Array = np.ndarray
TOP = 3


def _sum(rows: Array) -> torch.Tensor:
    return unit_rows(torch.from_numpy(rows)).sum(dim=0)


def _weighted(rows: Array) -> float | None:
    p = zipf_weights(np.arange(len(rows)))
    return weighted_mean_cosine(torch.from_numpy(p) @ unit_rows(torch.from_numpy(rows)), p)


def _contributions(rows: Array) -> Array:
    found = contributions(torch.from_numpy(rows))
    assert found is not None
    return found


def _zeroed(rows: Array) -> Array:
    order = largest(_contributions(rows), TOP)
    return sums_without(torch.from_numpy(rows), order).mean_cosines


def _informativity(rows: Array) -> list[float | None]:
    half = len(rows) // 2
    left, right = torch.from_numpy(rows[:half]), torch.from_numpy(rows[half : 2 * half])
    cosines = cosines_without(left, right, largest(_contributions(rows), TOP))
    return [informativity(cosines[0], each) for each in cosines]


def _mean_z(rows: Array) -> Array:
    found = mean_z(rows.mean(axis=0))
    assert found is not None
    return np.sort(found)


MEASURES: dict[str, Callable[[Array], object]] = {
    "mean_cosine_sampled": lambda rows: sampled_mean_cosine(torch.from_numpy(rows)),
    "cone_length": lambda rows: cone_length(_sum(rows), len(rows)),
    "mean_cosine_by_id": lambda rows: [
        mean_cosine(torch.from_numpy(part)) for part in np.array_split(rows, 3)
    ],
    "mean_cosine_weighted": _weighted,
    # Numbered otherwise, the coordinates are the same.
    "contribution": lambda rows: np.sort(_contributions(rows)),
    "column_mean_z": _mean_z,
    "mean_cosine_zeroed": _zeroed,
    # Of few rows too: that of many is close to 0 whatever is done to them.
    "mean_cosine_standardised": lambda rows: [
        mean_cosine(torch.from_numpy(oracle.standardise(rows[:n]))) for n in (4, 8, 30)
    ],
    "informativity": _informativity,
}
