"""Does a transform help: tokens that find their own group, and word pairs that people scored."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from embgeo.charts.numbers import count_text, share_text
from embgeo.errors import EmbgeoError
from embgeo.ui import panels, session, work
from embgeo.ui.charts import download
from embgeo.ui.choices import Choices
from embgeo.ui.literal import literal
from embgeo.ui.separation_panels import about, measures

if TYPE_CHECKING:
    from embgeo.tables import EmbeddingTable
    from embgeo.ui.whitening_panels import Compared
    from embgeo.views.group_rows import GroupRows
    from embgeo.views.word_pairs import FoundPairs, ScoredPair

_SHARES: dict[str, Callable[[Any], str]] = dict.fromkeys(
    ("precision_at_k", "chance", "best"), share_text
)
_COUNTS: dict[str, Callable[[Any], str]] = dict.fromkeys(("pairs", "left_out"), count_text)
_LOOKED_UP = "pairs looked up"
_PAIRS_HELP = (
    "CSV or TSV in UTF-8: word, word, score on each line, with or without a header; at most 5,000 "
    "pairs. It stays in this session and is not in the link."
)


def retrieval(compared: "Mapping[str, GroupRows]", chosen: Choices) -> None:
    """Own group among the k nearest, and within against between pairs, before and after."""
    from embgeo.metrics.retrieval import NEAREST
    from embgeo.views.evaluation import retrieval_frame, retrieval_notes

    st.slider("Nearest tokens, k", 1, NEAREST, width=320, **session.bind("nearest"))
    frame = retrieval_frame(compared, chosen.nearest)
    measures(frame, _SHARES)
    notes = [
        "Among the groups' tokens that are in one group only.",
        *retrieval_notes(compared, chosen.nearest),
    ]
    st.caption(literal(" ".join(notes)))
    download(frame, "retrieval", about(compared))


def word_pairs(compared: "Sequence[Compared]", chosen: Choices) -> None:
    """Whether cosines order the word pairs as their scores do, before and after."""
    with st.container(horizontal=True, vertical_alignment="center"):
        file = st.file_uploader(
            "Word pairs with scores",
            ("csv", "tsv", "txt"),
            max_upload_size=2,
            help=_PAIRS_HELP,
            width=420,
        )
        st.toggle("Try it with an example", **session.bind("example_pairs"))
    try:
        pairs = _pairs(None if file is None else file.getvalue(), chosen)
        if pairs:
            _scored(pairs, compared, chosen)
    except EmbgeoError as error:
        st.error(literal(str(error)), icon=":material/error:")


def _pairs(data: bytes | None, chosen: Choices) -> "tuple[ScoredPair, ...]":
    """The pairs of the person's file, else the example's where it is asked for."""
    from embgeo.views.word_pairs import EXAMPLE, read_pairs

    if data is not None:
        return read_pairs(data)
    if chosen.example_pairs:
        st.caption("Twenty pairs with scores of our own: an example to try it, not a benchmark.")
        return EXAMPLE
    return ()


def _scored(
    pairs: "tuple[ScoredPair, ...]", compared: "Sequence[Compared]", chosen: Choices
) -> None:
    from embgeo.statistics.scored_pairs import pair_cosines
    from embgeo.views.word_pairs import pair_frame, undefined_notes

    tables = [each.model.table for each in compared if each.model.table is not None]
    by_name, found, patience = {}, {}, work.Patience()
    looked_up = _looked_up(pairs, tables, chosen)
    for each, table, usable in zip(compared, tables, looked_up, strict=True):
        if not _ready(each, usable, chosen, patience):
            continue
        for state, transform in (("before", ()), ("after", each.transform)):
            name = f"{each.model.label}, {state}"
            by_name[name] = pair_cosines(table, usable.rows, transform, chosen.population)
            found[name] = usable
    if by_name:
        frame = pair_frame(by_name, found)
        measures(frame, _COUNTS)
        st.caption(literal(" ".join([*_notes(found, chosen), *undefined_notes(frame)])))
        download(frame, "word pairs")


def _looked_up(
    pairs: "tuple[ScoredPair, ...]", tables: "list[EmbeddingTable]", chosen: Choices
) -> "list[FoundPairs]":
    """The pairs' rows in each table; thousands of words are not looked up on every rerun."""
    from embgeo.groups import resolve
    from embgeo.views.word_pairs import found_pairs, word_group

    key = (pairs, chosen.policy, *(table.key for table in tables))
    known = st.session_state.get(_LOOKED_UP)
    if known is None or known[0] != key:
        resolved = resolve([word_group(pairs)], tables, chosen.policy)
        known = key, [found_pairs(pairs, groups[0]) for groups in resolved]
        st.session_state[_LOOKED_UP] = known
    found: list[FoundPairs] = known[1]
    return found


def _ready(
    each: "Compared", usable: "FoundPairs", chosen: Choices, patience: work.Patience
) -> bool:
    """Whether the cosines of a model's pairs are known, before and after; else draws why not."""
    transform, population = each.transform, chosen.population

    def compute(table: Any, progress: Any) -> bool:
        from embgeo.statistics.scored_pairs import pair_cosines

        for steps in ((), transform):
            pair_cosines(table, usable.rows, steps, population, progress)
        return True

    stage = work.Stage("scored pairs", (usable.rows, transform, population), compute)
    asked = replace(each.model)  # what waits for the pairs is not the rest of the page
    if work.fetch([asked], stage, patience):
        return True
    panels.held_up(asked)
    return False


def _notes(found: "Mapping[str, FoundPairs]", chosen: Choices) -> list[str]:
    """Which pairs were left out and why, and how words were looked up."""
    from embgeo.views.word_pairs import left_out_note

    looked_up = "with a space before them" if chosen.spacing == "space" else "as typed"
    notes = [f"Words are looked up {looked_up}, as chosen for the groups."]
    for name, each in found.items():
        if name.endswith(", before") and each.left_out:
            notes.append(f"{name.removesuffix(', before')}: left out {left_out_note(each)}.")
    return notes
