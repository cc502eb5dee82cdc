"""How big the table is: its share of the model, what more tokens cost, known models by size."""

import streamlit as st

from embgeo.ui import frame, opening, panels, size_calculator, size_panels
from embgeo.ui.choices import Choices


def draw(chosen: Choices) -> None:
    """The share over all known models, the chosen ones in detail, the calculator, the catalogue."""
    models, colours = opening.models(chosen), frame.colours()
    known = [model for model in models if model.table is not None and not model.problem]
    size_panels.share(known, chosen, colours)
    st.subheader("The models chosen", anchor=False)
    if not panels.nothing_chosen(models):
        panels.columns(models, lambda model: size_panels.slice_of(model, colours))
    st.subheader("What does a larger vocabulary cost?", anchor=False)
    size_calculator.calculator(chosen)
    st.subheader("What is said, and what is so", anchor=False)
    size_panels.claims()
    st.subheader("Known models", anchor=False)
    size_panels.catalogue(chosen)
    panels.entries(models)
    panels.explanation(first=READING)


READING = """
**Size of a table**: rows × width, padding rows included. An untied model stores a second table of
that shape, its output table; a tied one uses the same numbers twice.

**Share of the model**: numbers in the table divided by numbers in the whole model, from 0 to 1. The
whole is counted in the checkpoint for the models chosen, and computed from the architecture for
known ones. The rest of a model grows with its depth and the square of its width, the table with the
width alone: so the share falls as models grow, unless the vocabulary grows too.

**Bytes**: numbers × bytes a number, at 2 unless another is chosen. 1 MB is 10⁶ bytes, 1 MiB is 2²⁰.

*Class default* means that the flag for tying was not read from the model's own files but is what
its library assumes. The flag alone is weak evidence: the models you choose are compared number by
number.
"""

frame.page(
    "How big is this table?",
    "Each point is a model: how much of it is embedding table, against how large it is; the models "
    "chosen are ringed, and measured from their own files.",
    draw,
)
