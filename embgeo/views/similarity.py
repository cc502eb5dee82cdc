"""Frames of the group page: groups against groups, tokens against tokens, one cell's pairs."""

import math
from typing import Any

import numpy as np
import pandas as pd

from embgeo.views.group_rows import GroupRows
from embgeo.views.numbers import number

Array = np.ndarray[Any, np.dtype[Any]]


def group_frame(rows: GroupRows) -> pd.DataFrame:
    """One row for each ordered pair of groups.

    Columns: row, column (group names), kind ("within", "between"), mean, sd (ddof 0), pairs, floor,
    above_floor (mean − floor), tokens (a short preview), reason (why there is no mean, else "").
    """
    records = []
    for a, name in enumerate(rows.names):
        for b, other in enumerate(rows.names):
            mean, floor = number(rows.blocks.mean[a, b]), number(rows.block_floors[a, b])
            records.append(
                {
                    "row": name,
                    "column": other,
                    "kind": "within" if a == b else "between",
                    "mean": mean,
                    "sd": number(rows.blocks.sd[a, b]),
                    "pairs": int(rows.blocks.pairs[a, b]),
                    "floor": floor,
                    "above_floor": _difference(mean, floor),
                    "tokens": _preview(rows, a, b),
                    "reason": _why_empty(rows, a, b),
                }
            )
    return pd.DataFrame(records, columns=_GROUP_COLUMNS)


def token_frame(rows: GroupRows, minus_floor: bool = False) -> pd.DataFrame:
    """One row for each ordered pair of the groups' tokens, row by row.

    Columns: row, column (places in `token_list`), row_label, row_id, column_label, column_id,
    row_group, column_group, row_kind, column_kind, cosine, floor, above_floor, value (what is
    coloured).
    """
    places = token_places(rows)
    records = [
        {"row": i, "column": j} | _pair(rows, left, right, minus_floor)
        for i, left in enumerate(places)
        for j, right in enumerate(places)
    ]
    return pd.DataFrame(records, columns=["row", "column", *PAIR_COLUMNS, "value"])


def token_list(rows: GroupRows) -> pd.DataFrame:
    """The groups' tokens in order, groups contiguous. Columns: order, label, id, group."""
    records = [
        (order, rows.members[at].label, rows.members[at].key, rows.names[group])
        for order, (group, at) in enumerate(token_places(rows))
    ]
    return pd.DataFrame(records, columns=["order", "label", "id", "group"])


def token_places(rows: GroupRows) -> list[tuple[int, int]]:
    """(group, position) of every line of the token × token picture, in order."""
    return [(group, at) for group, positions in enumerate(rows.positions) for at in positions]


def token_matrix(rows: GroupRows, minus_floor: bool = False) -> Array:
    """The values of `token_frame` as a square matrix, for a picture too large for a chart."""
    order = [at for _, at in token_places(rows)]
    values = rows.cosines
    if minus_floor:
        values = values - rows.pair_floors
        np.fill_diagonal(values, np.nan)  # a token has no floor with itself
    matrix: Array = values[np.ix_(order, order)]
    return matrix


def pair_frame(rows: GroupRows, row: str, column: str) -> pd.DataFrame:
    """The token pairs behind one cell, most alike first, each pair once.

    Columns: row_label, row_id, column_label, column_id, row_group, column_group, row_kind,
    column_kind (what the floor is taken over), cosine, floor, above_floor.
    """
    if row not in rows.names or column not in rows.names:
        return pd.DataFrame(columns=PAIR_COLUMNS)
    a, b = rows.names.index(row), rows.names.index(column)
    records = [
        _pair(rows, (a, left), (b, right), False)
        for i, left in enumerate(rows.positions[a])
        for j, right in enumerate(rows.positions[b])
        if left != right and (a != b or i < j)
    ]
    frame = pd.DataFrame(records, columns=PAIR_COLUMNS).dropna(subset=["cosine"])
    return frame.sort_values("cosine", ascending=False, kind="stable", ignore_index=True)


def one_pair(rows: GroupRows, line: int, column: int) -> dict[str, object]:
    """What the picture shows at one place: both tokens, their cosine and floor."""
    places = token_places(rows)
    return _pair(rows, places[line], places[column], False)


_GROUP_COLUMNS = [
    "row",
    "column",
    "kind",
    "mean",
    "sd",
    "pairs",
    "floor",
    "above_floor",
    "tokens",
    "reason",
]
PAIR_COLUMNS = [
    "row_label",
    "row_id",
    "column_label",
    "column_id",
    "row_group",
    "column_group",
    "row_kind",
    "column_kind",
    "cosine",
    "floor",
    "above_floor",
]


def _pair(
    rows: GroupRows, left: tuple[int, int], right: tuple[int, int], minus_floor: bool
) -> dict[str, object]:
    (a, i), (b, j) = left, right
    cosine, floor = number(rows.cosines[i, j]), number(rows.pair_floors[i, j])
    if i == j:
        floor = None  # a token has no floor with itself
    above = _difference(cosine, floor)
    return {
        "row_label": rows.members[i].label,
        "row_id": rows.members[i].key,
        "column_label": rows.members[j].label,
        "column_id": rows.members[j].key,
        "row_group": rows.names[a],
        "column_group": rows.names[b],
        "row_kind": rows.kinds[i],
        "column_kind": rows.kinds[j],
        "cosine": cosine,
        "floor": floor,
        "above_floor": above,
        "value": above if minus_floor else cosine,
    }


def _preview(rows: GroupRows, a: int, b: int) -> str:
    def some(group: int) -> str:
        labels = [rows.members[at].label for at in rows.positions[group]]
        return " ".join(labels[:6]) + (f" … ({len(labels)})" if len(labels) > 6 else "")

    return some(a) if a == b else f"{some(a)}  |  {some(b)}"


def _difference(value: float | None, floor: float | None) -> float | None:
    return value - floor if value is not None and floor is not None else None


def _why_empty(rows: GroupRows, a: int, b: int) -> str:
    """Why a cell has no mean, "" where it has one."""
    for group in (a, b):
        if not rows.positions[group]:
            return f"no entry of {rows.names[group]} has a row in this model"
    if not math.isnan(rows.blocks.mean[a, b]):
        return ""
    usable = [at for at in rows.positions[a] if not rows.degenerate[at]]
    if a == b and len(usable) < 2:
        return "needs two tokens with a direction"
    return "no pair of different tokens with a direction"
