"""What singular values say, against an SVD of the rows, the fixtures, and the IsoScore package."""

import numpy as np
import oracle
import oracle_spectrum as slow
import pytest
from IsoScore import IsoScore
from oracle import agree

from embgeo.metrics.rank_correlation import mean_ranks, spearman
from embgeo.metrics.singular_values import (
    components_for,
    condition,
    effective_rank_of_variances,
    mean_alignment,
    power_law,
    raw_singular_values,
    singular_values,
    stable_rank,
)
from embgeo.metrics.spectrum import effective_rank, isoscore, participation_ratio


def parts(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    values, vectors = np.linalg.eigh(oracle.covariance(rows))
    return values[::-1].clip(min=0), (vectors.T @ rows.mean(axis=0))[::-1]


@pytest.mark.parametrize(("count", "width"), [(60, 7), (5, 9), (300, 2), (2, 3)])
def test_agrees_with_an_svd_of_the_rows(count: int, width: int) -> None:
    generator = np.random.default_rng(count)
    rows = generator.normal(size=(count, width)) * np.arange(1, width + 1) + 3
    values, scores = parts(rows)
    centred, raw = singular_values(values, count), raw_singular_values(values, scores, count)
    assert len(centred) == len(raw) == width
    most = min(count, width)
    agree(centred[:most], slow.singular_values(rows, centred=True), 1e-6)
    agree(raw[:most], slow.singular_values(rows, centred=False), 1e-9)
    agree(np.square(raw).sum(), np.square(rows).sum(), 1e-8)
    agree(stable_rank(centred), slow.stable_rank(rows, centred=True))
    agree(stable_rank(raw), slow.stable_rank(rows, centred=False))
    agree(effective_rank(raw**2), slow.entropy_rank(slow.singular_values(rows, centred=False)))
    agree(effective_rank_of_variances(values), slow.entropy_rank(values))
    agree(mean_alignment(values, scores), slow.mean_alignment(rows), 1e-9)
    for share in (0.3, 0.9, 0.99):
        assert components_for(values, share) == slow.components_for(rows, share)


def test_no_more_rows_than_dimensions_leave_no_condition() -> None:
    for count, width in ((5, 9), (9, 9), (2, 2)):
        rows = np.random.default_rng(count).normal(size=(count, width))
        assert condition(parts(rows)[0], count) is None
    rows = np.random.default_rng(1).normal(size=(40, 4))
    agree(condition(parts(rows)[0], 40), slow.condition(rows), 1e-9)
    rows[:, 0] = rows[:, 1]  # a direction without variance, whatever is left of rounding
    assert condition(parts(rows)[0], 40) is None


def test_power_law_is_recovered_with_its_range() -> None:
    law = power_law(np.arange(1.0, 401.0) ** -1.3)
    assert law is not None and (law.first, law.last) == (20, 200)
    agree([law.exponent, law.r_squared], [1.3, 1.0])
    noisy = np.sort(np.random.default_rng(4).gamma(2.0, size=100))[::-1]
    found = power_law(noisy, 3, 80)
    assert found is not None
    agree([found.exponent, found.r_squared], slow.power_law(noisy, 3, 80))
    flat = power_law(np.ones(50))
    assert flat is not None and flat.r_squared == 1
    agree(flat.exponent, 0.0)
    assert power_law(np.r_[np.ones(2), np.zeros(48)]) is None  # and what is zero has no logarithm
    assert power_law(np.ones(4)) is None


def test_fixture_of_the_spectrum() -> None:
    sigma = np.array([4.0, 2.0, 1.0, 1.0])
    agree(stable_rank(sigma), 1.375)
    agree(effective_rank_of_variances(sigma**2), 2.2763215, 5e-8)


@pytest.mark.parametrize("width", [4, 33])
def test_isoscore_agrees_with_its_package(width: int) -> None:
    """The package rounds in float32."""
    generator = np.random.default_rng(width)
    for _ in range(5):
        rows = generator.normal(size=(300, width)) * generator.gamma(0.5, size=width) + 2
        published = float(IsoScore.IsoScore(rows))
        assert isoscore(oracle.eigenvalues(rows)) == pytest.approx(published, abs=1e-5)


def test_order_of_the_ranks() -> None:
    for values in np.random.default_rng(3).gamma(0.5, size=(20, 8)):
        ordered = np.sort(values)[::-1]
        ranks = [
            effective_rank(ordered),
            effective_rank_of_variances(ordered),
            participation_ratio(ordered),
            stable_rank(np.sqrt(ordered)),
        ]
        assert ranks == sorted(ranks, reverse=True)


def test_identical_rows_have_one_raw_direction_and_no_centred_number() -> None:
    values, scores = np.zeros(3), np.array([2.0, 0.0, 0.0])
    raw = raw_singular_values(values, scores, 5)
    agree(raw, [2 * 5**0.5, 0.0, 0.0])
    agree([stable_rank(raw), effective_rank(raw**2)], [1.0, 1.0])
    for nothing in (np.zeros(3), np.empty(0)):
        assert stable_rank(nothing) is effective_rank_of_variances(nothing) is None
        assert components_for(nothing) is condition(nothing, 9) is power_law(nothing) is None
        assert mean_alignment(nothing, np.ones(len(nothing))) is None


def test_no_mean_or_no_first_component_leaves_no_alignment() -> None:
    assert mean_alignment(np.array([2.0, 1.0]), np.zeros(2)) is None
    assert mean_alignment(np.array([2.0, 1.0]), np.array([1e-12, 0.0])) is None
    assert mean_alignment(np.array([2.0, 2.0]), np.array([1.0, 0.0])) is None
    agree(mean_alignment(np.array([2.0, 1.0]), np.array([-3.0, 4.0])), 0.6)


def test_spearman_shares_ranks_among_equals() -> None:
    generator = np.random.default_rng(5)
    x, y = generator.integers(6, size=80).astype(float), generator.normal(size=80)
    ranks = np.array([np.mean([r for r, at in enumerate(np.sort(x), 1) if at == v]) for v in x])
    agree(mean_ranks(x), ranks)
    agree(spearman(x, y), float(np.corrcoef(ranks, np.argsort(np.argsort(y)))[0, 1]))
    agree([spearman(y, y), spearman(y, -y), spearman(y, np.exp(y))], [1.0, -1.0, 1.0])
    assert spearman(np.ones(9), y[:9]) is None
    assert spearman(x[:2], y[:2]) is None
