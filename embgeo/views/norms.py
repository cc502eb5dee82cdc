"""Frames of the norm page: how long the rows are, by group, by id, and at both ends."""

from itertools import pairwise

import numpy as np
import pandas as pd

from embgeo.metrics.norms import NormSummary, histogram, norm_summary
from embgeo.statistics import Moments
from embgeo.tables import EmbeddingTable
from embgeo.tokens import CLASSES
from embgeo.views.group_rows import GroupRows
from embgeo.views.numbers import number

BANDS = 48
BINS = 100
WHOLE = "whole table"


def unit_length(first: Moments, relative: bool) -> float:
    """What norms are divided by: the table's median norm, or 1 for raw norms.

    Raw norms of different models are not comparable: each model has its own scale. Relative to
    its median row, "twice as long as usual" means the same in each.
    """
    summary = first.norm_summary
    return summary.median if relative and summary is not None and summary.median > 0 else 1.0


def norm_histogram(first: Moments, unit: float, axis: tuple[float, float]) -> pd.DataFrame:
    """The used rows of the whole table by norm. Columns: left, right, rows, share (of used rows).

    The bins divide the axis the picture is drawn on, not the table's own range: they are the same
    for models side by side, and norms that are almost constant still make a bar that can be seen.
    """
    values = first.norms[first.used] / unit
    if not len(values):
        return pd.DataFrame(columns=["left", "right", "rows", "share"])
    bars = histogram(values, bins=BINS, limits=axis)
    return pd.DataFrame(
        {
            "left": bars.edges[:-1],
            "right": bars.edges[1:],
            "rows": bars.counts,
            "share": bars.counts / len(values),
        }
    )


def group_norms(rows: GroupRows, unit: float) -> pd.DataFrame:
    """The groups' tokens by norm. Columns: group, token, id, norm (raw), x (divided by `unit`)."""
    records = [
        {
            "group": name,
            "token": rows.members[at].label,
            "id": rows.members[at].key,
            "norm": float(rows.norms[at]),
            "x": float(rows.norms[at]) / unit,
        }
        for name, positions in zip(rows.names, rows.positions, strict=True)
        for at in positions
        if np.isfinite(rows.norms[at])
    ]
    return pd.DataFrame(records, columns=["group", "token", "id", "norm", "x"])


def norm_table(first: Moments, rows: GroupRows) -> pd.DataFrame:
    """Mean, sd (ddof 0) and quantiles of raw norms: the whole table first, then each group.

    Columns: group, tokens, mean, sd, minimum, q05, q25, median, q75, q95, maximum.
    """
    records = [_summary_record(WHOLE, first.norm_summary)]
    for name, positions in zip(rows.names, rows.positions, strict=True):
        norms = rows.norms[list(positions)]
        records.append(_summary_record(name, norm_summary(norms[np.isfinite(norms)])))
    return pd.DataFrame(records)


def norm_bands(first: Moments, unit: float) -> pd.DataFrame:
    """Norm against token id: quantiles in equal slices of ids.

    Columns: id_low, id_high, id_mid, rows, q05, median, q95.
    """
    ids = np.flatnonzero(first.used)
    edges = np.linspace(0, len(first.norms), min(BANDS, max(1, len(ids) // 8)) + 1).astype(int)
    records = []
    for low, high in pairwise(edges):
        slice_norms = first.norms[low:high][first.used[low:high]] / unit
        if len(slice_norms):
            q05, median, q95 = np.quantile(slice_norms, [0.05, 0.5, 0.95])
            records.append(
                {
                    "id_low": int(low),
                    "id_high": int(high) - 1,
                    "id_mid": (low + high - 1) / 2,
                    "rows": len(slice_norms),
                    "q05": q05,
                    "median": median,
                    "q95": q95,
                }
            )
    return pd.DataFrame(
        records, columns=["id_low", "id_high", "id_mid", "rows", "q05", "median", "q95"]
    )


def norm_tail(
    table: EmbeddingTable, first: Moments, longest: bool, count: int = 20
) -> pd.DataFrame:
    """The tokens with the longest or shortest rows, rows without a direction and padding included.

    Columns: rank, token, id, class, norm, times_median.
    """
    finite = np.flatnonzero(np.isfinite(first.norms))
    norms = first.norms[finite]
    order = np.argsort(-norms if longest else norms, kind="stable")[:count]
    median = unit_length(first, relative=True)
    records = [
        {
            "rank": rank,
            "token": table.vocabulary.label(int(finite[at])),
            "id": int(finite[at]),
            "class": class_name(int(first.classes[finite[at]])),
            "norm": float(norms[at]),
            "times_median": float(norms[at]) / median,
        }
        for rank, at in enumerate(order, start=1)
    ]
    return pd.DataFrame(records, columns=["rank", "token", "id", "class", "norm", "times_median"])


def class_name(number_of_class: int) -> str:
    """A token class in words."""
    return CLASSES[number_of_class] if number_of_class >= 0 else "padding (no token)"


def _summary_record(group: str, summary: NormSummary | None) -> dict[str, object]:
    fields = ("mean", "sd", "minimum", "q05", "q25", "median", "q75", "q95", "maximum")
    return {"group": group, "tokens": summary.count if summary else 0} | {
        name: number(getattr(summary, name)) if summary else None for name in fields
    }
