"""The whitening page's pieces: the transform, then everything before and after it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from embgeo.charts.cosines import cosine_distribution
from embgeo.charts.heatmaps import group_heatmap
from embgeo.charts.numbers import cosine_text, norm_text
from embgeo.charts.palette import Palette
from embgeo.charts.spectrum import spectrum
from embgeo.errors import EmbgeoError
from embgeo.ui import session, work
from embgeo.ui.charts import Figure, draw
from embgeo.ui.choices import TRANSFORMS, Choices
from embgeo.ui.literal import literal
from embgeo.ui.scales import group_reach
from embgeo.ui.separation_panels import separation
from embgeo.ui.work import Model

if TYPE_CHECKING:
    from embgeo.transforms import Transform
    from embgeo.views.group_rows import GroupRows

NAMES = {
    "centred": "Centred",
    "standardised": "Standardised",
    "abtt": "All-but-the-top",
    "whitened": "Whitened",
    "raw": "Raw",
}
_WHAT = {
    "centred": "The mean row is subtracted from every row.",
    "standardised": "Centred, then each coordinate divided by its standard deviation.",
    "abtt": "Centred, then the principal components of largest variance removed.",
    "whitened": "Centred, then every principal component scaled to unit variance.",
    "raw": "Nothing is changed: before and after are the same.",
}


def controls(chosen: Choices) -> None:
    """The transform, and how many components it removes or keeps."""
    with st.container(horizontal=True, vertical_alignment="top"):
        st.segmented_control(
            "Transform",
            TRANSFORMS,
            format_func=NAMES.__getitem__,
            required=True,
            width="content",
            # Components to keep are not components to remove.
            **session.bind("transform", components=None),
        )
        asked = {"abtt": "Components removed, D", "whitened": "Components kept, k"}
        if chosen.transform in asked:
            default = "max(1, d/100)" if chosen.transform == "abtt" else "all"
            st.number_input(
                asked[chosen.transform],
                min_value=1,
                max_value=100_000,
                step=1,
                width=200,
                placeholder=default,
                **session.bind("components"),
            )
    st.caption(_WHAT[chosen.transform])


class Compared:
    """A model's groups before and after the chosen transform."""

    def __init__(self, model: Model, transform: "Transform", chosen: Choices) -> None:
        self.model = model
        self.transform = transform
        self.before: GroupRows = work.rows_of(model, chosen)
        self.after: GroupRows = work.rows_of(model, chosen, transform)


def fetch(models: Sequence[Model], chosen: Choices) -> list[Compared]:
    """The models for which everything before and after is known, in order."""
    from embgeo.transforms import named

    found, patience = [], work.Patience()
    for model in models:
        if model.table is None or model.problem:
            continue
        try:
            parameter = chosen.components if chosen.transform in ("abtt", "whitened") else None
            transform = named(chosen.transform, model.table.dim, parameter)
            stage = work.transformed_stage(transform, chosen.population)
            if work.fetch([model], stage, patience):
                found.append(Compared(model, transform, chosen))
        except EmbgeoError as error:
            model.problem = str(error)
    return found


def reach(compared: Sequence[Compared]) -> float:
    """Half the width of the one colour scale, around the floors before and after."""
    return group_reach([rows for each in compared for rows in (each.before, each.after)])


def heatmaps(each: Compared, chosen: Choices, reach: float, colours: Palette) -> None:
    """The groups before and after, on one scale of cosines above the floor."""
    from embgeo.views.similarity import group_frame
    from embgeo.views.whitening import fit_note

    model = each.model
    states = {"Before": each.before, "After": each.after}
    with st.container(key=f"pictures of {model.text}"):
        places = st.columns(2, gap="small")
    for (name, rows), place in zip(states.items(), places, strict=True):
        frame = group_frame(rows)
        with place:
            st.markdown(f"**{name}**")
            drawing = group_heatmap(
                frame.assign(
                    text=frame["mean"].map(cosine_text),
                    note="floor " + frame["floor"].map(cosine_text),
                ),
                reach=reach,
                palette=colours,
                selectable=False,
            )
            title = f"groups {name.lower()} {model.label}"
            alt = f"{model.label}, {name.lower()}: mean cosines of groups, coloured by floor."
            draw(Figure(title, alt, drawing, frame, rows.about.columns()), colours)
    if each.transform:
        assert model.table is not None
        st.caption(literal(fit_note(model.table, each.transform, chosen.population)))


def effects(compared: Sequence[Compared]) -> None:
    """What the transform did to separation, before and after for each model."""
    columns = {}
    for each in compared:
        columns[f"{each.model.label}, before"] = each.before
        columns[f"{each.model.label}, after"] = each.after
    separation(columns)


def cosine_domain(compared: Sequence[Compared], chosen: Choices) -> tuple[float, float]:
    """The axis that holds every sampled cosine of every model, before and after."""
    frames = [_histograms(each, chosen) for each in compared]
    filled = pd.concat([frame[frame["pairs"] > 0] for frame in frames])
    if filled.empty:
        return -1.0, 1.0
    return float(filled["left"].min()), float(filled["right"].max())


def _histograms(each: Compared, chosen: Choices) -> pd.DataFrame:
    from embgeo.views.whitening import cosine_histograms

    assert each.model.table is not None
    return cosine_histograms(each.model.table, each.transform, chosen.population)


def cosines(each: Compared, chosen: Choices, domain: tuple[float, float], colours: Palette) -> None:
    """The distribution of a stated sample of pairs, before and after."""
    from embgeo.statistics import PAIRS, SEED
    from embgeo.views.whitening import cosine_rules, sampling_error

    assert each.model.table is not None
    frame = _histograms(each, chosen)
    rules = cosine_rules(each.model.table, each.transform, chosen.population)
    drawing = cosine_distribution(frame, rules, domain=domain, palette=colours)
    alt = f"{each.model.label}: cosines of sampled pairs before and after."
    about = each.after.about.columns()
    draw(Figure(f"cosines {each.model.label}", alt, drawing, frame, about), colours)
    error = sampling_error(each.model.table, each.transform, chosen.population)
    st.caption(
        f"{PAIRS:,} pairs of different rows, drawn with seed {SEED}, the same before and after "
        f"(standard error of their mean after: {norm_text(error)}). The dashed means are exact, "
        "over all pairs."
    )


def spectra(each: Compared, chosen: Choices, colours: Palette) -> None:
    """Share of the variance along each principal component, before and after."""
    from embgeo.views.whitening import spectrum_frame

    assert each.model.table is not None
    frame = spectrum_frame(each.model.table, each.transform, chosen.population)
    if frame.empty:
        st.caption("The rows have no spread: there is no spectrum to draw.")
        return
    alt = f"{each.model.label}: share of the variance by principal component, before and after."
    about = each.after.about.columns()
    drawing = spectrum(frame, palette=colours)
    draw(Figure(f"spectrum {each.model.label}", alt, drawing, frame, about), colours)
