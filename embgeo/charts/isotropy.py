"""How narrow the cone is: cosines over what isotropic rows give, and by id."""

import json

import altair as alt
import pandas as pd

from embgeo.charts.cosines import ASIDE, LINE, cosine_axis, rule_lines, rule_names, rule_words
from embgeo.charts.drawing import Drawing, data, template
from embgeo.charts.numbers import cosine_text, count_text, share_text
from embgeo.charts.palette import Palette
from embgeo.charts.steps import step_outline
from embgeo.charts.theme import themed, tooltip

DASHES = "╌╌"
"""Stands for a dashed rule in front of its name."""
_HEIGHT = 230
_VISIBLE = 1e-5
_BINS_HEIGHT = 210
_DASH = [4, 3]


def cosine_shape(
    frame: pd.DataFrame,
    rules: pd.DataFrame,
    *,
    domain: tuple[float, float],
    of: str,
    palette: Palette,
) -> Drawing:
    """Cosines as a grey shape, an expectation as a line over it, another as dots, means as rules.

    Parameters
    ----------
    frame
        One row per bin and name, bins in order and adjoining: ``name`` (the first is the shape),
        ``left``, ``right`` (cosines), ``share``.
    rules
        ``name``, ``x`` (cosine).
    domain
        The lowest and the highest cosine drawn, the same for models side by side.
    of
        What the shares are of: "pairs" or "rows".
    """
    names = tuple(frame["name"].unique())
    named = rule_words(rules, domain)
    curves = frame[frame["name"] != names[0]]
    return Drawing(
        _shape_template(names, len(named), of, palette),
        {
            "shape": step_outline(frame[frame["name"] == names[0]]).assign(name=names[0]),
            "curves": curves.assign(middle=0.5 * (curves["left"] + curves["right"]))[
                curves["share"] > _VISIBLE
            ][["name", "middle", "share"]],
            "bins": _bin_words(frame, names),
            "rules": named,
        },
        {"low": domain[0], "high": domain[1]},
    )


@template
def _shape_template(
    names: tuple[str, ...], rules: int, of: str, palette: Palette
) -> alt.LayerChart:
    top = LINE * rules + 4
    height = _HEIGHT + top
    colours = (palette.area, palette.accent, palette.text)[: len(names)]
    colour = alt.Color(
        "name:N",
        scale=alt.Scale(domain=list(names), range=list(colours)),
        legend=alt.Legend(title=None, symbolType="square"),
    )
    y = alt.Y("share:Q", title=f"share of {of}", axis=alt.Axis(format="~%", tickCount=4))
    y = y.scale(range=[height, top])
    x = cosine_axis("edge")
    words = {"cosines": "cosine", "share_text": f"share of {of}", "expected": "isotropic rows"}
    layers = [
        data("shape").mark_area(interpolate="step-after").encode(x=x, y=y, color=colour),
        *(
            _curve(name, dotted).encode(x=cosine_axis("middle"), y=y, color=colour)
            for name, dotted in zip(names[1:], (False, True), strict=False)
        ),
        # Invisible columns answer the pointer; the visible shapes have no bins to point at.
        data("bins")
        .mark_rect(opacity=0)
        .encode(
            x=cosine_axis("left"),
            x2="right:Q",
            y=alt.value(top),
            y2=alt.value(height),
            tooltip=tooltip(words),
        ),
        rule_lines(height).encode(color=alt.value(palette.floor)),
        *(rule_names(align) for align in ASIDE),
    ]
    return themed(alt.LayerChart(layer=layers).properties(height=height), palette)


def _curve(name: str, dotted: bool) -> alt.Chart:
    """An expectation as a line, or as dots: two may well agree, and both are to be seen."""
    base = data("curves").transform_filter(f"datum.name === {json.dumps(name)}")
    line: alt.Chart = base.mark_line(interpolate="monotone", strokeWidth=1.75)
    dots: alt.Chart = base.mark_circle(size=14, opacity=0.9)
    return dots if dotted else line


def _bin_words(frame: pd.DataFrame, names: tuple[str, ...]) -> pd.DataFrame:
    shape = frame[frame["name"] == names[0]].reset_index(drop=True)
    expected = frame[frame["name"] == names[1]].reset_index(drop=True)["share"]
    return shape.assign(
        cosines=shape["left"].map(cosine_text) + " to " + shape["right"].map(cosine_text),
        share_text=shape["share"].map(share_text),
        expected=expected.map(share_text),
    ).drop(columns=["name", "share"])


def mean_by_id(
    frame: pd.DataFrame, whole: float | None, *, domain: tuple[float, float], palette: Palette
) -> Drawing:
    """The mean cosine within each bin of ids as a bar, over that of the whole table as a rule.

    Parameters
    ----------
    frame
        One row per bin, in order: ``low``, ``high`` (its first and last id), ``rows``,
        ``mean_cosine``.
    whole
        The mean cosine of all pairs of the table; no rule where it is None.
    domain
        The lowest and the highest mean drawn, the same for models side by side.
    """
    words = frame.assign(
        ids=[_short(low, high) for low, high in zip(frame["low"], frame["high"], strict=True)],
        rows_text=frame["rows"].map(count_text),
        mean_text=frame["mean_cosine"].map(cosine_text),
    )
    rule = pd.DataFrame({"y": [whole], "words": [f"{DASHES} all pairs {cosine_text(whole)}"]})
    return Drawing(
        _by_id_template(tuple(words["ids"]), palette),
        {"bins": words, "whole": rule.dropna(subset=["y"])},
        {"low": domain[0], "high": domain[1]},
    )


@template
def _by_id_template(bins: tuple[str, ...], palette: Palette) -> alt.LayerChart:
    axis = alt.Axis(tickCount=4, format=".2~f")
    scale = alt.Scale(domain=[alt.ExprRef("low"), alt.ExprRef("high")], nice=False)
    x = alt.X(
        "ids:N", sort=list(bins), title="token ids", axis=alt.Axis(labelAngle=-40, orient="bottom")
    )
    y = alt.Y("mean_cosine:Q", title="mean cosine within", axis=axis, scale=scale)
    words = {"ids": "token ids", "mean_text": "mean cosine of its pairs", "rows_text": "rows"}
    base = data("bins").encode(x=x, y=y)
    whole = data("whole").encode(y=alt.Y("y:Q", scale=scale))
    layers = [
        base.mark_bar(color=palette.accent, opacity=0.75).encode(tooltip=tooltip(words)),
        base.mark_text(baseline="bottom", dy=-3).encode(text="mean_text:N"),
        whole.mark_rule(strokeDash=_DASH, strokeWidth=1.25, color=palette.floor),
        # Above the bars: beside its rule it would lie on one of them.
        whole.mark_text(align="left", baseline="top").encode(
            x=alt.value(0), y=alt.value(0), text="words:N"
        ),
    ]
    return themed(alt.LayerChart(layer=layers).properties(height=_BINS_HEIGHT), palette)


def _short(low: int, high: int) -> str:
    """A range of ids in few characters: 20,000 to 49,151 is 20k–49k."""
    return f"{_thousands(low)}–{_thousands(high)}"


def _thousands(token_id: int) -> str:
    return f"{token_id / 1000:.0f}k" if token_id >= 10_000 else f"{token_id:,}"
