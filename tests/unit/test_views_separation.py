"""What is said beside the measures of separation."""

from pathlib import Path

import made
import pytest

from embgeo.tables import EmbeddingTable
from embgeo.views.group_rows import GroupRows, group_rows
from embgeo.views.separation import separation_frame, separation_notes


@pytest.fixture
def table(tmp_path: Path) -> EmbeddingTable:
    return made.table(tmp_path, made.random_rows(40, 6))


def rows(table: EmbeddingTable, **ids: list[int]) -> GroupRows:
    return group_rows(table, made.groups(ids))


def test_few_tokens_have_all_their_shuffles_counted(table: EmbeddingTable) -> None:
    notes = separation_notes({"model": rows(table, a=[1, 2], b=[3, 4])})
    assert notes[1:] == ["p from all 6 different shuffles of the labels."]


def test_how_p_was_found_names_whose_where_it_differs(table: EmbeddingTable) -> None:
    few = rows(table, a=[1, 2], b=[3, 4])
    many = rows(table, a=list(range(10)), b=list(range(10, 20)))
    assert separation_notes({"few": few, "many": many})[1:] == [
        "p from all 6 different shuffles of the labels: few.",
        "p from 9,999 random shuffles of the labels (seed 0): many.",
    ]


def test_shared_tokens_and_groups_too_small_are_named(table: EmbeddingTable) -> None:
    notes = separation_notes({"model": rows(table, a=[1, 2], b=[2])})
    assert "model: tokens of several groups are left out (#2)." in notes
    assert "model: needs two groups with tokens, one of them with two." in notes


def test_the_frame_keeps_the_order_of_what_is_compared(table: EmbeddingTable) -> None:
    each = rows(table, a=[1, 2], b=[3, 4])
    frame = separation_frame({"z": each, "a": each})
    assert frame["compared"].tolist()[:2] == ["z", "a"]
    assert list(frame.columns) == ["measure", "label", "compared", "value"]
