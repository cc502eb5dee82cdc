"""The whitening page's pieces: the transform, then everything before and after it."""

from collections.abc import Callable, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

import streamlit as st

from embgeo.charts.numbers import MINUS, cosine_text, norm_text
from embgeo.charts.palette import Palette
from embgeo.errors import EmbgeoError
from embgeo.ui import pipeline, stages, work
from embgeo.ui.charts import Figure, download, draw
from embgeo.ui.choices import Choices
from embgeo.ui.literal import literal, table
from embgeo.ui.scales import group_reach
from embgeo.ui.work import Model

if TYPE_CHECKING:
    import pandas as pd

    from embgeo.transforms import Transform
    from embgeo.views.group_rows import GroupRows


class Compared:
    """A model's groups before and after the chosen transform, and after each of its steps."""

    def __init__(self, model: Model, transform: "Transform", chosen: Choices) -> None:
        from embgeo.views.steps import prefixes

        self.model = model
        self.transform = transform
        self.taken = [work.rows_of(model, chosen, steps) for steps in prefixes(transform)]

    @property
    def before(self) -> "GroupRows":
        """The groups' rows in the raw table."""
        return self.taken[0]

    @property
    def after(self) -> "GroupRows":
        """The groups' rows after all steps."""
        return self.taken[-1]


def fetch(models: Sequence[Model], chosen: Choices) -> list[Compared]:
    """The models for which everything before and after is known, in order."""
    found, patience = [], work.Patience()
    for model in models:
        if model.table is None or model.problem:
            continue
        try:
            transform = pipeline.transform_for(chosen, model.table.dim)
            stage = stages.transformed(transform, chosen.population)
            if work.fetch([model], stage, patience):
                found.append(Compared(model, transform, chosen))
        except EmbgeoError as error:
            model.problem = str(error)
    return found


def states(compared: Sequence[Compared]) -> "dict[str, GroupRows]":
    """Each model's groups before and after, by a name that says which."""
    columns = {}
    for each in compared:
        columns[f"{each.model.label}, before"] = each.before
        columns[f"{each.model.label}, after"] = each.after
    return columns


def steps(each: Compared, chosen: Choices, colours: Palette, reach: float) -> None:
    """What every step did to the table and to the groups, and the groups before and after all."""
    from embgeo.views.steps import steps_frame
    from embgeo.views.whitening import fit_note

    assert each.model.table is not None
    frame = steps_frame(each.model.table, each.transform, each.taken, chosen.population)
    table(frame, _STEPS, written=_STEP_NUMBERS)
    _heatmaps(each, reach, colours)
    if each.transform:
        st.caption(literal(fit_note(each.model.table, each.transform, chosen.population)))
    download(frame, f"steps {each.model.label}", each.after.about.columns())


def _small_text(cosine: float | None) -> str:
    """A mean cosine after centring is far smaller than three decimals can say."""
    if cosine is None or isnan(cosine) or abs(cosine) >= 0.001 or cosine == 0:
        return cosine_text(cosine)
    return f"{cosine:.1e}".replace("-", MINUS)


_STEPS = {
    "step": "After",
    "mean_cosine": "Mean cosine",
    "isoscore": "IsoScore",
    "participation_ratio": "PR",
    "within": "Within",
    "between": "Between",
    "effect_size": "Effect size",
}
_STEP_NUMBERS: dict[str, Callable[[Any], str]] = dict.fromkeys(_STEPS, cosine_text) | {
    "mean_cosine": _small_text,
    "participation_ratio": norm_text,
}
del _STEP_NUMBERS["step"]


def reach(compared: Sequence[Compared]) -> float:
    """Half the width of the one colour scale, around the floors before and after."""
    return group_reach([rows for each in compared for rows in (each.before, each.after)])


def _heatmaps(each: Compared, reach: float, colours: Palette) -> None:
    """The groups before and after, on one scale of cosines above the floor."""
    from embgeo.charts.heatmaps import group_heatmap
    from embgeo.views.similarity import group_frame

    model = each.model
    shown = {"Before": each.before, "After": each.after}
    with st.container(key=f"pictures of {model.text}"):
        places = st.columns(2, gap="small")
    for (name, rows), place in zip(shown.items(), places, strict=True):
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


def cosine_domain(compared: Sequence[Compared], chosen: Choices) -> tuple[float, float]:
    """The axis that holds every sampled cosine of every model, before and after."""
    import pandas as pd

    frames = [_histograms(each, chosen) for each in compared]
    filled = pd.concat([frame[frame["pairs"] > 0] for frame in frames])
    if filled.empty:
        return -1.0, 1.0
    return float(filled["left"].min()), float(filled["right"].max())


def _histograms(each: Compared, chosen: Choices) -> "pd.DataFrame":
    from embgeo.views.whitening import cosine_histograms

    assert each.model.table is not None
    return cosine_histograms(each.model.table, each.transform, chosen.population)


def cosines(each: Compared, chosen: Choices, domain: tuple[float, float], colours: Palette) -> None:
    """The distribution of a stated sample of pairs, before and after."""
    from embgeo.charts.cosines import cosine_distribution
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
    from embgeo.charts.spectrum import spectrum
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
