"""Frames of the norm page: candidates for under-trained tokens, and rows exactly alike."""

from typing import Any

import numpy as np
import pandas as pd

from embgeo.metrics.norms import histogram
from embgeo.statistics import Moments
from embgeo.statistics.undertrained import Undertrained, ranked_rows
from embgeo.tables import EmbeddingTable
from embgeo.views.norms import unit_length

Array = np.ndarray[Any, np.dtype[Any]]
DISTANCE, NORM = "cosine distance to the reference", "norm, in medians of the table"
_MOST_LISTED = 12
_MOST_TICKS = 150


def indicator(first: Moments, found: Undertrained) -> Array:
    """(rows,) what candidates are ranked by, small where suspicious; NaN without a direction."""
    if found.by_distance:
        return found.distances
    return np.asarray(first.norms / unit_length(first, relative=True))


def candidate_frame(
    table: EmbeddingTable, first: Moments, found: Undertrained, count: int | None = None
) -> pd.DataFrame:
    """The candidates, most suspicious first: the lowest 2 % of the ranked tokens.

    Columns: rank, token, id, indicator, norm (raw), norm_percentile (of the used rows, how many
    are shorter, in %), twins (number of the group of equal rows, 1 for the first, or ""), nearest
    (reserved token), nearest_id, nearest_distance (cosine distance to it).
    """
    ids = found.candidates[:count]
    lengths = np.sort(first.norms[first.used])
    shorter = np.searchsorted(lengths, first.norms[ids]) / max(1, len(lengths))
    near = found.nearest[:count]
    label = table.vocabulary.label
    return pd.DataFrame(
        {
            "rank": np.arange(1, len(ids) + 1),
            "token": [label(int(at)) for at in ids],
            "id": ids,
            "indicator": indicator(first, found)[ids],
            "norm": first.norms[ids],
            "norm_percentile": 100 * np.where(np.isfinite(first.norms[ids]), shorter, np.nan),
            "twins": [str(at + 1) if at >= 0 else "" for at in found.twins[ids]],
            "nearest": [label(int(at)) if at >= 0 else "" for at in near],
            "nearest_id": [str(at) if at >= 0 else "" for at in near],
            "nearest_distance": found.nearest_distances[:count],
        }
    )


def twin_frame(
    table: EmbeddingTable, found: Undertrained, count: int | None = None
) -> pd.DataFrame:
    """Groups of rows that are equal in every number, the largest first: `count` of them, or all.

    Columns: twins (number), rows, ids and tokens (of the first 12).
    """
    sizes = np.bincount(found.twins[found.twins >= 0])
    # All members, group by group: they are not looked for once a group.
    members = np.argsort(found.twins, kind="stable")[len(found.twins) - int(sizes.sum()) :]
    ends = np.cumsum(sizes)
    records = []
    for number in np.argsort(-sizes, kind="stable")[:count].tolist():
        begin = ends[number] - sizes[number]
        ids = members[begin : ends[number]][:_MOST_LISTED].tolist()
        more = " …" if sizes[number] > _MOST_LISTED else ""
        records.append(
            {
                "twins": str(number + 1),
                "rows": int(sizes[number]),
                "ids": ", ".join(map(str, ids)) + more,
                "tokens": "  ".join(map(table.vocabulary.label, ids)) + more,
            }
        )
    return pd.DataFrame(records, columns=["twins", "rows", "ids", "tokens"])


def indicator_histogram(first: Moments, found: Undertrained) -> pd.DataFrame:
    """All used rows by what candidates are ranked by. Columns: left, right, rows, share."""
    values = indicator(first, found)[first.used]
    values = values[np.isfinite(values)]
    bars = histogram(values, bins=80)
    return pd.DataFrame(
        {
            "left": bars.edges[:-1],
            "right": bars.edges[1:],
            "rows": bars.counts,
            "share": bars.counts / max(1, len(values)),
        }
    )


def indicator_ticks(table: EmbeddingTable, first: Moments, found: Undertrained) -> pd.DataFrame:
    """Candidates and reserved rows by the indicator, at most 150 of each, evenly spaced.

    Columns: group ("candidates", "reserved"), token, id, x.
    """
    values = indicator(first, found)
    records = [
        {"group": name, "token": table.vocabulary.label(at), "id": str(at), "x": float(values[at])}
        for name, ids in (("candidates", found.candidates), ("reserved", found.references))
        for at in _thinned(ids[np.isfinite(values[ids])]).tolist()
    ]
    return pd.DataFrame(records, columns=["group", "token", "id", "x"])


def undertrained_notes(
    table: EmbeddingTable, first: Moments, found: Undertrained, rho: float | None
) -> list[str]:
    """In sentences: which indicator and why, what the reference is, what weakens it here."""
    ranked = int(ranked_rows(first).sum())
    said = [
        _how_many(len(found.candidates), ranked),
        "Special, unused and byte tokens are not ranked.",
    ]
    if found.by_distance:
        said.append(
            f"Ranked by cosine distance to the mean of {found.said}: the table is not known to be "
            "untied."
        )
    elif table.facts.tied is False:
        said.append("Ranked by norm, the shortest first: the table is untied.")
    else:
        said.append(
            "The vocabulary has no byte or unused token whose row could be compared with, so norm, "
            "which is made for untied tables, stands in for the distance to such rows."
        )
    said += _doubts(indicator(first, found), found.candidates, ranked_rows(first) & first.used)
    ids_tell = rho is not None and not table.vocabulary.numbered
    if not found.by_distance and ids_tell and rho is not None and rho > 0.2:
        said.append(
            f"Here norm rises with the id (Spearman {rho:.2f}): the shortest rows are frequent "
            "tokens, so a short row is weak evidence."
        )
    return said


def _doubts(values: Array, candidates: Array, ranked: Array) -> list[str]:
    """What of the order says nothing: rows without a value, and rows that are all alike."""
    nowhere = int((~np.isfinite(values[candidates])).sum())
    said = []
    if nowhere:
        rows = "1 row" if nowhere == 1 else f"{nowhere:,} rows"
        said.append(
            f"In front: {rows} zero, too short to have a direction, or not finite, of which the "
            "measure says nothing."
        )
    among = values[ranked]
    if len(among) and np.ptp(among) <= 1e-6 * np.abs(among).max():
        said.append("All rows are alike in it: their order says nothing.")
    return said


def _how_many(candidates: int, ranked: int) -> str:
    if candidates == 1:
        return f"1 candidate, the lowest of {ranked:,} ranked tokens."
    return f"{candidates:,} candidates, the lowest 2 % of {ranked:,} tokens."


def _thinned(ids: Array) -> Array:
    if len(ids) <= _MOST_TICKS:
        return ids
    return ids[np.linspace(0, len(ids) - 1, _MOST_TICKS).round().astype(np.int64)]
