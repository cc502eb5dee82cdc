"""Each step's effect, retrieval and scored word pairs as frames."""

from pathlib import Path

import made
import numpy as np
import oracle
import oracle_whitening as slowly
import pytest
import torch
from made import random_rows
from oracle import agree
from words import checkpoint

import embgeo
from embgeo.errors import ShapeError, SourceError
from embgeo.groups import Policy, resolve
from embgeo.statistics.scored_pairs import pair_cosines
from embgeo.transforms import RAW, named, read_word, steps_for
from embgeo.views.evaluation import retrieval_frame, retrieval_notes
from embgeo.views.group_rows import group_rows
from embgeo.views.steps import COLUMNS, prefixes, steps_frame
from embgeo.views.word_pairs import (
    EXAMPLE,
    FoundPairs,
    ScoredPair,
    found_pairs,
    left_out_note,
    pair_frame,
    read_pairs,
    undefined_notes,
    word_group,
)

DIM = 5
GROUPS = made.groups({"a": [0, 1, 2], "b": [3, 4, 5, 6]})
LABELS = np.array([0, 0, 0, 1, 1, 1, 1])


def test_every_step_beside_the_oracle(tmp_path: Path) -> None:
    rows = random_rows(120, DIM)
    table, words = made.table(tmp_path, rows), ["rogue:1", "centre", "whiten~0.2"]
    transform = steps_for([read_word(word) for word in words], DIM)
    taken = [group_rows(table, GROUPS, each) for each in prefixes(transform)]
    frame = steps_frame(table, transform, taken)
    assert list(frame.columns) == COLUMNS
    assert frame["step"].tolist() == [
        "raw", "1 rogue dimension zeroed", "centred", "whitened (shrinkage 0.2)",
    ]  # fmt: skip
    for at, record in enumerate(frame.to_dict("records")):
        moved = slowly.after(rows.numpy(), words[:at])
        agree(record["mean_cosine"], oracle.mean_cosine(moved), 1e-10)
        agree(record["isoscore"], slowly.isoscore(moved), 1e-9)
        agree(record["participation_ratio"], oracle.participation_ratio(moved), 1e-8)
        for measure in ("within", "between", "effect_size"):
            agree(record[measure], getattr(oracle, measure)(moved[:7], LABELS), 1e-10)


def test_the_raw_table_alone_is_one_step_and_rows_all_alike_have_gaps(tmp_path: Path) -> None:
    table = made.table(tmp_path, np.full((9, 3), 0.5))
    frame = steps_frame(table, RAW, [group_rows(table, GROUPS)])
    assert frame["step"].tolist() == ["raw"]
    assert frame["mean_cosine"].tolist() == [1.0]
    assert frame[["isoscore", "participation_ratio", "effect_size"]].isna().all(axis=None)


def test_retrieval_before_and_after(tmp_path: Path) -> None:
    rows = random_rows(60, DIM)
    table = made.table(tmp_path, rows)
    states = {name: group_rows(table, GROUPS, named(name, DIM)) for name in ("raw", "whitened")}
    frame = retrieval_frame(states, 3)
    assert list(frame.columns) == ["measure", "label", "compared", "value"]
    found = frame.pivot(index="measure", columns="compared", values="value")
    for name, moved in (("raw", rows.numpy()), ("whitened", oracle.whiten(rows))):
        agree(found[name]["precision_at_k"], slowly.precision_at(moved[:7], LABELS, 3), 1e-12)
        agree(found[name]["auc"], slowly.auc(moved[:7], LABELS), 1e-12)
        agree(found[name]["chance"], slowly.chance(LABELS), 1e-12)
    assert retrieval_notes(states, 3) == []


def test_too_few_tokens_are_gaps_with_words(tmp_path: Path) -> None:
    table = made.table(tmp_path, random_rows(30, DIM))
    states = {
        "few": group_rows(table, made.groups({"a": [0, 1], "b": [2]})),
        "one": group_rows(table, made.groups({"a": [0]})),
    }
    frame = retrieval_frame(states, 5).pivot(index="measure", columns="compared", values="value")
    assert frame["one"].isna().all()
    assert np.isnan(frame["few"]["precision_at_k"])
    assert frame["few"]["auc"] >= 0
    assert retrieval_notes(states, 5) == [
        "few: has 2 other tokens, fewer than 5.",
        "one: needs two groups with tokens, one of them with two.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "cat,dog,7.5\nsun,moon,3", "word1\tword2\tscore\ncat\tdog\t7.5\n\nsun\tmoon\t3\n",
        "\ufeffcat; dog ;7.5\r\nsun;moon;3\r\n", 'a,b,c\n"cat",dog,7.5\nsun,moon,3e0',
    ],
)  # fmt: skip
def test_pairs_are_read_with_and_without_a_header(text: str) -> None:
    assert read_pairs(text.encode()) == (
        ScoredPair("cat", "dog", 7.5),
        ScoredPair("sun", "moon", 3.0),
    )


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "found 0"), (b"a,b,score\n", "found 0"), (b"a,b,1\na,b\n", "Line 2"),
        (b"a,b,1\na,b,high\n", r"Line 2 .* a \| b \| high"), (b"a,b,nan\na,b,inf\n", "Line 2"),
        (b"a,b,1\n,b,2\n", "Line 2"), (b"\xff\xfe\x00", "UTF-8"),
        (b"a,b,1\n" * 5001, "found 5,001"),
        (b"x" * (2 * 2**20 + 1), "2 MiB"), (b'a,b,1\n"a"b,c,2\n', "cannot be read as CSV"),
    ],
)  # fmt: skip
def test_a_file_that_is_none_says_why(data: bytes, said: str) -> None:
    with pytest.raises(SourceError, match=said):
        read_pairs(data)


def test_pairs_of_one_model_and_why_others_are_left_out(tmp_path: Path) -> None:
    table = embgeo.load(
        str(checkpoint(tmp_path / "m", ["cat", "dog", "sun", "moon", "nil"], zero=[4]))
    )
    pairs = (
        ScoredPair("cat", "dog", 3), ScoredPair("sun", "moon", 2), ScoredPair("cat", "moon", 1),
        ScoredPair("cat", "absent", 5), ScoredPair("nil", "dog", 5),
    )  # fmt: skip
    words = resolve([word_group(pairs)], [table], Policy())[0][0]
    found = found_pairs(pairs, words)
    assert found.left_out == {"no row for a word": 1}
    assert left_out_note(found) == "1 no row for a word"
    cosines = pair_cosines(table, found.rows)
    assert np.isnan(cosines).tolist() == [False, False, False, True]
    rows = table.weight.double().numpy()
    expected = [oracle.cosine(rows[i], rows[j]) for i, j in ((0, 1), (2, 3), (0, 3))]
    agree(cosines[:3], expected, 1e-12)
    frame = pair_frame({"m, before": cosines}, {"m, before": found})
    values = dict(zip(frame["measure"], frame["value"], strict=True))
    assert (values["pairs"], values["left_out"]) == (3, 2)
    agree(values["pair_spearman"], slowly.spearman(np.array(expected), np.array([3, 2, 1])), 1e-12)


def test_what_another_model_lacks_is_left_out_of_both(tmp_path: Path) -> None:
    pairs = (ScoredPair("cat", "dog", 1), ScoredPair("sun", "dog", 2))
    some = embgeo.load(str(checkpoint(tmp_path / "a", ["cat", "dog"])))
    more = embgeo.load(str(checkpoint(tmp_path / "b", ["cat", "dog", "sun"])))
    resolved = resolve([word_group(pairs)], [some, more], Policy(shared=True))
    found = [found_pairs(pairs, groups[0]) for groups in resolved]
    assert [each.left_out for each in found] == [
        {"no row for a word": 1},
        {"not in another compared model": 1},
    ]


def test_cosines_of_pairs_after_a_transform(tmp_path: Path) -> None:
    rows = random_rows(80, DIM)
    table = made.table(tmp_path, rows)
    found = pair_cosines(table, [((0,), (1,)), ((2, 3), (4,))], named("whitened", DIM))
    means = torch.cat([rows[:2], rows[2:4].mean(dim=0, keepdim=True), rows[4:5]]).numpy()
    sigma = np.linalg.inv(oracle.covariance(rows))
    a, b, c, d = means - rows.numpy().mean(axis=0)
    expected = [
        u @ sigma @ v / np.sqrt((u @ sigma @ u) * (v @ sigma @ v)) for u, v in ((a, b), (c, d))
    ]
    agree(found, expected, 1e-10)
    assert pair_cosines(table, []).shape == (0,)
    with pytest.raises(ShapeError, match="found id 99"):
        pair_cosines(table, [((99,), (1,))])


@pytest.mark.parametrize("scores", [(1.0, 2.0), (1.0, 1.0, 1.0)])
def test_scores_that_order_nothing_have_no_spearman(scores: tuple[float, ...]) -> None:
    cosines = np.linspace(0, 1, len(scores))
    frame = pair_frame({"m": cosines}, {"m": FoundPairs((), scores, {})})
    assert frame["value"].isna().tolist() == [True, False, False]


def test_the_example_is_twenty_different_pairs() -> None:
    assert len(EXAMPLE) == len({frozenset((each.left, each.right)) for each in EXAMPLE}) == 20
    assert all(0 <= each.score <= 10 for each in EXAMPLE)


def test_a_spearman_that_is_missing_is_explained() -> None:
    found = FoundPairs((), (1.0, 2.0), {})
    frame = pair_frame({"m, before": np.array([0.1, 0.2])}, {"m, before": found})
    assert undefined_notes(frame) == [
        "m, before: Spearman needs three pairs of different scores and different cosines."
    ]
    good = FoundPairs((), (1.0, 2.0, 3.0), {})
    assert undefined_notes(pair_frame({"m": np.array([0.1, 0.2, 0.3])}, {"m": good})) == []
