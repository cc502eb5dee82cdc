"""How long the rows are: by group, by id, by kind of token, and which tokens stand out."""

import streamlit as st

from embgeo.ui import (
    count_panels,
    frame,
    norm_kind_panels,
    norm_panels,
    opening,
    panels,
    session,
    stages,
    undertrained_panels,
    work,
)
from embgeo.ui.choices import Choices


def draw(chosen: Choices) -> None:
    """The distributions on one axis, norm against id, kinds of tokens, both tails, candidates."""
    st.toggle("In medians of each table", help=SWITCH, **session.bind("relative"))
    models = opening.models(chosen)
    if not panels.nothing_chosen(models):
        known = work.fetch(models, stages.moments(chosen.population), work.Patience())
        known = work.fetch_rows(known, chosen)
        axes, colours = norm_panels.axes(known, chosen), frame.colours()
        panels.columns(
            models,
            lambda model: norm_panels.distribution(model, chosen, axes[model.text], colours),
        )
        if known:
            _details(known, chosen)
        panels.entries(models)
    panels.explanation(*METRICS, first=READING)


def _details(known: list[work.Model], chosen: Choices) -> None:
    colours = frame.colours()
    st.subheader("Norm against token id", anchor=False)
    st.markdown(PROXY)
    panels.columns(known, lambda model: norm_panels.by_id(model, chosen, colours))
    count_panels.bring_counts(known)
    panels.columns(known, lambda model: norm_kind_panels.correlations(model, chosen))
    st.subheader("Which tokens stand out?", anchor=False)
    panels.columns(known, lambda model: norm_panels.tails(model, chosen))
    ready = undertrained_panels.fetch(known, chosen)
    st.subheader("By token class and script", anchor=False)
    kinds = norm_kind_panels.domain(ready, chosen)
    panels.columns(known, lambda model: norm_kind_panels.by_kind(model, chosen, kinds, colours))
    if ready:
        st.subheader("Which tokens look under-trained?", anchor=False)
        st.markdown(CANDIDATES)
        panels.columns(ready, lambda model: undertrained_panels.candidates(model, chosen, colours))


SWITCH = "Off: raw norms, each model on its own axis."
PROXY = (
    "In most vocabularies the id follows the order of merges or of counts: small ids are frequent "
    "tokens. It is a proxy, not a count. Spearman's ρ says whether norm rises (1) or falls (−1) "
    "with it."
)
CANDIDATES = (
    "These are **candidates: only prompting the model verifies them**. A row that training hardly "
    "touched stays near where it began: short in an untied table, close to the rows of tokens that "
    "no text contains in a tied one."
)
METRICS = ("norm", "norm_percentile", "norm_id_spearman", "reference_distance", "nearest_reserved")
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
