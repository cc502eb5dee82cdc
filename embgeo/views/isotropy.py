"""Frames of the isotropy page: how narrow the cone is, for which tokens, and against what."""

from collections.abc import Mapping, Sequence
from math import erf, sqrt
from typing import Any

import numpy as np
import pandas as pd

from embgeo.metrics.isotropy import TEXT_PAIRS, pairs_for_error, sampled_error
from embgeo.metrics.norms import histogram
from embgeo.populations import ID_BINS, Population
from embgeo.statistics import PAIRS, SEED, moments, sampled_cosines, spectrum
from embgeo.statistics.directions import (
    directions,
    mean_cosines_by_id,
    text_estimate,
    zipf_mean_cosine,
)
from embgeo.tables import EmbeddingTable
from embgeo.transforms import RAW
from embgeo.views.numbers import number
from embgeo.views.records import centred_mean_cosine

Array = np.ndarray[Any, np.dtype[Any]]
Axis = tuple[float, float]

TABLE, ISOTROPIC, RANDOM = "this table", "isotropic", "random rows"
_BINS = 120
_STEP = 0.05  # axes begin and end at a multiple of this
_REACH = 4.0  # standard deviations of the isotropic expectation that an axis shows

FIGURES = {
    "mean_cosine": "Mean cosine of all pairs, exact (± sd)",
    "mean_cosine_sampled": f"… of {TEXT_PAIRS:,} random pairs, as texts draw them (± its error)",
    "isotropic": "… of random directions (± sd 1/√d)",
    "cone_length": "Length of the mean unit row, |mean û|",
    "cone_squared": "… squared: the mean cosine, but for 1/n",
    "mean_cosine_zipf": "Mean cosine by frequency, Zipf on the id (a proxy)",
    "mean_cosine_counted": "Mean cosine by the counts you brought",
    "mean_cosine_centred": "Mean cosine after centring",
}


def figures(
    table: EmbeddingTable,
    population: Population = Population(),
    counted: float | None = None,
) -> pd.DataFrame:
    """The numbers of one table's cone. Columns: measure, label, value, spread; None if undefined.

    `spread` is the standard deviation over the pairs, or of a sample the standard error of its
    mean; `counted` is the mean cosine by counts, where there are any.
    """
    length, sd = directions(table, population).cone_length, spectrum(table, population).cosine_sd
    first = moments(table, population)
    mean = first.mean_cosine
    error = None if mean is None or sd is None else sampled_error(mean, sd, first.count)
    values: dict[str, tuple[float | None, float | None]] = {
        "mean_cosine": (mean, sd),
        "mean_cosine_sampled": (text_estimate(table, population), error),
        "isotropic": (0.0, 1 / sqrt(table.dim)),
        "cone_length": (length, None),
        "cone_squared": (None if length is None else length**2, None),
        "mean_cosine_zipf": (zipf_mean_cosine(table, population), None),
        "mean_cosine_counted": (counted, None),
        "mean_cosine_centred": (centred_mean_cosine(table, population), None),
    }
    return pd.DataFrame(
        [
            {"measure": key, "label": label}
            | dict(zip(("value", "spread"), map(number, values[key]), strict=True))
            for key, label in FIGURES.items()
        ]
    )


def cosine_axis(tables: Sequence[EmbeddingTable], population: Population = Population()) -> Axis:
    """The axis that holds every sampled cosine of every table, and the isotropic expectation."""
    return _axis([sampled_cosines(table, RAW, population) for table in tables], tables)


def to_mean_axis(tables: Sequence[EmbeddingTable], population: Population = Population()) -> Axis:
    """The axis that holds every row's cosine to the mean direction, and the expectation."""
    return _axis([_to_mean(table, population) for table in tables], tables)


def _axis(values: Sequence[Array], tables: Sequence[EmbeddingTable]) -> Axis:
    reach = max((_REACH / sqrt(table.dim) for table in tables), default=1.0)
    low = min([-reach, *(float(each.min()) for each in values if len(each))])
    high = max([reach, *(float(each.max()) for each in values if len(each))])
    inside = max(-1.0, np.floor(low / _STEP) * _STEP), min(1.0, np.ceil(high / _STEP) * _STEP)
    return float(inside[0]), float(inside[1])


def cosine_frame(
    table: EmbeddingTable, axis: Axis, population: Population = Population()
) -> pd.DataFrame:
    """Sampled pairs by cosine, beside what isotropic and random rows give.

    Columns: name, left, right, share (of pairs). "isotropic" is the normal distribution of mean 0
    and sd 1/√d; "random rows" a sample, of as many pairs, of what rows of independent normal
    numbers have, whatever their number.
    """
    sample = sampled_cosines(table, RAW, population)
    edges = np.linspace(*axis, _BINS + 1)
    return pd.concat(
        [
            _binned(TABLE, sample, axis),
            _expected(edges, table.dim),
            _binned(RANDOM, random_cosines(table.dim), axis),
        ],
        ignore_index=True,
    )


def to_mean_frame(
    table: EmbeddingTable, axis: Axis, population: Population = Population()
) -> pd.DataFrame:
    """All used rows by cosine to the mean direction, beside what isotropic rows would give.

    Columns: name, left, right, share (of rows).
    """
    found = _binned(TABLE, _to_mean(table, population), axis)
    return pd.concat(
        [found, _expected(np.linspace(*axis, _BINS + 1), table.dim)], ignore_index=True
    )


def pairs_to_settle(sd: float) -> int:
    """Pairs whose mean has a standard error of 0.0005, which settles the third decimal."""
    return pairs_for_error(sd, 0.0005)


def mean_rules(values: Mapping[str, float | None]) -> pd.DataFrame:
    """Named means as rules on a chart. Columns: name, x; those without a value are left out."""
    frame = pd.DataFrame({"name": list(values), "x": [number(each) for each in values.values()]})
    return frame.dropna(subset=["x"])


def random_cosines(dim: int, pairs: int = PAIRS) -> Array:
    """A seeded sample of the cosine of two random directions: 2 B − 1, B ~ Beta((d−1)/2, (d−1)/2).

    Its distribution is exactly that of two rows of independent normal numbers.
    """
    generator = np.random.default_rng(SEED)
    if dim < 2:
        return generator.choice([-1.0, 1.0], size=pairs)
    half = (dim - 1) / 2
    return np.asarray(2 * generator.beta(half, half, size=pairs) - 1)


def by_id_frame(
    table: EmbeddingTable,
    edges: Sequence[int] = ID_BINS,
    population: Population = Population(),
) -> pd.DataFrame:
    """Mean cosine over all pairs of tokens within each bin of ids.

    Columns: low, high (both ids of the bin), rows, mean_cosine; bins of less than two used rows are
    left out.
    """
    means, counts = mean_cosines_by_id(table, edges, population)
    ends = [*edges[1:], table.rows]
    frame = pd.DataFrame(
        {
            "low": list(edges),
            "high": [min(end, table.rows) - 1 for end in ends],
            "rows": counts,
            "mean_cosine": means,
        }
    )
    return frame.dropna(subset=["mean_cosine"]).reset_index(drop=True)


def _to_mean(table: EmbeddingTable, population: Population) -> Array:
    found = directions(table, population).to_mean
    return found[np.isfinite(found)].astype(np.float64)


def _binned(name: str, values: Array, axis: Axis) -> pd.DataFrame:
    bars = histogram(values, bins=_BINS, limits=axis)
    return _bars(name, bars.edges, bars.counts / max(1, len(values)))


def _expected(edges: Array, dim: int) -> pd.DataFrame:
    below = np.array([0.5 * (1 + erf(edge * sqrt(dim / 2))) for edge in edges])
    return _bars(ISOTROPIC, edges, np.diff(below))


def _bars(name: str, edges: Array, share: Array) -> pd.DataFrame:
    return pd.DataFrame({"name": name, "left": edges[:-1], "right": edges[1:], "share": share})
