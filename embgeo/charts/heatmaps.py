"""Cosines between groups and between tokens, coloured around the floor."""

import json
from collections.abc import Iterable

import altair as alt
import numpy as np
import pandas as pd

from embgeo.charts.cells import cell_inks, coloured_cells, pickable, printed_values
from embgeo.charts.numbers import cosine_text, count_text, signed_text
from embgeo.charts.palette import Palette
from embgeo.charts.theme import MONOSPACE, themed, tooltip

KEY_SEPARATOR = "␟"
_MOST_PRINTED = 12


def group_heatmap(
    frame: pd.DataFrame,
    *,
    centre: float,
    reach: float,
    palette: Palette,
    selectable: bool = True,
    compact: bool = False,
) -> alt.LayerChart:
    """One model's similarity within (diagonal) and between its token groups.

    Parameters
    ----------
    frame
        One row per cell, in display order, both halves given: ``row``, ``column`` (group names),
        ``kind`` ("within" or "between"), ``value`` (what is coloured; missing where undefined),
        ``text`` (what is printed), ``reason`` (why undefined, else empty), ``mean``, ``sd``,
        ``floor``, ``above_floor`` (cosines), ``pairs`` (count), ``tokens`` (a short preview).
    centre, reach
        The coloured value of the floor, and the distance from it to either end (> 0).
    selectable
        Whether a click picks a cell: selection ``pick`` with ``row`` and ``column``.
    compact
        A small version for a card: no legend, no column labels, nothing printed.
    """
    rows, columns = _distinct(frame["row"]), _distinct(frame["column"])
    scale = alt.Scale(paddingInner=0.04, paddingOuter=0)
    inks = cell_inks(frame["value"], centre=centre, reach=reach, palette=palette)
    base = alt.Chart(_group_words(frame).assign(ink=inks)).encode(
        x=alt.X("column:N", sort=columns, scale=scale, title=None).axis(
            None if compact else alt.Axis(labelAngle=-40)
        ),
        y=alt.Y("row:N", sort=rows, scale=scale, title=None),
    )
    cells = coloured_cells(
        base, centre=centre, reach=reach, palette=palette, legend=not compact
    ).encode(tooltip=tooltip(_GROUP_TOOLTIP))
    layers = [pickable(cells, ["row", "column"], palette) if selectable else cells]
    if not compact and max(len(rows), len(columns)) <= _MOST_PRINTED:
        layers.append(printed_values(base))
    height = 172 if compact else int(np.clip(56 * len(rows), 180, 560))
    return themed(alt.LayerChart(layer=layers).properties(height=height), palette)


def token_heatmap(
    frame: pd.DataFrame, *, centre: float, reach: float, palette: Palette
) -> alt.LayerChart:
    """Every cosine between some tokens (at most about 60 a side), their groups kept together.

    Parameters
    ----------
    frame
        One row per cell, rows and columns in display order: ``row_key``, ``column_key`` (unique;
        what follows the first ``KEY_SEPARATOR`` is the axis label, so that a label may repeat),
        ``row_label``, ``column_label``, ``row_id``, ``column_id`` (token ids), ``row_group``,
        ``column_group`` (contiguous), ``value`` (what is coloured; missing where undefined),
        ``cosine``, ``floor``, ``above_floor``.
    centre, reach
        The coloured value of the floor, and the distance from it to either end (> 0).

    Returns
    -------
    altair.LayerChart
        A click picks a cell: selection ``pick`` with ``row_key`` and ``column_key``.
    """
    rows, columns = _distinct(frame["row_key"]), _distinct(frame["column_key"])
    base = alt.Chart(_token_words(frame)).encode(
        x=alt.X("column_key:N", sort=columns, title=None, axis=_token_axis(angle=-90)),
        y=alt.Y("row_key:N", sort=rows, title=None, axis=_token_axis(angle=0)),
    )
    cells = coloured_cells(base, centre=centre, reach=reach, palette=palette, legend=True)
    layers = [
        pickable(cells.encode(tooltip=tooltip(_TOKEN_TOOLTIP)), ["row_key", "column_key"], palette),
        _rules(frame, "column", palette).encode(
            x=alt.X("column_key:N", sort=columns, bandPosition=0)
        ),
        _rules(frame, "row", palette).encode(
            y=alt.Y("row_key:N", sort=rows, bandPosition=0, title=None, axis=_group_axis(frame))
        ),
    ]
    chart: alt.LayerChart = alt.LayerChart(layer=layers).resolve_axis(y="independent")
    step = float(np.clip(640 / len(rows), 14, 30))
    return themed(chart.properties(height=step * len(rows)), palette)


_GROUP_TOOLTIP = {
    "groups": "groups",
    "mean_text": "mean cosine",
    "above_text": "above floor",
    "floor_text": "floor",
    "sd_text": "standard deviation",
    "pairs_text": "token pairs",
    "tokens": "tokens",
}
_TOKEN_TOOLTIP = {
    "row_token": "row",
    "column_token": "column",
    "cosine_text": "cosine",
    "above_text": "above floor",
    "floor_text": "floor",
}


def _group_words(frame: pd.DataFrame) -> pd.DataFrame:
    within = frame["kind"] == "within"
    undefined = frame["reason"].fillna("") != ""
    return frame.assign(
        groups=("within " + frame["row"]).where(within, frame["row"] + " × " + frame["column"]),
        mean_text=frame["mean"].map(cosine_text).mask(undefined, "undefined: " + frame["reason"]),
        above_text=frame["above_floor"].map(signed_text),
        floor_text=frame["floor"].map(cosine_text),
        sd_text=frame["sd"].map(cosine_text),
        pairs_text=frame["pairs"].map(count_text),
    )


def _token_words(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(
        row_token=_described(frame, "row"),
        column_token=_described(frame, "column"),
        cosine_text=frame["cosine"].map(cosine_text),
        above_text=frame["above_floor"].map(signed_text),
        floor_text=frame["floor"].map(cosine_text),
    )


def _described(frame: pd.DataFrame, side: str) -> "pd.Series[str]":
    label, number, group = (frame[f"{side}_{part}"] for part in ("label", "id", "group"))
    return label + "  (id " + number.astype(str) + ", " + group + ")"


def _token_axis(angle: float) -> alt.Axis:
    return alt.Axis(
        labelExpr=f"slice(datum.label, indexof(datum.label, '{KEY_SEPARATOR}') + 1)",
        labelFont=MONOSPACE,
        labelFontSize=11,
        labelLimit=120,
        labelAngle=angle,
    )


def _group_axis(frame: pd.DataFrame) -> alt.Axis:
    rows = frame.drop_duplicates("row_key").groupby("row_group", sort=False)["row_key"]
    names = {keys.iloc[len(keys) // 2]: group for group, keys in rows}
    return alt.Axis(
        orient="right", values=list(names), labelExpr=f"{json.dumps(names)}[datum.value]"
    )


def _rules(frame: pd.DataFrame, side: str, palette: Palette) -> alt.Chart:
    tokens = frame[[f"{side}_key", f"{side}_group"]].drop_duplicates(f"{side}_key")
    group = tokens[f"{side}_group"]
    starts = tokens[(group != group.shift()) & (group.index != group.index[0])]
    rules: alt.Chart = alt.Chart(starts).mark_rule(
        color=palette.text, strokeWidth=1.25, opacity=0.7
    )
    return rules


def _distinct(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
