"""What each step of a transform did: the table and the groups after each of them."""

from collections.abc import Sequence

import pandas as pd

from embgeo.metrics.spectrum import isoscore, participation_ratio
from embgeo.populations import Population
from embgeo.statistics import after_each_step, fitted, spectrum
from embgeo.tables import EmbeddingTable
from embgeo.transforms import Transform, described
from embgeo.views.group_rows import GroupRows
from embgeo.views.numbers import number

COLUMNS = [
    "step",
    "mean_cosine",
    "isoscore",
    "participation_ratio",
    "within",
    "between",
    "effect_size",
]


def prefixes(transform: Transform) -> list[Transform]:
    """The transform as it grows, from the raw table to all of its steps."""
    return [transform[:taken] for taken in range(len(transform) + 1)]


def steps_frame(
    table: EmbeddingTable,
    transform: Transform,
    rows: Sequence[GroupRows],
    population: Population = Population(),
) -> pd.DataFrame:
    """One row for the raw table and one after each step, in order.

    Columns: step (in words), mean_cosine (exact, over all pairs of the table), isoscore,
    participation_ratio (both of the covariance), within, between, effect_size (of the groups);
    missing where undefined.

    Parameters
    ----------
    rows
        The groups' rows after each of `prefixes`.

    Raises
    ------
    ShapeError
        If a step cannot be fitted on this table.
    """
    tables = after_each_step(table, transform, population)
    records = []
    for taken, each, groups in zip(prefixes(transform), tables, rows, strict=True):
        values = (
            fitted(table, taken, population).eigenvalues
            if taken
            else spectrum(table, population).eigenvalues
        )
        found = groups.unshuffled
        records.append(
            {
                "step": described(taken[-1:]),
                "mean_cosine": number(each.mean_cosine),
                "isoscore": number(isoscore(values)),
                "participation_ratio": number(participation_ratio(values)),
                "within": number(found.within),
                "between": number(found.between),
                "effect_size": number(found.effect_size),
            }
        )
    return pd.DataFrame(records, columns=COLUMNS)
