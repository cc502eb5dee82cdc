"""The overview's cards: what a table is, and its headline numbers as they become known."""

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from embgeo.charts.numbers import cosine_text, norm_text
from embgeo.charts.palette import Palette
from embgeo.errors import EmbgeoError
from embgeo.ui import opening, panels, session, stages, work
from embgeo.ui.charts import Figure, draw
from embgeo.ui.choices import Choices
from embgeo.ui.literal import literal
from embgeo.ui.work import Model

if TYPE_CHECKING:
    from embgeo.views.overview import Fact


def card(
    model: Model, chosen: Choices, reach: float, colours: Palette, patience: work.Patience
) -> None:
    """One model's card: headline numbers in stages, the group heatmap in small, the facts."""
    with st.container(border=True):
        numbers = st.container()
        if model.rows is not None and chosen.groups:
            st.caption("Mean cosine within and between the token groups, coloured from each floor")
            _small_heatmap(model, reach, colours)
        facts(model, chosen)
        _which_table(model)
        _newer_commit(model)
        with numbers:
            _headline(model, chosen, patience)


def _headline(model: Model, chosen: Choices, patience: work.Patience) -> None:
    """What one pass gives at once, and what the second gives when it is done."""
    from embgeo.statistics import moments, spectrum
    from embgeo.views.records import centred_mean_cosine

    assert model.table is not None
    first = moments(model.table, chosen.population)
    norms = first.norm_summary
    known = bool(work.fetch([model], stages.spectrum(chosen.population), patience))
    second = spectrum(model.table, chosen.population) if known else None
    left, right = st.columns(2)
    with left:
        below = f"± {norm_text(norms.sd if norms else None)}, {first.count:,} rows"
        _number("Mean norm", norm_text(norms.mean if norms else None), below, _HELP["norm"])
    with right:
        sd = cosine_text(second.cosine_sd) if second else "…"
        _number("Mean cosine", cosine_text(first.mean_cosine), f"± {sd}, all pairs", _HELP["mean"])
    if second is None:
        panels.stands(model)
        return
    left, right = st.columns(2)
    with left:
        rank = "–" if second.effective_rank is None else f"{second.effective_rank:.0f}"
        below = f"effective rank {rank} of {model.table.dim:,}"
        _number("IsoScore", cosine_text(second.isoscore), below, _HELP["isoscore"])
    with right:
        centred = cosine_text(centred_mean_cosine(model.table, chosen.population))
        _number("Centred cosine", centred, "mean row subtracted", _HELP["centred"])


def _number(label: str, value: str, below: str, note: str) -> None:
    with st.container(gap=None):
        st.metric(label, value, help=note)
        st.caption(below)


_HELP = {
    "norm": "Mean Euclidean length of the rows ± its standard deviation. Each model has its own "
    "scale.",
    "mean": "Over all pairs of different rows, exact, ± its standard deviation. 0 in a space "
    "without a cone.",
    "isoscore": "How evenly the centred rows use all dimensions: 1 evenly, 0 one dimension. Blind "
    "to the mean.",
    "centred": "The mean cosine over all pairs once the mean row is subtracted: what is left of "
    "the cone.",
}


def facts(model: Model, chosen: Choices) -> None:
    """The facts of the table, as a list."""
    from embgeo.statistics import moments
    from embgeo.views.overview import facts as facts_of

    assert model.table is not None
    fact_list(facts_of(model.table, moments(model.table, chosen.population)))


def fact_list(lines: "Sequence[Fact]") -> None:
    """Draw facts as a list, label beside value."""
    items = "".join(
        f"<dt>{html.escape(line.label)}</dt><dd><b>{html.escape(line.value)}</b>"
        f"{' <span>' + html.escape(line.note) + '</span>' if line.note else ''}</dd>"
        for line in lines
    )
    st.html(f'<dl class="embgeo-facts">{items}</dl>')


def _which_table(model: Model) -> None:
    """Where the checkpoint has several tables: which of them is compared."""
    assert model.table is not None
    source, stored = model.table.source, model.table.facts
    names = sorted({stored.tensor, *stored.others})
    if len(names) < 2:
        return
    by_itself = st.session_state.setdefault("input tables", {})
    if not source.tensor:
        by_itself[source.place] = stored.tensor

    def changed(picked: str) -> None:
        # Back at the input table, the link is again the one that was there before.
        asked = "" if picked == by_itself.get(source.place) else f"#{picked}"
        session.replace_model(source.text, source.place + asked)

    st.selectbox(
        "Compared table",
        **session.tie_list(f"table of {model.text}", names, stored.tensor, changed),
        help="The checkpoint holds several tables. The one that turns ids into the first layer's "
        "input is chosen unless another is asked for.",
    )


def _newer_commit(model: Model) -> None:
    """Where a branch of a hub was read: a button that asks whether it has moved on."""
    assert model.table is not None
    source, revision = model.table.source, model.table.revision
    if source.kind != "hub" or source.hub_revision == revision:
        return
    if st.button("Look for a newer commit", key=f"_newer {model.text}"):
        try:
            moved = opening.look_again(source, revision)
        except EmbgeoError as error:
            st.error(literal(str(error)))
        else:
            if moved:
                st.rerun()
            st.caption(f"{literal(source.hub_revision)} is still at this commit.")


def _small_heatmap(model: Model, reach: float, colours: Palette) -> None:
    from embgeo.charts.heatmaps import group_heatmap
    from embgeo.views.similarity import group_frame

    assert model.rows is not None
    frame = group_frame(model.rows)
    drawing = group_heatmap(
        frame.assign(text=frame["mean"].map(cosine_text), note=""),
        reach=reach,
        palette=colours,
        selectable=False,
        compact=True,
    )
    alt = f"{model.label}: mean cosine within and between token groups, in small."
    about = model.rows.about.columns()
    draw(Figure(f"small groups {model.label}", alt, drawing, frame, about), colours)
