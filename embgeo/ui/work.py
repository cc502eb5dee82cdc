"""What a page asks for that may take long: tables and statistics, computed once for everybody."""

import logging
import time
import weakref
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import streamlit as st

from embgeo.errors import EmbgeoError
from embgeo.groups import ResolvedGroup, resolve
from embgeo.jobs import ERROR_AGE, Cancelled, Job, JobPool, Progress
from embgeo.populations import Population
from embgeo.sources import TableSource, locate, parse_source
from embgeo.sources.hub import refresh
from embgeo.sources.suggestions import note_recent
from embgeo.tables import EmbeddingTable, Plan, load, plan
from embgeo.ui.choices import Choices

if TYPE_CHECKING:
    from embgeo.transforms import Transform
    from embgeo.views.group_rows import GroupRows

_LOG = logging.getLogger(__name__)

PATIENCE = 0.7
"""Seconds a page waits for work before it shows how far the work is instead."""
_HUB_ERROR_AGE = 600.0


@dataclass
class Model:
    """One compared model as far as it is known.

    Attributes
    ----------
    table, groups, rows
        What is loaded and resolved, and the groups' rows once a page has fetched them.
    job
        What is being done, while something is.
    problem, failed
        What went wrong, in words for a person, and in which work.
    stopped
        The work that this person stopped.
    plan
        What reading it would take, while nobody has agreed to it.
    """

    text: str
    label: str
    table: EmbeddingTable | None = None
    job: Job | None = None
    problem: str = ""
    failed: Hashable = None
    stopped: Hashable = None
    plan: Plan | None = None
    rows: "GroupRows | None" = None
    groups: list[ResolvedGroup] = field(default_factory=list)


@st.cache_resource(show_spinner=False)
def pool() -> JobPool:
    """The one pool of the server, shared by all sessions.

    A few threads, so that a file that is slow to open does not hold up the other models.
    """
    return JobPool(threads=4)


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


class Patience:
    """Waits for several pieces of work, `PATIENCE` seconds in all."""

    def __init__(self) -> None:
        self._until = time.monotonic() + PATIENCE

    def result(
        self,
        model: Model,
        key: Hashable,
        work: Callable[[Progress], Any],
        error_age: float = ERROR_AGE,
    ) -> Any:
        """The result of a model's work, None where it is not there yet, failed or was stopped."""
        if key in stopped_here():
            model.stopped = key
            return None
        job = pool().ask(key, work, error_age)
        if not job.wait(max(0.0, self._until - time.monotonic())):
            model.job = job
        elif job.error is None:
            return job.result
        elif isinstance(job.error, EmbgeoError):
            model.problem, model.failed = str(job.error), key
        elif isinstance(job.error, Cancelled):
            model.stopped = key
        else:  # a bug: loud in the log, but the other models stand
            _LOG.error("unexpected error in %s", key, exc_info=job.error)
            model.problem = (
                f"Something that embgeo did not expect: {type(job.error).__name__}: {job.error} "
                "This is a bug; the server's log has the details."
            )
        return None


def stopped_here() -> set[Hashable]:
    """The work that this session's person stopped and has not asked for again."""
    keys: set[Hashable] = st.session_state.setdefault("stopped work", set())
    return keys


def fetch(models: list[Model], stage: "Stage", patience: Patience) -> list[Model]:
    """Ask for a statistic of every model; those whose it is known for, in order."""
    return [model for model in models if _ready(model, stage, patience)]


def _ready(model: Model, stage: "Stage", patience: Patience) -> bool:
    table = model.table
    if table is None or model.problem or model.job or model.stopped:
        return False
    key = stage.key(table)
    return patience.result(model, key, lambda progress: stage.compute(table, progress)) is not None


def is_known(model: Model, stage: "Stage") -> bool:
    """Whether somebody has already asked for a statistic of a model, and it is done."""
    return model.table is not None and pool().has(stage.key(model.table))


def fetch_rows(models: list[Model], chosen: Choices, transform: "Transform" = ()) -> list[Model]:
    """The models with `rows` set: their groups' rows after a transform that has been fetched."""
    for model in models:
        try:
            model.rows = rows_of(model, chosen, transform)
        except EmbgeoError as error:
            model.problem = str(error)
    return [model for model in models if model.rows is not None]


def rows_of(model: Model, chosen: Choices, transform: "Transform" = ()) -> "GroupRows":
    """The rows of a model's groups after a transform, computed once for everybody."""
    from embgeo.views.group_rows import group_rows

    table, groups, population = model.table, tuple(model.groups), chosen.population
    assert table is not None
    return table.remember(
        ("group rows", groups, transform, population),
        lambda: group_rows(table, groups, transform, population),
    )


@dataclass(frozen=True)
class Stage:
    """A statistic by name: what identifies it beside the table, and how it is computed.

    The pool keeps only that it was: pages then ask the statistic itself, which is remembered under
    the memory budget, or in the store, or in the end computed again.
    """

    name: str
    scalars: tuple[Any, ...]
    compute: Callable[[EmbeddingTable, Progress], bool]

    def key(self, table: EmbeddingTable) -> Hashable:
        """What the pool knows it by."""
        return (self.name, *table.key, *self.scalars)


def moments_stage(population: Population) -> Stage:
    """One pass: norms, mean cosine, floors."""

    def compute(table: EmbeddingTable, progress: Progress) -> bool:
        from embgeo.statistics import moments

        moments(table, population, progress)
        return True

    return Stage("moments", (population,), compute)


def spectrum_stage(population: Population) -> Stage:
    """A second pass: covariance, eigenvalues, spread of the cosine, and the centred mean cosine."""

    def compute(table: EmbeddingTable, progress: Progress) -> bool:
        from embgeo.statistics import spectrum
        from embgeo.views.records import centred_mean_cosine

        spectrum(table, population, progress)
        centred_mean_cosine(table, population, progress)
        return True

    return Stage("spectrum", (population,), compute)


def transformed_stage(transform: "Transform", population: Population) -> Stage:
    """The spectrum, a pass after each step of a transform, and sampled pairs before and after."""

    def compute(table: EmbeddingTable, progress: Progress) -> bool:
        from embgeo.statistics import after_each_step, sampled_cosines, spectrum
        from embgeo.transforms import RAW

        spectrum(table, population, progress)
        after_each_step(table, transform, population, progress)
        progress(0.95, f"{table.name}: sampling pairs")
        sampled_cosines(table, RAW, population)
        sampled_cosines(table, transform, population)
        return True

    return Stage("transformed", (transform, population), compute)


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
