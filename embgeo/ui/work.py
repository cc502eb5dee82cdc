"""What a page asks for that may take long, computed once for everybody; how far each model is."""

import logging
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import streamlit as st

from embgeo.errors import EmbgeoError
from embgeo.groups import ResolvedGroup
from embgeo.jobs import ERROR_AGE, Cancelled, Job, JobPool, Progress
from embgeo.tables import EmbeddingTable, Plan
from embgeo.ui.choices import Choices

if TYPE_CHECKING:
    from embgeo.transforms import Transform
    from embgeo.views.group_rows import GroupRows

_LOG = logging.getLogger(__name__)

PATIENCE = 0.7
"""Seconds a page waits for work before it shows how far the work is instead."""


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
