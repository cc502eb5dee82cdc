"""A row as the model has it: every number a cell, folded into lines."""

import altair as alt
import numpy as np
import pandas as pd

from embgeo.charts.cells import diverging_scale
from embgeo.charts.drawing import Drawing, data, template
from embgeo.charts.palette import Palette
from embgeo.charts.theme import themed, tooltip

_HIGHEST, _LOWEST = 14, 5
_TALL = 240


def row_strip(frame: pd.DataFrame, *, chosen: int, reach: float, palette: Palette) -> Drawing:
    """A row's numbers in order, folded into lines; one coordinate is outlined.

    Parameters
    ----------
    frame
        One row per coordinate: ``coordinate``, ``line``, ``column`` (from 0), ``value`` (missing
        where it is not finite).
    chosen
        The coordinate that is outlined.
    reach
        The distance from 0 to either end of the colours (> 0).
    """
    lines, across = int(frame["line"].max()) + 1, int(frame["column"].max()) + 1
    slim = frame.astype({"value": "float32", "coordinate": "int32"} | _SMALL)
    height = int(np.clip(_TALL / lines, _LOWEST, _HIGHEST)) * lines
    return Drawing(
        _strip_template(across, height, palette),
        {"cells": slim, "chosen": slim[slim["coordinate"] == chosen]},
        {"centre": 0.0, "reach": reach, "across": across},
    )


_SMALL = {"line": "int16", "column": "int16"}


@template
def _strip_template(across: int, height: int, palette: Palette) -> alt.LayerChart:
    gap = 0.0 if across > 1 else 0.1
    scale = alt.Scale(paddingInner=gap, paddingOuter=0)
    x = alt.X("column:O", scale=scale, axis=None)
    y = alt.Y("line:O", scale=scale, title=None, axis=_line_axis())
    cells = data("cells").transform_calculate(
        written="isValid(datum.value) ? format(datum.value, '.4~g') : 'not finite'"
    )
    pick = alt.selection_point(
        name="pick", fields=["coordinate"], on="click", toggle=False, empty=False
    )
    strip = cells.mark_rect(invalid=None, aria=False).encode(
        x=x,
        y=y,
        color=alt.Color("value:Q", scale=diverging_scale(palette), legend=_legend()),
        fillOpacity=alt.when("isValid(datum.value)").then(alt.value(1)).otherwise(alt.value(0)),
        tooltip=tooltip({"coordinate": "coordinate", "written": "value"}),
    )
    outline = data("chosen").mark_rect(
        filled=False, stroke=palette.text, strokeWidth=1.5, aria=False
    )
    layers = [strip.add_params(pick), outline.encode(x=x, y=y)]
    return themed(alt.LayerChart(layer=layers).properties(height=height), palette)


def _line_axis() -> alt.Axis:
    """The number of each line's first coordinate."""
    return alt.Axis(
        labelExpr="format(datum.value * across, ',')", labelFontSize=10, labelOverlap=True
    )


def _legend() -> alt.Legend:
    return alt.Legend(
        title=None,
        values=alt.ExprRef("[-reach, 0, reach]"),
        labelExpr="datum.value === 0 ? '0' : format(datum.value, '+.3~g')",
        gradientLength=alt.ExprRef("min(240, max(120, width))"),
        gradientThickness=10,
        labelOverlap=False,
    )
