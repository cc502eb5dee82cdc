"""Within and between token groups: the heatmaps, the tokens behind them, and the separation."""

import streamlit as st

from embgeo.ui import frame, group_panels, panels, session, work
from embgeo.ui.choices import Choices


def draw(chosen: Choices) -> None:
    """Groups against groups, the pairs of a cell, the separation, tokens against tokens."""
    st.toggle("Show cosines above the floor", help=SWITCH, **session.bind("minus_floor"))
    models = work.models(chosen)
    if not panels.nothing_chosen(models, chosen.groups):
        known = work.fetch(models, work.moments_stage(chosen.population), work.Patience())
        known = work.fetch_rows(known, chosen)
        scale, colours = group_panels.scale(known, chosen.minus_floor), frame.colours()
        panels.columns(models, lambda model: group_panels.heatmap(model, chosen, scale, colours))
        if known:
            group_panels.pairs(known, chosen)
            st.subheader("Do the groups stand apart?", anchor=False)
            group_panels.separation_table(known)
            st.subheader("Token by token", anchor=False)
            tokens = group_panels.token_scale(known, chosen.minus_floor)
            panels.columns(
                known,
                lambda model: group_panels.tokens(model, chosen, tokens, colours),
                across=group_panels.token_columns(known),
            )
        panels.entries(models)
    panels.explanation(*METRICS, first=READING)


SWITCH = "Subtracts from every cell the mean cosine of all pairs of the same token classes and ids."
METRICS = (
    "within",
    "between",
    "floor",
    "difference",
    "effect_size",
    "silhouette",
    "own_group_neighbours",
    "p_value",
)
READING = (
    "Colours run from the floor of each model, one range for all of them: a cell in the neutral "
    "middle is what unrelated tokens give, however large its cosine is. Compare cells of one model "
    "with its floor first, and only then models with each other."
)

frame.page(
    "How alike are tokens within and between groups?",
    "Each cell is the mean cosine of all pairs of different tokens of two groups, beside its "
    "**floor**: what tokens of the same kinds give when nothing relates them.",
    draw,
)
