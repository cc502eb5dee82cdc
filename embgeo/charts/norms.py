"""How long rows are: groups against the whole vocabulary, and along the token ids."""

import altair as alt
import pandas as pd

from embgeo.charts.drawing import Drawing, data, template
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
) -> Drawing:
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
    drawn = group_frame.dropna(subset=["x"]).assign(norm=lambda frame: frame["x"].map(norm_text))
    means = drawn.groupby("group", sort=False)["x"].agg(["mean", "count"]).reset_index()
    means = means.set_axis(["group", "x", "tokens"], axis=1)
    return Drawing(
        _distribution_template(_groups(drawn, colours), unit, palette),
        {
            "outline": step_outline(histogram_frame),
            "bins": _bin_words(histogram_frame),
            "tokens": drawn,
            "means": means.assign(norm=means["x"].map(norm_text)),
        },
        {"low": domain[0], "high": domain[1], "peak": float(histogram_frame["share"].max())},
    )


@template
def _distribution_template(
    groups: tuple[tuple[str, str], ...], unit: str, palette: Palette
) -> alt.LayerChart:
    # Two y scales in one view, each with its own band of pixels: unlike a concatenation it fills
    # its container, and both parts share one x axis by construction.
    height = _VOCABULARY_HEIGHT + _GAP + _ROW_HEIGHT * len(groups)
    ends = [alt.ExprRef("low"), alt.ExprRef("high")]
    scale = alt.Scale(domain=ends, nice=False, zero=False)
    rows = alt.Scale(range=[_VOCABULARY_HEIGHT + _GAP, height], padding=0)
    layers = [
        _shape(height, palette).encode(x=alt.X("edge:Q", scale=scale, title=unit)),
        _answers(unit).encode(x=alt.X("left:Q", scale=scale, title=unit)),
        _ticks(groups).encode(
            x=alt.X("x:Q", scale=scale, title=unit),
            y=alt.Y(
                "group:N",
                sort=[name for name, _ in groups],
                scale=rows,
                title=None,
                axis=alt.Axis(orient="left"),
            ),
        ),
    ]
    layered = alt.LayerChart(layer=layers if groups else layers[:2])
    chart: alt.LayerChart = layered.resolve_scale(y="independent").properties(height=height)
    return themed(chart, palette)


def norm_by_id(
    band_frame: pd.DataFrame,
    group_frame: pd.DataFrame,
    *,
    unit: str,
    palette: Palette,
    colours: dict[str, str],
) -> Drawing:
    """Norms along the token ids: the middle 90 % of all rows as a grey band, groups as points.

    Parameters
    ----------
    band_frame
        One row per range of ids, in order: ``id_low``, ``id_high``, ``id_mid``, the quantiles of
        the norm ``q05``, ``median``, ``q95``, and ``rows`` (how many rows they are over).
    group_frame, unit, colours
        As for `norm_distribution`.
    """
    drawn = group_frame.dropna(subset=["x"]).assign(norm=lambda frame: frame["x"].map(norm_text))
    return Drawing(
        _by_id_template(_groups(drawn, colours), unit, palette),
        {"bands": _band_words(band_frame), "tokens": drawn},
    )


@template
def _by_id_template(
    groups: tuple[tuple[str, str], ...], unit: str, palette: Palette
) -> alt.LayerChart:
    words = {
        "ids": "token ids",
        "median_text": f"median {unit}",
        "middle": "5 % to 95 %",
        "rows_text": "rows",
    }
    band = data("bands").encode(
        x=alt.X("id_mid:Q", title="token id", axis=alt.Axis(format=",d", grid=False)).scale(
            nice=False, zero=False
        ),
        tooltip=tooltip(words),
    )
    y = alt.Y("q05:Q", title=unit, axis=alt.Axis(tickCount=5)).scale(zero=False)
    layers = [
        band.mark_area(color=palette.area, opacity=0.7).encode(y=y, y2="q95:Q"),
        band.mark_line(color=palette.muted, strokeWidth=1.25).encode(y=alt.Y("median:Q")),
        _coloured("tokens", groups, legend=alt.Legend(title=None, columns=5))
        .mark_circle(size=46, opacity=0.9, stroke=palette.background, strokeWidth=0.75)
        .encode(x="id:Q", y="x:Q", tooltip=tooltip(_TOKEN_TOOLTIP)),
    ]
    layered = alt.LayerChart(layer=layers if groups else layers[:2])
    return themed(layered.properties(height=_BY_ID_HEIGHT), palette)


_TOKEN_TOOLTIP = {"token": "token", "id": "token id", "group": "group", "norm": "norm"}


def _groups(tokens: pd.DataFrame, colours: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """The groups that have tokens, in order, with their colours."""
    return tuple((group, colours[group]) for group in dict.fromkeys(tokens["group"]))


def _shape(height: int, palette: Palette) -> alt.Chart:
    # The scale reaches far enough below zero to leave the groups their room: one that ended at
    # zero would end the vertical grid there too.
    below = (height - _VOCABULARY_HEIGHT) / _VOCABULARY_HEIGHT
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
    ends = [alt.ExprRef(f"-peak * {below}"), alt.ExprRef("peak")]
    base = data("outline").encode(y=y.scale(domain=ends, nice=False))
    shape: alt.Chart = base.mark_area(interpolate="step-after", color=palette.area)
    return shape


def _answers(unit: str) -> alt.Chart:
    # Invisible columns answer the pointer; the visible shape has no bins to point at.
    base = data("bins").encode(
        x2="right:Q",
        y=alt.value(0),
        y2=alt.value(_VOCABULARY_HEIGHT),
        tooltip=tooltip({"norms": unit, "share_text": "share of rows"}),
    )
    answers: alt.Chart = base.mark_rect(opacity=0)
    return answers


def _ticks(groups: tuple[tuple[str, str], ...]) -> alt.LayerChart:
    each = _coloured("tokens", groups).encode(tooltip=tooltip(_TOKEN_TOOLTIP))
    mean = _coloured("means", groups).encode(
        tooltip=tooltip({"group": "group", "norm": "mean", "tokens": "tokens"})
    )
    return alt.LayerChart(
        layer=[
            each.mark_tick(size=13, thickness=1.5, opacity=0.75),
            mean.mark_tick(size=25, thickness=3.5),
        ]
    )


def _coloured(
    frame: str, groups: tuple[tuple[str, str], ...], legend: alt.Legend | None = None
) -> alt.Chart:
    scale = alt.Scale(domain=[name for name, _ in groups], range=[colour for _, colour in groups])
    coloured: alt.Chart = data(frame).encode(color=alt.Color("group:N", scale=scale, legend=legend))
    return coloured


def _bin_words(bins: pd.DataFrame) -> pd.DataFrame:
    words = bins.assign(
        norms=bins["left"].map(norm_text) + " to " + bins["right"].map(norm_text),
        share_text=bins["share"].map(share_text),
    )
    return words[["left", "right", "norms", "share_text"]]


def _band_words(band: pd.DataFrame) -> pd.DataFrame:
    return band.assign(
        ids=band["id_low"].map(count_text) + " to " + band["id_high"].map(count_text),
        median_text=band["median"].map(norm_text),
        middle=band["q05"].map(norm_text) + " to " + band["q95"].map(norm_text),
        rows_text=band["rows"].map(count_text),
    )
