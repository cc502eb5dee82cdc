"""The size page's pieces: share against size, slices, what is claimed, the catalogue."""

from collections.abc import Sequence

import streamlit as st

from embgeo.charts.numbers import share_text
from embgeo.charts.palette import Palette
from embgeo.quantities import bytes_text
from embgeo.settings import settings
from embgeo.sources import parse_source
from embgeo.sources.known import KnownModel, known_models
from embgeo.ui import session
from embgeo.ui.charts import Figure, download, draw
from embgeo.ui.choices import MOST_MODELS, Choices
from embgeo.ui.literal import literal, table
from embgeo.ui.overview_panels import fact_list
from embgeo.ui.work import Model


def share(models: Sequence[Model], chosen: Choices, colours: Palette) -> None:
    """The share of the model that is table, over all known models and the chosen ones."""
    from embgeo.charts.sizes import share_by_total
    from embgeo.views.sizes import TIES, known_frame, measured_frame

    st.toggle(
        "Count every stored table",
        help="Untied models store two, input and output. Off: the input table alone.",
        **session.bind("every_table"),
    )
    known = known_frame(chosen.every_table)
    tables = {model.label: model.table for model in models if model.table is not None}
    measured = measured_frame(tables, chosen.every_table)
    said = "share of the model that is embedding table, against the size of the model"
    alt = f"{''.join(f'{label}, ' for label in tables)}known models: {said}."
    drawing = share_by_total(known, measured, ties=TIES, palette=colours)
    draw(Figure("table share", alt, drawing, known, {}), colours)
    placed = known["share"].notna().sum()
    words = [f"{placed} of {len(known)} known models; of the others no total is known."]
    without = measured.loc[measured["share"].isna(), "name"]
    if len(without):
        words.append(f"Not drawn, as only their table is known: {', '.join(without)}.")
    st.caption(literal(" ".join(words)))


def slice_of(model: Model, colours: Palette) -> None:
    """One model's table as a slice of its checkpoint, and its figures."""
    from embgeo.charts.sizes import slices
    from embgeo.views.overview import Fact
    from embgeo.views.sizes import measured_size, slice_frame

    assert model.table is not None
    frame, facts = slice_frame(model.table), model.table.facts
    one = measured_size(model.table)
    about = {"source": model.table.source.text, "revision": model.table.revision}
    if one.share is not None:
        alt = f"{model.label}: how much of its checkpoint is embedding table."
        drawing = slices(frame, palette=colours)
        draw(Figure(f"slice {model.label}", alt, drawing, frame, about), colours)
    whole = f"of the model's {one.total:,}" if one.share is not None else ""
    tied = {True: "tied", False: "untied", None: "none, or not known"}[facts.tied]
    lines = [
        Fact("Table", f"{one.rows:,} × {one.dim:,}", f"{one.parameters:,} numbers"),
        Fact("Share", share_text(one.share), whole or "no whole model is known"),
        Fact("Bytes", one.bytes_text, f"at 2 bytes a number, to compare; stored as {facts.dtype}"),
        Fact("Output table", tied, facts.tied_reason),
    ]
    fact_list(lines)


def claims() -> None:
    """What texts say about the size of tables, beside the figures; then ties by size of model."""
    from embgeo.views.size_claims import claim_frame, tie_frame

    table(claim_frame(), {"claim": "Said", "verdict": "So?", "measured": "Known models"})
    frame = tie_frame()
    headings = {
        "size": "Numbers in the model",
        "tied": "Tied",
        "untied": "Untied",
        "unknown": "None, or not known",
        "assumed": "Of these by class default",
    }
    table(
        frame, headings, written=dict.fromkeys([name for name in headings if name != "size"], str)
    )
    st.caption(
        "Counted over the known models that have a total. A class default was not read from the "
        "model's own files."
    )


def catalogue(chosen: Choices) -> None:
    """The known models as a table that can be searched and sorted, and one to compare with."""
    from embgeo.views.sizes import known_frame

    frame = known_frame(chosen.every_table)
    shown = frame.assign(share=100 * frame["share"], megabytes=(frame["bytes"] / 1e6).round(1))
    number = st.column_config.NumberColumn
    st.dataframe(
        shown,
        key="known models",
        hide_index=True,
        height=420,
        column_order=_COLUMNS,
        column_config={
            "name": st.column_config.TextColumn("Model", pinned=True),
            "hub_id": "Hub id",
            "rows": number("Tokens, V", format="localized"),
            "dim": number("Width, d", format="localized"),
            "tied": st.column_config.TextColumn("Output table", width=150),
            "total": number("Numbers in the model", format="localized"),
            "share": number("Share, %", format="%.1f"),
            "megabytes": number("MB at 2 bytes", format="localized"),
            "evidence": "From",
            "note": "Note",
        },
    )
    download(frame, "known models")
    _add(chosen)


_COLUMNS = (
    "name", "hub_id", "rows", "dim", "tied", "total", "share", "megabytes", "evidence", "note"
)  # fmt: skip


def _add(chosen: Choices) -> None:
    """A choice of the models that have an id, and the button that compares one."""
    offered = {model.hub_id: model for model in known_models() if model.hub_id}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        hub_id = st.selectbox(
            "A known model",
            list(offered),
            index=None,
            key="_known model",
            placeholder="Choose or type",
            width=420,
        )
        full = len(chosen.models) >= MOST_MODELS
        st.button(
            "Add to the comparison",
            icon=":material/add:",
            disabled=hub_id is None or full or not settings().allow_hub,
            on_click=_compare,
            args=(hub_id,),
        )
    st.caption(_cost(offered.get(hub_id or ""), full))


def _compare(hub_id: str) -> None:
    models = (*session.choices().models, parse_source(hub_id).text)
    session.change(models=tuple(dict.fromkeys(models)))


def _cost(model: KnownModel | None, full: bool) -> str:
    if not settings().allow_hub:
        return "Models of the hub are switched off on this server."
    if full:
        return f"{MOST_MODELS} models are compared; remove one in the sidebar first."
    if model is None:
        return "Only the table and the tokenizer are read from the hub, never the whole model."
    size = bytes_text(2 * model.table_parameters)
    return f"Reads about {size} for the table at 2 bytes a number, from {literal(model.hub_id)}."
