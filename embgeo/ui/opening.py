"""The chosen models as tables: read in jobs, from a hub only where a person agreed to it."""

import weakref
from collections.abc import Callable, Hashable

import streamlit as st

from embgeo.errors import EmbgeoError
from embgeo.groups import resolve
from embgeo.jobs import ERROR_AGE, Progress
from embgeo.sources import TableSource, locate, parse_source
from embgeo.sources.hub import refresh
from embgeo.sources.suggestions import note_recent
from embgeo.tables import EmbeddingTable, Plan, load, plan
from embgeo.ui.choices import Choices
from embgeo.ui.work import Model, Patience, pool

_HUB_ERROR_AGE = 600.0


def models(chosen: Choices) -> list[Model]:
    """The chosen models in order, loaded where that is quick, groups resolved among the loaded."""
    patience = Patience()
    found = [_model(text, patience, as_fed=chosen.as_fed) for text in chosen.models]
    each = {model.text: model for model in found}
    # What a person looks at stays, whatever else is read meanwhile.
    st.session_state["tables"] = [model.table for model in found]
    distinct = list(each.values())  # two spellings of one source are one model
    loaded = [model for model in distinct if model.table is not None]
    try:
        tables = [model.table for model in loaded if model.table is not None]
        for model, groups in zip(
            loaded, resolve(chosen.groups, tables, chosen.policy), strict=True
        ):
            model.groups = groups
    except EmbgeoError as error:
        for model in loaded:
            model.problem = str(error)
    return _distinctly_named(distinct)


def _model(text: str, patience: Patience, *, as_fed: bool) -> Model:
    try:
        source = parse_source(text)
        # A hub is asked in a job: the page does not wait for a network.
        revision = "" if source.kind == "hub" else locate(source).revision
    except EmbgeoError as error:
        return Model(text, text.rstrip("/").rsplit("/", 1)[-1], problem=str(error))
    model = Model(source.text, source.label)
    if source.kind == "hub" and not _agreed(model, source, patience):
        return model

    # A hub that has just refused is not asked again on every rerun; a person can.
    age = _HUB_ERROR_AGE if source.kind == "hub" else ERROR_AGE
    table = _read(model, source, ("table", source.text, revision), patience, age)
    if table is not None:
        model.table = table.as_fed if as_fed else table
    return model


def look_again(source: TableSource, revision: str) -> bool:
    """Whether a branch of a hub has moved on from a commit; then the new one is read from now on.

    Raises
    ------
    SourceError
        If the hub does not answer; what was read before stays.
    """
    if refresh(source.hub_id, source.hub_revision).commit == revision:
        return False
    pool().forget(("plan", source.text))
    pool().forget(("table", source.text, ""))
    agreed_here().discard(source.text)
    return True


def _read(
    model: Model, source: TableSource, key: Hashable, patience: Patience, error_age: float
) -> EmbeddingTable | None:
    """The table, where it is there in time."""

    def reading(progress: Progress) -> Callable[[], EmbeddingTable | None]:
        table = load(source, progress)
        note_recent(source)
        return _handed_over(table)

    found = patience.result(model, key, reading, error_age)
    table: EmbeddingTable | None = found() if found else None
    if found and table is None:  # it had to leave since
        pool().forget(key)
        found = patience.result(model, key, reading, error_age)
        table = found() if found else None
    return table


def _handed_over(table: EmbeddingTable) -> Callable[[], EmbeddingTable | None]:
    """Gives the table to the first who asks; to later ones as long as it is still somewhere.

    The pool holds what it was given, but how long a table stays is for the memory budget to say.
    """
    kept, known = [table], weakref.ref(table)
    return lambda: kept.pop() if kept else known()


def _agreed(model: Model, source: TableSource, patience: Patience) -> bool:
    """Whether a hub table may be read: it lies here already, or this person has said so."""
    key = ("plan", source.text)
    anew = key in _to_try_again()
    _to_try_again().discard(key)

    def planned(progress: Progress) -> Plan:
        if anew:  # what was wrong may have been mended by a newer commit
            refresh(source.hub_id, source.hub_revision)
        return plan(source, progress)

    found: Plan | None = patience.result(model, key, planned, _HUB_ERROR_AGE)
    if found is None:
        return False
    if found.remaining == 0 or source.text in agreed_here():
        return True
    model.plan = found
    return False


def try_again(model: Model) -> None:
    """Let the work that failed start anew, with what the hub has now."""
    pool().forget(model.failed)
    _to_try_again().add(model.failed)


def _to_try_again() -> set[Hashable]:
    keys: set[Hashable] = st.session_state.setdefault("work to try again", set())
    return keys


def agreed_here() -> set[str]:
    """The hub sources that this session's person has agreed to read."""
    texts: set[str] = st.session_state.setdefault("agreed to read", set())
    return texts


def _distinctly_named(found: list[Model]) -> list[Model]:
    """Folders of one name are told apart by the folders above, as many as it takes."""
    for depth in range(2, 12):
        labels = [model.label for model in found]
        for model in found:
            if labels.count(model.label) > 1:
                model.label = "/".join(model.text.split("/")[-depth:])
    return found
