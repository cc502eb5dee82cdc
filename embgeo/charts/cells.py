"""What both heatmaps are made of: coloured cells, a legend around the floor, printed values.

The floor and the reach of the colours are the parameters ``centre`` and ``reach`` of a drawing.
"""

import altair as alt
import numpy as np
import pandas as pd

from embgeo.charts.palette import Palette, ink

_DEFINED = "isValid(datum.value)"


def coloured_cells(base: alt.Chart, *, palette: Palette, legend: bool) -> alt.Chart:
    """Cells in the diverging colour of ``value``; undefined ones blank in an outline."""
    colour = alt.Color(
        "value:Q", scale=diverging_scale(palette), legend=_legend() if legend else None
    )
    cells: alt.Chart = base.mark_rect(invalid=None).encode(
        color=colour,
        fillOpacity=alt.when(_DEFINED).then(alt.value(1)).otherwise(alt.value(0)),
        stroke=alt.when(_DEFINED).then(alt.value("transparent")).otherwise(alt.value(palette.grid)),
    )
    return cells


def pickable(cells: alt.Chart, fields: list[str], palette: Palette) -> alt.Chart:
    """Cells of which a click picks one (selection ``pick``), a double click none."""
    pick = alt.selection_point(name="pick", fields=fields, on="click", toggle=False, empty=False)
    outline = alt.when(pick).then(alt.value(palette.text)).when(_DEFINED)
    outlined: alt.Chart = cells.add_params(pick).encode(
        stroke=outline.then(alt.value("transparent")).otherwise(alt.value(palette.grid)),
        strokeWidth=alt.when(pick).then(alt.value(2.5)).otherwise(alt.value(1)),
    )
    return outlined


def printed_values(base: alt.Chart) -> list[alt.Chart]:
    """The ``text`` of each cell in its ``ink``, its ``note`` small below, while there is room."""
    roomy = "datum.note !== '' && bandwidth('x') >= 62 && bandwidth('y') >= 38"
    fill = alt.Fill("ink:N", scale=None)
    value = base.mark_text(
        aria=False,  # the cell itself is announced
        fontSize=alt.expr("clamp(bandwidth('x') / 3.6, 9, 12)"),
        opacity=alt.expr("bandwidth('x') < 28 ? 0 : 1"),
        dy=alt.expr(f"{roomy} ? -6 : 0"),
    ).encode(text="text:N", fill=fill)
    note = base.mark_text(
        aria=False, fontSize=9.5, dy=8, opacity=alt.expr(f"{roomy} ? 0.85 : 0")
    ).encode(text="note:N", fill=fill)
    return [value, note]


def cell_inks(
    values: "pd.Series[float]", *, centre: float, reach: float, palette: Palette
) -> list[str]:
    """The text colour that reads on each cell: near-black or white, muted where it is blank."""
    numbers = values.to_numpy(dtype=float, na_value=np.nan)
    inks = ink(numbers, centre=centre, reach=reach, palette=palette)
    return [
        palette.muted if blank else colour
        for blank, colour in zip(np.isnan(numbers), inks, strict=True)
    ]


def diverging_scale(palette: Palette) -> alt.Scale:
    """The palette's diverging colours over ``centre`` ± ``reach``, values beyond it clamped."""
    steps = np.linspace(-1.0, 1.0, len(palette.diverging)).round(6).tolist()
    domain = [alt.ExprRef(f"centre + reach * {step}") for step in steps]
    return alt.Scale(
        domain=domain, range=list(palette.diverging), interpolate="rgb", clamp=True, type="linear"
    )


def _legend() -> alt.Legend:
    # Only the middle tick is the floor; comparing with half the reach spares exact equality.
    name = "abs(datum.value - centre) < reach / 2"
    return alt.Legend(
        title=None,
        values=alt.ExprRef("[centre - reach, centre, centre + reach]"),
        labelExpr=f"{name} ? (centre === 0 ? 'floor' : 'floor ' + format(centre, '.3f')) : "
        "format(datum.value, centre === 0 ? '+.3f' : '.3f')",
        gradientLength=alt.ExprRef("min(240, max(120, width))"),
        gradientThickness=10,
        labelOverlap=False,
    )
