"""The isotropy page's charts by what they hand to Vega-Lite, on invented frames."""

from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import pytest

from embgeo.charts.drawing import Drawing
from embgeo.charts.isotropy import cosine_shape, mean_by_id
from embgeo.charts.palette import DARK, LIGHT, Palette
from embgeo.charts.rogue import deviations_text, dimension_bars, zeroed_line

BOTH = pytest.mark.parametrize("look", [LIGHT, DARK], ids=lambda look: look.name)
DOMAIN = (-0.5, 1.0)


def shape(names: tuple[str, ...] = ("this table", "isotropic", "random rows")) -> pd.DataFrame:
    edges, shares = np.linspace(-0.5, 1, 5), [0.0, 0.25, 0.75, 0.0]
    return pd.concat(
        [
            pd.DataFrame({"name": name, "left": edges[:-1], "right": edges[1:], "share": shares})
            for name in names
        ]
    )


RULES = pd.DataFrame({"name": ["mean of all pairs", "isotropic"], "x": [0.9, 0.0]})
BINS = pd.DataFrame(
    {
        "low": [0, 500, 20_000],
        "high": [499, 999, 49_151],
        "rows": [500, 500, 29_152],
        "mean_cosine": [0.1, -0.02, 0.5],
    }
)
DIMENSIONS = pd.DataFrame(
    {
        "dimension": [322, 7],
        "contribution": [0.04, 0.0003],
        "share": [0.08, 0.0006],
        "mean": [0.5, -0.1],
        "mean_z": [6.26, -1.0],
        "sd": [0.1, 0.1],
        "rogue": [True, False],
    }
)
STEPS = pd.DataFrame(
    {
        "k": [0, 1, 2],
        "dimension": [-1, 322, 7],
        "mean_cosine": [0.44, 0.42, 0.4],
        "informativity": [1.0, 0.99, np.nan],
    }
)


def drawn(look: Palette) -> dict[str, Drawing]:
    return {
        "pairs": cosine_shape(shape(), RULES, domain=DOMAIN, of="pairs", palette=look),
        "rows": cosine_shape(
            shape(("this table", "isotropic")), RULES[:1], domain=DOMAIN, of="rows", palette=look
        ),
        "by id": mean_by_id(BINS, 0.44, domain=(0, 1), palette=look),
        "dimensions": dimension_bars(DIMENSIONS, palette=look),
        "zeroed": zeroed_line(STEPS, 0.0, chosen=1, domain=(0, 1), palette=look),
    }


@BOTH
def test_every_chart_is_valid_and_holds_no_nan(look: Palette) -> None:
    for name, drawing in drawn(look).items():
        spec = drawing.to_dict()
        alt.LayerChart.from_dict({k: v for k, v in spec.items() if k != "params"})
        for frame in drawing.frames.values():
            texts = frame.select_dtypes(exclude="number").to_numpy().ravel()
            assert "nan" not in {str(text).lower() for text in texts}, name


def layers(drawing: Drawing) -> list[Any]:
    return list(drawing.to_dict()["layer"])


def test_expectations_are_a_line_and_dots_over_the_shape() -> None:
    pairs, rows = drawn(LIGHT)["pairs"], drawn(LIGHT)["rows"]
    assert [layer["mark"]["type"] for layer in layers(pairs)[:3]] == ["area", "line", "circle"]
    assert [layer["mark"]["type"] for layer in layers(rows)[:3]] == ["area", "line", "rect"]
    assert set(pairs.frames["curves"]["name"]) == {"isotropic", "random rows"}
    assert (pairs.frames["curves"]["share"] > 0).all()
    # A rule far to the right is named on its left.
    words = pairs.frames["rules"].set_index("words")["align"]
    assert words.to_dict() == {"mean of all pairs 0.900": "right", "isotropic 0.000": "left"}
    assert pairs.frames["bins"]["expected"].tolist() == ["0 %", "25.0 %", "75.0 %", "0 %"]


def test_ranges_of_ids_are_short_and_the_whole_table_is_a_rule() -> None:
    drawing = drawn(LIGHT)["by id"]
    assert drawing.frames["bins"]["ids"].tolist() == ["0–499", "500–999", "20k–49k"]
    assert drawing.frames["bins"]["mean_text"].tolist() == ["0.100", "−0.020", "0.500"]
    assert drawing.frames["whole"]["words"].tolist() == ["╌╌ all pairs 0.440"]
    assert mean_by_id(BINS, None, domain=(0, 1), palette=LIGHT).frames["whole"].empty


def test_bars_are_shares_unless_those_mean_nothing() -> None:
    shares = drawn(LIGHT)["dimensions"].frames["dimensions"]
    assert shares["printed"].tolist() == ["8.00 %", "0.0600 %"]
    assert shares["z_text"].tolist() == ["6.3", "−1.0"]
    without = dimension_bars(DIMENSIONS.assign(share=np.nan), palette=LIGHT)
    assert without.frames["dimensions"]["x"].tolist() == [0.04, 0.0003]
    assert without.frames["dimensions"]["printed"].tolist() == ["0.04000", "0.0003000"]
    assert "part of the mean cosine" in without.template
    assert deviations_text(float("nan")) == deviations_text(None) == "–"


def test_the_chosen_step_is_marked() -> None:
    drawing = drawn(LIGHT)["zeroed"]
    assert drawing.frames["steps"]["chosen"].tolist() == [False, True, False]
    assert drawing.frames["steps"]["last"].tolist() == ["none", "322", "7"]
    assert drawing.frames["steps"]["r2_text"].tolist() == ["1.000", "0.990", "–"]
    assert drawing.frames["after"]["words"].tolist() == ["╌╌ standardised 0.000"]
    none = zeroed_line(STEPS, None, chosen=1, domain=(0, 1), palette=LIGHT)
    assert none.frames["after"].empty
