"""Within and between token groups: the heatmaps, the tokens behind them, and the separation."""

import streamlit as st

from embgeo.ui import frame, group_panels, opening, panels, session, stages, token_panels, work
from embgeo.ui.choices import Choices
from embgeo.ui.scales import group_reach, token_scale
from embgeo.ui.separation_panels import separation


def draw(chosen: Choices) -> None:
    """Groups against groups, the pairs of a cell, the separation, tokens against tokens."""
    st.toggle("Show cosines above the floor", help=SWITCH, **session.bind("minus_floor"))
    models = opening.models(chosen)
    if not panels.nothing_chosen(models, chosen.groups):
        panels.nothing_shared(models)
        known = work.fetch(models, stages.moments(chosen.population), work.Patience())
        known = work.fetch_rows(known, chosen)
        rows = {model.label: model.rows for model in known if model.rows is not None}
        reach, colours = group_reach(list(rows.values())), frame.colours()
        panels.columns(models, lambda model: group_panels.heatmap(model, chosen, reach, colours))
        if known:
            group_panels.pairs(known, chosen)
            st.subheader("Do the groups stand apart?", anchor=False)
            separation(rows)
            st.subheader("Token by token", anchor=False)
            tokens = token_scale(known, chosen.minus_floor)
            panels.columns(
                known,
                lambda model: token_panels.tokens(model, chosen, tokens, colours),
                across=token_panels.across(known),
            )
        panels.entries(models)
    panels.explanation(*METRICS, first=READING)


SWITCH = "Prints how far each cosine is above its floor; the token picture is coloured by it."
METRICS = (
    "within",
    "between",
    "floor",
    "difference",
    "effect_size",
    "silhouette",
    "own_group_neighbours",
    "p_value",
    "two_cosine",
)
READING = (
    "Colours show how far a cell is above its own floor, on one scale for all models: neutral is "
    "what unrelated tokens of the same kinds give, however large the cosine itself is. Kinds are "
    "the token's class (special, single character, word start, continuation) and its range of ids, "
    "which stands for how frequent it is; the CSV of a cell's pairs names them. Compare cells with "
    "their floors first, and only then models with each other."
)

frame.page(
    "How alike are tokens within and between groups?",
    "Each cell is the mean cosine of all pairs of different tokens of two groups; below it stands "
    "its **floor**, what tokens of the same kinds give when nothing relates them.",
    draw,
)
