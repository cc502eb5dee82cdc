"""How much of the variance each principal component holds."""

import altair as alt
import pandas as pd

from embgeo.charts.drawing import Drawing, data, template
from embgeo.charts.numbers import count_text, share_text
from embgeo.charts.palette import Palette
from embgeo.charts.states import state_colour, states_of
from embgeo.charts.theme import themed, tooltip

_HEIGHT = 280


def spectrum(frame: pd.DataFrame, *, palette: Palette) -> Drawing:
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
    return Drawing(_template(states_of(shown), palette), {"components": words})


@template
def _template(states: tuple[str, ...], palette: Palette) -> alt.LayerChart:
    # A line for each labelled value only: all nine of each decade would be a hatching.
    labelled = alt.condition("datum.label", alt.value(1), alt.value(0))
    base = data("components").encode(
        x=alt.X("k:Q", title="component")
        .scale(type="log", nice=False)
        .axis(format=",d", grid=False, tickCount=5),
        y=alt.Y("share:Q", title="share of variance")
        .scale(type="log", nice=False)
        .axis(format="~%", tickCount=5, gridOpacity=labelled),
        color=state_colour(states, palette, symbol="stroke"),
    )
    dashes = {"before": [4, 3], "after": [1, 0]}
    lines = base.mark_line().encode(
        strokeDash=alt.StrokeDash(
            "state:N",
            scale=alt.Scale(domain=list(states), range=[dashes[state] for state in states]),
            legend=alt.Legend(title=None, symbolType="stroke") if len(states) > 1 else None,
        ),
        strokeWidth=alt.when("datum.state === 'after'")
        .then(alt.value(2.25))
        .otherwise(alt.value(1.5)),
    )
    answers = base.mark_point(opacity=0, size=90).encode(tooltip=tooltip(_TOOLTIP))
    return themed(alt.LayerChart(layer=[lines, answers]).properties(height=_HEIGHT), palette)


_TOOLTIP = {
    "state": "state",
    "component": "component",
    "share_text": "share of variance",
    "cumulative_text": "with all before it",
}
