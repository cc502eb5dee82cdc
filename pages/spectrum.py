"""How many directions the rows use: singular values, explained variance, and the ranks."""

import streamlit as st

from embgeo.ui import frame, opening, panels, spectrum_panels
from embgeo.ui.choices import Choices


def draw(chosen: Choices) -> None:
    """The pictures on one axis, then the numbers."""
    models = opening.models(chosen)
    if not panels.nothing_chosen(models):
        known = spectrum_panels.fetch(models, chosen)
        domain, colours = spectrum_panels.length_domain(known, chosen), frame.colours()
        panels.columns(
            models, lambda model: spectrum_panels.pictures(model, chosen, domain, colours)
        )
        if known:
            st.subheader("The spectrum in numbers", anchor=False)
            panels.columns(known, lambda model: spectrum_panels.numbers(model, chosen))
        panels.entries(models)
    panels.explanation(*METRICS, first=READING)


METRICS = (
    "singular_values",
    "explained_variance",
    "effective_rank",
    "rankme",
    "effective_rank_variance",
    "participation_ratio",
    "isoscore",
    "stable_rank",
    "stable_rank_centred",
    "first_share",
    "k90",
    "mean_alignment",
    "condition",
    "power_law",
)
READING = (
    "A line that falls slowly means that many directions carry the rows; where the raw line starts "
    "far above the centred one, the first direction is only what all rows share, the cone. Each "
    "rank counts directions with another weight, so they differ by design: effective rank on σ ≥ "
    "on λ ≥ participation ratio ≥ stable rank, all centred. **IsoScore is the participation ratio "
    "rescaled, (PR − 1)/(d − 1)**, and like it does not see the mean row: a narrow cone can score "
    "1. None of these says that more is better. The power law is fitted over k = d/20 to d/2, and "
    "its exponent depends on that range a good deal."
)

frame.page(
    "How many directions do the rows use?",
    "Each table's singular values, raw (dashed) and after its mean row was subtracted (solid), as "
    "shares of the table's Frobenius norm. Below: how much of the variance the first k components "
    "hold, beside a cloud that is alike in all directions.",
    draw,
)
