"""The cone's numbers against the oracle, on planted tables and on toy ones."""

import math

import numpy as np
import oracle
import oracle_isotropy
import pytest
import torch
from oracle import agree

from embgeo.errors import ShapeError
from embgeo.metrics.contributions import (
    contributions,
    contributions_from_sums,
    cosines_without,
    informativity,
    largest,
    mean_z,
    sums_without,
)
from embgeo.metrics.cosine import mean_cosine, unit_rows
from embgeo.metrics.isotropy import (
    cone_length,
    pairs_drawn,
    sampled_error,
    sampled_mean_cosine,
    weighted_mean_cosine,
    zipf_weights,
)

GENERATOR = np.random.default_rng(4)
ROWS = GENERATOR.normal(size=(25, 7)) + np.array([2.0, 0, 0, -1, 0, 0, 0.5])
TABLES = {
    "random": ROWS,
    "short": 1e-21 * ROWS,
    "long": 1e21 * ROWS,
    "square": [(1, 0), (0, 1), (-1, 0), (0, -1)],
    "basis": np.eye(5),
    "cone": [(3, 4), (4, 3), (5, 0)],
    "alike": np.full((6, 3), 0.7),
}


def rows_of(name: str) -> torch.Tensor:
    return torch.tensor(np.asarray(TABLES[name], dtype=np.float64))


@pytest.mark.parametrize("name", TABLES)
def test_contributions_are_means_over_all_pairs_and_add_up(name: str) -> None:
    found = contributions(rows_of(name))
    assert found is not None
    agree(found, oracle_isotropy.contributions(TABLES[name]), 1e-14)
    agree(found.sum(), oracle.mean_cosine(TABLES[name]), 1e-14)


def test_contributions_of_a_narrow_cone_of_three() -> None:
    found = contributions(rows_of("cone"))
    agree(found, np.array([0.6266667, 0.16]), 1e-7)
    assert found is not None
    agree(found / found.sum(), np.array([0.7966102, 0.2033898]), 1e-7)


def test_a_planted_coordinate_carries_the_cone() -> None:
    rows = torch.randn(4000, 64, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    rows[:, 5] += 8
    found = contributions(rows)
    assert found is not None
    assert found.sum() == pytest.approx(64 / (64 + 64), abs=0.01)
    assert found[5] / found.sum() == pytest.approx(1, abs=0.01)
    z = mean_z(rows.mean(dim=0).numpy())
    assert z is not None
    assert (int(np.abs(z).argmax()), int((np.abs(z) > 3).sum())) == (5, 1)
    left = sums_without(rows, largest(found, 3)).mean_cosines
    assert left[1] == pytest.approx(0, abs=1e-3)


@pytest.mark.parametrize("name", ["random", "short", "long", "alike"])
def test_zeroing_is_that_of_the_rows(name: str) -> None:
    rows = rows_of(name)
    found = contributions(rows)
    assert found is not None
    most = rows.shape[1] - 1
    agree(
        sums_without(rows, largest(found, most)).mean_cosines,
        oracle_isotropy.zeroed_mean_cosines(TABLES[name], most),
        1e-13,
    )


def test_rows_with_nothing_left_are_in_no_pair() -> None:
    found = sums_without(torch.eye(3, dtype=torch.float64), np.array([0, 1]))
    assert found.counts.tolist() == [3, 2, 1]
    agree(found.mean_cosines, [0, 0, math.nan])
    agree(cosines_without(torch.eye(2), torch.eye(2), np.array([0])), [[1, 1], [math.nan, 1]])


def test_cosines_of_pairs_without_coordinates() -> None:
    left, right, order = rows_of("random")[:9], rows_of("random")[9:18], np.array([3, 0, 6])
    found = cosines_without(left, right, order)
    for k in range(4):
        a, b = (oracle_isotropy.zeroed(each, order[:k].tolist()) for each in (left, right))
        agree(found[k], [oracle.cosine(u, v) for u, v in zip(a, b, strict=True)], 1e-14)


def test_coordinates_that_are_none_are_refused() -> None:
    with pytest.raises(ShapeError, match="from 0 to 2; found 1 to 3"):
        sums_without(torch.eye(3), np.array([1, 3]))


def test_informativity_is_the_squared_correlation() -> None:
    changed = oracle_isotropy.zeroed(ROWS, [0])
    before, after = oracle.pair_cosines(ROWS), oracle.pair_cosines(changed)
    agree(informativity(before, after), oracle_isotropy.informativity(ROWS, changed))
    assert informativity(before, np.ones_like(before)) is None
    assert informativity(np.empty(0), np.empty(0)) is None


@pytest.mark.parametrize("name", ["random", "short", "cone", "alike", "basis"])
def test_cone(name: str) -> None:
    units = unit_rows(rows_of(name))
    length = cone_length(units.sum(dim=0), len(units))
    agree(length, oracle_isotropy.cone_length(TABLES[name]), 1e-14)
    agree(length, oracle_isotropy.cosines_to_mean(TABLES[name]).mean(), 1e-12)
    assert length is not None
    n = len(units)
    agree(mean_cosine(rows_of(name)), (n * length**2 - 1) / (n - 1), 1e-12)


def test_weighted_mean_is_over_pairs_as_often_as_they_occur() -> None:
    p = zipf_weights(np.arange(25))
    units = unit_rows(rows_of("random"))
    found = weighted_mean_cosine(torch.from_numpy(p) @ units, p)
    agree(found, oracle_isotropy.weighted_mean_cosine(ROWS, p), 1e-13)
    even = np.full(25, 1 / 25)
    agree(weighted_mean_cosine(units.mean(dim=0), even), oracle.mean_cosine(ROWS), 1e-13)


def test_what_has_no_pair_is_undefined() -> None:
    one = np.array([1.0, 0.0])
    assert weighted_mean_cosine(np.array([1.0, 0.0]), one) is None
    assert contributions_from_sums(one, one, 1) is None
    assert cone_length(np.zeros(3), 0) is None
    assert sampled_mean_cosine(torch.empty(0, 3)) is None
    assert mean_z(np.full(4, 0.3)) is None


def test_the_sample_of_texts_is_stated_and_can_pair_a_row_with_itself() -> None:
    assert pairs_drawn(10).shape == (1000, 2)
    assert np.array_equal(pairs_drawn(10), pairs_drawn(10))
    own = np.mean([np.equal(*pairs_drawn(10, seed=seed).T).mean() for seed in range(20)])
    assert own == pytest.approx(1 / 10, abs=0.01)
    rows = torch.from_numpy(ROWS)
    means = np.array([sampled_mean_cosine(rows, seed=seed) for seed in range(200)], dtype=float)
    exact, sd = oracle.mean_cosine(ROWS), oracle.cosine_sd(ROWS)
    assert means.mean() == pytest.approx(exact + (1 - exact) / 25, abs=4 * sd / math.sqrt(2e5))
    assert means.std() == pytest.approx(sampled_error(exact, sd, 25), rel=0.2)


@pytest.mark.parametrize("count", [2, 25])
def test_the_error_of_the_sample_of_texts_knows_rows_that_meet_themselves(count: int) -> None:
    some = ROWS[:count]
    every = np.array([oracle.cosine(u, v) for u in some for v in some])  # all as likely
    mean, sd = oracle.mean_cosine(ROWS[:count]), oracle.cosine_sd(ROWS[:count])
    agree(sampled_error(mean, sd, count, pairs=100), every.std() / 10, 1e-12)
