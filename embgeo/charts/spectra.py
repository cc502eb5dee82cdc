"""A table's spectrum: its singular values raw and centred, and the variance they add up to."""

import math

import altair as alt
import pandas as pd

from embgeo.charts.drawing import Drawing, data, template
from embgeo.charts.numbers import count_text, norm_text, share_text
from embgeo.charts.palette import Palette
from embgeo.charts.theme import themed, tooltip

_HEIGHT = 260
_STATES = ("raw", "centred")
_MOST_TICKS = 9


def singular_values(
    frame: pd.DataFrame, *, domain: tuple[float, float], palette: Palette
) -> Drawing:
    """Singular values on two logarithmic axes, raw thin and dashed, centred solid.

    Parameters
    ----------
    frame
        One row per state and component: ``state`` ("raw" or "centred"), ``k`` (1, 2, …),
        ``sigma``, ``length`` (drawn; above 0), ``energy`` (share of its state's squares).
    domain
        The smallest and the largest ``length`` drawn, the same for models side by side.
    """
    words = frame.assign(
        component=frame["k"].map(count_text),
        sigma_text=frame["sigma"].map(norm_text),
        energy_text=frame["energy"].map(share_text),
    )
    states = tuple(state for state in _STATES if (frame["state"] == state).any())
    values = {"low": domain[0], "high": domain[1], "ticks": ticks(*domain)}
    return Drawing(_singular_template(states, palette), {"components": words}, values)


@template
def _singular_template(states: tuple[str, ...], palette: Palette) -> alt.LayerChart:
    colours = dict(zip(_STATES, (palette.muted, palette.accent), strict=True))
    dashes = dict(zip(_STATES, ([4, 3], [1, 0]), strict=True))
    legend = alt.Legend(title=None, symbolType="stroke")
    ends = [alt.ExprRef("low"), alt.ExprRef("high")]
    base = data("components").encode(
        x=_component_axis(),
        y=alt.Y("length:Q", title="σ, as a share of ‖E‖")
        .scale(type="log", domain=ends, nice=False)
        .axis(format="~%", values=alt.ExprRef("ticks")),
        color=alt.Color(
            "state:N",
            scale=alt.Scale(domain=list(states), range=[colours[state] for state in states]),
            legend=legend,
        ),
    )
    lines = base.mark_line(strokeWidth=2).encode(
        strokeDash=alt.StrokeDash(
            "state:N",
            scale=alt.Scale(domain=list(states), range=[dashes[state] for state in states]),
            legend=legend,
        )
    )
    answers = base.mark_point(opacity=0, size=90).encode(tooltip=tooltip(_SINGULAR_TOOLTIP))
    return themed(alt.LayerChart(layer=[lines, answers]).properties(height=_HEIGHT), palette)


def ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 times powers of ten; even steps where fewer than three of them lie between.

    >>> ticks(0.004, 0.03), ticks(0.05, 0.077)
    ([0.005, 0.01, 0.02], [0.05, 0.055, 0.06, 0.065, 0.07, 0.075])
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = [float(f"{first}e{power}") for power in powers for first in (1, 2, 5)]
    inside = [each for each in steps if low <= each <= high]
    if len(inside) > _MOST_TICKS:
        return [each for each in inside if f"{each:e}".startswith("1.0")]
    if len(inside) > 2 or high <= low:
        return inside
    small = range(math.floor(math.log10(high - low)) - 1, math.ceil(math.log10(high)) + 1)
    wide = [float(f"{first}e{power}") for power in small for first in (1, 2, 5)]
    step = next(each for each in wide if (high - low) / each < _MOST_TICKS)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(each * step, 12) for each in range(first, last + 1)]


def explained(frame: pd.DataFrame, *, palette: Palette) -> Drawing:
    """The variance in the first k components as a rising line, an isotropic cloud's dashed.

    Parameters
    ----------
    frame
        One row per component: ``k`` (1, 2, …), ``cumulative`` (share of the variance),
        ``isotropic`` (what it would be were all components alike).
    """
    words = frame.assign(
        component=frame["k"].map(count_text),
        cumulative_text=frame["cumulative"].map(share_text),
        isotropic_text=frame["isotropic"].map(share_text),
    )
    # The name stands where the line has room below it, left of the steep end.
    named = frame[frame["k"] >= frame["k"].max() ** 0.8][:1].assign(words="isotropic")
    return Drawing(_explained_template(palette), {"components": words, "named": named})


@template
def _explained_template(palette: Palette) -> alt.LayerChart:
    share = alt.Scale(domain=[0, 1])
    axis = alt.Axis(format="~%", tickCount=5)
    base = data("components").encode(x=_component_axis())
    y = alt.Y("cumulative:Q", title="share of variance, first k", scale=share, axis=axis)
    floor = alt.Y("isotropic:Q", scale=share)
    layers = [
        base.mark_line(color=palette.floor, strokeDash=[4, 3], strokeWidth=1.25).encode(y=floor),
        data("named")
        .mark_text(color=palette.muted, align="left", dx=8, dy=8)
        .encode(x=_component_axis(), y=floor, text="words:N"),
        base.mark_line(color=palette.accent, strokeWidth=2.25).encode(y=y),
        base.mark_point(opacity=0, size=90).encode(y=y, tooltip=tooltip(_EXPLAINED_TOOLTIP)),
    ]
    return themed(alt.LayerChart(layer=layers).properties(height=_HEIGHT), palette)


def _component_axis() -> alt.X:
    return (
        alt.X("k:Q", title="component, k")
        .scale(type="log", nice=False)
        .axis(format=",d", grid=False, tickCount=5)
    )


_SINGULAR_TOOLTIP = {
    "state": "rows",
    "component": "component",
    "sigma_text": "σ",
    "energy_text": "share of σ²",
}
_EXPLAINED_TOOLTIP = {
    "component": "components",
    "cumulative_text": "share of variance",
    "isotropic_text": "were all alike",
}
