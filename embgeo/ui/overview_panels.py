"""The overview's cards: what a table is, and its headline numbers as they become known."""

import html

import streamlit as st

from embgeo.charts.heatmaps import group_heatmap
from embgeo.charts.numbers import cosine_text, norm_text
from embgeo.charts.palette import Palette
from embgeo.ui import panels, work
from embgeo.ui.charts import Figure, draw
from embgeo.ui.choices import Choices
from embgeo.ui.group_panels import Scale
from embgeo.ui.work import Model


def card(model: Model, chosen: Choices, scale: Scale, colours: Palette) -> None:
    """One model's card: headline numbers in stages, the group heatmap in small, the facts."""
    from embgeo.statistics import moments

    assert model.table is not None
    first = moments(model.table, chosen.population)
    with st.container(border=True):
        numbers = st.container()
        if model.rows is not None and chosen.groups:
            _small_heatmap(model, scale, colours)
        facts(model, chosen)
        with numbers:
            left, right = st.columns(2)
            norms = first.norm_summary
            left.metric(
                "Mean norm",
                norm_text(norms.mean if norms else None),
                help="Mean Euclidean length of the rows. Each model has its own scale.",
            )
            left.caption(f"± {norm_text(norms.sd if norms else None)} (sd), {first.count:,} rows")
            right.metric(
                "Mean cosine",
                cosine_text(first.mean_cosine),
                help="Over all pairs of different rows, exact. 0 in a space without a cone.",
            )
            spread(model, chosen, right)


def spread(model: Model, chosen: Choices, beside: "st.delta_generator.DeltaGenerator") -> None:
    """What the second pass gives, once it is there."""
    if not work.fetch([model], work.spectrum_stage(chosen.population), work.Patience()):
        beside.caption("± … (sd over all pairs)")
        panels.stands(model)
        return
    from embgeo.statistics import spectrum
    from embgeo.views.records import centred_mean_cosine

    assert model.table is not None
    second = spectrum(model.table, chosen.population)
    beside.caption(f"± {cosine_text(second.cosine_sd)} (sd over all pairs)")
    left, right = st.columns(2)
    left.metric(
        "IsoScore",
        cosine_text(second.isoscore),
        help="How evenly the centred rows use all dimensions: 1 evenly, 0 one dimension. "
        "Blind to the mean.",
    )
    effective = "–" if second.effective_rank is None else f"{second.effective_rank:.0f}"
    left.caption(f"effective rank {effective} of {model.table.dim:,}")
    right.metric(
        "Centred cosine",
        cosine_text(centred_mean_cosine(model.table, chosen.population)),
        help="The mean cosine over all pairs once the mean row is subtracted: what is left of "
        "the cone.",
    )


def facts(model: Model, chosen: Choices) -> None:
    """The facts of the table, as a list."""
    from embgeo.statistics import moments
    from embgeo.views.overview import facts as facts_of

    assert model.table is not None
    lines = facts_of(model.table, moments(model.table, chosen.population))
    items = "".join(
        f"<dt>{html.escape(line.label)}</dt><dd><b>{html.escape(line.value)}</b>"
        f"{' <span>' + html.escape(line.note) + '</span>' if line.note else ''}</dd>"
        for line in lines
    )
    st.html(f'<dl class="embgeo-facts">{items}</dl>')


def _small_heatmap(model: Model, scale: Scale, colours: Palette) -> None:
    from embgeo.views.similarity import group_frame

    assert model.rows is not None
    frame = group_frame(model.rows)
    drawing = group_heatmap(
        frame.assign(text=frame["value"].map(cosine_text)),
        centre=scale.centres[model.text],
        reach=scale.reach,
        palette=colours,
        selectable=False,
        compact=True,
    )
    alt = f"{model.label}: mean cosine within and between token groups, in small."
    about = model.rows.about.columns()
    draw(Figure(f"small groups {model.label}", alt, drawing, frame, about), colours)
