"""Groups of one table as numbers: blocks, floors and separation, on rows with known answers."""

import itertools
from collections.abc import Sequence
from pathlib import Path

import made
import numpy as np
import oracle
import pytest
import spelled
import torch
from made import random_rows
from oracle import agree

from embgeo.errors import ShapeError
from embgeo.statistics import fitted, moments
from embgeo.tables import EmbeddingTable
from embgeo.transforms import CENTRED, NAMES, RAW, Transform, named
from embgeo.views import group_rows as group_rows_module
from embgeo.views.group_rows import GroupRows, group_rows
from embgeo.views.records import groups_record

TOKENIZER = spelled.byte_level(
    [f" {word}" for word in spelled.WORDS], [f"x{n}" for n in range(260)]
)
SIZE = TOKENIZER.get_vocab_size()
GROUPS = {"a": [0, 1, 300], "b": [300, 301, 302, 310, 540], "c": [7], "none": []}


def of(table: EmbeddingTable, ids: dict[str, list[int]], transform: Transform = RAW) -> GroupRows:
    return group_rows(table, made.groups(ids), transform)


def spread_out(folder: Path) -> EmbeddingTable:
    """A table with rows in several strata."""
    return made.table(folder, random_rows(SIZE, 5), TOKENIZER)


def test_two_groups_of_the_plane(tmp_path: Path) -> None:
    rows = [[1, 0], [0.6, 0.8], [0, 1], [-0.8, 0.6]]
    table = made.table(tmp_path, np.array(rows))
    found = of(table, {"A": [0, 1], "B": [2, 3]})
    agree(found.blocks.mean, [[0.6, 0], [0, 0.6]], 1e-12)
    agree(found.blocks.sd, [[0, 0.5656854], [0.5656854, 0]], 1e-7)
    assert found.blocks.pairs.tolist() == [[1, 4], [4, 1]]
    record = groups_record(made.groups({"A": [0, 1], "B": [2, 3]}), found)["separation"]
    assert record["difference"] == pytest.approx(0.6)
    assert record["silhouette"] == pytest.approx(0.5238095)
    assert record["p_value"] == pytest.approx(1 / 3)
    assert record["permutations"] == 6  # all there are: it cannot be smaller than 1/3


@pytest.mark.parametrize("name", NAMES)
def test_cosines_and_floors_are_those_of_the_oracle(name: str, tmp_path: Path) -> None:
    table = spread_out(tmp_path)
    how, found = named(name, 5), of(table, GROUPS, named(name, 5))
    moved = fitted(table, how).apply(table.take(range(SIZE))).numpy()
    strata = moments(table).stratum
    assert len({int(strata[each]) for each in GROUPS["a"] + GROUPS["b"]}) >= 3
    for (a, left), (b, right) in itertools.combinations_with_replacement(enumerate("abc"), 2):
        if (left, right) == ("c", "c"):
            continue
        pairs = oracle.block(moved, GROUPS[left], GROUPS[right])
        agree(found.blocks.mean[a, b], pairs.mean(), 1e-10)
        agree(found.blocks.sd[a, b], pairs.std(), 1e-10)
        assert found.blocks.pairs[a, b] == len(pairs)
        floor = brute_floor(moved, strata, GROUPS[left], GROUPS[right])
        agree(found.block_floors[a, b], floor, 1e-10)


def brute_floor(rows: np.ndarray, strata: np.ndarray, a: Sequence[int], b: Sequence[int]) -> float:
    """As the oracle's, with each stratum's whole block of cosines at once."""
    units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    means = []
    pairs = itertools.combinations(a, 2) if a == b else ((i, j) for i in a for j in b if i != j)
    for i, j in pairs:
        block = units[strata == strata[i]] @ units[strata == strata[j]].T
        same = strata[i] == strata[j]
        means.append(block[~np.eye(len(block), dtype=bool)].mean() if same else block.mean())
    return float(np.mean(means))


def test_a_token_in_two_groups_never_pairs_with_itself(tmp_path: Path) -> None:
    table = spread_out(tmp_path)
    found = of(table, {"a": [1, 2, 3], "b": [3, 4]})
    units = torch.nn.functional.normalize(table.take(range(5)))
    a, b = units[[1, 2, 3]].sum(dim=0), units[[3, 4]].sum(dim=0)
    assert found.blocks.mean[0, 1] == pytest.approx(float((a @ b - 1) / (3 * 2 - 1)))
    assert found.blocks.pairs[0, 1] == 5
    assert [found.members[at].ids for at in found.shared] == [(3,)]


def test_tokens_in_two_groups_are_left_out_of_separation(tmp_path: Path) -> None:
    table = spread_out(tmp_path)
    both = of(table, {"a": [1, 2, 3], "b": [3, 4, 5]}).separation
    apart = of(table, {"a": [1, 2], "b": [4, 5]}).separation
    for measure in ("within", "between", "effect_size", "silhouette", "p_value"):
        agree(getattr(both, measure), getattr(apart, measure))
    alike = of(table, {"a": [1, 2], "b": [1, 2]}).separation
    assert (alike.difference, alike.silhouette, alike.p_value) == (None, None, None)


def test_groups_too_small_for_pairs_are_null_in_the_record(tmp_path: Path) -> None:
    table = spread_out(tmp_path)
    groups = made.groups({"one": [3], "none": [], "two": [4, 5]})
    record = groups_record(groups, group_rows(table, groups))
    assert (record["within"]["one"], record["within"]["none"]) == (None, None)
    assert record["within"]["two"] is not None
    assert list(record["between"]) == ["one|none", "one|two", "none|two"]
    assert (record["between"]["one|none"], record["between"]["none|two"]) == (None, None)
    assert record["ids"] == {"one": [3], "none": [], "two": [4, 5]}
    nothing = groups_record([], group_rows(table, []))
    assert (nothing["within"], nothing["between"]) == ({}, {})


@pytest.mark.parametrize("bad", [0.0, 1e-21, np.nan])
@pytest.mark.parametrize("transform", [RAW, CENTRED], ids=["raw", "centred"])
def test_a_row_without_a_direction_is_in_no_pair_and_under_no_floor(
    bad: float, transform: Transform, tmp_path: Path
) -> None:
    rows = random_rows(40, 4)
    rows[2] = bad
    table = made.table(tmp_path, rows)
    found = of(table, {"a": [1, 2, 3], "b": [2, 5]}, transform)
    assert found.degenerate.tolist() == [False, True, False, False]
    assert np.isnan(found.cosines[1]).all()
    assert found.blocks.pairs.tolist() == [[1, 2], [2, 0]]
    clean = of(table, {"a": [1, 3], "b": [5]}, transform)
    agree(found.blocks.mean, clean.blocks.mean)
    agree(found.block_floors, clean.block_floors)
    agree(found.separation.within, clean.separation.within)


def test_zero_rows_are_degenerate_even_where_most_rows_are_zero(tmp_path: Path) -> None:
    rows = random_rows(40, 4)
    rows[10:] = 0
    found = of(made.table(tmp_path, rows), {"a": [1, 2, 30]})
    assert found.degenerate.tolist() == [False, False, True]


def test_a_row_at_the_mean_has_no_cosine_after_centring(tmp_path: Path) -> None:
    half = random_rows(40, 4)
    rows = torch.cat([half, 0.6 - half, torch.full((1, 4), 0.3, dtype=torch.float64)])
    table = made.table(tmp_path, rows)
    assert of(table, {"a": [0, 1, 80]}).degenerate.tolist() == [False] * 3
    centred = of(table, {"a": [0, 1, 80]}, CENTRED)
    assert centred.degenerate.tolist() == [False, False, True]
    assert centred.blocks.pairs.tolist() == [[1]]


def test_more_tokens_than_a_picture_takes_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_rows_module, "LARGEST_MATRIX", 4)
    table = spread_out(tmp_path)
    assert len(of(table, {"a": [1, 2], "b": [2, 3, 4]}).members) == 4
    with pytest.raises(ShapeError, match="hold 5 tokens; at most 4 can be compared"):
        of(table, {"a": [1, 2], "b": [3, 4, 5]})


def test_provenance_says_what_was_done_to_which_table(tmp_path: Path) -> None:
    table = spread_out(tmp_path)
    about = of(table, GROUPS, named("abtt", 5, 2)).about.record()
    assert about["source"] == table.source.text
    assert about["revision"] == table.revision
    assert (about["tensor"], about["transform"]) == ("model.embed_tokens.weight", "centre+drop:2")
    assert about["population"] == "rows that have a token"
    assert about["versions"].keys() == {"embgeo", "torch", "numpy"}  # type: ignore[attr-defined]
