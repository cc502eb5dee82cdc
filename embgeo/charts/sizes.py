"""How big tables are beside their models: over the size of the model, and as slices of one."""

import math
from collections.abc import Hashable, Mapping
from typing import Any

import altair as alt
import pandas as pd

from embgeo.charts.drawing import Drawing, data, template
from embgeo.charts.numbers import count_text, share_text
from embgeo.charts.palette import Palette
from embgeo.charts.theme import themed, tooltip

_HEIGHT = 400
_BAR = 26
_LEAST_SHARE = 0.55  # the axis reaches at least so high, and over at least these totals
_TOTALS = (1e7, 1e12)
_PARTS = ("input table", "output table", "everything else")
# In parts of the axes: a name nearer than this to another, or lower than that, would cover things.
_NEAR = (0.09, 0.05)
_LOWEST = 0.1


def share_by_total(
    known: pd.DataFrame, measured: pd.DataFrame, *, ties: tuple[str, ...], palette: Palette
) -> Drawing:
    """A point for each model, families joined by lines, the compared models ringed and named.

    Parameters
    ----------
    known, measured
        One row a model: ``name``, ``family``, ``tied``, ``rows``, ``dim``, ``parameters``,
        ``total``, ``share``, ``bytes_text``, ``evidence``, ``note``. Those without a share have no
        place and are left out.
    ties
        Every value of ``tied``, in the order of the legend.
    """
    points, rings = (_words(frame.dropna(subset=["share"])) for frame in (known, measured))
    both = pd.concat([points, rings]) if len(rings) else points
    totals = [*both["total"], *_TOTALS]
    low, high = min(totals) / 1.4, max(totals) * 1.4
    top = 1.06 * max([*both["share"], _LEAST_SHARE])
    return Drawing(
        _template(ties, palette),
        {"known": points, "families": _names(points, rings, top), "measured": rings},
        {"low": low, "high": high, "top": top},
    )


@template
def _template(ties: tuple[str, ...], palette: Palette) -> alt.LayerChart:
    colours = [palette.groups[0], palette.groups[1], palette.muted]
    colour = alt.Color("tied:N", scale=alt.Scale(domain=list(ties), range=colours)).legend(
        title="output table"
    )
    shapes = alt.Scale(domain=list(ties), range=["circle", "square", "triangle-up"])
    known, measured = _placed("known"), _placed("measured")
    layers = [
        known.mark_line(color=palette.area, strokeWidth=1.25).encode(detail="family:N"),
        known.mark_point(filled=True, size=52, opacity=0.9).encode(
            color=colour, shape=alt.Shape("tied:N", scale=shapes), tooltip=tooltip(_TOOLTIP)
        ),
        _placed("families")
        .mark_text(align="right", dx=-9, fontSize=11, color=palette.muted)
        .encode(text="family:N"),
        measured.mark_point(
            size=230, stroke=palette.text, strokeWidth=2, fill="transparent"
        ).encode(tooltip=tooltip(_TOOLTIP)),
        measured.mark_text(
            align="left", dx=13, fontSize=13, fontWeight=600, color=palette.text
        ).encode(text="name:N"),
    ]
    return themed(alt.LayerChart(layer=layers).properties(height=_HEIGHT), palette)


def _placed(frame: str) -> alt.Chart:
    ends = [alt.ExprRef("low"), alt.ExprRef("high")]
    base = data(frame).encode(
        x=alt.X("total:Q", title="numbers in the whole model (logarithmic)")
        .scale(type="log", domain=ends, nice=False)
        .axis(
            grid=False,
            values=[10**power for power in range(1, 15)],
            labelExpr="replace(format(datum.value, '~s'), 'G', 'B')",
        ),
        y=alt.Y("share:Q", title="share that is embedding table")
        .scale(domain=[0, alt.ExprRef("top")], nice=False)
        .axis(format="~%", tickCount=6),
    )
    placed: alt.Chart = base
    return placed


_TOOLTIP = {
    "name": "model",
    "shape": "table, tokens × width",
    "share_text": "share of the model",
    "counted": "numbers in the share",
    "total_text": "numbers in the model",
    "bytes_text": "at 2 bytes a number",
    "tied": "output table",
    "evidence": "from",
    "note": "note",
}


def _words(frame: pd.DataFrame) -> pd.DataFrame:
    # Of no rows at all, `map` would leave the numbers' own type, to which no text can be added.
    counted, rows, dims = (
        frame[name].map(count_text).astype(str) for name in ("parameters", "rows", "dim")
    )
    words = frame.assign(
        shape=rows + " × " + dims,
        share_text=frame["share"].map(share_text),
        counted=counted.where(frame["tables"] == 1, counted + " in two tables"),
        total_text=frame["total"].map(count_text),
    )
    return words[["family", "total", "share", *_TOOLTIP]]


def _names(points: pd.DataFrame, rings: pd.DataFrame, top: float) -> pd.DataFrame:
    """Where families of three models or more are named: at their smallest, where there is room."""
    sizes = points["family"].value_counts()
    several = points[points["family"].map(sizes) > 2].sort_values("total")
    kept: list[Hashable] = []
    taken = [_at(row, top) for row in rings.to_dict("records")]
    for index, row in several.groupby("family", sort=False).head(1).T.to_dict().items():
        here = _at(row, top)
        free = all(abs(here[0] - x) > _NEAR[0] or abs(here[1] - y) > _NEAR[1] for x, y in taken)
        if free and here[1] > _LOWEST:
            taken.append(here)
            kept.append(index)
    return points.loc[kept, ["family", "total", "share"]]


def _at(row: Mapping[Hashable, Any], top: float) -> tuple[float, float]:
    return math.log10(row["total"]) / math.log10(_TOTALS[1] / _TOTALS[0]), row["share"] / top


def slices(frame: pd.DataFrame, *, palette: Palette) -> Drawing:
    """One bar: the input table, the output table where one is stored, and everything else.

    Parameters
    ----------
    frame
        One row a part: ``part``, ``parameters``, ``start`` and ``end`` (shares from 0 to 1).
    """
    words = frame.assign(
        numbers=frame["parameters"].map(count_text),
        share_text=(frame["end"] - frame["start"]).map(share_text),
    )
    parts = tuple(part for part in _PARTS if (frame["part"] == part).any())
    return Drawing(_slices_template(parts, palette), {"parts": words})


@template
def _slices_template(parts: tuple[str, ...], palette: Palette) -> alt.LayerChart:
    colours = dict(zip(_PARTS, (palette.accent, palette.groups[1], palette.area), strict=True))
    scale = alt.Scale(domain=list(parts), range=[colours[part] for part in parts])
    bar = (
        data("parts")
        .mark_bar(height=_BAR)
        .encode(
            x=alt.X("start:Q", title="share of the numbers stored")
            .scale(domain=[0, 1])
            .axis(format="~%", grid=False, tickCount=4),
            x2="end:Q",
            color=alt.Color("part:N", scale=scale, legend=alt.Legend(title=None)),
            tooltip=tooltip({"part": "part", "numbers": "numbers", "share_text": "share"}),
        )
    )
    return themed(alt.LayerChart(layer=[bar]).properties(height=_BAR + 6), palette)
