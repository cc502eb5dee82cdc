"""Before and after: centring, standardising, dropping the top components, whitening."""

import streamlit as st

from embgeo.ui import frame, panels, whitening_panels, work
from embgeo.ui.choices import Choices


def draw(chosen: Choices) -> None:
    """The groups before and after, what it did to them, the pairs, the spectrum."""
    whitening_panels.controls(chosen)
    models = work.models(chosen)
    if not panels.nothing_chosen(models, chosen.groups):
        known = whitening_panels.fetch(models, chosen)
        by_model = {each.model.text: each for each in known}
        reach, colours = whitening_panels.reach(known), frame.colours()
        panels.columns(
            models,
            lambda model: whitening_panels.heatmaps(by_model[model.text], chosen, reach, colours),
        )
        if known:
            _details(known, chosen)
        panels.entries(models)
    panels.explanation(*METRICS, first=READING)


def _details(known: list[whitening_panels.Compared], chosen: Choices) -> None:
    models, colours = [each.model for each in known], frame.colours()
    by_model = {each.model.text: each for each in known}
    st.subheader("Did it set the groups apart?", anchor=False)
    whitening_panels.effects(known)
    st.subheader("Cosines of any two rows", anchor=False)
    axis = whitening_panels.cosine_domain(known, chosen)
    panels.columns(
        models, lambda model: whitening_panels.cosines(by_model[model.text], chosen, axis, colours)
    )
    st.subheader("Spectrum", anchor=False)
    panels.columns(
        models, lambda model: whitening_panels.spectra(by_model[model.text], chosen, colours)
    )


METRICS = (
    "within",
    "between",
    "effect_size",
    "silhouette",
    "own_group_neighbours",
    "explained_variance",
)
READING = (
    "A transform helps where the groups' effect size or silhouette grows, and it does not always: "
    "read the table, not the colours. Subtracting the mean lowers every cosine, which by itself "
    "separates nothing."
)

frame.page(
    "What does whitening change?",
    "The same groups and the same pairs before and after a transform fitted on the whole table. "
    "Numbers are cosines; colours show how far each is above what unrelated tokens give.",
    draw,
)
