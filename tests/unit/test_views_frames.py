"""The frames behind the group and resolution tables: columns, order, and a reason for every gap."""

from pathlib import Path

import made
import numpy as np
import pandas as pd
import pytest
import spelled
from made import random_rows

from embgeo.groups import Member, Policy, ResolvedGroup, TokenGroup, resolve
from embgeo.tables import EmbeddingTable
from embgeo.views.group_rows import GroupRows, group_rows
from embgeo.views.resolution import COLUMNS, left_out_sentence, resolution_frame
from embgeo.views.similarity import (
    PAIR_COLUMNS,
    group_frame,
    one_pair,
    pair_frame,
    token_frame,
    token_list,
    token_matrix,
)

ORDER = {"zebra": [4, 2, 9], "apple": [9, 1], "lone": [7], "zero": [3, 8], "none": []}


@pytest.fixture
def table(tmp_path: Path) -> EmbeddingTable:
    rows = random_rows(12, 4)
    rows[3] = 0
    return made.table(tmp_path, rows)


@pytest.fixture
def rows(table: EmbeddingTable) -> GroupRows:
    return group_rows(table, made.groups(ORDER))


def cell(frame: pd.DataFrame, row: str, column: str) -> pd.Series:
    return frame[(frame["row"] == row) & (frame["column"] == column)].iloc[0]


def test_group_frame_has_every_pair_of_groups_in_their_order(rows: GroupRows) -> None:
    frame = group_frame(rows)
    assert list(frame.columns) == [
        "row", "column", "kind", "mean", "sd", "pairs", "floor", "above_floor", "tokens", "reason",
    ]  # fmt: skip
    assert list(zip(frame["row"], frame["column"], strict=True)) == [
        (a, b) for a in ORDER for b in ORDER
    ]
    assert (frame["kind"] == np.where(frame["row"] == frame["column"], "within", "between")).all()
    found = cell(frame, "zebra", "apple")
    assert found["pairs"] == 5
    assert found["above_floor"] == pytest.approx(found["mean"] - found["floor"])
    assert found["tokens"] == "#4 #2 #9  |  #9 #1"


@pytest.mark.parametrize(
    ("row", "column", "reason"),
    [
        ("zebra", "zebra", ""),
        ("zebra", "lone", ""),
        ("lone", "lone", "needs two tokens with a direction"),
        ("zero", "zero", "needs two tokens with a direction"),
        ("zebra", "none", "no entry of none has a row in this model"),
        ("none", "none", "no entry of none has a row in this model"),
    ],
)
def test_a_cell_without_a_mean_says_why(
    row: str, column: str, reason: str, rows: GroupRows
) -> None:
    found = cell(group_frame(rows), row, column)
    assert found["reason"] == reason
    assert pd.isna(found["mean"]) == bool(reason)


def test_other_reasons(table: EmbeddingTable) -> None:
    pieces = ResolvedGroup("pieces", (Member((1, 2), "a·b"), Member((4, 5), "c·d")), ())
    alone = group_rows(table, [pieces, *made.groups({"a": [7], "b": [7], "zero": [3]})])
    means = cell(group_frame(alone), "pieces", "pieces")
    assert (means["reason"], pd.isna(means["mean"])) == ("", False)
    assert pd.isna(means["floor"]) and pd.isna(means["above_floor"])
    for pair in (("a", "b"), ("a", "zero")):
        found = cell(group_frame(alone), *pair)
        assert (found["pairs"], found["reason"]) == (
            0,
            "no pair of different tokens with a direction",
        )


def test_token_frame_matrix_and_list_agree_in_order(rows: GroupRows) -> None:
    for minus_floor in (False, True):
        frame, matrix = token_frame(rows, minus_floor), token_matrix(rows, minus_floor)
        assert list(frame.columns) == ["row", "column", *PAIR_COLUMNS, "value"]
        assert len(frame) == len(matrix) ** 2 == 64
        values = frame["value"].to_numpy(dtype=float).reshape(8, 8)
        np.testing.assert_allclose(values, matrix)
    listed = token_list(rows)
    assert listed["id"].tolist() == [str(each) for ids in ORDER.values() for each in ids]
    assert listed["group"].tolist() == [name for name, ids in ORDER.items() for _ in ids]
    assert frame["row_label"].tolist()[::8] == listed["label"].tolist()
    assert one_pair(rows, 0, 3)["column_id"] == "9"
    assert one_pair(rows, 0, 3)["cosine"] == frame["cosine"][3]


def test_a_token_has_no_floor_with_itself(rows: GroupRows) -> None:
    frame = token_frame(rows, minus_floor=True)
    same = frame[frame["row_id"] == frame["column_id"]]
    assert len(same) == 8 + 2  # the token of two groups meets itself between them too
    assert same["floor"].isna().all()
    assert same["value"].isna().all()


@pytest.mark.parametrize(
    ("row", "column", "pairs"),
    [
        ("zebra", "zebra", {("4", "2"), ("4", "9"), ("2", "9")}),
        ("zebra", "apple", {("4", "9"), ("4", "1"), ("2", "9"), ("2", "1"), ("9", "1")}),
        ("lone", "zero", {("7", "8")}),
        ("lone", "lone", set()),
        ("none", "zebra", set()),
        ("of a stale link", "zebra", set()),
    ],
)
def test_the_pairs_behind_a_cell(
    row: str, column: str, pairs: set[tuple[str, str]], rows: GroupRows
) -> None:
    frame = pair_frame(rows, row, column)
    assert list(frame.columns) == PAIR_COLUMNS
    assert set(zip(frame["row_id"], frame["column_id"], strict=True)) == pairs
    assert len(frame) == len(pairs)
    assert frame["cosine"].is_monotonic_decreasing
    if pairs:
        assert frame["cosine"].mean() == pytest.approx(cell(group_frame(rows), row, column)["mean"])


def test_tokens_that_look_alike_stay_apart(tmp_path: Path) -> None:
    """ids 0 and 1 are shown as the same text; only the id tells them apart."""
    table = made.table(tmp_path, random_rows(6, 3))
    members = (Member((0,), "⟨E2⟩"), Member((1,), "⟨E2⟩"), Member((2,), "a.b[0]:c"))
    frame = token_frame(group_rows(table, [ResolvedGroup("same", members, ())]))
    assert len(frame) == 9
    assert frame.groupby(["row", "column"]).size().eq(1).all()
    assert set(frame["row_label"]) == {"⟨E2⟩", "a.b[0]:c"}


def test_resolution_frame_has_a_line_for_each_entry_in_each_model(tmp_path: Path) -> None:
    tables = [
        made.table(tmp_path / name, random_rows(300, 3), spelled.byte_level(words))
        for name, words in (("one", [" the", "the", "def"]), ("two", [" the", "the"]))
    ]
    resolved = resolve([TokenGroup("g", ("the", "def", ""))], tables, Policy("both"))
    frame = resolution_frame(["one", "two"], resolved)
    assert list(frame.columns) == COLUMNS
    assert frame["model"].tolist() == ["one"] * 6 + ["two"] * 6
    assert frame["entry"].tolist() == ["the", "the", "def", "def", "∅", "∅"] * 2
    assert frame["written"].tolist() == ["as typed", "with a space"] * 6
    assert frame["kept"].tolist()[:6] == [True, True, False, False, False, True]
    assert ((frame["reason"] == "") == frame["kept"]).all()
    assert frame["tokens"][1] == "␣the"
    assert frame["tokens"][4] == frame["ids"][4] == "–"
    assert left_out_sentence(resolved[0]) == "2 of 3 entries compared, 1 left out"
    alone = resolve([TokenGroup("g", ("the",))], tables[:1])
    assert left_out_sentence(alone[0]) == "all 1 entries compared"
    assert list(resolution_frame([], []).columns) == COLUMNS


def test_pairs_name_what_their_floor_is_taken_over(rows: GroupRows) -> None:
    pair = pair_frame(rows, "zebra", "apple").iloc[0]
    assert pair["row_kind"] == pair["column_kind"] == "text not known, ids 0–11"
