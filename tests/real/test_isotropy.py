"""The cone of the packaged models against figures that were computed apart from this project."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embgeo.statistics import moments
from embgeo.statistics.directions import (
    directions,
    mean_cosines_by_id,
    text_estimate,
    zipf_mean_cosine,
)
from embgeo.statistics.zeroed import standardised, zeroed
from embgeo.tables import EmbeddingTable
from embgeo.views.rogue import dimension_frame

pytestmark = pytest.mark.real
REFERENCE: dict[str, Any] = json.loads(
    Path(__file__).parents[1].joinpath("fixtures", "reference.json").read_text(encoding="utf-8")
)
# Each as printed: the mean cosine without the top 1, 3, 5, 10 coordinates; the top coordinates;
# the mean cosine with p ∝ 1/(rank of the id + 10).
ZEROED = {
    "minilm": (".01780", ".01730", ".01692", ".01608"),
    "smollm2": (".42144", ".38385", ".35753", ".31452"),
}
TOP = {"minilm": [369, 275, 159, 315, 244], "smollm2": [322, 481, 31, 247, 299]}
SHARES = {"smollm2": (".0846", ".0766", ".0726", ".0559", ".0373"), "minilm": (".0182",)}
ZIPF = {"minilm": ".0348", "smollm2": ".1552"}
STANDARDISED = {"minilm": ".002374", "smollm2": ".0000663"}


@pytest.fixture(scope="module", params=["minilm", "smollm2"])
def table(request: pytest.FixtureRequest) -> EmbeddingTable:
    found: EmbeddingTable = request.getfixturevalue(request.param)
    return found


def as_printed(figure: str) -> Any:
    """Half a unit of the last digit that was printed."""
    return pytest.approx(float(figure), rel=0, abs=0.5001 * 10.0 ** -len(figure[1:]))


def test_contributions_add_up_to_the_mean_cosine(table: EmbeddingTable) -> None:
    found = directions(table).contributions
    assert found is not None
    reference = REFERENCE[table.name]["mean_cosine"]["raw"]
    assert found.sum() == pytest.approx(reference, rel=1e-9)
    order = np.argsort(-found)[:5].tolist()
    assert order == TOP[table.name]
    for at, share in zip(order, SHARES[table.name], strict=False):
        assert found[at] / found.sum() == as_printed(share)


def test_shares_only_where_the_mean_cosine_is_not_near_0(table: EmbeddingTable) -> None:
    frame = dimension_frame(table)
    assert frame["dimension"].head(5).tolist() == TOP[table.name]
    assert frame["share"].isna().all() == (table.name == "minilm")


def test_mean_cosine_without_the_top_coordinates(table: EmbeddingTable) -> None:
    found = zeroed(table)
    for k, printed in zip((1, 3, 5, 10), ZEROED[table.name], strict=True):
        assert found.mean_cosines[k] == as_printed(printed), k
    assert found.mean_cosines[0] == pytest.approx(moments(table).mean_cosine, rel=1e-9)
    assert (np.diff(found.informativity) < 0).all()


def test_standardising(table: EmbeddingTable) -> None:
    assert standardised(table).mean_cosine == as_printed(STANDARDISED[table.name])


def test_the_cone(table: EmbeddingTable) -> None:
    found = directions(table)
    length, mean = found.cone_length, moments(table).mean_cosine
    assert length is not None and mean is not None
    assert float(np.nanmean(found.to_mean.astype(float))) == pytest.approx(length, abs=1e-7)
    assert length**2 == pytest.approx(mean + (1 - mean) / found.count, abs=1e-12)


def test_weighted_by_frequency(table: EmbeddingTable) -> None:
    assert zipf_mean_cosine(table) == as_printed(ZIPF[table.name])


def test_the_estimate_of_texts_is_near_the_exact_mean(table: EmbeddingTable) -> None:
    sd = float(REFERENCE[table.name]["printed"]["cosine_sd"]["raw"])
    exact = REFERENCE[table.name]["mean_cosine"]["raw"]
    assert text_estimate(table) == pytest.approx(exact, abs=4 * sd / 1000**0.5)


def test_mean_cosine_by_id(smollm2: EmbeddingTable) -> None:
    bins = REFERENCE["smollm2"]["id_bins"]
    means, counts = mean_cosines_by_id(smollm2, [low for low, _, _ in bins])
    assert counts.tolist() == [high - low for low, high, _ in bins]
    for mean, (_, _, printed) in zip(means, bins, strict=True):
        assert mean == as_printed(printed)
