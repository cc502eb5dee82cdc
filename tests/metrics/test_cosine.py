"""Mean cosine, its spread and the matrix, against the oracle, fixtures and awkward rows."""

import math

import numpy as np
import oracle
import pytest
import torch
from oracle import agree

from embgeo.errors import ShapeError
from embgeo.metrics.cosine import (
    cosine_matrix,
    cosine_sd,
    cosine_sd_from_gram,
    mean_cosine,
    mean_cosine_from_sum,
    unit_rows,
)

CROSS = torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
CONE = torch.tensor([[3.0, 4.0], [4.0, 3.0], [5.0, 0.0]])


def table(rows: int = 12, width: int = 5, seed: int = 0) -> torch.Tensor:
    """Random rows with a common direction, so that no cosine is near 0 by accident."""
    return torch.randn(rows, width, generator=torch.Generator().manual_seed(seed)) + 0.7


@pytest.mark.parametrize(("rows", "width"), [(2, 3), (12, 5), (7, 40), (30, 1)])
def test_agrees_with_oracle(rows: int, width: int) -> None:
    values = table(rows, width)
    agree(mean_cosine(values), oracle.mean_cosine(values))
    agree(cosine_sd(values), oracle.cosine_sd(values), 1e-7)
    expected = [
        [oracle.cosine(u, v) for v in values.double().numpy()] for u in values.double().numpy()
    ]
    agree(cosine_matrix(values), expected)
    assert (cosine_matrix(values).diagonal() == 1).all()


def test_cross_cone_and_basis() -> None:
    agree(mean_cosine(CROSS), -1 / 3)
    agree(cosine_sd(CROSS), math.sqrt(2 / 9))
    agree(mean_cosine(CONE), (0.96 + 0.60 + 0.80) / 3)
    agree(mean_cosine(torch.eye(5)), 0.0)
    agree(mean_cosine(torch.eye(5) - torch.eye(5).mean(0)), -1 / 4, 1e-7)


def test_identical_rows_have_cosine_one_and_no_spread() -> None:
    same = torch.tensor([[0.1, -0.7, 0.3]]).repeat(9, 1)
    agree(mean_cosine(same), 1.0)
    agree(cosine_sd(same), 0.0, 1e-7)
    assert cosine_matrix(same).max() <= 1


def test_random_directions_spread_as_one_over_root_width() -> None:
    rows = torch.randn(4000, 64, generator=torch.Generator().manual_seed(1))
    agree(mean_cosine(rows), 0.0, 1e-3)
    agree(cosine_sd(rows), 1 / 8, 1e-3)


@pytest.mark.parametrize("width", [3, 50])
def test_sums_in_chunks_give_the_whole(width: int) -> None:
    rows = table(40, width)
    chunks = [unit_rows(part) for part in torch.split(rows, 7)]
    mean = mean_cosine_from_sum(sum((c.sum(0) for c in chunks), torch.zeros(width)), 40)
    assert mean is not None
    agree(mean, mean_cosine(rows))
    gram = sum((c.T @ c for c in chunks), torch.zeros(width, width))
    agree(cosine_sd_from_gram(float(gram.square().sum()), mean, 40), cosine_sd(rows), 1e-7)


def test_zero_and_non_finite_rows_are_left_out() -> None:
    good = table(6)
    bad = torch.tensor([[0.0] * 5, [math.inf] + [1.0] * 4, [math.nan] + [1.0] * 4])
    rows = torch.cat([bad[:1], good, bad[1:]])
    agree(mean_cosine(rows), mean_cosine(good))
    agree(cosine_sd(rows), cosine_sd(good))
    agree(unit_rows(bad), np.zeros((3, 5)))
    matrix = cosine_matrix(rows)
    agree(matrix[1:7, 1:7], cosine_matrix(good))
    assert matrix[[0, 7, 8]].isnan().all()
    assert matrix[:, [0, 7, 8]].isnan().all()


def test_too_few_rows_are_undefined() -> None:
    for rows in (table(1), torch.zeros(3, 4), torch.empty(0, 4)):
        assert mean_cosine(rows) is None
        assert cosine_sd(rows) is None
    assert cosine_sd_from_gram(1.0, 0.0, 1) is None


def test_tiny_rows_and_fp16_overflow() -> None:
    agree(mean_cosine(CONE * 1e-21), mean_cosine(CONE), 1e-6)
    long = torch.full((2, 4096), 1100.0, dtype=torch.float16)
    agree(mean_cosine(long), 1.0)
    agree(cosine_matrix(long), np.ones((2, 2)))


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.bfloat16, 4e-3), (torch.float16, 5e-4)])
def test_half_precision_costs_only_the_rounding_of_the_rows(
    dtype: torch.dtype, tolerance: float
) -> None:
    rows = table(60, 32)
    stored = rows.to(dtype)
    # Half a unit in the last place of each entry (2⁻⁹ bf16, 2⁻¹² fp16) moves a cosine by that much.
    agree(mean_cosine(stored), mean_cosine(rows), tolerance)
    # Beyond that rounding nothing is lost: the stored values are summed in float64.
    agree(mean_cosine(stored), oracle.mean_cosine(stored.double()))
    agree(cosine_sd(stored), oracle.cosine_sd(stored.double()), 1e-7)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_input_is_not_changed(dtype: torch.dtype) -> None:
    rows = torch.nn.Parameter(table().to(dtype))
    before = rows.detach().clone()
    for measure in (unit_rows, mean_cosine, cosine_sd, cosine_matrix):
        measure(rows)
        assert torch.equal(rows, before)


def test_refuses_what_is_not_a_table_or_too_large() -> None:
    with pytest.raises(ShapeError, match=r"table \(n, d\), found shape \(3,\)"):
        mean_cosine(torch.ones(3))
    with pytest.raises(ShapeError, match="at most 4096 rows, found 4097"):
        cosine_matrix(torch.ones(4097, 1))
