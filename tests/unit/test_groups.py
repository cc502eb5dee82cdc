"""What entries become in a model under a stated policy, and why some become nothing."""

from pathlib import Path

import made
import numpy as np
import pytest
import spelled
from tokenizers import Tokenizer

import embgeo
from embgeo.errors import VocabularyError
from embgeo.groups import (
    DEFAULT,
    READY_MADE,
    SPACINGS,
    Pieces,
    Policy,
    ResolvedGroup,
    Spacing,
    TokenGroup,
    resolve,
)
from embgeo.tables import EmbeddingTable
from embgeo.tokens.text import INSIDE, START
from embgeo.transforms import RAW
from embgeo.views.group_rows import group_rows

SOME = spelled.byte_level([" the", "the", "def"])
FEWER = spelled.byte_level([" the", "the"])


def table(folder: Path, tokenizer: Tokenizer, rows: int | None = None) -> EmbeddingTable:
    count = tokenizer.get_vocab_size() if rows is None else rows
    return made.table(folder, made.random_rows(count, 4), tokenizer)


def one(
    group: TokenGroup, where: EmbeddingTable, spacing: Spacing = "typed", pieces: Pieces = "skip"
) -> ResolvedGroup:
    return resolve([group], [where], Policy(spacing, pieces))[0][0]


@pytest.mark.parametrize(
    ("spacing", "labels"),
    [("typed", ["the"]), ("space", ["␣the"]), ("both", ["the", "␣the"])],
)
def test_spacing_decides_which_rows_stand_for_a_word(
    spacing: Spacing, labels: list[str], tmp_path: Path
) -> None:
    found = one(TokenGroup("g", ("the",)), table(tmp_path, SOME), spacing)
    assert [member.label for member in found.members] == labels
    assert [each.spaced for each in found.resolutions] == [label[0] == "␣" for label in labels]


@pytest.mark.parametrize(("pieces", "kept"), [("skip", 0), ("mean", 3), ("first", 1)], ids=str)
def test_pieces_decide_what_an_entry_of_several_tokens_is(
    pieces: Pieces, kept: int, tmp_path: Path
) -> None:
    where = table(tmp_path, SOME)
    found = one(TokenGroup("g", ("dog",)), where, pieces=pieces)
    ids = where.vocabulary.encode("dog")
    assert [member.ids for member in found.members] == ([tuple(ids[:kept])] if kept else [])
    assert found.left_out == ({} if kept else {"dog": "3 tokens: d · o · g"})
    if pieces == "mean":
        assert (found.members[0].label, found.members[0].key) == ("d·o·g", "+".join(map(str, ids)))


def test_a_mean_of_pieces_is_the_mean_of_their_raw_rows(tmp_path: Path) -> None:
    where = table(tmp_path, SOME)
    found = one(TokenGroup("g", ("dog", "the")), where, pieces="mean")
    rows = group_rows(where, [found], RAW)
    dog = where.take(where.vocabulary.encode("dog")).mean(dim=0)
    the = where.take(where.vocabulary.encode("the"))[0]
    assert rows.norms == pytest.approx([float(dog.norm()), float(the.norm())])
    assert rows.cosines[0, 1] == pytest.approx(float(dog @ the / dog.norm() / the.norm()))
    assert np.isnan(rows.pair_floors[0, 1])  # a mean of pieces is of no stratum


def test_equal_ids_count_once(tmp_path: Path) -> None:
    tokenizer = spelled.wordpiece(["the"])
    where = table(tmp_path, tokenizer)
    found = one(TokenGroup("g", ("the", "THE", "the")), where, "both")
    assert [member.ids for member in found.members] == [(tokenizer.token_to_id("the"),)]
    assert len(found.resolutions) == 4
    assert found.left_out == {}


@pytest.mark.parametrize(
    ("tokenizer", "entry", "reason"),
    [
        (SOME, "", "no token: the tokenizer drops this text"),
        (spelled.wordpiece(["the"]), "\u200b", "no token: the tokenizer drops this text"),
        (spelled.wordpiece(["the"]), "zzz", "unknown to this tokenizer ([UNK])"),
        (spelled.wordpiece(["the"]), "the zzz", "unknown to this tokenizer ([UNK])"),
        (SOME, "\n\n", "2 tokens: ⏎ · ⏎"),
        (SOME, "é", "2 tokens: ⟨C3⟩ · ⟨A9⟩"),
    ],
)
def test_what_has_no_row_says_why(
    tokenizer: Tokenizer, entry: str, reason: str, tmp_path: Path
) -> None:
    found = one(TokenGroup("g", (entry,)), table(tmp_path, tokenizer))
    assert (found.members, found.left_out) == ((), {entry: reason})


def test_a_token_beyond_the_table_has_no_row(tmp_path: Path) -> None:
    """The tokenizer may know more than the table holds; no index error comes of it."""
    size = SOME.get_vocab_size()
    where = table(tmp_path, SOME, rows=size - 1)
    found = one(TokenGroup("g", ("def", "the")), where)
    assert found.left_out == {
        "def": f"no row in this model (id {size - 1}, the table has {size - 1} rows)"
    }
    assert [member.label for member in found.members] == ["the"]
    first = one(TokenGroup("g", ("ddef", "defd")), where, pieces="first")
    assert [member.label for member in first.members] == ["d"]
    assert list(first.left_out) == ["defd"]


def test_without_a_tokenizer_the_reason_is_said_for_each_entry(tmp_path: Path) -> None:
    where = made.table(tmp_path, made.random_rows(4, 2))
    found = one(TokenGroup("g", ("the",)), where)
    assert "no tokenizer beside the weights" in found.left_out["the"]


def test_only_entries_that_every_model_has_are_compared_unless_asked(tmp_path: Path) -> None:
    tables = [table(tmp_path / "some", SOME), table(tmp_path / "fewer", FEWER)]
    group = TokenGroup("g", ("the", "def"))
    shared = resolve([group], tables)
    assert [[member.label for member in groups[0].members] for groups in shared] == [["the"]] * 2
    assert shared[0][0].left_out == {"def": "left out because fewer has no row for it"}
    assert shared[1][0].left_out == {"def": "3 tokens: d · e · f"}
    every = resolve([group], tables, Policy(shared=False))
    assert [[member.label for member in groups[0].members] for groups in every] == [
        ["the", "def"], ["the"],
    ]  # fmt: skip


def test_random_tokens_are_words_of_each_model_and_always_the_same(tmp_path: Path) -> None:
    words = [f" {word}" for word in spelled.WORDS]
    tables = [table(tmp_path / "a", spelled.byte_level(words)), table(tmp_path / "b", SOME)]
    drawn = resolve([TokenGroup("r", drawn=3)], tables)
    for where, groups in zip(tables, drawn, strict=True):
        ids = [member.ids[0] for member in groups[0].members]
        assert len(set(ids)) == 3
        assert set(where.classes[ids].tolist()) <= {START, INSIDE}
    assert resolve([TokenGroup("r", drawn=3)], tables) == drawn


def test_more_random_tokens_than_there_are_take_all(tmp_path: Path) -> None:
    where = made.table(tmp_path, made.random_rows(5, 2))
    assert len(one(TokenGroup("r", drawn=24), where).members) == 5


def test_two_groups_of_one_name_are_refused() -> None:
    where = embgeo.load("random:10x2")
    with pytest.raises(VocabularyError, match="Two groups have the same name"):
        resolve([TokenGroup("g"), TokenGroup("g")], [where])


def test_the_ready_made_groups_are_named_and_full() -> None:
    assert [group.name for group in DEFAULT] == ["punctuation", "english", "code"]
    for name, group in READY_MADE.items():
        assert group.name == name
        assert len(set(group.entries)) == len(group.entries)
        assert len(group.entries) + group.drawn >= 6
    assert SPACINGS == ("typed", "space", "both")


def test_a_table_without_a_tokenizer_does_not_empty_the_others(tmp_path: Path) -> None:
    by_id = made.table(tmp_path / "by id", made.random_rows(6, 4))
    [with_words], [without] = resolve(
        [TokenGroup("words", ("the", "def"))], [table(tmp_path / "some", SOME), by_id]
    )
    assert [member.label for member in with_words.members] == ["the", "def"]
    assert without.members == ()
    assert set(without.left_out) == {"the", "def"}
