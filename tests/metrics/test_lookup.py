"""Neighbours, the rotation, two rows: against the oracle, and where nothing is defined."""

import math

import numpy as np
import oracle_lookup as oracle
import pytest
import torch

from embgeo.errors import ShapeError
from embgeo.metrics.neighbours import Neighbours, nearer, nearest_rows, nobody
from embgeo.metrics.rotations import rotated, rotated_axis
from embgeo.metrics.two_rows import at_cosine, compare

K = 5


def random_rows(count: int, dim: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(count, dim)) + 0.4


def near(rows: np.ndarray, queries: list[int], k: int = K) -> Neighbours:
    table, own = torch.from_numpy(rows), np.array(queries)
    return nearest_rows(table[queries], own, table, np.arange(len(rows)), k)


def test_neighbours_are_those_of_the_oracle() -> None:
    rows = random_rows(200, 7)
    rows[[20, 30]] = rows[4]
    rows[50] = 0.0
    found = near(rows, [0, 4, 199])
    for at, token in enumerate([0, 4, 199]):
        assert found.ids[at].tolist() == oracle.neighbours(rows, token, K)
    assert (np.diff(found.cosines, axis=1) <= 0).all()


@pytest.mark.parametrize("size", [1, 3, 64, 500])
def test_neighbours_of_parts_are_those_of_the_whole(size: int) -> None:
    rows = random_rows(130, 6, seed=1)
    rows[100:] = rows[7]  # more equal rows than neighbours: the smallest ids win
    table, own = torch.from_numpy(rows), np.array([7, 3])
    parts = nobody(2, K)
    for start in range(0, 130, size):
        ids = np.arange(start, min(130, start + size))
        parts = nearer(parts, nearest_rows(table[own], own, table[ids], ids, K))
    whole = near(rows, [7, 3])
    assert parts.ids.tolist() == whole.ids.tolist()
    assert whole.ids[0].tolist() == [100, 101, 102, 103, 104]
    np.testing.assert_array_equal(parts.cosines, whole.cosines)


def test_rows_without_a_direction_are_nobody() -> None:
    rows = random_rows(6, 3)
    rows[1], rows[2], rows[3] = 0.0, math.nan, math.inf
    found = near(rows, [0, 1, 2], k=4)
    assert sorted(found.ids[0].tolist()) == [-1, -1, 4, 5]
    assert (found.ids[1:] == -1).all()
    assert np.isnan(found.cosines[1:]).all()


def test_opposite_rows_are_neighbours_before_zero_ones() -> None:
    rows = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 0.0], [-3.0, 0.1]])
    assert near(rows, [0], k=3).ids.tolist() == [[3, 1, -1]]


def test_lone_rows_have_no_neighbours() -> None:
    assert near(random_rows(1, 3), [0], k=2).ids.tolist() == [[-1, -1]]
    none = torch.empty(0, 3, dtype=torch.float64)
    found = nearest_rows(torch.ones(1, 3), np.array([0]), none, np.empty(0, dtype=np.int64), 2)
    assert found.ids.tolist() == [[-1, -1]]


@pytest.mark.parametrize("dim", [1, 2, 3, 8, 96, 384])
def test_rotation_keeps_lengths_and_products_and_changes_numbers(dim: int) -> None:
    rows = random_rows(40, dim)
    turned = rotated(rows, seed=0)
    np.testing.assert_allclose(turned @ turned.T, rows @ rows.T, rtol=0, atol=1e-11 * dim)
    matrix = rotated(np.eye(dim))
    np.testing.assert_allclose(matrix @ matrix.T, np.eye(dim), atol=1e-12)
    for coordinate in {0, dim // 2, dim - 1}:
        axis = rotated_axis(dim, coordinate)
        np.testing.assert_allclose(rows @ axis, turned[:, coordinate], atol=1e-12 * dim)
    if dim > 2:
        assert (np.abs(turned - rows) > 1e-6).mean() > 0.99
    np.testing.assert_array_equal(turned, rotated(rows, seed=0))


def test_rotation_takes_a_table() -> None:
    with pytest.raises(ShapeError, match="rows as a table"):
        rotated(np.ones(3))


def test_two_rows_by_hand() -> None:
    found = compare(np.array([3.0, 4.0]), np.array([4.0, -3.0]))
    assert found is not None
    assert found.dot == 0.0
    assert found.cosine == pytest.approx(0, abs=1e-15)
    assert (found.distance, found.degrees) == pytest.approx((math.sqrt(50), 90))
    same = compare(np.full(3, 0.1), np.full(3, 0.1))
    assert same is not None
    assert (same.distance, same.degrees) == (0.0, 0.0)
    nothing = compare(np.zeros(2), np.ones(2))
    assert nothing is not None
    assert (nothing.cosine, nothing.degrees, nothing.dot) == (None, None, 0.0)
    assert compare(np.array([np.nan, 1.0]), np.ones(2)) is None
    with pytest.raises(ShapeError, match="one width"):
        compare(np.ones(2), np.ones(3))


def test_at_a_cosine_stands_what_those_lengths_give() -> None:
    u, v = random_rows(2, 5)
    found = compare(u, v)
    assert found is not None
    again = at_cosine(float(found.cosine or 0), (np.linalg.norm(u), np.linalg.norm(v)))
    assert again.dot == pytest.approx(found.dot)
    assert again.distance == pytest.approx(found.distance)
    assert again.degrees == pytest.approx(found.degrees)
