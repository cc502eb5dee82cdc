"""Every transform against the same done slowly on the rows, and what each promises."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import oracle
import pytest
import torch
from made import random_rows
from oracle import agree

from embgeo.errors import ShapeError
from embgeo.transforms import (
    NAMES,
    Centre,
    DropTop,
    Fitted,
    Standardise,
    Transform,
    Whiten,
    fit,
    named,
    spelled,
)

DIM = 8


@dataclass(frozen=True)
class Rows:
    """Mean and covariance of some rows, found by numpy."""

    count: int
    mean: np.ndarray
    eigenvalues: np.ndarray
    eigenvectors: np.ndarray


def spread(rows: torch.Tensor) -> Rows:
    values, vectors = np.linalg.eigh(oracle.covariance(rows.numpy()))
    return Rows(len(rows), rows.mean(dim=0).numpy(), values[::-1].copy(), vectors[:, ::-1].copy())


def stretched(count: int = 500, dim: int = DIM, seed: int = 1) -> torch.Tensor:
    """Rows whose coordinates are correlated and of different sizes."""
    mixing = random_rows(dim, dim, seed=seed + 100, shift=0.0)
    return random_rows(count, dim, seed=seed) @ mixing


def done(transform: Transform, rows: torch.Tensor) -> Fitted:
    return fit(transform, spread(rows))


SLOWLY: dict[str, Callable[[torch.Tensor], np.ndarray]] = {
    "raw": lambda rows: rows.numpy(),
    "centred": oracle.centre,
    "standardised": oracle.standardise,
    "abtt": lambda rows: oracle.all_but_the_top(rows.numpy(), 1),
    "whitened": lambda rows: oracle.whiten(rows.numpy()),
}


@pytest.mark.parametrize("name", NAMES)
def test_cosines_are_those_of_the_transform_done_slowly(name: str) -> None:
    rows = stretched()
    found = done(named(name, DIM), rows).apply(rows[:30])
    agree(oracle.pair_cosines(found.numpy()), oracle.pair_cosines(SLOWLY[name](rows)[:30]), 1e-10)


@pytest.mark.parametrize("method", ["pca", "zca", "cholesky", "zca-cor"])
def test_every_whitening_has_the_same_cosines(method: str) -> None:
    rows = stretched()
    found = done(named("whitened", DIM), rows).apply(rows[:30])
    agree(oracle.pair_cosines(found), oracle.pair_cosines(oracle.whiten(rows, method)[:30]), 1e-12)


@pytest.mark.parametrize(
    "transform",
    [
        (), (Centre(),), (Standardise(),), (Centre(), Standardise()),
        (Centre(), DropTop(3)), (Centre(), Whiten()), (Centre(), Whiten(5)),
        (Centre(), Standardise(), DropTop(2)),
        (Centre(), Standardise(), Whiten(3)),
        (Centre(), DropTop(2), Whiten()),
        (Centre(), DropTop(2), Standardise()),
    ],
    ids=spelled,
)  # fmt: skip
def test_eigenvalues_are_those_of_the_transformed_rows(transform: Transform) -> None:
    rows = stretched()
    how = done(transform, rows)
    moved = how.apply(rows)
    largest = float(how.eigenvalues.max())
    agree(how.eigenvalues / largest, oracle.eigenvalues(moved.numpy()) / largest, 1e-10)
    assert how.rank == DIM


def test_whitened_rows_have_identity_covariance_and_a_known_mean_length() -> None:
    rows = stretched()
    moved = done(named("whitened", DIM), rows).apply(rows)
    agree(oracle.covariance(moved.numpy()), np.eye(DIM), 1e-12)
    assert float(moved.square().sum(dim=1).mean()) == pytest.approx(7.984)  # d(n − 1)/n


def test_whitening_to_k_keeps_the_first_k_components() -> None:
    rows = stretched()
    whole, some = (done(named("whitened", DIM, k), rows).apply(rows) for k in (None, 3))
    agree(whole[:, :3].abs(), some.abs(), 1e-12)


def test_all_but_the_top_leaves_nothing_along_what_it_removed() -> None:
    rows, count = stretched(), 3
    moved = done(named("abtt", DIM, count), rows).apply(rows)
    assert moved.shape == rows.shape
    agree(moved.numpy() @ spread(rows).eigenvectors[:, :count], np.zeros((500, count)), 1e-10)
    agree(moved.mean(dim=0), np.zeros(DIM), 1e-10)


@pytest.mark.parametrize("seed", range(6))
def test_a_constant_coordinate_is_set_to_zero_and_said(seed: int) -> None:
    rows = stretched(300, 24, seed)
    rows[:, seed] = 0.1 * (seed + 1)
    how = done(named("standardised", 24), rows)
    moved = how.apply(rows)
    assert moved[:, seed].abs().max() == 0
    others = np.delete(moved.numpy(), seed, axis=1)
    agree(others.std(axis=0, ddof=1), np.ones(23), 1e-8)
    assert "1 constant coordinates were set to zero" in how.note


@pytest.mark.parametrize("count", [2, DIM, DIM + 1])
def test_whitening_too_few_rows_is_refused(count: int) -> None:
    with pytest.raises(
        ShapeError, match=rf"Whitening n = {count} rows in d = 8 .* at least 10 rows"
    ):
        done(named("whitened", DIM), random_rows(count, DIM))


def test_whitening_few_rows_is_noisy_and_says_so() -> None:
    assert (
        "With 39 rows in 8 dimensions the fit is noisy"
        in done(named("whitened", DIM), random_rows(39, DIM)).note
    )
    assert done(named("whitened", DIM), random_rows(40, DIM)).note == ""


def test_only_components_that_are_more_than_rounding_are_whitened() -> None:
    rows = random_rows(200, 5) @ random_rows(5, DIM, seed=9)
    how = done(named("whitened", DIM), rows)
    assert (how.rank, how.apply(rows).shape) == (5, (200, 5))
    assert "Only the 5 components above the eigenvalue floor are kept" in how.note
    agree(oracle.covariance(how.apply(rows).numpy()), np.eye(5), 1e-9)
    with pytest.raises(ShapeError, match="has 5 components to whiten; found k = 6"):
        done(named("whitened", DIM, 6), rows)


def test_removing_every_component_is_refused() -> None:
    rows = random_rows(200, 5) @ random_rows(5, DIM, seed=9)
    for count in (5, 8):
        with pytest.raises(ShapeError, match=rf"5 components; removing {count} leaves nothing"):
            done(named("abtt", DIM, count), rows)
    assert float(done(named("abtt", DIM, 4), rows).apply(rows).norm()) > 1


def test_a_row_at_the_mean_has_no_direction_left() -> None:
    half = random_rows(40, 4)
    rows = torch.cat([half, 0.6 - half, torch.full((1, 4), 0.3, dtype=torch.float64)])
    moved = done(named("centred", 4), rows).directions(rows)
    assert moved[-1].abs().max() == 0
    assert (moved[:-1].norm(dim=1) > 0).all()


def test_rows_stay_as_they_are_and_keep_their_type() -> None:
    rows = stretched().float()
    before = rows.clone()
    how = done(named("whitened", DIM), rows.double())
    assert how.apply(rows).dtype == torch.float32
    done((), rows.double()).directions(rows)
    assert torch.equal(rows, before)


@pytest.mark.parametrize(("dim", "count"), [(1, 1), (149, 1), (384, 4), (576, 6), (4096, 41)])
def test_about_one_component_in_a_hundred_is_removed(dim: int, count: int) -> None:
    assert named("abtt", dim) == (Centre(), DropTop(count))


@pytest.mark.parametrize("parameter", [0, -1, DIM + 1])
@pytest.mark.parametrize("name", ["abtt", "whitened"])
def test_a_parameter_outside_the_dimensions_is_refused(name: str, parameter: int) -> None:
    with pytest.raises(ShapeError, match=f"Between 1 and 8 .* found {parameter}"):
        named(name, DIM, parameter)


def test_an_unknown_transform_lists_those_there_are() -> None:
    with pytest.raises(ShapeError, match="Unknown transform 'zca'; there are raw, centred"):
        named("zca", DIM)
