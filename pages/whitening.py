"""Before and after: any steps from centring to Zipf whitening, and whether they help."""

import streamlit as st

from embgeo.ui import evaluation_panels, frame, opening, panels, pipeline, whitening_panels
from embgeo.ui.choices import Choices
from embgeo.ui.separation_panels import separation


def draw(chosen: Choices) -> None:
    """What each step did, the groups before and after, whether it helps, pairs and spectrum."""
    pipeline.controls(chosen)
    models = opening.models(chosen)
    if not panels.nothing_chosen(models, chosen.groups):
        panels.nothing_shared(models)
        known = whitening_panels.fetch(models, chosen)
        by_model = {each.model.text: each for each in known}
        reach, colours = whitening_panels.reach(known), frame.colours()
        panels.columns(
            models,
            lambda model: whitening_panels.steps(by_model[model.text], chosen, colours, reach),
        )
        if known:
            _details(known, chosen)
        panels.entries(models)
    panels.explanation(*METRICS, first=READING)


def _details(known: list[whitening_panels.Compared], chosen: Choices) -> None:
    models, colours = [each.model for each in known], frame.colours()
    by_model = {each.model.text: each for each in known}
    states = whitening_panels.states(known)
    st.subheader("Did it set the groups apart?", anchor=False)
    separation(states)
    st.subheader("Does it help to find a token's own group?", anchor=False)
    evaluation_panels.retrieval(states, chosen)
    st.subheader("Does it order word pairs as people do?", anchor=False)
    evaluation_panels.word_pairs(known, chosen)
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
    "mean_cosine",
    "isoscore",
    "participation_ratio",
    "within",
    "between",
    "floor",
    "difference",
    "effect_size",
    "silhouette",
    "own_group_neighbours",
    "p_value",
    "precision_at_k",
    "auc",
    "pair_spearman",
    "explained_variance",
)
READING = (
    "Whether whitening improves similarity or worsens it depends on the table and on the task: it "
    "helps where the groups' effect size, the own group among the nearest, or the order of scored "
    "pairs improves, and it does not always; the numbers here decide. Subtracting the mean "
    "lowers every cosine, which by itself separates nothing, and an isotropic table is not a "
    "better one. PCA and ZCA whitening give the same cosines."
)

frame.page(
    "What does whitening change?",
    "The same groups and the same pairs before and after a transform fitted on the whole table. "
    "Numbers are cosines; colours show how far each is above what unrelated tokens give.",
    draw,
)
