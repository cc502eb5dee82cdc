"""Each metric's declared invariances, proved both ways, and the words a page shows."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import measures_isotropy
import measures_lookup
import measures_spectrum
import measures_undertrained
import measures_whitening
import numpy as np
import oracle
import pytest
import torch

from embgeo.metrics.catalogue import CATALOGUE, TRANSFORMATIONS, explain
from embgeo.metrics.cosine import cosine_matrix, cosine_sd, mean_cosine, unit_rows
from embgeo.metrics.floor import floor_of_pairs, stratum_cosines
from embgeo.metrics.norms import row_norms
from embgeo.metrics.similarity import separation
from embgeo.metrics.spectrum import (
    effective_rank,
    explained_variance,
    isoscore,
    participation_ratio,
)

GENERATOR = np.random.default_rng(14)
N, D, K = 30, 6, 3
LABELS = np.arange(N) % K
ROWS = GENERATOR.normal(size=(N, D)) + 0.5 + 0.2 * GENERATOR.normal(size=(K, D))[LABELS]

Array = np.ndarray


def separated(name: str) -> Callable[[Array], object]:
    return lambda rows: getattr(
        separation(cosine_matrix(torch.from_numpy(rows)), LABELS, permutations=999), name
    )


def spectral(measure: Callable[[Array], object]) -> Callable[[Array], object]:
    return lambda rows: measure(oracle.eigenvalues(rows))


def floor(rows: Array) -> Array:
    units = unit_rows(torch.from_numpy(rows))
    sums = torch.stack([units[k == LABELS].sum(0) for k in range(K)])
    means = stratum_cosines(sums, np.bincount(LABELS))
    return floor_of_pairs(means, LABELS, [[0, 1, 2], [3, 4, 6]])


MEASURES: dict[str, Callable[[Array], object]] = {
    "norm": lambda rows: row_norms(torch.from_numpy(rows)),
    "mean_cosine": lambda rows: mean_cosine(torch.from_numpy(rows)),
    "cosine_sd": lambda rows: cosine_sd(torch.from_numpy(rows)),
    "mean_cosine_centred": lambda rows: mean_cosine(torch.from_numpy(oracle.centre(rows))),
    "participation_ratio": spectral(participation_ratio),
    "isoscore": spectral(isoscore),
    "effective_rank": spectral(effective_rank),
    "explained_variance": spectral(explained_variance),
    "floor": floor,
    **{
        name: separated(name)
        for name in (
            "within",
            "between",
            "difference",
            "effect_size",
            "silhouette",
            "own_group_neighbours",
            "p_value",
        )
    },
    **measures_isotropy.MEASURES,
    **measures_lookup.MEASURES,
    **measures_spectrum.MEASURES,
    **measures_undertrained.MEASURES,
    **measures_whitening.MEASURES,
}

TRANSFORMED: dict[str, Array] = {
    "rotate": ROWS @ np.linalg.qr(GENERATOR.normal(size=(D, D)))[0],
    "scale": 7.5 * ROWS,
    "rescale rows": ROWS * GENERATOR.uniform(0.1, 4, size=(N, 1)),
    "translate": ROWS + 3 * GENERATOR.normal(size=D),
    "permute columns": ROWS[:, GENERATOR.permutation(D)],
}


def test_every_metric_and_transformation_is_tried() -> None:
    assert set(MEASURES) == set(CATALOGUE)
    assert set(TRANSFORMED) == set(TRANSFORMATIONS)
    assert all(metric.invariances <= set(TRANSFORMATIONS) for metric in CATALOGUE.values())


def test_every_number_is_explained_on_a_page() -> None:
    pages = Path(__file__).parents[2].joinpath("pages").glob("*.py")
    said = "".join(page.read_text(encoding="utf-8") for page in pages)
    assert [key for key in CATALOGUE if f'"{key}"' not in said] == []


@pytest.mark.parametrize("key", CATALOGUE)
@pytest.mark.parametrize("transformation", TRANSFORMATIONS)
def test_invariance_holds_or_visibly_fails(key: str, transformation: str) -> None:
    before = np.asarray(MEASURES[key](ROWS), dtype=float)
    after = np.asarray(MEASURES[key](TRANSFORMED[transformation]), dtype=float)
    assert np.isfinite(before).all()
    if transformation in CATALOGUE[key].invariances:
        np.testing.assert_allclose(after, before, rtol=1e-9, atol=1e-12)
    else:
        assert np.abs(after - before).max() > 2e-3


@pytest.mark.parametrize("method", ["pca", "zca", "cholesky", "zca-cor"])
def test_cosines_do_not_depend_on_how_rows_are_whitened(method: str) -> None:
    rows = np.random.default_rng(8).normal(size=(500, 8)) @ np.diag(np.arange(1.0, 9.0)) + 2
    whitened = oracle.whiten(rows, method)
    oracle.agree(oracle.covariance(whitened), np.eye(8))
    oracle.agree(np.square(whitened).sum(axis=1).mean(), 8 * 499 / 500)
    reference = cosine_matrix(torch.from_numpy(oracle.whiten(rows, "pca")))
    oracle.agree(cosine_matrix(torch.from_numpy(whitened)), reference, 1e-11)


def test_other_transforms_of_the_oracle_do_what_they_say() -> None:
    standard = oracle.standardise(ROWS)
    oracle.agree([standard.mean(0), standard.std(0)], [np.zeros(D), np.ones(D)])
    left = oracle.all_but_the_top(ROWS, 2)
    top = np.linalg.eigh(oracle.covariance(ROWS))[1][:, -2:]
    oracle.agree(left @ top, np.zeros((N, 2)))
    oracle.agree(oracle.eigenvalues(left), np.append(oracle.eigenvalues(ROWS)[2:], [0.0, 0.0]))


@pytest.mark.parametrize("key", CATALOGUE)
def test_explanation_is_one_paragraph_with_every_part(key: str) -> None:
    metric, text = CATALOGUE[key], explain(key)
    assert metric.key == key
    assert "\n" not in text
    for part in (metric.label, metric.formula, metric.range, metric.ideal, metric.reference):
        assert part in text
    # The formula stands in a code span, so nothing in it is taken for Markdown.
    assert f"`{metric.formula}`" in text
    assert "`" not in metric.formula


def test_catalogue_loads_without_torch() -> None:
    code = "import sys, embgeo.metrics.catalogue; sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
