"""The spectrum page's frames and charts, on tables whose answers are known or undefined."""

from pathlib import Path

import altair as alt
import made
import numpy as np
import oracle_spectrum as slow
import pytest
from made import random_rows
from oracle import agree

from embgeo.charts.norm_kinds import norm_kinds
from embgeo.charts.palette import LIGHT
from embgeo.charts.spectra import explained, singular_values
from embgeo.statistics import moments
from embgeo.statistics.raw_spectrum import raw_spectrum
from embgeo.views.norm_kinds import norms_by_class
from embgeo.views.spectrum import (
    explained_frame,
    singular_frame,
    spectrum_notes,
    spectrum_table,
)

UNDEFINED = {
    "one row": np.array([[3.0, 4.0, 0.0]]),
    "identical rows": np.tile([1.0, 2.0, 3.0], (7, 1)),
    "zeros": np.zeros((4, 3)),
}


def test_frames_are_the_singular_values_of_the_rows(tmp_path: Path) -> None:
    rows = random_rows(80, 6)
    table, exact = made.table(tmp_path, rows), rows.numpy()
    frame = singular_frame(table)
    for state, centred in (("raw", False), ("centred", True)):
        part = frame[frame["state"] == state]
        expected = slow.singular_values(exact, centred=centred)
        agree(part["sigma"], expected, 1e-9)
        agree(part["length"], expected / np.linalg.norm(exact), 1e-9)
        agree(part["energy"].sum(), 1.0, 1e-9)
    shares = explained_frame(table)
    assert shares["k"].tolist() == [1, 2, 3, 4, 5, 6]
    agree(shares["isotropic"], np.arange(1, 7) / 6)


def test_table_holds_what_the_oracle_finds(tmp_path: Path) -> None:
    rows = random_rows(80, 60)
    frame, exact = spectrum_table(made.table(tmp_path, rows)).set_index("key"), rows.numpy()
    agree(frame.loc["stable_rank", "raw"], slow.stable_rank(exact, centred=False), 1e-9)
    agree(frame.loc["stable_rank", "centred"], slow.stable_rank(exact, centred=True), 1e-9)
    agree(frame.loc["condition", "centred"], slow.condition(exact), 1e-6)
    agree(frame.loc["mean_alignment", "centred"], slow.mean_alignment(exact), 1e-9)
    values = slow.singular_values(exact, centred=True) ** 2
    agree(frame.loc["power_law", "centred"], slow.power_law(values, 3, 30)[0], 1e-9)
    raw = slow.singular_values(exact, centred=False)
    agree(frame.loc["effective_rank", "raw"], slow.entropy_rank(raw), 1e-9)


def test_raw_spectrum_is_kept(tmp_path: Path) -> None:
    rows = random_rows(20, 4)
    found = raw_spectrum(made.table(tmp_path, rows))
    np.testing.assert_array_equal(found, raw_spectrum(made.table(tmp_path, rows)))


@pytest.mark.parametrize("name", UNDEFINED)
def test_what_is_undefined_is_missing_and_said(tmp_path: Path, name: str) -> None:
    table = made.table(tmp_path, UNDEFINED[name])
    frame = spectrum_table(table)
    assert frame["centred"].isna().all()
    assert explained_frame(table).empty
    assert "spread" in spectrum_notes(table)[-1] or "all the same" in spectrum_notes(table)[-1]
    raw = singular_frame(table)
    if name == "zeros":
        assert frame["raw"].isna().all() and raw.empty
    else:
        assert frame["raw"].dropna().tolist() == pytest.approx([1, 1, 1])
        assert raw["state"].tolist() == ["raw"]


@pytest.mark.parametrize("shape", [(2, 5), (5, 5), (4, 9)])
def test_no_more_rows_than_dimensions(tmp_path: Path, shape: tuple[int, int]) -> None:
    table = made.table(tmp_path, random_rows(*shape))
    frame = spectrum_table(table).set_index("key")
    assert np.isnan(frame.loc["condition", "centred"])
    assert frame.loc["effective_rank", "centred"] <= shape[0] - 1 + 1e-6
    assert any("no more rows than dimensions" in said for said in spectrum_notes(table))
    counts = singular_frame(table).groupby("state").size()
    assert counts.to_dict() == {"raw": min(shape), "centred": shape[0] - 1}


def test_a_long_spectrum_is_thinned(tmp_path: Path) -> None:
    table = made.table(tmp_path, random_rows(300, 240))
    assert 160 < len(singular_frame(table)) <= 320
    assert len(explained_frame(table)) <= 160


def test_charts_are_valid(tmp_path: Path) -> None:
    table = made.table(tmp_path, random_rows(80, 6))
    first = moments(table)
    drawings = [
        singular_values(singular_frame(table), domain=(0.01, 1.0), palette=LIGHT),
        explained(explained_frame(table), palette=LIGHT),
        norm_kinds(norms_by_class(first), unit="norm", domain=(0.0, 9.0), palette=LIGHT),
    ]
    for drawing in drawings:
        spec = drawing.to_dict()
        alt.LayerChart.from_dict(spec)
        assert all(spec["datasets"].values())
