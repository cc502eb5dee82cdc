"""Before and after a transform, in the same colours on every chart."""

import altair as alt
import pandas as pd

from embgeo.charts.palette import Palette


def state_colour(frame: pd.DataFrame, palette: Palette, symbol: str) -> alt.Color:
    """Grey for "before", the accent for "after"; the legend names the states the frame has."""
    colours = {"before": palette.muted, "after": palette.accent}
    states = [state for state in colours if (frame["state"] == state).any()]
    return alt.Color(
        "state:N",
        scale=alt.Scale(domain=states, range=[colours[state] for state in states]),
        legend=alt.Legend(title=None, symbolType=symbol) if len(states) > 1 else None,
    )
