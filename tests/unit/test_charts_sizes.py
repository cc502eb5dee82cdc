"""The share of a model that is table, and its slices, by what they hand to Vega-Lite."""

from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import pytest

from embgeo.charts.drawing import Drawing
from embgeo.charts.palette import DARK, LIGHT, Palette
from embgeo.charts.sizes import share_by_total, slices

BOTH = pytest.mark.parametrize("look", [LIGHT, DARK], ids=lambda look: look.name)
TIES = ("tied", "untied", "neither")


def models(*rows: tuple[str, str, float, float]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["name", "family", "total", "share"])
    return frame.assign(
        tied=[TIES[at % 3] for at in range(len(rows))],
        tables=[1 + at % 2 for at in range(len(rows))],
        rows=1000,
        dim=64,
        parameters=64_000,
        bytes_text="128 kB",
        evidence="here",
        note="",
    )


KNOWN = models(
    ("a1", "A", 1e8, 0.5), ("a2", "A", 1e9, 0.2), ("a3", "A", 1e10, 0.1),
    ("b1", "B", 1.1e8, 0.49), ("b2", "B", 2e9, 0.1), ("b3", "B", 2e10, 0.05),
    ("c1", "C", 5e9, 0.4), ("c2", "C", 1e11, 0.1),
    ("d1", "D", 7e9, 0.02), ("d2", "D", 8e9, 0.01), ("d3", "D", 9e9, 0.01),
    ("lost", "A", np.nan, np.nan),
)  # fmt: skip
MINE = models(("mine", "", 2e8, 0.3), ("no whole", "", np.nan, np.nan))
NONE = models()


def over(known: pd.DataFrame = KNOWN, mine: pd.DataFrame = MINE, look: Palette = LIGHT) -> Drawing:
    return share_by_total(known, mine, ties=TIES, palette=look)


def bar(look: Palette = LIGHT) -> Drawing:
    parts = ["input table", "everything else"]
    frame = pd.DataFrame(
        {"part": parts, "parameters": [1000, 3000], "start": [0, 0.25], "end": [0.25, 1]}
    )
    return slices(frame, palette=look)


def values(drawing: Drawing) -> dict[str, Any]:
    return {param["name"]: param.get("value") for param in drawing.to_dict()["params"]}


@BOTH
def test_charts_are_valid_and_complete_on_their_own(look: Palette) -> None:
    for drawing in (over(look=look), over(mine=NONE, look=look), bar(look)):
        spec = drawing.to_dict()
        alt.LayerChart.from_dict(spec)
        assert spec["width"] == "container"
        assert spec["height"] > 0
        assert spec["config"]["axis"]["gridColor"] == look.grid
        tips = [tip for layer in spec["layer"] for tip in layer["encoding"].get("tooltip", [])]
        assert tips
        assert all(tip["type"] == "nominal" and tip["title"] for tip in tips)


def test_models_without_a_total_have_no_place() -> None:
    frames = over().frames
    assert "lost" not in set(frames["known"]["name"])
    assert frames["measured"]["name"].tolist() == ["mine"]
    assert len(over(mine=NONE).frames["measured"]) == 0


def test_lines_join_families_and_points_show_ties_twice() -> None:
    lines, points, *_ = over().to_dict()["layer"]
    assert lines["mark"]["type"] == "line"
    assert lines["encoding"]["detail"]["field"] == "family"
    for channel in ("color", "shape"):
        assert points["encoding"][channel]["field"] == "tied"
        assert points["encoding"][channel]["scale"]["domain"] == list(TIES)
    assert points["encoding"]["x"]["scale"]["type"] == "log"


def test_families_of_three_are_named_once_where_nothing_is_covered() -> None:
    # B begins beside A's name, C has two models, D lies among the points at the bottom.
    assert over().frames["families"]["family"].tolist() == ["A"]
    apart = KNOWN.assign(share=KNOWN["share"].where(KNOWN["name"] != "b1", 0.3))
    assert over(apart, NONE).frames["families"]["family"].tolist() == ["A", "B"]
    assert over(apart, models(("mine", "", 1.1e8, 0.3))).frames["families"]["family"].tolist() == [
        "A"
    ]


def test_compared_models_are_ringed_and_named() -> None:
    *_, rings, names = over().to_dict()["layer"]
    assert rings["data"]["name"] == names["data"]["name"] == "measured"
    assert rings["mark"]["fill"] == "transparent"
    assert names["encoding"]["text"]["field"] == "name"


def test_axes_hold_every_point() -> None:
    usual = values(over())
    assert usual["low"] < 1e7
    assert usual["high"] > 1e12
    assert usual["top"] == pytest.approx(1.06 * 0.55)
    far = values(over(mine=models(("tiny", "", 5e3, 0.97), ("vast", "", 5e13, 0.001))))
    assert far["low"] < 5e3
    assert far["high"] > 5e13
    assert far["top"] > 0.97


def test_tooltip_says_everything_in_words() -> None:
    first, second = over().to_dict()["datasets"]["known"][:2]
    assert (first["shape"], first["share_text"]) == ("1,000 × 64", "50.0 %")
    assert (first["total_text"], first["counted"]) == ("100,000,000", "64,000")
    assert second["counted"] == "64,000 in two tables"


@BOTH
def test_slices_lie_end_to_end_in_their_own_colours(look: Palette) -> None:
    spec = bar(look).to_dict()
    encoding = spec["layer"][0]["encoding"]
    assert encoding["color"]["scale"] == {
        "domain": ["input table", "everything else"],
        "range": [look.accent, look.area],
    }
    assert encoding["x"]["scale"]["domain"] == [0, 1]
    rows = spec["datasets"]["parts"]
    assert [(row["numbers"], row["share_text"]) for row in rows] == [
        ("1,000", "25.0 %"),
        ("3,000", "75.0 %"),
    ]
