"""Within, between, separation and its p-value, against the oracle, closed forms and fixtures."""

import dataclasses
import itertools
import math

import numpy as np
import oracle
import pytest
import torch
from oracle import agree
from sklearn.metrics import silhouette_score  # type: ignore[import-untyped]

from embgeo.errors import ShapeError
from embgeo.metrics.cosine import cosine_matrix, unit_rows
from embgeo.metrics.permutation import permutation_test
from embgeo.metrics.similarity import Separation, block_means, separation

PAIRS_OF_TWO = torch.tensor([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0], [-0.8, 0.6]], dtype=torch.float64)
GROUPS = [[0, 1, 2, 3], [3, 4, 5], [6], [2, 3, 7, 8]]


def table(rows: int = 9, width: int = 4, seed: int = 0) -> torch.Tensor:
    return torch.randn(rows, width, generator=torch.Generator().manual_seed(seed)) + 0.5


def test_blocks_agree_with_oracle_where_groups_overlap() -> None:
    rows = table()
    found = block_means(cosine_matrix(rows), GROUPS)
    for a, b in itertools.product(range(4), repeat=2):
        expected = oracle.block(rows, GROUPS[a], GROUPS[b])
        assert found.pairs[a, b] == len(expected)
        if len(expected):
            agree(found.mean[a, b], expected.mean())
            agree(found.sd[a, b], expected.std())
        else:
            agree([found.mean[a, b], found.sd[a, b]], [math.nan, math.nan])
    assert found.pairs[2, 2] == 0


def test_blocks_equal_the_closed_forms() -> None:
    rows = table()
    units = unit_rows(rows).numpy()
    found = block_means(cosine_matrix(rows), GROUPS).mean
    for a, b in itertools.combinations(range(4), 2):
        shared = len(set(GROUPS[a]) & set(GROUPS[b]))
        product = units[GROUPS[a]].sum(0) @ units[GROUPS[b]].sum(0)
        pairs = len(GROUPS[a]) * len(GROUPS[b]) - shared
        agree(found[a, b], (product - shared) / pairs)
    for a, size in ((0, 4), (1, 3)):
        squared = np.square(units[GROUPS[a]].sum(0)).sum()
        agree(found[a, a], (squared - size) / (size * (size - 1)))


def test_blocks_leave_out_zero_rows_and_repeats() -> None:
    rows = torch.cat([table(4), torch.zeros(1, 4)])
    found = block_means(cosine_matrix(rows), [[0, 1, 4, 1], [2, 3, 4], [4], []])
    expected = block_means(cosine_matrix(rows[:4]), [[0, 1], [2, 3], [], []])
    for field in dataclasses.fields(found):
        agree(getattr(found, field.name), getattr(expected, field.name))


def test_blocks_refuse_what_does_not_fit() -> None:
    with pytest.raises(ShapeError, match=r"square matrix of cosines, found shape \(2, 3\)"):
        block_means(np.ones((2, 3)), [])
    for group in ([0, 3], [-1, 0]):
        with pytest.raises(ShapeError, match="members in 0 to 2, found"):
            block_means(np.ones((3, 3)), [group])


@pytest.mark.parametrize("sizes", [(3, 4), (2, 2, 3), (1, 5, 4), (1, 1, 2)])
def test_separation_agrees_with_oracle(sizes: tuple[int, ...]) -> None:
    labels = np.repeat(np.arange(len(sizes)), sizes)
    rows = table(len(labels), seed=sum(sizes))
    found = separation(cosine_matrix(rows), labels, permutations=99)
    agree(found.within, oracle.within(rows, labels))
    agree(found.between, oracle.between(rows, labels))
    agree(found.difference, oracle.within(rows, labels) - oracle.between(rows, labels))
    agree(found.effect_size, oracle.effect_size(rows, labels))
    agree(found.silhouette, oracle.silhouette(rows, labels))
    agree(found.silhouette, float(silhouette_score(rows.double(), labels, metric="cosine")))
    agree(found.own_group_neighbours, oracle.own_group_neighbours(rows, labels))
    same = [a == b for a, b in itertools.combinations(labels, 2)]
    agree(found.own_group_chance, np.mean(same))


def test_separation_equals_the_closed_forms() -> None:
    labels = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2])
    rows = table()
    units = unit_rows(rows).numpy()
    sums = np.stack([units[labels == k].sum(0) for k in range(3)])
    sizes = np.bincount(labels)
    found = separation(cosine_matrix(rows), labels, permutations=0)
    within = ((sums**2).sum() - 9) / (sizes * (sizes - 1)).sum()
    between = (np.square(units.sum(0)).sum() - (sums**2).sum()) / (81 - (sizes**2).sum())
    agree([found.within, found.between], [within, between])


def test_two_groups_of_two() -> None:
    found = separation(cosine_matrix(PAIRS_OF_TWO), [0, 0, 1, 1])
    agree([found.within, found.between, found.difference], [0.6, 0.0, 0.6])
    agree(found.silhouette, 0.5238095, 5e-8)
    agree(found.effect_size, 0.6 / math.sqrt(0.32 * 4 / 6))
    assert (found.p_value, found.exact, found.permutations) == (1 / 3, True, 6)
    agree(oracle.permutation_p(PAIRS_OF_TWO, [0, 0, 1, 1]), 1 / 3)
    blocks = block_means(cosine_matrix(PAIRS_OF_TWO), [[0, 1], [2, 3]])
    agree([blocks.sd[0, 0], blocks.sd[0, 1]], [0.0, 0.5656854], 5e-8)
    agree(blocks.pairs, [[1, 4], [4, 1]])


@pytest.mark.parametrize("labels", [[0, 0, 1, 1, 1, 1], [0, 1, 1, 2, 2, 2], [4, 9, 4, 9, 9, 7]])
def test_exact_p_agrees_with_all_orders(labels: list[int]) -> None:
    rows = table(6, seed=5)
    found = separation(cosine_matrix(rows), labels, permutations=60)
    assert found.exact
    agree(found.p_value, oracle.permutation_p(rows, labels))


def test_sampled_p_estimates_the_exact_one_and_is_never_zero() -> None:
    labels = np.repeat([0, 1], 4)
    cosines = cosine_matrix(table(8, seed=3))
    exact = separation(cosines, labels, permutations=70)
    sampled = separation(cosines, labels, permutations=69, seed=1)
    assert (exact.exact, sampled.exact) == (True, False)
    assert (exact.permutations, sampled.permutations) == (70, 69)
    many = permutation_p(cosines, labels, 60)
    agree(np.mean(many), exact.p_value, 0.02)
    apart = cosine_matrix(torch.eye(2).repeat_interleave(20, 0) + 0.01 * table(40, 2))
    agree(separation(apart, np.repeat([0, 1], 20), permutations=999).p_value, 1 / 1000)


def permutation_p(cosines: torch.Tensor, labels: np.ndarray, seeds: int) -> list[float]:
    """The p-values of several small draws."""
    found = [separation(cosines, labels, permutations=69, seed=s).p_value for s in range(seeds)]
    return [value for value in found if value is not None]


def test_same_seed_same_p_and_too_many_rows_no_p() -> None:
    cosines, labels = cosine_matrix(table(12)), np.arange(12) % 3
    draws = [separation(cosines, labels, permutations=199, seed=s).p_value for s in (7, 7, 8)]
    assert draws[0] == draws[1] != draws[2]
    wide = np.zeros((3001, 3001), dtype=np.float64)
    assert permutation_test(wide, np.arange(3001) % 2, permutations=9, seed=0).p_value is None
    assert separation(cosines, labels, permutations=0).p_value is None


def test_one_row_against_many_is_exact() -> None:
    labels = np.array([0] + [1] * 400)
    rows = table(401, seed=2)
    found = separation(cosine_matrix(rows), labels)
    assert (found.exact, found.permutations) == (True, 401)


def test_identical_rows_do_not_separate() -> None:
    same = torch.tensor([[0.1, -0.7, 0.3]]).repeat(6, 1)
    found = separation(cosine_matrix(same), [0, 0, 0, 1, 1, 1])
    agree([found.within, found.between, found.difference], [1.0, 1.0, 0.0])
    agree(found.silhouette, 0.0)
    assert found.effect_size is None
    assert found.p_value == 1


def test_neighbours_that_tie_are_taken_in_order() -> None:
    ties = np.ones((6, 6))
    for cosines in (ties, ties + 1e-15 * np.arange(6), ties - 1e-15 * np.arange(6)):
        found = separation(cosines, [0, 0, 1, 1, 1, 1], permutations=20)
        # The first other row is the neighbour, and it is in group 0.
        agree(found.own_group_neighbours, 2 / 6)
        assert found.p_value == 1


def test_undefined_where_groups_or_pairs_are_missing() -> None:
    cosines = cosine_matrix(table(4))
    one = separation(cosines, [3, 3, 3, 3])
    agree(one.within, float(np.asarray(cosines)[np.triu_indices(4, 1)].mean()))
    assert one == Separation(seed=0, within=one.within)
    singles = separation(cosines, [0, 1, 2, 3])
    assert singles == Separation(seed=0, between=singles.between)
    assert singles.between is not None
    assert separation(np.empty((0, 0)), []) == Separation(seed=0)
    assert separation(cosine_matrix(torch.zeros(3, 2)), [0, 0, 1]) == Separation(seed=0)


def test_zero_rows_are_dropped_first() -> None:
    rows = torch.cat([torch.zeros(1, 4), table(7)])
    labels = [5, 0, 0, 0, 1, 1, 1, 1]
    assert separation(cosine_matrix(rows), labels) == separation(
        cosine_matrix(rows[1:]), labels[1:]
    )


def test_every_number_is_finite_and_inputs_stay() -> None:
    cosines, labels = cosine_matrix(table(10)), np.arange(10) % 2
    before = cosines.clone(), labels.copy()
    found = separation(cosines, labels, permutations=20)
    block_means(cosines, GROUPS)
    assert all(value is not None and np.isfinite(value) for value in dataclasses.astuple(found))
    assert torch.equal(cosines, before[0])
    assert (labels == before[1]).all()
    array = cosines.numpy().copy()
    separation(array, labels, permutations=20)
    permutation_test(array, labels, permutations=20, seed=0)
    block_means(array, GROUPS)
    agree(array, cosines)


def test_the_diagonal_is_not_read() -> None:
    cosines, labels = cosine_matrix(table(10)).numpy(), np.arange(10) % 2
    blank = cosines.copy()
    np.fill_diagonal(blank, np.nan)
    assert separation(blank, labels) == separation(cosines, labels)
    agree(block_means(blank, GROUPS).mean, block_means(cosines, GROUPS).mean)


def test_one_label_per_row() -> None:
    with pytest.raises(ShapeError, match=r"one label for each of 3 rows, found \(2,\)"):
        separation(np.eye(3), [0, 1])
