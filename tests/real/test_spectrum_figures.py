"""The spectrum, the rank correlations and the under-trained tokens of the packaged models."""

import numpy as np
import pytest

from embgeo.metrics.singular_values import power_law, singular_values
from embgeo.statistics import moments, spectrum
from embgeo.statistics.raw_spectrum import raw_spectrum
from embgeo.statistics.undertrained import undertrained
from embgeo.tables import EmbeddingTable
from embgeo.views.norm_kinds import norm_by_id, norms_by_script, rank_correlations
from embgeo.views.spectrum import spectrum_table
from embgeo.views.undertrained import candidate_frame, twin_frame

pytestmark = pytest.mark.real

# Figures computed apart from this project, with half a unit of the last digit as tolerance.
CENTRED = {
    "minilm": {
        "effective_rank": (352.03, 0.005),
        "effective_rank_variance": (275.66, 0.005),
        "participation_ratio": (204.899, 0.0005),
        "isoscore": (0.532372, 5e-7),
        "stable_rank": (49.55, 0.005),
        "first_share": (0.0202, 0.00005),
        "k90": (264, 0),
        "condition": (189.96, 0.005),
    },
    "smollm2": {
        "effective_rank": (546.97, 0.005),
        "effective_rank_variance": (348.90, 0.005),
        "participation_ratio": (70.0608, 0.00005),
        "isoscore": (0.120106, 5e-7),
        "stable_rank": (9.189, 0.0005),
        "first_share": (0.1088, 0.00005),
        "k90": (444, 0),
        "condition": (2507.28, 0.005),
        "mean_alignment": (0.911, 0.0005),
    },
}
RAW = {
    "minilm": {
        "effective_rank": (351.53, 0.005),
        "stable_rank": (43.96, 0.005),
        "first_share": (0.02275, 0.000005),
    },
    "smollm2": {
        "effective_rank": (507.32, 0.005),
        "stable_rank": (2.0014, 0.00005),
        "first_share": (0.4996, 0.00005),
    },
}
TOP_RAW = {
    "minilm": [28.72, 26.12, 21.80, 20.96, 19.78],
    "smollm2": [509.92, 96.13, 62.19, 56.23, 48.20],
}


@pytest.fixture(scope="module", params=["minilm", "smollm2"])
def table(request: pytest.FixtureRequest) -> EmbeddingTable:
    found: EmbeddingTable = request.getfixturevalue(request.param)
    return found


def test_numbers_of_the_spectrum(table: EmbeddingTable) -> None:
    frame = spectrum_table(table).set_index("key")
    for column, known in (("raw", RAW), ("centred", CENTRED)):
        for key, (figure, half) in known[table.name].items():
            found = frame.loc[key, column]
            assert found == pytest.approx(figure, rel=0, abs=1.001 * half), (column, key)


def test_first_singular_values(table: EmbeddingTable) -> None:
    assert raw_spectrum(table)[:5] == pytest.approx(TOP_RAW[table.name], rel=0, abs=0.00501)
    if table.name == "smollm2":
        spread = spectrum(table)
        centred = singular_values(spread.eigenvalues, spread.count)
        expected = [176.78, 87.55, 58.22, 50.33, 48.16]
        assert centred[:5] == pytest.approx(expected, rel=0, abs=0.00501)


def test_power_law_depends_on_its_range(table: EmbeddingTable) -> None:
    values = spectrum(table).eigenvalues
    whole, middle = power_law(values, 1, len(values)), power_law(values)
    assert whole is not None and middle is not None
    printed, half = {"minilm": (0.79, 0.005), "smollm2": (0.468, 0.0005)}[table.name]
    assert whole.exponent == pytest.approx(printed, abs=half)
    assert middle.exponent < whole.exponent
    assert middle.r_squared > 0.97 > whole.r_squared


def test_norm_against_id(table: EmbeddingTable) -> None:
    frame = rank_correlations(table, moments(table)).set_index("kind")
    printed = {"minilm": -0.377, "smollm2": 0.465}[table.name]
    assert frame.loc["whole table", "spearman"] == pytest.approx(printed, abs=0.0005)


def test_norm_falls_faster_over_the_ids_of_words(minilm: EmbeddingTable) -> None:
    first, ids = moments(minilm), np.arange(minilm.rows)
    assert norm_by_id(first, (ids >= 1996) & (ids <= 29599)) == pytest.approx(-0.623, abs=0.0005)


def test_unused_tokens_are_the_reference_and_rare_signs_come_next(minilm: EmbeddingTable) -> None:
    found = undertrained(minilm)
    assert found.by_distance
    assert len(found.references) == 994
    assert found.said == "994 unused or reserved tokens"
    distances = found.distances
    assert distances.mean() == pytest.approx(0.8960, abs=0.00005)
    assert distances.std() == pytest.approx(0.2332, abs=0.00005)
    assert distances[found.references].mean() == pytest.approx(0.0933, abs=0.00005)
    frame = candidate_frame(minilm, moments(minilm), found)
    assert frame["token"].tolist()[:3] == ["##？", "##崎", "##劉"]
    assert len(frame) == round(0.02 * (minilm.rows - 999))
    assert twin_frame(minilm, found).empty


def test_equal_rows_and_no_reference(smollm2: EmbeddingTable) -> None:
    found = undertrained(smollm2)
    groups = [np.flatnonzero(found.twins == at).tolist() for at in range(found.twins.max() + 1)]
    expected = [[5, 9, 11, 36743], [7, 45175], [8, 10, 13, 15, 16, 36744, 48047], [12, 14]]
    assert groups == expected
    assert not found.by_distance and not len(found.references)
    frame = candidate_frame(smollm2, moments(smollm2), found, 3)
    assert frame["token"].tolist() == ["␣John", "␣Michael", "␣David"]


def test_scripts_hold_every_row_once(table: EmbeddingTable) -> None:
    frame = norms_by_script(table, moments(table))
    assert frame["tokens"].sum() == table.rows
    assert frame["kind"].iloc[0] == "Latin"
