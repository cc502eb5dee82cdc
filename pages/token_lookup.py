"""From a text to its tokens, to their rows: what the table holds, and what it does not."""

import streamlit as st

from embgeo.ui import (
    calculator_panels,
    frame,
    lookup_panels,
    lookup_reading,
    navigation,
    opening,
    panels,
    sentence_panels,
    work,
)
from embgeo.ui.choices import Choices


def draw(chosen: Choices) -> None:
    """The tokens and one row, the lookup as a product, X, two tokens, one coordinate."""
    lookup_reading.controls()
    models = opening.models(chosen)
    if not panels.nothing_chosen(models):
        known = lookup_reading.fetch(models, chosen)
        by_model, colours = {each.model.text: each for each in known}, frame.colours()
        panels.columns(
            models,
            lambda model: lookup_panels.token(by_model.get(model.text), model, chosen, colours),
        )
        if known:
            _sentence(known, chosen)
        panels.entries(models)
    panels.explanation(*METRICS, first=READING)


def _sentence(known: list[lookup_reading.Read], chosen: Choices) -> None:
    by_model, colours = {each.model.text: each for each in known}, frame.colours()
    models = [each.model for each in known]
    st.subheader("The lookup is a product", anchor=False)
    panels.columns(models, lambda model: lookup_panels.product(by_model[model.text]))
    st.subheader("The sentence as the model gets it", anchor=False)
    panels.columns(
        models,
        lambda model: sentence_panels.sentence_matrix(by_model[model.text], chosen, colours),
        across=1,
    )
    st.subheader("One row for a token, whatever stands around it", anchor=False)
    panels.columns(models, lambda model: sentence_panels.repeated(by_model[model.text]))
    st.subheader("Two tokens", anchor=False)
    calculator_panels.controls(known, chosen)
    panels.columns(models, lambda model: calculator_panels.calculator(by_model[model.text], chosen))
    st.subheader("How big is the table?", anchor=False)
    panels.columns(models, lambda model: lookup_panels.size(by_model[model.text]))
    navigation.link("model_sizes", "Size")
    st.subheader("What does one coordinate mean?", anchor=False)
    sentence_panels.coordinate_control()
    patience = work.Patience()
    panels.columns(
        models,
        lambda model: sentence_panels.coordinate(by_model[model.text], chosen, patience),
    )


METRICS = (
    "norm",
    "neighbours",
    "norm_percentile",
    "coordinate_share",
    "two_cosine",
    "angle",
    "dot_product",
    "distance",
    "floor",
)
READING = """
**The strip** is all that the model has for a token: its row, one cell a number, in order. Beside it
stands what a person knows, none of which is written in the row. **The lookup** of id k is the
product of a one-hot row (zeros, and a 1 at k) with the table; nobody computes it so.

**One row for a token**: before any context, the same id has the same row in every sentence. “bank”
and “ bank” are different ids, and so different rows.

**A coordinate** rarely means anything by itself: look at its extreme tokens, then rotate the space.
Every number becomes another and every coordinate has other tokens, while lengths, cosines and
neighbours stay: what a token means lies in directions and distances, not in columns.

**At the floor** is what two rows of the same lengths would give at the mean cosine of their kinds.
"""

frame.page(
    "What does the table hold for a token?",
    "A text becomes ids, and each id one row of the table: these numbers are all that the model "
    "knows of a token before it has read its neighbours.",
    draw,
)
