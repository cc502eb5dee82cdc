"""How long rows are, kind by kind: the middle 90 % as a line, the median as a dot on it."""

import altair as alt
import pandas as pd

from embgeo.charts.drawing import Drawing, data, template
from embgeo.charts.numbers import count_text, norm_text
from embgeo.charts.palette import Palette
from embgeo.charts.theme import themed, tooltip

_ROW_HEIGHT = 20


def norm_kinds(
    frame: pd.DataFrame, *, unit: str, domain: tuple[float, float], palette: Palette
) -> Drawing:
    """Norms by kind of token, the kinds in the order of the frame.

    Parameters
    ----------
    frame
        One row per kind: ``kind``, ``tokens`` (how many), and the quantiles of the norm ``q05``,
        ``median``, ``q95``.
    unit
        What a norm is given in, as the axis title.
    domain
        The lowest and the highest norm drawn, the same for models side by side.
    """
    words = frame.assign(
        tokens_text=frame["tokens"].map(count_text),
        median_text=frame["median"].map(norm_text),
        middle=frame["q05"].map(norm_text) + " to " + frame["q95"].map(norm_text),
    )
    values = {"low": domain[0], "high": domain[1]}
    return Drawing(_template(len(frame), unit, palette), {"kinds": words}, values)


@template
def _template(kinds: int, unit: str, palette: Palette) -> alt.LayerChart:
    scale = alt.Scale(domain=[alt.ExprRef("low"), alt.ExprRef("high")], nice=False, zero=False)
    base = data("kinds").encode(
        y=alt.Y("kind:N", sort=None, title=None),
        tooltip=tooltip(
            {
                "kind": "kind",
                "tokens_text": "tokens",
                "median_text": f"median {unit}",
                "middle": "5 % to 95 %",
            }
        ),
    )
    layers = [
        base.mark_bar(color=palette.area, height=7).encode(
            x=alt.X("q05:Q", title=unit, scale=scale), x2="q95:Q"
        ),
        base.mark_tick(color=palette.text, thickness=2.5, size=13).encode(
            x=alt.X("median:Q", scale=scale)
        ),
    ]
    return themed(alt.LayerChart(layer=layers).properties(height=_ROW_HEIGHT * kinds + 8), palette)
