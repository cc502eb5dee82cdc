"""Before and after a transform, in the same colours on every chart."""

import altair as alt
import pandas as pd

from embgeo.charts.palette import Palette

_STATES = ("before", "after")


def states_of(frame: pd.DataFrame) -> tuple[str, ...]:
    """The states a frame has, in order."""
    return tuple(state for state in _STATES if (frame["state"] == state).any())


def state_colour(states: tuple[str, ...], palette: Palette, symbol: str) -> alt.Color:
    """Grey for "before", the accent for "after"; the legend names the states there are."""
    colours = dict(zip(_STATES, (palette.muted, palette.accent), strict=True))
    return alt.Color(
        "state:N",
        scale=alt.Scale(domain=list(states), range=[colours[state] for state in states]),
        legend=alt.Legend(title=None, symbolType=symbol) if len(states) > 1 else None,
    )
