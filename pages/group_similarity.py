"""Within and between token groups: the heatmaps, the tokens behind them, and the separation."""

import streamlit as st

from embgeo.ui import frame, group_panels, panels, session, token_panels, work
from embgeo.ui.choices import Choices
from embgeo.ui.scales import group_scale, token_scale
from embgeo.ui.separation_panels import separation


def draw(chosen: Choices) -> None:
    """Groups against groups, the pairs of a cell, the separation, tokens against tokens."""
    st.toggle("Show cosines above the floor", help=SWITCH, **session.bind("minus_floor"))
    models = work.models(chosen)
    if not panels.nothing_chosen(models, chosen.groups):
        known = work.fetch(models, work.moments_stage(chosen.population), work.Patience())
        known = work.fetch_rows(known, chosen)
        scale, colours = group_scale(known, chosen.minus_floor), frame.colours()
        panels.columns(models, lambda model: group_panels.heatmap(model, chosen, scale, colours))
        if known:
            group_panels.pairs(known, chosen)
            st.subheader("Do the groups stand apart?", anchor=False)
            separation({model.label: model.rows for model in known if model.rows is not None})
            st.subheader("Token by token", anchor=False)
            tokens = token_scale(known, chosen.minus_floor)
            panels.columns(
                known,
                lambda model: token_panels.tokens(model, chosen, tokens, colours),
                across=token_panels.across(known),
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
    "Each cell is the mean cosine of all pairs of different tokens of two groups; below it stands "
    "its **floor**, what tokens of the same kinds give when nothing relates them.",
    draw,
)
