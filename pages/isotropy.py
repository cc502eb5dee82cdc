"""The narrow cone: cosines of any two rows, to the mean direction, by id and by coordinate."""

import streamlit as st

from embgeo.ui import count_panels, frame, isotropy_panels, opening, panels, rogue_panels, work
from embgeo.ui.choices import Choices


def draw(chosen: Choices) -> None:
    """Pairs over what isotropic rows give, the numbers, the cone, by id, by coordinate."""
    models = opening.models(chosen)
    if not panels.nothing_chosen(models):
        patience = work.Patience()
        known = work.fetch(models, isotropy_panels.isotropy_stage(chosen.population), patience)
        axis, colours = isotropy_panels.pair_axis(known, chosen), frame.colours()
        panels.columns(models, lambda model: isotropy_panels.cosines(model, chosen, axis, colours))
        if known:
            counted = count_panels.counted(known, chosen.population, patience)
            isotropy_panels.figures(known, chosen, counted)
            count_panels.bring_counts(known)
            _cone(known, chosen)
            _coordinates(known, chosen)
        panels.entries(models)
    panels.explanation(*METRICS, first=READING)


def _cone(models: list[work.Model], chosen: Choices) -> None:
    colours = frame.colours()
    st.subheader("How narrow is the cone?", anchor=False)
    axis = isotropy_panels.cone_axis(models, chosen)
    panels.columns(models, lambda model: isotropy_panels.to_mean(model, chosen, axis, colours))
    st.subheader("Which tokens make it narrow?", anchor=False)
    st.markdown(BY_ID)
    ends = isotropy_panels.by_id_axis(models, chosen)
    panels.columns(models, lambda model: isotropy_panels.by_id(model, chosen, ends, colours))


def _coordinates(models: list[work.Model], chosen: Choices) -> None:
    colours = frame.colours()
    st.subheader("Do a few coordinates carry it?", anchor=False)
    panels.columns(models, lambda model: rogue_panels.dimensions(model, chosen, colours))
    st.subheader("What is left without them?", anchor=False)
    rogue_panels.slider()
    axis = rogue_panels.zeroed_axis(models, chosen)
    panels.columns(models, lambda model: rogue_panels.zeroed(model, chosen, axis, colours))


METRICS = (
    "mean_cosine",
    "cosine_sd",
    "mean_cosine_centred",
    "mean_cosine_sampled",
    "cone_length",
    "mean_cosine_by_id",
    "mean_cosine_weighted",
    "contribution",
    "column_mean_z",
    "mean_cosine_zeroed",
    "mean_cosine_standardised",
    "informativity",
)
BY_ID = (
    "Every pair of tokens whose ids lie in one range. Ids mostly follow frequency: where the right "
    "bars are the tall ones, the mean cosine is mostly a property of rare tokens, and the tokens "
    "that people type are less alike than it says."
)
READING = (
    "If the grey shape lies over the line, the rows point every way; the further it lies to the "
    "right, the narrower the cone. A cosine of this table says nothing by itself: hold it against "
    "the mean of tokens as frequent as these, not against 0, and not against the mean of all."
)

frame.page(
    "Do the rows lie in a narrow cone?",
    "The grey area is the cosine of any two rows. The line is what directions spread evenly would "
    "give, mean 0 and spread 1/√d; the dots on it are random rows of the same width.",
    draw,
)
