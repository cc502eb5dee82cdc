"""Counts that a person brings: the field for the file, and what its tokens are in each table."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from embgeo.errors import EmbgeoError
from embgeo.jobs import Progress
from embgeo.populations import Population
from embgeo.tables import EmbeddingTable
from embgeo.ui.literal import literal
from embgeo.ui.panels import held_up
from embgeo.ui.work import Model, Patience, Stage, fetch

if TYPE_CHECKING:
    from embgeo.views.counts import Counts

_KEPT, _FIELD, _WRONG = "token counts", "_token counts", "token counts refused"


def counts_here() -> "Counts | None":
    """The counts that this session's person brought; in no link, and gone with the session."""
    kept: Counts | None = st.session_state.get(_KEPT)
    return kept


def bring_counts(models: Sequence[Model]) -> None:
    """The field for a file of counts, and how many of its tokens each table has."""
    with st.expander("Bring counts of your own", icon=":material/upload_file:"):
        st.file_uploader(
            "How often each token occurs",
            type=["csv", "tsv", "txt", "json"],
            key=_FIELD,
            on_change=_take,
            help="One line a token: its id or its exact text, then its count. At most 20 MB; it "
            "stays in this session.",
        )
        if _WRONG in st.session_state:
            st.error(literal(st.session_state[_WRONG]), icon=":material/error:")
        counts = counts_here()
        if counts is not None:
            st.caption(literal(" ".join(_said(counts, models))))
            st.button("Forget these counts", key="_forget counts", on_click=_forget)


def _take() -> None:
    """Read the file once it is there; one that was taken away again is forgotten."""
    from embgeo.views.counts import read_counts, refuse_large

    brought = st.session_state[_FIELD]
    _forget()
    if brought is None:
        return
    try:
        refuse_large(brought.name, brought.size)
        with st.spinner("Reading the counts …"):
            st.session_state[_KEPT] = read_counts(brought.name, brought.getvalue())
    except EmbgeoError as error:
        st.session_state[_WRONG] = str(error)


def _forget() -> None:
    st.session_state.pop(_KEPT, None)
    st.session_state.pop(_WRONG, None)


def _said(counts: "Counts", models: Sequence[Model]) -> list[str]:
    from embgeo.views.counts import matched

    how = "id" if counts.by_id else "exact text"
    said = [f"{counts.name}: {len(counts.of):,} tokens, matched by {how}."]
    if counts.bad_lines:
        lines = "1 line holds" if counts.bad_lines == 1 else f"{counts.bad_lines:,} lines hold"
        said.append(f"Left out: {lines} no token and count.")
    for model in models:
        if model.table is not None:
            found = matched(model.table, counts)
            few = "; a mean cosine needs two that occur" if (found.counts > 0).sum() < 2 else ""
            said.append(f"{model.label}: rows for {found.matched:,} of them{few}.")
    return said


def counted_stage(counts: "Counts", population: Population) -> Stage:
    """The pass weighted by counts."""

    def compute(table: EmbeddingTable, progress: Progress) -> bool:
        from embgeo.statistics.directions import counted_mean_cosine
        from embgeo.views.counts import matched

        counted_mean_cosine(table, matched(table, counts).counts, population, progress)
        return True

    return Stage("counted", (counts.digest, population), compute)


def counted(
    models: Sequence[Model], population: Population, patience: Patience
) -> dict[str, float | None]:
    """Mean cosine by the counts that were brought, of each model for which it is known.

    Draws how far the work is for the others.
    """
    counts = counts_here()
    if counts is None:
        return {}
    from embgeo.statistics.directions import counted_mean_cosine
    from embgeo.views.counts import matched

    found = {}
    for model in models:
        asked = replace(model)  # what waits for the counts is not the rest of the page
        if model.table is None or not fetch([asked], counted_stage(counts, population), patience):
            held_up(asked)
            continue
        weights = matched(model.table, counts).counts
        found[model.text] = counted_mean_cosine(model.table, weights, population)
    return found
