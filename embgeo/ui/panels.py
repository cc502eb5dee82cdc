"""What pages are put together from: a column for each model, progress, explanations, downloads."""

from collections.abc import Callable, Sequence

import streamlit as st

from embgeo.jobs import Job
from embgeo.metrics.catalogue import explain
from embgeo.quantities import bytes_text
from embgeo.sources import parse_source
from embgeo.tables import Plan
from embgeo.ui import opening, session, work
from embgeo.ui.charts import download
from embgeo.ui.literal import literal, table
from embgeo.ui.work import Model


def columns(
    models: Sequence[Model], draw: Callable[[Model], None], across: int | None = None
) -> None:
    """A column for each model, in order: what `draw` draws, or why there is nothing to draw.

    All are equally wide: at most `across` beside each other, else as many as there is room for, up
    to three (style.css).
    """
    across = min(across or len(models), len(models))
    for start in range(0, len(models), max(1, across)):
        places = st.columns(across, gap="medium")
        for column, model in zip(places, models[start : start + across], strict=False):
            with column:
                st.subheader(literal(model.label), anchor=False)
                if stands(model):
                    draw(model)


def stands(model: Model) -> bool:
    """Whether a model can be drawn; draws what stands in its place where it cannot."""
    if model.problem:
        st.error(literal(model.problem), icon=":material/error:")
        if _from_hub(model) and st.button("Try again", key=f"_retry {model.text}"):
            opening.try_again(model)
            st.rerun()
        if model.failed is not None and model.table is None:
            _way_back(model)
    elif model.plan is not None:
        _ask(model, model.plan)
    elif model.stopped is not None:
        st.info("Stopped before its numbers were ready.", icon=":material/stop_circle:")
        if st.button("Run again", key=f"_again {model.text}"):
            work.stopped_here().discard(model.stopped)
            st.rerun()
    elif model.job is not None:
        waiting(model.job, model.text)
    else:
        return True
    return False


def held_up(model: Model) -> None:
    """What stands in the place of one part of a page, by the model's name."""
    st.markdown(f"**{literal(model.label)}**")
    stands(model)


def _from_hub(model: Model) -> bool:
    """Whether a person may want to try the failed work again: a file, they mend and reload."""
    return model.failed is not None and parse_source(model.text).kind == "hub"


def _ask(model: Model, planned: Plan) -> None:
    """What reading a table from a hub takes, and the button that agrees to it."""
    with st.container(border=True):
        st.markdown(literal(planned.said))
        if st.button(f"Read {bytes_text(planned.remaining)}", key=f"_read {model.text}"):
            opening.agreed_here().add(model.text)
            st.rerun()
        _way_back(model)


def _way_back(model: Model) -> None:
    """From a table that was asked for by name and is not there, to the one that is the input's."""
    source = parse_source(model.text)
    if source.tensor:
        st.button(
            "Compare the input table instead",
            key=f"_input {model.text}",
            on_click=session.replace_model,
            args=(model.text, source.place),
        )


@st.fragment(run_every=0.4)
def waiting(job: Job, name: str) -> None:
    """How far the work is, until it is done; stays alive only while somebody looks at it."""
    job.look()
    if job.done:
        st.rerun()
    st.progress(min(1.0, job.fraction), text=literal(job.doing))
    if st.button("Stop", key=f"_stop {name}", icon=":material/stop:"):
        work.stopped_here().add(job.key)
        job.leave()
        st.rerun()


def nothing_chosen(models: Sequence[Model], groups: Sequence[object] | None = None) -> bool:
    """Whether there is nothing to compare; says what to do about it."""
    if not models:
        st.info("Choose a model in the sidebar to begin.", icon=":material/arrow_back:")
        return True
    if groups is not None and not groups:
        st.info("Choose at least one token group in the sidebar.", icon=":material/arrow_back:")
        return True
    return False


def nothing_shared(models: Sequence[Model]) -> None:
    """Say so where another compared model takes every entry from the groups."""
    every = [one for model in models for group in model.groups for one in group.resolutions]
    if any(one.unshared for one in every) and not any(one.member for one in every):
        st.info(
            "No entry of the groups has a row in every model, so none is compared. Remove a model, "
            "or switch off “Only entries that every model has” under “How entries become rows”.",
            icon=":material/info:",
        )


def explanation(*metrics: str, first: str) -> None:
    """How to read the page, and the definition of every number on it."""
    with st.expander("How to read this, and what each number is", icon=":material/menu_book:"):
        st.markdown(first)
        for metric in metrics:
            st.markdown(explain(metric))


def entries(models: Sequence[Model]) -> None:
    """What every entry became in every model, and what was left out and why."""
    from embgeo.views.resolution import left_out_sentence, resolution_frame

    known = [model for model in models if model.table is not None]
    if not known:
        return
    frame = resolution_frame([model.label for model in known], [model.groups for model in known])
    said = "; ".join(f"{model.label}: {left_out_sentence(model.groups)}" for model in known)
    with st.expander(f"Entries and their tokens ({literal(said)})", icon=":material/list:"):
        for model in known:
            if model.table is not None and model.table.vocabulary.note:
                st.caption(literal(f"{model.label}: {model.table.vocabulary.note}"))
        if st.toggle("Only what was left out", key="_only left out"):
            frame = frame[~frame["kept"]]
        table(frame, _ENTRY_HEADINGS, tokens=("entry", "tokens", "ids"), height=420)
        download(frame, "entries")


_ENTRY_HEADINGS = {
    "model": "Model",
    "group": "Group",
    "entry": "Entry",
    "written": "Looked up",
    "tokens": "Tokens",
    "ids": "Ids",
    "reason": "Left out because",
}
