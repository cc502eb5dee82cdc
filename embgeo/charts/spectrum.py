"""How much of the variance each principal component holds."""

import math

import altair as alt
import pandas as pd

from embgeo.charts.numbers import count_text, share_text
from embgeo.charts.palette import Palette
from embgeo.charts.states import state_colour
from embgeo.charts.theme import themed

_HEIGHT = 280
_LOG = alt.Scale(type="log", nice=False)


def spectrum(frame: pd.DataFrame, *, palette: Palette) -> alt.LayerChart:
    """Each component's share of the variance on two logarithmic axes, before thin, after solid.

    Parameters
    ----------
    frame
        One row per state and component: ``state`` ("before" or "after"), ``k`` (1, 2, …),
        ``share`` (of the total variance), ``cumulative`` (share of the first ``k`` together).
        Components without variance are left out: a logarithmic axis has no place for them.
    """
    shown = frame[frame["share"] > 0]
    words = shown.assign(
        component=shown["k"].map(count_text),
        share_text=shown["share"].map(share_text),
        cumulative_text=shown["cumulative"].map(share_text),
    )
    base = alt.Chart(words).encode(
        x=alt.X("k:Q", title="component", scale=_LOG).axis(
            format=",d", grid=False, values=_powers(shown["k"])
        ),
        y=alt.Y("share:Q", title="share of variance", scale=_LOG).axis(
            format="~%", values=_powers(shown["share"])
        ),
        color=state_colour(shown, palette),
    )
    after = "datum.state === 'after'"
    lines = base.mark_line().encode(
        strokeDash=alt.when(after).then(alt.value([1, 0])).otherwise(alt.value([4, 3])),
        strokeWidth=alt.when(after).then(alt.value(2.25)).otherwise(alt.value(1.5)),
        detail="state:N",
    )
    answers = base.mark_point(opacity=0, size=90).encode(
        tooltip=[
            alt.Tooltip("state:N"),
            alt.Tooltip("component:N"),
            alt.Tooltip("share_text:N", title="share of variance"),
            alt.Tooltip("cumulative_text:N", title="with all before it"),
        ]
    )
    return themed(alt.layer(lines, answers).properties(height=_HEIGHT), palette)


def _powers(values: "pd.Series[float]") -> list[float]:
    if values.empty:
        return []
    low, high = math.floor(math.log10(values.min())), math.ceil(math.log10(values.max()))
    return [10.0**power for power in range(low, high + 1)]
