"""What both heatmaps are made of: coloured cells, a legend around the floor, printed values."""

import altair as alt
import numpy as np
import pandas as pd

from embgeo.charts.palette import Palette, ink

_DEFINED = "isValid(datum.value)"


def coloured_cells(
    base: alt.Chart, *, centre: float, reach: float, palette: Palette, legend: bool
) -> alt.Chart:
    """Cells in the diverging colour of ``value``; undefined ones blank in a dashed outline."""
    blank = alt.value("transparent")
    colour = alt.Color(
        "value:Q",
        scale=diverging_scale(centre, reach, palette),
        legend=_legend(centre, reach) if legend else None,
    )
    return base.mark_rect(cornerRadius=1.5, strokeDash=[3, 3], invalid="show").encode(
        color=alt.when(_DEFINED).then(colour).otherwise(blank),
        stroke=alt.when(_DEFINED).then(blank).otherwise(alt.value(palette.grid)),
    )


def pickable(cells: alt.Chart, fields: list[str], palette: Palette) -> alt.Chart:
    """Cells of which a click picks one, outlined; a double click lets it go (selection ``pick``)."""
    pick = alt.selection_point(name="pick", fields=fields, on="click", toggle=False, empty=False)
    outline = alt.when(pick).then(alt.value(palette.text)).when(_DEFINED)
    return cells.add_params(pick).encode(
        stroke=outline.then(alt.value("transparent")).otherwise(alt.value(palette.grid)),
        strokeDash=alt.when(pick).then(alt.value([1, 0])).otherwise(alt.value([3, 3])),
        strokeWidth=alt.when(pick).then(alt.value(2.5)).otherwise(alt.value(1)),
    )


def printed_values(
    base: alt.Chart, *, centre: float, reach: float, palette: Palette
) -> alt.Chart:
    """The ``text`` of each cell in an ink that reads on its colour, while cells are wide enough."""
    cells = base.data
    values = cells["value"].to_numpy(dtype=float, na_value=np.nan)
    inks = pd.Series(ink(values, centre=centre, reach=reach, palette=palette), index=cells.index)
    return base.mark_text(
        fontSize=alt.expr("clamp(bandwidth('x') / 3.6, 9, 12)"),
        opacity=alt.expr("bandwidth('x') < 30 ? 0 : 1"),
    ).encode(
        text="text:N",
        fill=alt.Fill("ink:N", scale=None),
    ).properties(data=cells.assign(ink=inks.mask(np.isnan(values), palette.muted)))


def diverging_scale(centre: float, reach: float, palette: Palette) -> alt.Scale:
    """The palette's diverging colours over ``centre`` ± ``reach``, values beyond it clamped."""
    domain = np.linspace(centre - reach, centre + reach, len(palette.diverging)).tolist()
    return alt.Scale(
        domain=domain, range=list(palette.diverging), interpolate="rgb", clamp=True, type="linear"
    )


def _legend(centre: float, reach: float) -> alt.Legend:
    # Only the middle tick is the floor; comparing with half the reach spares exact equality.
    name = f"abs(datum.value - {centre!r}) < {reach / 2!r}"
    return alt.Legend(
        title=None,
        values=[centre - reach, centre, centre + reach],
        labelExpr=f"{name} ? 'floor ' + format(datum.value, '.3f') : format(datum.value, '.3f')",
        gradientLength=240,
        gradientThickness=10,
        labelOverlap=False,
    )
