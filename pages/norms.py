"""How long the rows are: by group, by token id, and which tokens stand out."""

import streamlit as st

from embgeo.ui import frame, norm_panels, panels, session, work
from embgeo.ui.choices import Choices


def draw(chosen: Choices) -> None:
    """The distributions on one axis, norm against id, both tails."""
    st.toggle("In medians of each table", help=SWITCH, **session.bind("relative"))
    models = work.models(chosen)
    if not panels.nothing_chosen(models):
        known = work.fetch(models, work.moments_stage(chosen.population), work.Patience())
        known = work.fetch_rows(known, chosen)
        axes, colours = norm_panels.axes(known, chosen), frame.colours()
        panels.columns(
            models,
            lambda model: norm_panels.distribution(model, chosen, axes[model.text], colours),
        )
        if known:
            st.subheader("Norm against token id", anchor=False)
            st.markdown(PROXY)
            panels.columns(known, lambda model: norm_panels.by_id(model, chosen, colours))
            st.subheader("Which tokens stand out?", anchor=False)
            panels.columns(known, lambda model: norm_panels.tails(model, chosen))
        panels.entries(models)
    panels.explanation("norm", first=READING)


SWITCH = "Off: raw norms, each model on its own axis."
PROXY = (
    "In most vocabularies the id follows the order of merges or of counts: small ids are frequent "
    "tokens. It is a proxy, not a count."
)
READING = (
    "Whether frequent tokens are long or short depends on the model: in one of the packaged models "
    "the most frequent tokens are the shortest rows, not the longest. Marks at the far ends are "
    "worth a look: rows that training hardly touched often lie there."
)

frame.page(
    "How long are the rows?",
    "The grey area is every row of the table by its Euclidean length; below it, each group's "
    "tokens. Raw lengths of different models are **not comparable**: each is shown in units of its "
    "own median.",
    draw,
)
