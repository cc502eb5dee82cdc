"""Cosines between groups and between tokens, coloured around the floor."""

import altair as alt
import numpy as np
import pandas as pd

from embgeo.charts.cells import cell_inks, coloured_cells, pickable, printed_values
from embgeo.charts.drawing import Drawing, data, template
from embgeo.charts.numbers import cosine_text, count_text, signed_text
from embgeo.charts.palette import Palette
from embgeo.charts.theme import MONOSPACE, themed, tooltip

KEY_SEPARATOR = "␟"
_MOST_PRINTED = 12


def group_heatmap(
    frame: pd.DataFrame,
    *,
    reach: float,
    palette: Palette,
    selectable: bool = True,
    compact: bool = False,
) -> Drawing:
    """One model's similarity within (diagonal) and between its token groups.

    A cell's colour says how far its mean is above its own floor; one without a floor has none.

    Parameters
    ----------
    frame
        One row per cell, in display order, both halves given: ``row``, ``column`` (group names),
        ``kind`` ("within" or "between"), ``text`` (what is printed), ``note`` (printed small below
        it where there is room), ``reason`` (why there is no mean, else empty), ``mean``, ``sd``,
        ``floor``, ``above_floor`` (cosines), ``pairs`` (count), ``tokens`` (a short preview).
    reach
        The distance from the floor to either end of the colours (> 0).
    selectable
        Whether a click picks a cell: selection ``pick`` with ``row`` and ``column``.
    compact
        A small version for a card: no legend, level column labels.
    """
    names = tuple(dict.fromkeys(frame["row"]))
    value = frame["above_floor"].astype(float)
    inks = cell_inks(value, centre=0.0, reach=reach, palette=palette)
    return Drawing(
        _group_template(names, palette, selectable, compact),
        {"cells": _group_words(frame).assign(value=value, ink=inks)},
        {"centre": 0.0, "reach": reach},
    )


@template
def _group_template(
    names: tuple[str, ...], palette: Palette, selectable: bool, compact: bool
) -> alt.LayerChart:
    scale = alt.Scale(paddingInner=0.04, paddingOuter=0)
    base = data("cells").encode(
        x=alt.X("column:N", sort=list(names), scale=scale, title=None).axis(
            alt.Axis(labelAngle=0, labelLimit=90) if compact else alt.Axis(labelAngle=-40)
        ),
        y=alt.Y("row:N", sort=list(names), scale=scale, title=None),
    )
    cells = coloured_cells(base, palette=palette, legend=not compact).encode(
        tooltip=tooltip(_GROUP_TOOLTIP)
    )
    layers = [pickable(cells, ["row", "column"], palette) if selectable else cells]
    if len(names) <= _MOST_PRINTED:
        layers += printed_values(base)
    height = 172 if compact else int(np.clip(56 * len(names), 180, 560))
    return themed(alt.LayerChart(layer=layers).properties(height=height), palette)


def token_heatmap(
    cells: pd.DataFrame,
    tokens: pd.DataFrame,
    *,
    centre: float,
    reach: float,
    palette: Palette,
) -> Drawing:
    """Every cosine between some tokens (at most about 60 a side), their groups kept together.

    Parameters
    ----------
    cells
        One row per cell, row by row: ``row``, ``column`` (the tokens' ``order``), ``value`` (what
        is coloured; missing where undefined), ``cosine``, ``floor``, ``above_floor``.
    tokens
        One row per token in display order: ``order``, ``label`` (may repeat), ``id``, ``group``
        (contiguous).
    centre, reach
        The coloured value of the floor, and the distance from it to either end (> 0).
    """
    # A token is spelled out once and looked up by its number: thousands of cells stay small.
    number = tokens["order"].map("{:04d}".format)
    spelled = tokens.assign(
        key=number + KEY_SEPARATOR + tokens["label"],
        described=tokens["label"]
        + "  (id "
        + tokens["id"].astype(str)
        + ", "
        + tokens["group"]
        + ")",
    )
    columns = {
        "value": "float32",
        "cosine": "float32",
        "floor": "float32",
        "above_floor": "float32",
    }
    slim = cells[["row", "column", *columns]].astype({"row": "int16", "column": "int16"} | columns)
    names = _middles(spelled)
    changed = spelled["group"] != spelled["group"].shift()
    return Drawing(
        _token_template(palette, int(np.clip(640 / len(tokens), 14, 30) * len(tokens))),
        {
            "cells": slim,
            "tokens": spelled[["order", "key", "described"]],
            "starts": spelled.loc[changed, ["key"]].iloc[1:],
        },
        {"centre": centre, "reach": reach, "names": names, "middles": list(names)},
    )


@template
def _token_template(palette: Palette, height: int) -> alt.LayerChart:
    base = _looked_up(data("cells")).encode(
        x=alt.X("column_key:N", sort=None, title=None, axis=_token_axis(-90)),
        y=alt.Y("row_key:N", sort=None, title=None, axis=_token_axis(0)),
    )
    cells = coloured_cells(base, palette=palette, legend=True)
    rule = data("starts").mark_rule(color=palette.text, strokeWidth=1.25, opacity=0.7)
    layers = [
        # Thousands of cells read out one by one tell nobody anything; the element has its alt text.
        cells.mark_rect(invalid=None, aria=False).encode(tooltip=tooltip(_TOKEN_TOOLTIP)),
        rule.encode(x=alt.X("key:N", sort=None, bandPosition=0)),
        rule.encode(y=alt.Y("key:N", sort=None, bandPosition=0, title=None, axis=_group_axis())),
    ]
    chart: alt.LayerChart = alt.LayerChart(layer=layers).resolve_axis(y="independent")
    return themed(chart.properties(height=height), palette)


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


def _looked_up(cells: alt.Chart) -> alt.Chart:
    """Cells with what the axis and the tooltip say, from the numbers they were sent as."""
    tokens = alt.LookupData(alt.NamedData(name="tokens"), key="order", fields=["key", "described"])
    spelled: alt.Chart = (
        cells.transform_lookup("row", tokens, as_=["row_key", "row_token"])
        .transform_lookup("column", tokens, as_=["column_key", "column_token"])
        .transform_calculate(
            cosine_text=_written("cosine", ".3f"),
            above_text=_written("above_floor", "+.3f"),
            floor_text=_written("floor", ".3f"),
        )
    )
    return spelled


def _written(field: str, form: str) -> str:
    # Vega would print a missing number as zero.
    return f"isValid(datum.{field}) ? format(datum.{field}, '{form}') : '–'"


def _token_axis(angle: float) -> alt.Axis:
    return alt.Axis(
        labelExpr=f"slice(datum.label, indexof(datum.label, '{KEY_SEPARATOR}') + 1)",
        labelFont=MONOSPACE,
        labelFontSize=11,
        labelLimit=120,
        labelAngle=angle,
        aria=False,
    )


def _group_axis() -> alt.Axis:
    """The groups' names at their middle tokens; both lists are parameters of the drawing."""
    return alt.Axis(orient="right", values=alt.ExprRef("middles"), labelExpr="names[datum.value]")


def _middles(tokens: pd.DataFrame) -> dict[str, str]:
    keys = tokens.groupby("group", sort=False)["key"]
    return {group_keys.iloc[len(group_keys) // 2]: str(group) for group, group_keys in keys}
