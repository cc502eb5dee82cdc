"""The norm page's pieces: distributions on one axis, the table, norm against id, both tails."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from embgeo.charts.numbers import count_text, norm_text
from embgeo.charts.palette import Palette, group_colours
from embgeo.ui.charts import Figure, download, draw
from embgeo.ui.choices import Choices
from embgeo.ui.literal import table
from embgeo.ui.work import Model

if TYPE_CHECKING:
    from embgeo.statistics import Moments

UNITS = {True: "norm, in medians of the table", False: "norm"}


def _moments(model: Model, chosen: Choices) -> "Moments":
    from embgeo.statistics import moments

    assert model.table is not None
    return moments(model.table, chosen.population)


def axes(models: Sequence[Model], chosen: Choices) -> dict[str, tuple[float, float]]:
    """The axis of each model: one for all in relative norms, its own in raw ones."""
    if chosen.relative:
        return dict.fromkeys((model.text for model in models), _axis(models, chosen))
    return {model.text: _axis([model], chosen) for model in models}


def _axis(models: Sequence[Model], chosen: Choices) -> tuple[float, float]:
    """The axis that holds every used row of the models, in the chosen unit."""
    from embgeo.views.norms import unit_length

    ends = []
    for model in models:
        first = _moments(model, chosen)
        norms = first.norms[first.used] / unit_length(first, chosen.relative)
        if len(norms):
            ends += [float(norms.min()), float(norms.max())]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    room = 0.03 * (high - low) or 0.05 * high or 0.5
    return max(0.0, low - room), high + room


def distribution(
    model: Model, chosen: Choices, axis: tuple[float, float], colours: Palette
) -> None:
    """The groups' norms over the distribution of the whole table."""
    from embgeo.charts.norms import norm_distribution
    from embgeo.views.norms import group_norms, norm_histogram, norm_table, unit_length
    from embgeo.views.overview import left_out

    assert model.rows is not None
    first = _moments(model, chosen)
    unit = unit_length(first, chosen.relative)
    bars = norm_histogram(first, unit, axis)
    if bars.empty:
        st.caption("No row has a direction: there is no distribution to draw.")
        return
    about = model.rows.about.columns()
    drawing = norm_distribution(
        bars,
        group_norms(model.rows, unit),
        unit=UNITS[chosen.relative],
        domain=axis,
        palette=colours,
        colours=_colours(chosen, colours),
    )
    alt = f"{model.label}: norms of each group's tokens over those of all {first.count:,} rows."
    draw(Figure(f"norms {model.label}", alt, drawing, bars, about), colours)
    summary = norm_table(first, model.rows)
    table(
        summary,
        {
            "group": "",
            "tokens": "n",
            "mean": "Mean",
            "sd": "sd",
            "q05": "5 %",
            "median": "Median",
            "q95": "95 %",
        },
        written={"tokens": count_text}
        | dict.fromkeys(("mean", "sd", "q05", "median", "q95"), norm_text),
    )
    counted = [f"{first.count:,} of {len(first.norms):,} rows", left_out(first)]
    st.caption(f"Raw norms. {'; '.join(filter(None, counted))}.")
    download(summary, f"norm summary {model.label}", about)


def by_id(model: Model, chosen: Choices, colours: Palette) -> None:
    """Norm against token id: the band of the whole table, the groups' tokens on it."""
    from embgeo.charts.norms import norm_by_id
    from embgeo.views.norms import group_norms, norm_bands, unit_length

    assert model.rows is not None
    first = _moments(model, chosen)
    unit = unit_length(first, chosen.relative)
    bands = norm_bands(first, unit)
    if bands.empty:
        return
    points = group_norms(model.rows, unit)
    points = points[~points["id"].str.contains("+", regex=False)]
    drawing = norm_by_id(
        bands,
        points.assign(id=points["id"].astype(int)),
        unit=UNITS[chosen.relative],
        palette=colours,
        colours=_colours(chosen, colours),
    )
    alt = f"{model.label}: median norm and 5 to 95 % band against token id."
    about = model.rows.about.columns()
    draw(Figure(f"norms by id {model.label}", alt, drawing, bands, about), colours)


def tails(model: Model, chosen: Choices) -> None:
    """The tokens with the longest and the shortest rows."""
    from embgeo.views.norms import norm_tail

    assert model.table is not None and model.rows is not None
    first = _moments(model, chosen)
    for longest, name in ((True, "Longest rows"), (False, "Shortest rows")):
        with st.expander(name):
            frame = norm_tail(model.table, first, longest)
            table(
                frame,
                {
                    "token": "Token",
                    "id": "Id",
                    "norm": "Norm",
                    "times_median": "× median",
                    "class": "Class",
                },
                written={"id": str, "norm": norm_text, "times_median": norm_text},
                tokens=("token",),
                height=360,
            )
            st.caption("Of all rows, padding and rows without a direction included.")
            download(frame, f"{name.lower()} {model.label}", model.rows.about.columns())


def _colours(chosen: Choices, colours: Palette) -> dict[str, str]:
    return group_colours([group.name for group in chosen.groups], colours)
