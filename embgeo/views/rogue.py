"""Frames of what single coordinates do: their part in the mean cosine, and the cosines without."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from embgeo.metrics.contributions import LEAST_SHARED, ROGUE, largest, mean_z
from embgeo.populations import Population
from embgeo.statistics import moments, spectrum
from embgeo.statistics.directions import directions
from embgeo.statistics.zeroed import standardised, zeroed
from embgeo.tables import EmbeddingTable
from embgeo.views.numbers import number

Array = np.ndarray[Any, np.dtype[Any]]

SHOWN = 10
_COLUMNS = ["rank", "dimension", "contribution", "share", "mean", "mean_z", "sd", "rogue"]


def dimension_frame(table: EmbeddingTable, population: Population = Population()) -> pd.DataFrame:
    """The coordinates by what they add to the mean cosine, the largest first.

    Columns: rank, dimension, contribution (the contributions of all coordinates add up to the mean
    cosine), share (of it; missing where that is below 0.02 in size), mean and sd (of the raw
    column, ddof 1), mean_z (standard deviations of the mean from all columns' means), rogue
    (whether that is above 3 in size).
    """
    found = directions(table, population).contributions
    if found is None:
        return pd.DataFrame(columns=_COLUMNS)
    first, order = moments(table, population), largest(found, table.dim)
    z = mean_z(first.mean)
    far = np.full(table.dim, np.nan) if z is None else z
    whole = first.mean_cosine or 0.0
    return pd.DataFrame(
        {
            "rank": np.arange(1, len(order) + 1),
            "dimension": order,
            "contribution": found[order],
            "share": found[order] / whole if abs(whole) >= LEAST_SHARED else np.nan,
            "mean": first.mean[order],
            "mean_z": far[order],
            "sd": _column_sd(table, population)[order],
            "rogue": np.abs(far[order]) > ROGUE,
        },
        columns=_COLUMNS,
    )


def _column_sd(table: EmbeddingTable, population: Population) -> Array:
    """(d,) standard deviation (ddof 1) of every column, off the diagonal of the covariance."""
    spread = spectrum(table, population)
    return np.asarray(np.sqrt(np.square(spread.eigenvectors) @ spread.eigenvalues.clip(min=0)))


@dataclass(frozen=True)
class Rogue:
    """How many coordinates are rogue, and what they add together to the mean cosine."""

    count: int
    contribution: float
    share: float | None


def rogue(table: EmbeddingTable, population: Population = Population()) -> Rogue:
    """The coordinates whose mean lies more than 3 standard deviations from the others'."""
    frame = dimension_frame(table, population)
    chosen = frame[frame["rogue"].astype(bool)]
    share = number(float(chosen["share"].sum())) if chosen["share"].notna().any() else None
    return Rogue(len(chosen), float(chosen["contribution"].sum()), share)


def zeroed_frame(table: EmbeddingTable, population: Population = Population()) -> pd.DataFrame:
    """The mean cosine after zeroing the top 0, 1, 2, … coordinates.

    Columns: k, dimension (the one zeroed last, −1 for none), mean_cosine, informativity (r² with
    the cosines before, missing where undefined); steps without a pair of rows are left out.
    """
    found = zeroed(table, population)
    frame = pd.DataFrame(
        {
            "k": np.arange(len(found.mean_cosines)),
            "dimension": [-1, *found.order],
            "mean_cosine": found.mean_cosines,
            "informativity": found.informativity,
        }
    )
    return frame.dropna(subset=["mean_cosine"])


def effect_frame(
    table: EmbeddingTable, count: int, population: Population = Population()
) -> pd.DataFrame:
    """Raw, the top `count` coordinates zeroed, standardised. Columns: change, mean_cosine, r2."""
    steps = zeroed_frame(table, population).set_index("k")
    states = {"raw": 0, f"top {count} zeroed": count} if count else {"raw": 0}
    records = [
        {
            "change": change,
            "mean_cosine": number(steps["mean_cosine"].get(k)),
            "r2": number(steps["informativity"].get(k)),
        }
        for change, k in states.items()
    ]
    after = standardised(table, population)
    records.append(
        {
            "change": "standardised",
            "mean_cosine": number(after.mean_cosine),
            "r2": number(after.informativity),
        }
    )
    return pd.DataFrame(records)
