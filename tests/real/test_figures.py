"""The packaged models' figures against figures that were computed apart from this project."""

import json
import math
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from embgeo.groups import DEFAULT, Policy, Spacing, resolve
from embgeo.metrics.cosine import mean_cosine, mean_cosine_from_sum
from embgeo.metrics.norms import row_norms
from embgeo.metrics.spectrum import explained_variance
from embgeo.populations import strata
from embgeo.statistics import fitted, moments, spectrum, transformed
from embgeo.tables import EmbeddingTable
from embgeo.transforms import named
from embgeo.views.group_rows import GroupRows, group_rows
from embgeo.views.norms import norm_tail
from embgeo.views.records import info_record

pytestmark = pytest.mark.real
REFERENCE: dict[str, Any] = json.loads(
    Path(__file__).parents[1].joinpath("fixtures", "reference.json").read_text(encoding="utf-8")
)
TRANSFORMS = ("raw", "centred", "whitened")
SPACINGS: tuple[Spacing, ...] = ("typed", "space")


@dataclass(frozen=True)
class Known:
    """A packaged model and what is known about it."""

    table: EmbeddingTable
    reference: dict[str, Any]


@pytest.fixture(scope="module", params=["minilm", "smollm2"])
def known(request: pytest.FixtureRequest) -> Known:
    return Known(request.getfixturevalue(request.param), REFERENCE[request.param])


def exactly(figure: object) -> Any:
    """A cosine or a norm: 1e-6 of the figure + 1e-9."""
    if isinstance(figure, dict):
        return {name: exactly(each) for name, each in figure.items()}
    assert isinstance(figure, float)
    return pytest.approx(figure, rel=0, abs=1e-6 * abs(figure) + 1e-9)


def spectral(figure: float) -> Any:
    return pytest.approx(figure, rel=1e-4)


def as_printed(figure: str) -> Any:
    """Half a unit of the last digit that was printed."""
    _, _, decimals = figure.partition(".")
    return pytest.approx(float(figure), rel=0, abs=0.5001 * 10.0 ** -len(decimals))


def test_facts(known: Known) -> None:
    record = info_record(known.table)
    found = [record[name] for name in ("rows", "tokens", "dim", "padding_rows", "zero_rows")]
    rows, dim = known.reference["rows"], known.reference["dim"]
    assert found == [rows, rows, dim, 0, known.reference["zero_rows"]]
    assert record["parameters"] == rows * dim
    expected = {"minilm": ("F32", None), "smollm2": ("Q8_0", True)}[known.table.name]
    assert (record["dtype"], record["tied"]) == expected


def test_norms(known: Known) -> None:
    norm, first = known.reference["norm"], moments(known.table)
    summary = first.norm_summary
    assert summary is not None
    assert summary.mean == exactly(norm["mean"])
    assert summary.sd == exactly(norm["std_ddof0"])
    assert [summary.minimum, summary.median, summary.maximum] == [
        exactly(norm[name]) for name in ("min", "median", "max")
    ]
    assert (int(first.norms.argmin()), int(first.norms.argmax())) == (
        norm["min_id"],
        norm["max_id"],
    )
    assert np.linalg.norm(first.mean) == exactly(known.reference["norm_of_mean_row"])


@pytest.mark.parametrize("name", TRANSFORMS)
def test_mean_cosine_over_all_pairs(known: Known, name: str) -> None:
    found = transformed(known.table, named(name, known.table.dim)).mean_cosine
    assert found == exactly(known.reference["mean_cosine"][name])


def test_spectrum(known: Known) -> None:
    found, expected = spectrum(known.table), known.reference["spectral"]
    assert float(found.eigenvalues[0]) == spectral(expected["largest_eigenvalue"])
    assert float(found.eigenvalues[-1]) == spectral(expected["smallest_eigenvalue"])
    assert float(found.eigenvalues.sum()) == spectral(expected["trace"])
    assert found.participation_ratio == spectral(expected["participation_ratio"])
    assert found.effective_rank == spectral(expected["effective_rank"])
    share = explained_variance(found.eigenvalues)
    assert share is not None
    for count in (1, 3, 10):
        assert share[count - 1] == spectral(expected[f"explained_{count}"])


def test_headline_figures_as_printed(known: Known) -> None:
    printed, record = known.reference["printed"], info_record(known.table)
    for name in ("participation_ratio", "isoscore", "effective_rank", "norm_mean", "norm_sd"):
        assert record[name] == as_printed(printed[name]), name
    assert record["mean_cosine"] == as_printed(printed["mean_cosine"]["raw"])
    assert record["mean_cosine_centred"] == as_printed(printed["mean_cosine"]["centred"])
    assert record["mean_cosine_sd"] == as_printed(printed["cosine_sd"]["raw"])
    values = spectrum(known.table).eigenvalues
    assert float(values[0] / values[-1]) == as_printed(printed["condition"])
    share = explained_variance(values)
    assert share is not None
    assert int((share < 0.9).sum()) + 1 == int(printed["k90"])


@pytest.mark.parametrize("name", ["standardised", "abtt"])
def test_mean_cosine_of_other_transforms_as_printed(known: Known, name: str) -> None:
    found = transformed(known.table, named(name, known.table.dim)).mean_cosine
    assert found == as_printed(known.reference["printed"]["mean_cosine"][name])


def test_tokens_with_the_longest_and_shortest_rows(known: Known) -> None:
    printed, first = known.reference["printed"], moments(known.table)
    for longest, name in ((True, "longest"), (False, "shortest")):
        tail = norm_tail(known.table, first, longest, count=len(printed[name]))
        assert [known.table.vocabulary.text(at) for at in tail["id"]] == printed[name]


def rows_of(known: Known, spacing: Spacing, transform: str) -> GroupRows:
    groups = resolve(DEFAULT, [known.table], Policy(spacing))[0]
    return group_rows(known.table, groups, named(transform, known.table.dim))


def groups_reference(known: Known, spacing: Spacing) -> dict[str, Any]:
    """WordPiece drops a space before a word, so MiniLM's rows are the same with and without."""
    published: dict[str, Any] = known.reference["groups"]
    return dict(published.get(spacing, published["typed"]))


@pytest.mark.parametrize("spacing", SPACINGS)
def test_group_ids(known: Known, spacing: Spacing) -> None:
    groups = resolve(DEFAULT, [known.table], Policy(spacing))[0]
    found = {group.name: [member.ids[0] for member in group.members] for group in groups}
    assert found == groups_reference(known, spacing)["ids"]
    assert all(group.left_out == {} for group in groups)


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("spacing", SPACINGS)
def test_group_cosines(known: Known, spacing: Spacing, transform: str) -> None:
    rows = rows_of(known, spacing, transform)
    expected, mean = groups_reference(known, spacing)[transform], rows.blocks.mean
    for a, name in enumerate(rows.names):
        assert mean[a, a] == exactly(expected["within"][name])
        for b in range(a + 1, len(rows.names)):
            assert mean[a, b] == exactly(expected["between"][f"{name}|{rows.names[b]}"])


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("spacing", SPACINGS)
def test_group_norms(known: Known, spacing: Spacing, transform: str) -> None:
    """The published deviations have ddof 1; the product's have ddof 0."""
    how = fitted(known.table, named(transform, known.table.dim))
    expected = groups_reference(known, spacing)
    for name, ids in expected["ids"].items():
        norms = row_norms(how.apply(known.table.take(ids)))
        assert norms.mean() == exactly(expected[transform]["norm_mean"][name])
        to_ddof_0 = math.sqrt((len(ids) - 1) / len(ids))
        assert norms.std() == exactly(expected[transform]["norm_sd_ddof1"][name] * to_ddof_0)


def test_mean_cosine_rises_fourfold_from_frequent_to_rare_tokens(smollm2: EmbeddingTable) -> None:
    for low, high, printed in REFERENCE["smollm2"]["id_bins"]:
        assert mean_cosine(smollm2.weight[low:high]) == as_printed(printed), (low, high)


def test_the_sums_behind_the_floors_are_those_of_the_rows(smollm2: EmbeddingTable) -> None:
    """Pooled over token classes, the strata of an id bin hold exactly the rows of that bin."""
    first = moments(smollm2)
    for low, high in pairwise((500, 1_000, 2_000, 5_000)):
        inside = np.unique(strata(first.classes)[low:high])
        found = mean_cosine_from_sum(
            torch.from_numpy(first.unit_sums[inside].sum(axis=0)),
            int(first.counts[inside].sum()),
        )
        assert found == pytest.approx(mean_cosine(smollm2.weight[low:high]), abs=1e-12)
