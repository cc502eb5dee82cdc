"""Frames of the whitening page: groups, pairs and spectrum before and after a transform."""

import numpy as np
import pandas as pd

from embgeo.metrics.norms import histogram
from embgeo.metrics.spectrum import explained_variance
from embgeo.populations import Population
from embgeo.statistics import fitted, sampled_cosines, spectrum, transformed
from embgeo.tables import EmbeddingTable
from embgeo.transforms import EIGENVALUE_FLOOR, RAW, Transform
from embgeo.views.numbers import number

BEFORE, AFTER = "before", "after"
_POINTS = 160


def cosine_histograms(
    table: EmbeddingTable, transform: Transform, population: Population = Population()
) -> pd.DataFrame:
    """The same sampled pairs by cosine, before and after.

    Columns: state, left, right, pairs, share (of the sampled pairs that have a cosine).
    """
    frames = []
    for state, steps in ((BEFORE, RAW), (AFTER, transform)):
        cosines = sampled_cosines(table, steps, population)
        bars = histogram(cosines, bins=80, limits=(-1.0, 1.0))
        frames.append(
            pd.DataFrame(
                {
                    "state": state,
                    "left": bars.edges[:-1],
                    "right": bars.edges[1:],
                    "pairs": bars.counts,
                    "share": bars.counts / max(1, bars.counts.sum()),
                }
            )
        )
    return pd.concat(frames, ignore_index=True)


def sampling_error(
    table: EmbeddingTable, transform: Transform, population: Population = Population()
) -> float | None:
    """Standard error of the mean of the sampled cosines: the pairs are drawn independently."""
    cosines = sampled_cosines(table, transform, population)
    cosines = cosines[np.isfinite(cosines)]
    return number(cosines.std() / len(cosines) ** 0.5) if len(cosines) else None


def cosine_rules(
    table: EmbeddingTable, transform: Transform, population: Population = Population()
) -> pd.DataFrame:
    """Exact mean cosine over all pairs, before and after. Columns: state, name, x."""
    records = [
        {"state": state, "name": "mean", "x": number(found.mean_cosine)}
        for state, found in (
            (BEFORE, transformed(table, RAW, population)),
            (AFTER, transformed(table, transform, population)),
        )
    ]
    return pd.DataFrame(records).dropna(subset=["x"])


def spectrum_frame(
    table: EmbeddingTable, transform: Transform, population: Population = Population()
) -> pd.DataFrame:
    """Share of the variance along each principal component, before and after.

    Columns: state, k (from 1), share, cumulative; no row where there is no spread. At most 160
    components a state, evenly spaced in log k: a chart shows no more.
    """
    before = spectrum(table, population).eigenvalues
    after = fitted(table, transform, population).eigenvalues if transform else before
    frames = []
    for state, values in ((BEFORE, before), (AFTER, after)):
        cumulative = explained_variance(values)
        if cumulative is None:
            continue
        share = np.diff(cumulative, prepend=0.0)
        kept = np.unique(np.geomspace(1, len(share), _POINTS).round().astype(int))
        frames.append(
            pd.DataFrame(
                {
                    "state": state,
                    "k": kept,
                    "share": share[kept - 1],
                    "cumulative": cumulative[kept - 1],
                }
            )
        )
    if not frames:
        return pd.DataFrame(columns=["state", "k", "share", "cumulative"])
    return pd.concat(frames, ignore_index=True)


def fit_note(
    table: EmbeddingTable, transform: Transform, population: Population = Population()
) -> str:
    """On how many rows and dimensions a transform was fitted, its rank and eigenvalue floor."""
    spread, how = spectrum(table, population), fitted(table, transform, population)
    said = (
        f"Fitted on the whole table: n = {spread.count:,} rows, d = {table.dim:,}, "
        f"rank {how.rank:,} (eigenvalues above {EIGENVALUE_FLOOR:.0e} of the largest)."
    )
    return f"{said} {how.note}".strip()
