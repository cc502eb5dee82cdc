"""How long rows are: groups against the whole vocabulary, and along the token ids."""

import altair as alt
import pandas as pd

from embgeo.charts.numbers import count_text, norm_text, share_text
from embgeo.charts.palette import Palette
from embgeo.charts.steps import step_outline
from embgeo.charts.theme import themed, tooltip

_VOCABULARY_HEIGHT = 130
_GAP = 10
_ROW_HEIGHT = 30
_BY_ID_HEIGHT = 280


def norm_distribution(
    histogram_frame: pd.DataFrame,
    group_frame: pd.DataFrame,
    *,
    unit: str,
    domain: tuple[float, float],
    palette: Palette,
    colours: dict[str, str],
) -> alt.LayerChart:
    """The whole vocabulary's norms as a grey shape, and under it each group's tokens as ticks.

    Parameters
    ----------
    histogram_frame
        One row per bin, in order and adjoining: ``left``, ``right`` (norms), ``share`` (of rows).
    group_frame
        One row per token, groups in display order: ``group``, ``token``, ``id``, ``x`` (norm).
    unit
        What a norm is given in, as the axis title.
    domain
        The lowest and the highest norm drawn, the same for models side by side.
    colours
        A colour for each group.
    """
    # Two y scales in one view, each with its own band of pixels: unlike a concatenation it fills
    # its container, and both parts share one x axis by construction.
    groups = list(dict.fromkeys(group_frame["group"]))
    height = _VOCABULARY_HEIGHT + _GAP + _ROW_HEIGHT * len(groups)
    rows = alt.Scale(range=[_VOCABULARY_HEIGHT + _GAP, height], padding=0)
    scale = alt.Scale(domain=list(domain), nice=False, zero=False)
    layers = [
        _shape(histogram_frame, height, palette).encode(x=alt.X("edge:Q", scale=scale, title=unit)),
        _answers(histogram_frame, unit).encode(x=alt.X("left:Q", scale=scale, title=unit)),
        _ticks(group_frame, colours).encode(
            x=alt.X("x:Q", scale=scale, title=unit),
            y=alt.Y("group:N", sort=groups, scale=rows, title=None, axis=alt.Axis(orient="left")),
        ),
    ]
    chart: alt.LayerChart = alt.LayerChart(layer=layers).resolve_scale(y="independent")
    return themed(chart.properties(height=height), palette)


def norm_by_id(
    band_frame: pd.DataFrame,
    group_frame: pd.DataFrame,
    *,
    unit: str,
    palette: Palette,
    colours: dict[str, str],
) -> alt.LayerChart:
    """Norms along the token ids: the middle 90 % of all rows as a grey band, groups as points.

    Parameters
    ----------
    band_frame
        One row per range of ids, in order: ``id_low``, ``id_high``, ``id_mid``, the quantiles of
        the norm ``q05``, ``median``, ``q95``, and ``rows`` (how many rows they are over).
    group_frame, unit, colours
        As for `norm_distribution`.
    """
    band = alt.Chart(_band_words(band_frame)).encode(
        x=alt.X("id_mid:Q", title="token id", axis=alt.Axis(format=",d", grid=False)).scale(
            nice=False, zero=False
        ),
        tooltip=tooltip(
            {
                "ids": "token ids",
                "median_text": f"median {unit}",
                "middle": "5 % to 95 %",
                "rows_text": "rows",
            }
        ),
    )
    y = alt.Y("q05:Q", title=unit, axis=alt.Axis(tickCount=5)).scale(zero=False)
    layers = [
        band.mark_area(color=palette.area, opacity=0.7).encode(y=y, y2="q95:Q"),
        band.mark_line(color=palette.muted, strokeWidth=1.25).encode(y=alt.Y("median:Q")),
        _coloured(group_frame, colours, legend=alt.Legend(title=None, columns=5))
        .mark_circle(size=46, opacity=0.9, stroke=palette.background, strokeWidth=0.75)
        .encode(x="id:Q", y="x:Q", tooltip=tooltip(_TOKEN_TOOLTIP)),
    ]
    return themed(alt.LayerChart(layer=layers).properties(height=_BY_ID_HEIGHT), palette)


_TOKEN_TOOLTIP = {"token": "token", "id": "token id", "group": "group", "norm": "norm"}


def _shape(bins: pd.DataFrame, height: int, palette: Palette) -> alt.Chart:
    # The scale reaches far enough below zero to leave the groups their room: one that ended at
    # zero would end the vertical grid there too.
    peak = bins["share"].max()
    below = peak * (height - _VOCABULARY_HEIGHT) / _VOCABULARY_HEIGHT
    axis = alt.Axis(
        domain=False,
        format="~%",
        grid=False,
        labelExpr="datum.value < 0 ? '' : datum.label",
        tickCount=3 * height / _VOCABULARY_HEIGHT,
        ticks=False,
        titleY=_VOCABULARY_HEIGHT / 2,
    )
    y = alt.Y("share:Q", title=["whole vocabulary", "share of rows"], axis=axis)
    base = alt.Chart(step_outline(bins)).encode(y=y.scale(domain=[-below, peak], nice=False))
    shape: alt.Chart = base.mark_area(interpolate="step-after", color=palette.area)
    return shape


def _answers(bins: pd.DataFrame, unit: str) -> alt.Chart:
    # Invisible columns answer the pointer; the visible shape has no bins to point at.
    words = bins.assign(
        norms=bins["left"].map(norm_text) + " to " + bins["right"].map(norm_text),
        share_text=bins["share"].map(share_text),
    )
    base = alt.Chart(words).encode(
        x2="right:Q",
        y=alt.value(0),
        y2=alt.value(_VOCABULARY_HEIGHT),
        tooltip=tooltip({"norms": unit, "share_text": "share of rows"}),
    )
    answers: alt.Chart = base.mark_rect(opacity=0)
    return answers


def _ticks(tokens: pd.DataFrame, colours: dict[str, str]) -> alt.LayerChart:
    drawn = tokens.dropna(subset=["x"])
    means = drawn.groupby("group", sort=False)["x"].agg(["mean", "count"]).reset_index()
    means = means.rename(columns={"mean": "x", "count": "tokens"})
    each = _coloured(drawn, colours).encode(tooltip=tooltip(_TOKEN_TOOLTIP))
    mean = _coloured(means, colours).encode(
        tooltip=tooltip({"group": "group", "norm": "mean", "tokens": "tokens"})
    )
    return alt.LayerChart(
        layer=[
            each.mark_tick(size=13, thickness=1.5, opacity=0.75),
            mean.mark_tick(size=25, thickness=3.5),
        ]
    )


def _coloured(
    points: pd.DataFrame, colours: dict[str, str], legend: alt.Legend | None = None
) -> alt.Chart:
    groups = list(dict.fromkeys(points["group"]))
    scale = alt.Scale(domain=groups, range=[colours[group] for group in groups])
    return alt.Chart(points.assign(norm=points["x"].map(norm_text))).encode(
        color=alt.Color("group:N", scale=scale, legend=legend)
    )


def _band_words(band: pd.DataFrame) -> pd.DataFrame:
    return band.assign(
        ids=band["id_low"].map(count_text) + " to " + band["id_high"].map(count_text),
        median_text=band["median"].map(norm_text),
        middle=band["q05"].map(norm_text) + " to " + band["q95"].map(norm_text),
        rows_text=band["rows"].map(count_text),
    )
