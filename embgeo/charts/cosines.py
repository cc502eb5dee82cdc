"""How the cosines of random pairs are distributed, before and after a transform."""

from typing import Literal

import altair as alt
import pandas as pd

from embgeo.charts.drawing import Drawing, data, template
from embgeo.charts.numbers import cosine_text, share_text
from embgeo.charts.palette import Palette
from embgeo.charts.states import state_colour, states_of
from embgeo.charts.steps import step_outline
from embgeo.charts.theme import themed, tooltip

_HEIGHT = 240
LINE = 17
# From this share of the width on, a name to the right of its rule might not fit.
TURN = 0.65
Align = Literal["left", "right"]
ASIDE: dict[Align, int] = {"left": 5, "right": -5}


def cosine_distribution(
    frame: pd.DataFrame,
    rules: pd.DataFrame,
    *,
    domain: tuple[float, float],
    palette: Palette,
) -> Drawing:
    """The cosines before as an outline, after as a fill, with named rules rising above them.

    Parameters
    ----------
    frame
        One row per bin and state, bins in order and adjoining: ``state`` ("before" or "after"),
        ``left``, ``right`` (cosines), ``share`` (of pairs).
    rules
        ``state``, ``name`` (such as "floor"), ``x`` (cosine); those without a value are left out.
    domain
        The lowest and the highest cosine drawn, the same for models side by side.
    """
    low, high = domain
    named = rule_words(rules, domain)
    return Drawing(
        _template(states_of(frame), len(named), palette),
        {
            "bins": _bin_words(frame),
            "after": _outline(frame, "after"),
            "before": _outline(frame, "before"),
            "rules": named,
        },
        {"low": low, "high": high},
    )


@template
def _template(states: tuple[str, ...], rules: int, palette: Palette) -> alt.LayerChart:
    # Names have lines of their own above the histogram, so that close rules cannot collide.
    top = LINE * rules + 4
    height = _HEIGHT + top
    colour = state_colour(states, palette, symbol="square")
    layers = [
        _shape("after", height, top).mark_area(interpolate="step-after", opacity=0.6),
        _shape("before", height, top).mark_line(interpolate="step-after", strokeWidth=1.5),
        _answers(),
        rule_lines(height),
        *(rule_names(align) for align in ASIDE),
    ]
    chart = alt.LayerChart(layer=[layer.encode(color=colour) for layer in layers])
    return themed(chart.properties(height=height), palette)


def _outline(frame: pd.DataFrame, state: str) -> pd.DataFrame:
    return step_outline(frame[frame["state"] == state]).assign(state=state)


def _shape(state: str, height: int, top: int) -> alt.Chart:
    y = alt.Y("share:Q", title="share of pairs", axis=alt.Axis(format="~%", tickCount=4))
    shape: alt.Chart = data(state).encode(x=cosine_axis("edge"), y=y.scale(range=[height, top]))
    return shape


def _answers() -> alt.Chart:
    # Invisible columns answer the pointer; the visible shapes have no bins to point at.
    base = data("bins").encode(
        x=cosine_axis("left"),
        x2="right:Q",
        y="share:Q",
        y2=alt.datum(0),
        tooltip=tooltip({"state": "state", "cosines": "cosine", "share_text": "share of pairs"}),
    )
    answers: alt.Chart = base.mark_rect(opacity=0)
    return answers


def rule_lines(height: int) -> alt.Chart:
    """The dashed rules of the frame "rules", down to the axis."""
    base = data("rules").encode(
        x=cosine_axis("x"), y=alt.Y("top:Q", scale=None), y2=alt.value(height)
    )
    rules: alt.Chart = base.mark_rule(strokeDash=[4, 3], strokeWidth=1.25)
    return rules


def rule_names(align: Align) -> alt.Chart:
    """Their names above the histogram, on one side of each."""
    base = (
        data("rules")
        .transform_filter(f"datum.align === '{align}'")
        .encode(x=cosine_axis("x"), y=alt.Y("top:Q", scale=None), text="words:N")
    )
    names: alt.Chart = base.mark_text(align=align, dx=ASIDE[align], baseline="top")
    return names


def _bin_words(frame: pd.DataFrame) -> pd.DataFrame:
    words = frame.assign(
        cosines=frame["left"].map(cosine_text) + " to " + frame["right"].map(cosine_text),
        share_text=frame["share"].map(share_text),
    )
    # The smaller ones are drawn last and lie on top, so that both states can be reached.
    filled = words[words["share"] > 0].sort_values("share", ascending=False)
    return filled[["state", "left", "right", "share", "cosines", "share_text"]]


def rule_words(rules: pd.DataFrame, domain: tuple[float, float]) -> pd.DataFrame:
    """Each rule's words and where they stand; a rule without a value is left out."""
    turn = domain[0] + TURN * (domain[1] - domain[0])
    known = rules.dropna(subset=["x"]).sort_values("x")
    left, right = known[known["x"] < turn], known[known["x"] >= turn]
    # Outermost first: a name runs inwards, over the rules that start below it.
    ordered = pd.concat([left.assign(align="left"), right[::-1].assign(align="right")])
    states = ordered["state"] if "state" in ordered else ordered["name"].map(lambda _: "")
    state = ", " + states + " " if states.nunique() > 1 else " "
    return ordered.assign(
        words=ordered["name"] + state + ordered["x"].map(cosine_text),
        top=[LINE * line for line in range(len(ordered))],
    )


def cosine_axis(field: str) -> alt.X:
    """The axis of cosines, from the parameter "low" to "high"."""
    ends = [alt.ExprRef("low"), alt.ExprRef("high")]
    return alt.X(f"{field}:Q", title="cosine", axis=alt.Axis(grid=False, format=".2~f")).scale(
        domain=ends, nice=False
    )
