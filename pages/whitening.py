"""Before and after: centring, standardising, dropping the top components, whitening."""

import streamlit as st

from embgeo.ui import frame, panels, whitening_panels, work

chosen = frame.open_page(
    "What does whitening change?",
    "The same groups and the same pairs before and after a transform fitted on the whole table. "
    "Numbers are cosines; colours show how far each is above what unrelated tokens give.",
)
whitening_panels.controls(chosen)
models = work.models(chosen)
if not panels.nothing_chosen(models, chosen.groups):
    compared = whitening_panels.fetch(models, chosen)
    by_model = {each.model.text: each for each in compared}
    reach, colours = whitening_panels.reach(compared), frame.colours()

    panels.columns(
        models,
        lambda model: whitening_panels.heatmaps(by_model[model.text], chosen, reach, colours),
    )
    if compared:
        known = [each.model for each in compared]
        st.subheader("Did it set the groups apart?", anchor=False)
        whitening_panels.effects(compared)
        st.subheader("Cosines of any two rows", anchor=False)
        domain = whitening_panels.cosine_domain(compared, chosen)
        panels.columns(
            known,
            lambda model: whitening_panels.cosines(by_model[model.text], chosen, domain, colours),
        )
        st.subheader("Spectrum", anchor=False)
        panels.columns(
            known, lambda model: whitening_panels.spectra(by_model[model.text], chosen, colours)
        )
    panels.entries(models)

panels.explanation(
    "within",
    "between",
    "effect_size",
    "silhouette",
    "own_group_neighbours",
    "explained_variance",
    first="A transform helps where the groups' effect size or silhouette grows, and it does not "
    "always: read the table, not the colours. Subtracting the mean lowers every cosine, which by "
    "itself separates nothing.",
)
