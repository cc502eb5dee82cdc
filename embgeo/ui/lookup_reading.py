"""The token lookup's controls, and what it asks for: each model's tokens and what a pass found."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from embgeo.ui import session, stages, work
from embgeo.ui.choices import LONGEST_TEXT, Choices
from embgeo.ui.work import Model

if TYPE_CHECKING:
    from embgeo.jobs import Progress
    from embgeo.statistics import Moments
    from embgeo.statistics.nearest import LookedUp
    from embgeo.tables import EmbeddingTable
    from embgeo.views.sentences import Sentence


@dataclass(frozen=True, eq=False)
class Read:
    """One model, both sentences as it reads them, the token chosen, and what a pass found."""

    model: Model
    column: int
    table: "EmbeddingTable"
    first: "Moments"
    sentence: "Sentence"
    other: "Sentence"
    place: int
    found: "LookedUp"

    @property
    def token_id(self) -> int:
        return self.sentence.ids[self.place]

    @property
    def about(self) -> dict[str, str]:
        from embgeo.views.provenance import provenance

        return provenance(self.table, self.first.population).columns()


def controls() -> None:
    """The sentence, another one, and whether the space is rotated."""
    left, right = st.columns(2)
    with left:
        st.text_input(
            "A sentence, or ids such as #123 #5",
            max_chars=LONGEST_TEXT,
            **session.bind("sentence", places=(1, 1)),
        )
    with right:
        st.text_input("Another sentence", max_chars=LONGEST_TEXT, **session.bind("other_sentence"))
    st.toggle("Rotate the space", help=_ROTATE, **session.bind("rotated"))


_ROTATE = (
    "Turns every row by one seeded random orthogonal matrix: all numbers change, and no length and "
    "no cosine."
)


def fetch(models: list[Model], chosen: Choices) -> list[Read]:
    """The models whose first pass and lookup are known, in order."""
    known = work.fetch(models, stages.moments(chosen.population), work.Patience())
    patience = work.Patience()
    found = [_read(model, models.index(model), chosen, patience) for model in known]
    return [read for read in found if read is not None]


def _read(model: Model, column: int, chosen: Choices, patience: work.Patience) -> Read | None:
    from embgeo.statistics import moments
    from embgeo.statistics.nearest import looked_up
    from embgeo.views.sentences import read_sentence

    assert model.table is not None
    sentence = read_sentence(model.table, chosen.sentence)
    other = read_sentence(model.table, chosen.other_sentence)
    if not sentence.ids:
        return None
    if not work.fetch([model], _lookup_stage(sentence.ids, chosen), patience):
        return None
    place = chosen.places[column] if column < len(chosen.places) else 1
    return Read(
        model,
        column,
        model.table,
        moments(model.table, chosen.population),
        sentence,
        other,
        min(place, len(sentence.ids) - 1),
        looked_up(model.table, sentence.ids, chosen.population),
    )


def _lookup_stage(ids: Sequence[int], chosen: Choices) -> work.Stage:
    """One pass: neighbours of the sentence's tokens, and their one-hot products."""

    def compute(table: "EmbeddingTable", progress: "Progress") -> bool:
        from embgeo.statistics.nearest import looked_up

        looked_up(table, ids, chosen.population, progress)
        return True

    return work.Stage("lookup", (tuple(sorted(set(ids))), chosen.population), compute)


def coordinate_of(read: Read, chosen: Choices) -> int:
    """The coordinate looked at: the one chosen, if there is one so far, else the row's largest."""
    from embgeo.views.sentences import matrix

    if chosen.coordinate is not None:
        return min(chosen.coordinate, read.table.dim - 1)
    values = matrix(read.table, (read.token_id,), chosen.rotated)[0]
    return int(np.abs(np.nan_to_num(values, posinf=0.0, neginf=0.0)).argmax())
