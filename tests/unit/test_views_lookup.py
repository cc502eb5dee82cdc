"""The token lookup's passes and frames: sentences, one token, two tokens, one coordinate."""

import math
from pathlib import Path

import made
import numpy as np
import oracle_lookup as oracle
import pytest
import spelled
import torch
import wordy
from made import random_rows

import embgeo
from embgeo.errors import ShapeError
from embgeo.metrics.rotations import rotated
from embgeo.statistics import lookups, moments
from embgeo.statistics.coordinates import coordinate
from embgeo.statistics.nearest import NEIGHBOURS, looked_up
from embgeo.tables import EmbeddingTable
from embgeo.tables import table as tables
from embgeo.views.lookup import (
    coordinate_frame,
    neighbour_frame,
    pair_floor,
    percentile,
    product_frame,
    row_frame,
    token_facts,
    turned,
)
from embgeo.views.sentences import (
    MOST_TOKENS,
    Sentence,
    matrix,
    matrix_frame,
    read_sentence,
    repeated_frame,
    token_frame,
)
from embgeo.views.two_tokens import calculate, pick

BANK = (" bank", " by", " the", " river", " cat", "bank")


@pytest.fixture
def table(tmp_path: Path) -> EmbeddingTable:
    tokenizer = spelled.byte_level(BANK)
    return made.table(tmp_path, random_rows(tokenizer.get_vocab_size() + 3, 12), tokenizer)


def test_one_pass_finds_neighbours_and_products_whatever_the_chunks(
    table: EmbeddingTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_CHUNK_NUMBERS", 1)
    monkeypatch.setattr(lookups, "_MOST_ROWS", 50)
    rows = table.weight.numpy()
    found = looked_up(table, [5, 70, 5])
    assert found.ids.tolist() == [5, 70]
    assert found.apart.tolist() == [0.0, 0.0]
    used = rows[:-3]  # padding rows are not neighbours
    for at, token in enumerate(found.ids):
        assert found.near.ids[at].tolist() == oracle.neighbours(used, token, NEIGHBOURS)
        np.testing.assert_array_equal(oracle.one_hot_product(rows, token), rows[token])


@pytest.mark.parametrize("bad", [0.0, 1e-21, math.inf, math.nan])
def test_rows_without_a_direction_are_no_neighbours(bad: float, tmp_path: Path) -> None:
    rows = random_rows(20, 4)
    rows[3] = bad
    table = made.table(tmp_path, rows)
    found = looked_up(table, [3, 4])
    first = moments(table)
    assert 3 not in found.near.ids
    assert neighbour_frame(table, first, found, 3).empty
    assert len(neighbour_frame(table, first, found, 4)) == NEIGHBOURS
    assert math.isfinite(found.apart[0]) == math.isfinite(bad)
    assert product_frame(table, found, 4)["apart"].isna().tolist() == [
        not math.isfinite(bad),
        False,
    ]
    frame = calculate(table, first, 3, 4)
    assert frame.empty == (not math.isfinite(bad))
    if len(frame):
        assert np.isnan(frame["value"][0])
        assert frame["floor"].isna().all()


@pytest.mark.parametrize(("rows", "dim"), [(1, 3), (2, 3), (5, 64)])
def test_few_rows_have_few_neighbours(rows: int, dim: int, tmp_path: Path) -> None:
    table = made.table(tmp_path, random_rows(rows, dim))
    found, first = looked_up(table, [0]), moments(table)
    assert len(neighbour_frame(table, first, found, 0)) == rows - 1
    assert len(coordinate_frame(table, coordinate(table, dim - 1))) == 2 * min(rows, 8)
    assert percentile(first, 0) is not None


def test_identical_rows_are_each_others_neighbours_by_id(tmp_path: Path) -> None:
    table = made.table(tmp_path, np.full((12, 3), 0.7))
    frame = neighbour_frame(table, moments(table), looked_up(table, [4]), 4)
    assert frame["id"].tolist() == [0, 1, 2, 3, 5, 6, 7, 8]
    assert frame["cosine"].tolist() == pytest.approx([1.0] * 8, abs=1e-15)


def test_nothing_used_leaves_empty_frames(tmp_path: Path) -> None:
    table = made.table(tmp_path, np.zeros((4, 3)))
    assert neighbour_frame(table, moments(table), looked_up(table, [1]), 1).empty
    assert coordinate_frame(table, coordinate(table, 0)).empty
    assert percentile(moments(table), 1) is None
    assert turned(matrix(table, (0, 1))) is None


@pytest.mark.parametrize("turn", [False, True])
def test_a_coordinate_has_the_oracles_extremes(turn: bool, table: EmbeddingTable) -> None:
    rows = table.weight.numpy()
    rows = (rotated(rows) if turn else rows)[:-3]
    found = coordinate(table, 7, turn)
    highest, lowest = oracle.coordinate(rows, 7, 8)
    assert (found.highest.tolist(), found.lowest.tolist()) == (highest, lowest)
    assert found.share == pytest.approx(oracle.share(rows, 7), rel=1e-12)
    frame = coordinate_frame(table, found)
    assert list(frame.columns) == ["end", "rank", "token", "id", "value"]
    assert frame["value"].tolist() == pytest.approx([*rows[highest, 7], *rows[lowest, 7]])


def test_shares_of_all_coordinates_sum_to_one_rotated_or_not(table: EmbeddingTable) -> None:
    for turn in (False, True):
        shares = [coordinate(table, at, turn).share for at in range(table.dim)]
        assert sum(shares) == pytest.approx(1, rel=1e-12)


def test_a_coordinate_that_is_none_is_refused(table: EmbeddingTable) -> None:
    with pytest.raises(ShapeError, match="coordinates 0 to 11; found 12"):
        coordinate(table, 12)


def test_what_was_computed_is_kept(table: EmbeddingTable, monkeypatch: pytest.MonkeyPatch) -> None:
    before, extreme = looked_up(table, [9]), coordinate(table, 2)
    monkeypatch.setattr(lookups, "lookup_pass", None)
    monkeypatch.setattr(lookups, "coordinate_pass", None)
    again = embgeo.load(table.source.text)
    assert looked_up(again, [9]).near.ids.tolist() == before.near.ids.tolist()
    assert coordinate(again, 2).share == extreme.share


def test_a_sentence_is_its_tokens_with_repeats_named(table: EmbeddingTable) -> None:
    first, second = (read_sentence(table, text) for text in ("bank by bank the bank", " the bank"))
    frame = token_frame(table, first, second)
    assert frame["token"].tolist() == ["bank", "␣by", "␣bank", "␣the", "␣bank"]
    assert frame["same"].tolist()[2] == "= 2 below"
    assert frame["same"].tolist()[4] == "= 3, = 2 below"
    repeated = repeated_frame(table, first, second)
    assert repeated["token"].tolist() == ["␣bank", "␣the"]
    assert repeated["places"].tolist() == ["3, 5", "4"]
    assert repeated["other_places"].tolist() == ["2", "1"]
    assert (repeated["apart"].tolist(), repeated["equal"].tolist()) == ([0.0] * 2, [True] * 2)
    assert repeated_frame(table, Sentence((1, 2)), Sentence((3,))).empty


def test_ids_stand_for_themselves_and_those_without_a_row_are_named(table: EmbeddingTable) -> None:
    found = read_sentence(table, f" #3  #{table.rows} #3")
    assert found.ids == (3, 3)
    assert f"#{table.rows}" in found.note
    assert read_sentence(table, "  ") == Sentence((), read_sentence(table, "").note)
    many = read_sentence(table, " bank" * 90)
    assert len(many.ids) == MOST_TOKENS
    assert "the first 60" in many.note


def test_a_table_without_a_tokenizer_is_read_by_id(tmp_path: Path) -> None:
    table = made.table(tmp_path, random_rows(9, 3))
    said = read_sentence(table, "The bank")
    assert said.ids == ()
    assert "#123 #5" in said.note
    assert read_sentence(table, "#8 #1").ids == (8, 1)
    assert pick(table, "#8").token_id == 8
    assert "Write an id" in pick(table, "bank").problem
    assert "No row" in pick(table, "#9").problem


def test_word_vectors_are_asked_word_by_word(tmp_path: Path) -> None:
    table = embgeo.load(str(wordy.text(tmp_path / "some.vec")))
    found = read_sentence(table, "the zebra was  the")
    assert [table.vocabulary.text(each) for each in found.ids] == ["the", "was", "the"]
    assert "zebra" in found.note


def test_a_generated_table_has_a_row_for_each_word() -> None:
    found = read_sentence(embgeo.load("random:50x4"), "a bank a")
    assert len(found.ids) == 3
    assert found.ids[0] == found.ids[2]


def test_a_row_is_folded_into_lines() -> None:
    frame = row_frame(np.r_[np.arange(200.0), np.inf])
    assert (frame["line"].max(), frame["column"].max()) == (2, 95)
    assert frame["coordinate"].tolist() == (96 * frame["line"] + frame["column"]).tolist()
    assert frame["value"].isna().sum() == 1


def test_matrix_is_the_rows_and_turned_keeps_their_cosines(table: EmbeddingTable) -> None:
    ids = (4, 9, 4)
    values = matrix(table, ids)
    np.testing.assert_array_equal(values, table.weight.numpy()[list(ids)])
    frame = matrix_frame(table, ids, values)
    assert list(frame.columns)[:4] == ["place", "token", "id", "x0"]
    assert len(frame.columns) == 3 + table.dim
    found = turned(values)
    assert found is not None
    assert found.changed == found.numbers == values.size
    assert max(found.norm_change, found.cosine_change) < 1e-12


def test_facts_of_a_token(table: EmbeddingTable) -> None:
    [token_id] = table.vocabulary.encode(" bank")
    group = made.groups({"money": [token_id], "other": [1]})
    facts = {each.label: each for each in token_facts(table, moments(table), token_id, group)}
    assert facts["Text"].value == "␣bank"
    assert facts["Bytes"].value == "20 62 61 6E 6B"
    assert facts["Class"].value == "word start"
    assert facts["Rank by id"].value.startswith(f"{token_id + 1:,} of")
    assert facts["In groups"].value == "money"
    padding = token_facts(table, moments(table), table.rows - 1, group)
    assert padding[2].value == "padding: no token has this row"


def test_without_a_tokenizer_nothing_is_said_of_text_or_frequency(tmp_path: Path) -> None:
    table = made.table(tmp_path, random_rows(9, 3))
    facts = token_facts(table, moments(table), 4, [])
    assert [each.label for each in facts] == ["Text", "Id", "Norm", "In groups"]
    assert (facts[0].value, facts[1].value) == ("not known", "4")


def test_bytes_of_tokens_that_are_no_whole_character() -> None:
    from embgeo.tokens import vocabulary_of

    tokens = vocabulary_of(spelled.byte_level())
    assert tokens.utf8(tokens.encode("é")[0]) == "é".encode()[:1]
    pieces = vocabulary_of(spelled.sentencepiece(["the"]))
    assert pieces.utf8(3 + 0xE6) == b"\xe6"
    assert vocabulary_of(spelled.wordpiece(["##ing"])).utf8(5) == b"ing"
    assert tokens.utf8(10**6) == b""


def test_calculator_is_the_definitions_beside_the_floor(table: EmbeddingTable) -> None:
    first = moments(table)
    one, other = table.vocabulary.encode(" bank")[0], table.vocabulary.encode(" cat")[0]
    frame = calculate(table, first, one, other).set_index("quantity")
    u, v = table.weight.numpy()[[one, other]]
    cosine = u @ v / np.linalg.norm(u) / np.linalg.norm(v)
    assert frame["value"].tolist() == pytest.approx(
        [cosine, math.degrees(math.acos(cosine)), u @ v, np.linalg.norm(u - v)]
    )
    assert frame["turned"].tolist() == pytest.approx(frame["value"].tolist())
    floor = pair_floor(first, one, other)
    assert floor is not None
    assert frame["floor"]["Cosine"] == pytest.approx(floor)
    assert frame["floor"]["Inner product"] == pytest.approx(
        floor * np.linalg.norm(u) * np.linalg.norm(v)
    )
    itself = calculate(table, first, one, one).set_index("quantity")
    assert itself["value"]["Angle, degrees"] == 0.0
    assert itself["floor"].isna().all()


def test_a_text_of_several_tokens_is_no_one_row(table: EmbeddingTable) -> None:
    assert pick(table, " bank").token_id == table.vocabulary.encode(" bank")[0]
    assert "tokens here" in pick(table, " bank by").problem
    assert "no token here" in pick(table, "").problem
    assert pick(table, "é", (130,)).token_id is None


def test_half_precision_and_scaled_tables_are_multiplied_exactly(tmp_path: Path) -> None:
    table = made.table(tmp_path, torch.randn(40, 8).bfloat16())
    assert looked_up(table, [1, 39]).apart.tolist() == [0.0, 0.0]
