"""The look every chart shares: fonts, axes, legend, no frame, no background of its own."""

from collections.abc import Mapping
from typing import TypeVar

import altair as alt

from embgeo.charts.palette import Palette

FONT = '"Source Sans", system-ui, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif'
MONOSPACE = '"Source Code Pro", ui-monospace, "SF Mono", Menlo, Consolas, monospace'

C = TypeVar("C", alt.Chart, alt.LayerChart)


def themed(chart: C, palette: Palette) -> C:
    """The chart in the product's look, complete on its own on a light or a dark page.

    It fills its container's width; the height given to it is that of the plot, to which axes and
    legend are added.
    """
    complete: C = chart.properties(
        width="container",
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
        background="transparent",
        # Streamlit writes into the padding, so that a single number would break the chart.
        padding={"left": 4, "right": 8, "top": 4, "bottom": 4},
    ).configure(
        font=FONT,
        axis=_axis(palette),
        axisBand=alt.AxisConfig(
            domain=False, grid=False, ticks=False, labelColor=palette.text, labelOverlap=False
        ),
        legend=_legend(palette),
        text=alt.MarkConfig(color=palette.text, fontSize=12),
        view=alt.ViewConfig(stroke=None),
    )
    return complete


def tooltip(titles: Mapping[str, str]) -> list[alt.Tooltip]:
    """A tooltip of text columns, each under its title, in the order given.

    Columns are formatted in the frame: a chart's own number format shows a missing value as zero.
    """
    return [alt.Tooltip(f"{column}:N", title=title) for column, title in titles.items()]


def _axis(palette: Palette) -> alt.AxisConfig:
    return alt.AxisConfig(
        domainColor=palette.grid,
        gridColor=palette.grid,
        tickColor=palette.grid,
        labelColor=palette.muted,
        labelFlush=False,
        labelFontSize=12,
        labelLimit=160,
        labelPadding=6,
        labelSeparation=8,
        titleColor=palette.muted,
        titleFontSize=12,
        titleFontWeight="normal",
        titlePadding=8,
    )


def _legend(palette: Palette) -> alt.LegendConfig:
    return alt.LegendConfig(
        orient="top",
        labelColor=palette.text,
        labelFontSize=12,
        labelLimit=240,
        symbolSize=110,
        titleColor=palette.muted,
        titleFontSize=12,
        titleFontWeight="normal",
    )
