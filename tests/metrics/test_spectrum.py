"""Spectral measures against the oracle's routes without eigenvalues, and the fixtures."""

import numpy as np
import oracle
import pytest
import torch
from oracle import agree

from embgeo.metrics.spectrum import (
    effective_rank,
    explained_variance,
    isoscore,
    numerical_rank,
    participation_ratio,
    without_rounding,
)

CROSS = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])


@pytest.mark.parametrize(("rows", "width"), [(50, 6), (5, 9), (200, 2)])
def test_agrees_with_oracle(rows: int, width: int) -> None:
    generator = np.random.default_rng(rows)
    table = generator.normal(size=(rows, width)) * np.arange(1, width + 1) + 3
    spectrum = oracle.eigenvalues(table)
    agree(participation_ratio(spectrum), oracle.participation_ratio(table))
    agree(isoscore(spectrum), oracle.isoscore(table))
    # The root of an eigenvalue that should be 0 is still about 1e-8.
    agree(effective_rank(spectrum), oracle.effective_rank(table), 1e-5)
    found = explained_variance(spectrum)
    assert found is not None
    agree(found[: min(rows, width)], oracle.explained_variance(table))
    assert numerical_rank(spectrum) == min(rows - 1, width)


def test_isoscore_is_the_published_formula() -> None:
    for spectrum in np.random.default_rng(0).gamma(0.5, size=(20, 7)):
        scaled = np.diag(np.sqrt(spectrum))
        cloud = np.concatenate([scaled, -scaled])
        agree(isoscore(spectrum), oracle.isoscore(cloud))


def test_fixtures() -> None:
    agree(oracle.covariance(CROSS), np.eye(2) * 2 / 3)
    agree(participation_ratio(oracle.eigenvalues(CROSS)), 2.0)
    agree(isoscore(oracle.eigenvalues(CROSS)), 1.0)
    agree(participation_ratio(oracle.eigenvalues(np.eye(5))), 4.0)
    agree(isoscore(oracle.eigenvalues(np.eye(5))), 0.75)
    squares = np.array([4.0, 2.0, 1.0, 1.0]) ** 2
    agree(effective_rank(squares), 3.3635857, 5e-8)
    agree(participation_ratio(np.sqrt(squares)), 2.9090909, 5e-8)
    agree(effective_rank(squares**2), 2.2763215, 5e-8)
    agree(participation_ratio(squares), 1.7664234, 5e-8)
    agree(isoscore(squares), 0.2554745, 5e-8)


def test_squared_distances_add_up_to_twice_the_trace() -> None:
    rows = np.random.default_rng(2).normal(size=(15, 4))
    squared = ((rows[:, None] - rows) ** 2).sum(axis=2)
    agree(squared.sum() / (15 * 14), 2 * oracle.eigenvalues(rows).sum())


def test_ends_of_the_range() -> None:
    for d in (2, 5):
        agree(isoscore(np.ones(d)), 1.0)
        agree(effective_rank(np.ones(d)), float(d))
        one = np.eye(d)[0]
        agree(isoscore(one), 0.0)
        agree(participation_ratio(one), 1.0)
        agree(effective_rank(one), 1.0)
        agree(explained_variance(one), np.ones(d))
    for used in (1, 3):
        agree(isoscore(np.repeat([1.0, 0.0], [used, 6 - used])), (used - 1) / 5)


def test_order_scale_and_rounding_below_zero_do_not_matter() -> None:
    spectrum = np.array([5.0, 2.0, 1.0, 0.0])
    for other in (spectrum[::-1].copy(), spectrum * 1e-200, spectrum - [0, 0, 0, 1e-17]):
        for measure in (participation_ratio, isoscore, effective_rank, explained_variance):
            agree(measure(other), measure(spectrum))
            agree(measure(torch.from_numpy(other)), measure(spectrum))
        assert numerical_rank(other) == 3
    agree(explained_variance(np.array([1.0, -0.5, 3.0])), [0.75, 1.0, 1.0])
    agree(participation_ratio(np.array([2.0, -0.5, 2.0])), 2.0)


def test_no_variance_is_undefined() -> None:
    for nothing in (np.zeros(4), np.array([0.0, -1e-18]), np.empty(0), np.array([np.inf, 1.0])):
        for measure in (participation_ratio, isoscore, effective_rank, explained_variance):
            assert measure(nothing) is None
    assert numerical_rank(np.zeros(4)) == 0
    assert isoscore(np.ones(1)) is None


def test_identical_rows_have_no_spectrum() -> None:
    same = np.tile(np.random.default_rng(1).normal(size=64).astype(np.float32), (33, 1))
    mean = same.mean(axis=0)
    rounding = np.linalg.eigvalsh((same - mean).T @ (same - mean) / 32 + 1e-12 * np.eye(64))
    assert participation_ratio(rounding) is not None
    cleaned = without_rounding(rounding, float(np.linalg.norm(mean)))
    agree(cleaned, np.zeros(64))
    assert participation_ratio(cleaned) is None
    agree(without_rounding(np.array([-1e-18, 2.0, 3.0]), 1.0), [3.0, 2.0, 0.0])


def test_order_of_the_ranks() -> None:
    for spectrum in np.random.default_rng(3).gamma(0.5, size=(20, 8)):
        ranks = [
            effective_rank(spectrum),
            effective_rank(spectrum**2),
            participation_ratio(spectrum),
            spectrum.sum() / spectrum.max(),
        ]
        assert ranks == sorted(ranks, reverse=True)
