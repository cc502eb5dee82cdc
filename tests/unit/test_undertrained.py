"""Which rows look under-trained: what they are compared with, and what happens at the edges."""

from pathlib import Path

import made
import numpy as np
import oracle
import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel

from embgeo.metrics.undertrained import lowest
from embgeo.statistics import moments
from embgeo.statistics.undertrained import Undertrained, undertrained
from embgeo.statistics.undertrained_pass import _equal, nearest_references
from embgeo.tables import EmbeddingTable
from embgeo.tokens.reserved import reserved_rows
from embgeo.tokens.vocabulary import Vocabulary
from embgeo.views.undertrained import (
    candidate_frame,
    indicator_histogram,
    indicator_ticks,
    twin_frame,
    undertrained_notes,
)

ROWS = np.random.default_rng(0).normal(size=(60, 6)) + 1


def tabled(
    folder: Path, rows: np.ndarray, reserved: int = 4, tokens: int | None = None
) -> EmbeddingTable:
    """A table whose first tokens are unused slots, and whose last rows may have no token."""
    names = [f"[unused{at}]" for at in range(reserved)]
    names += [f"word{at}" for at in range(reserved, tokens or len(rows))]
    model = WordLevel({name: at for at, name in enumerate(names)}, unk_token="none")
    return made.table(folder, torch.from_numpy(rows), Tokenizer(model))


def all_of_it(table: EmbeddingTable) -> Undertrained:
    """What is found, after every frame was made of it and none holds what is no number."""
    found, first = undertrained(table), moments(table)
    frame = candidate_frame(table, first, found)
    assert frame["rank"].tolist() == list(range(1, len(found.candidates) + 1))
    assert np.isfinite(indicator_histogram(first, found).to_numpy()).all()
    assert np.isfinite(indicator_ticks(table, first, found)["x"].astype(float)).all()
    assert undertrained_notes(table, first, found, None)
    assert len(twin_frame(table, found)) == found.twins.max(initial=-1) + 1
    return found


def test_distances_are_those_of_the_definition(tmp_path: Path) -> None:
    found = all_of_it(tabled(tmp_path, ROWS))
    mean = ROWS[:4].mean(axis=0)
    expected = [1 - oracle.cosine(row, mean) for row in ROWS]
    oracle.agree(found.distances, expected)
    assert found.references.tolist() == [0, 1, 2, 3]
    ranked = np.argsort(expected[4:])[:1] + 4
    assert found.candidates.tolist() == ranked.tolist()
    each = [1 - oracle.cosine(ROWS[ranked[0]], ROWS[at]) for at in range(4)]
    assert found.nearest.tolist() == [int(np.argmin(each))]
    oracle.agree(found.nearest_distances, [min(each)])


def test_it_is_kept_in_the_store_whole(tmp_path: Path) -> None:
    first = undertrained(tabled(tmp_path, ROWS))
    again = undertrained(tabled(tmp_path, ROWS))
    for name in ("references", "distances", "twins", "candidates", "nearest"):
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))
    assert (again.said, again.by_distance) == ("4 unused or reserved tokens", True)


def test_rows_without_a_direction_are_candidates_first(tmp_path: Path) -> None:
    rows = ROWS.copy()
    rows[9], rows[8] = 0, rows[8] * 1e-21
    rows[1] = 0  # a reserved row without a direction is no reference
    found = all_of_it(tabled(tmp_path, rows))
    assert found.references.tolist() == [0, 2, 3]
    assert np.flatnonzero(np.isnan(found.distances)).tolist() == [1, 8, 9]
    assert found.candidates.tolist() == [8]
    assert found.nearest.tolist() == [-1]
    oracle.agree(found.distances[5], 1 - oracle.cosine(rows[5], rows[[0, 2, 3]].mean(axis=0)))


def test_rows_that_no_token_has_are_the_reference_where_nothing_else_is(tmp_path: Path) -> None:
    found = all_of_it(tabled(tmp_path, ROWS, reserved=0, tokens=57))
    assert found.references.tolist() == [57, 58, 59]
    assert found.said == "3 rows that no token has"
    assert not set(found.candidates) & {57, 58, 59}


def test_no_reference_row_falls_back_on_the_norm(tmp_path: Path) -> None:
    for name, rows, reserved in (
        ("none", ROWS, 0),
        ("zeros", np.r_[np.zeros((4, 6)), ROWS[4:]], 4),
        ("cancelling", np.r_[ROWS[4:6], -ROWS[4:6], ROWS[4:]], 4),
    ):
        found = all_of_it(tabled(tmp_path / name, rows, reserved))
        assert not found.by_distance and not len(found.references), name
        assert np.isnan(found.distances).all()
        lengths = np.linalg.norm(rows[reserved:], axis=1)
        assert found.candidates.tolist() == [int(lengths.argmin()) + reserved]


def test_equal_rows_are_grouped_exactly(tmp_path: Path) -> None:
    rows = ROWS.copy()
    rows[[7, 30, 50]], rows[[3, 20]] = rows[5], rows[2]
    rows[40] = np.nextafter(rows[5], 9)  # all but equal
    rows[10], rows[11] = 0.0, -0.0
    table = tabled(tmp_path, rows)
    twins = all_of_it(table).twins
    groups = [np.flatnonzero(twins == at).tolist() for at in range(twins.max() + 1)]
    assert groups == [[2, 3, 20], [5, 7, 30, 50], [10, 11]]
    frame = twin_frame(table, undertrained(table))
    assert frame["rows"].tolist() == [4, 3, 2]
    assert frame["ids"].iloc[0] == "5, 7, 30, 50"


def test_rows_with_one_mark_are_compared(tmp_path: Path) -> None:
    rows = ROWS.copy()
    rows[[7, 30]], rows[20] = rows[5], rows[2]
    table = tabled(tmp_path, rows)
    split = _equal(table, np.array([2, 5, 7, 9, 20, 30]))
    assert [group.tolist() for group in split] == [[2, 20], [5, 7, 30]]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_equal_rows_of_every_stored_type(tmp_path: Path, dtype: torch.dtype) -> None:
    rows = torch.from_numpy(np.random.default_rng(1).normal(size=(3000, 3))).to(dtype)
    rows[[11, 2900]] = rows[4].clone()
    table = made.table(tmp_path, rows)
    exact = rows.to(torch.float64).numpy()
    _, inverse, counts = np.unique(exact, axis=0, return_inverse=True, return_counts=True)
    np.testing.assert_array_equal(undertrained(table).twins >= 0, counts[inverse.ravel()] > 1)


def test_tables_of_one_row_of_two_and_of_equal_rows(tmp_path: Path) -> None:
    for name, rows in (
        ("one", ROWS[:1]),
        ("two", ROWS[:2]),
        ("same", np.repeat(ROWS[:1], 9, axis=0)),
        ("nothing", np.zeros((3, 6))),
        ("lost", np.full((2, 6), np.nan)),
    ):
        for reserved in (0, 1):
            if len(rows) > reserved:
                all_of_it(tabled(tmp_path / f"{name}{reserved}", rows, reserved))


def test_nearest_rows_do_not_depend_on_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tabled(tmp_path, ROWS)
    first, ids, others = moments(table), np.arange(9, 40), np.arange(9)
    whole = nearest_references(table, ids, others, first)
    monkeypatch.setattr("embgeo.statistics.undertrained_pass._PIECE", 4)
    pieces = nearest_references(table, ids, others, first)
    np.testing.assert_array_equal(whole.ids, pieces.ids)
    oracle.agree(whole.distances, pieces.distances, 1e-14)


def test_reserved_tokens_are_told_by_what_they_are() -> None:
    words = ["[unused1]", "<unused12>", "<|reserved_special_token_3|>", "<|dummy_7|>", "[PAD]"]
    words += ["<unk>", "<0xC0>", "<0xC2>", "<0xF5>", "▁unused", "unused", "[MASK]", "<extra_id_3>"]
    vocabulary = Vocabulary(dict(enumerate(words)), "sentencepiece")
    found = reserved_rows(vocabulary, vocabulary.classes(len(words) + 5))
    assert found.ids == (0, 1, 2, 3, 6, 8)
    assert found.said == "4 unused or reserved tokens and 2 bytes outside UTF-8"
    bytes_only = Vocabulary({0: "À", 1: "Ã", 2: "õ", 3: "the"}, "byte-level")
    assert reserved_rows(bytes_only, bytes_only.classes(4)).ids == (0, 2)
    assert reserved_rows(bytes_only, bytes_only.classes(2)).ids == (0,)


def test_lowest_share_names_at_least_one() -> None:
    values, ranked = np.arange(100.0)[::-1].copy(), np.ones(100, dtype=bool)
    assert lowest(values, ranked).tolist() == [99, 98]
    ranked[99] = False
    assert lowest(values, ranked, 0.001).tolist() == [98]
    assert lowest(values, ~ranked & False).tolist() == []


def test_what_the_order_says_nothing_of_is_said(tmp_path: Path) -> None:
    def notes(name: str, rows: np.ndarray) -> str:
        table = made.table(tmp_path / name, rows)
        return " ".join(undertrained_notes(table, moments(table), undertrained(table), None))

    broken = ROWS.copy()
    broken[3] = np.nan
    said = "In front: 1 row zero, too short to have a direction, or not finite"
    assert said in notes("broken", broken)
    alike = ROWS / np.linalg.norm(ROWS, axis=1, keepdims=True)
    assert "All rows are alike in it" in notes("alike", alike)
    assert "In front" not in notes("good", ROWS)
    assert "All rows are alike" not in notes("good", ROWS)
