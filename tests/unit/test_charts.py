"""The charts by what they hand to Vega-Lite, on invented frames."""

import io
import subprocess
import sys
import tomllib
from itertools import combinations, product
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import pytest
from PIL import Image

from embgeo.charts.cosines import cosine_distribution
from embgeo.charts.drawing import Drawing
from embgeo.charts.heatmaps import KEY_SEPARATOR, group_heatmap, token_heatmap
from embgeo.charts.image import matrix_png
from embgeo.charts.norms import norm_by_id, norm_distribution
from embgeo.charts.numbers import cosine_text, count_text, norm_text, share_text, signed_text
from embgeo.charts.palette import (
    DARK,
    LIGHT,
    Palette,
    contrast,
    diverging_rgb,
    group_colours,
    ink,
    palette,
)
from embgeo.charts.spectrum import spectrum
from embgeo.charts.steps import step_outline

ROOT = Path(__file__).parents[2]
BOTH = pytest.mark.parametrize("look", [LIGHT, DARK], ids=lambda look: look.name)
GROUPS = ["zebras", "apples", "middle"]


def group_frame(names: list[str]) -> pd.DataFrame:
    cells = [
        {
            "row": row,
            "column": column,
            "kind": "within" if row == column else "between",
            "text": "0.100",
            "note": "floor 0.030",
            "reason": "one token has no pair" if row == column == names[0] else "",
            "mean": 0.13,
            "sd": 0.05,
            "floor": 0.03,
            "above_floor": np.nan if row == column == names[0] else 0.1,
            "pairs": 1225,
            "tokens": "cat dog",
        }
        for row, column in product(names, names)
    ]
    return pd.DataFrame(cells)


TOKENS = pd.DataFrame(
    {
        "order": [0, 1, 2, 3],
        "label": ["cat", "dog", "red", "cat"],
        "id": [7, 8, 9, 7],
        "group": ["animals", "animals", "colours", "colours"],
    }
)


def token_cells() -> pd.DataFrame:
    cells = [(row, column, 0.2, 0.05, 0.15, 0.15) for row, column in product(range(4), range(4))]
    return pd.DataFrame(cells, columns=["row", "column", "cosine", "floor", "above_floor", "value"])


def bins(state: str = "before") -> pd.DataFrame:
    edges = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
    shares = [0.0, 0.25, 0.75, 0.0]
    return pd.DataFrame({"state": state, "left": edges[:-1], "right": edges[1:], "share": shares})


def norm_frame() -> pd.DataFrame:
    rows = [(group, f"t{i}", i, 1.0 + i) for group in GROUPS for i in range(3)]
    return pd.DataFrame(rows, columns=["group", "token", "id", "x"])


def band_frame() -> pd.DataFrame:
    columns = ["id_low", "id_high", "id_mid", "q05", "median", "q95", "rows"]
    return pd.DataFrame(
        [(0, 9, 4.5, 0.8, 1.0, 1.2, 10), (10, 19, 14.5, 0.9, 1.1, 1.3, 10)]
    ).set_axis(columns, axis=1)


def rule_frame() -> pd.DataFrame:
    rows = [("before", "mean", 0.5), ("before", "floor", 0.4), ("after", "floor", 3.5)]
    return pd.DataFrame([*rows, ("after", "mean", np.nan)], columns=["state", "name", "x"])


def spectrum_frame() -> pd.DataFrame:
    before = pd.DataFrame({"state": "before", "k": [1, 2, 3], "share": [0.9, 0.1, 0.0]})
    after = pd.DataFrame({"state": "after", "k": [1, 2, 3], "share": [0.5, 0.3, 0.2]})
    frame = pd.concat([before, after])
    return frame.assign(cumulative=frame.groupby("state")["share"].cumsum())


def every_chart(look: Palette) -> dict[str, Drawing]:
    colours = group_colours(GROUPS, look)
    groups = group_frame(GROUPS)
    return {
        "groups": group_heatmap(groups, reach=0.3, palette=look),
        "compact": group_heatmap(groups, reach=0.3, palette=look, compact=True),
        "tokens": token_heatmap(token_cells(), TOKENS, centre=0.03, reach=0.3, palette=look),
        "norms": norm_distribution(
            bins(), norm_frame(), unit="norm", domain=(0.0, 4.0), palette=look, colours=colours
        ),
        "by id": norm_by_id(band_frame(), norm_frame(), unit="norm", palette=look, colours=colours),
        "cosines": cosine_distribution(
            pd.concat([bins("before"), bins("after")]),
            rule_frame(),
            domain=(0.0, 4.0),
            palette=look,
        ),
        "spectrum": spectrum(spectrum_frame(), palette=look),
    }


def found(node: Any, key: str) -> list[Any]:
    """Every value under a key, anywhere in a specification."""
    if isinstance(node, dict):
        here = [node[key]] if key in node else []
        return here + [value for child in node.values() for value in found(child, key)]
    if isinstance(node, list):
        return [value for child in node for value in found(child, key)]
    return []


def drawn(spec: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The rows of each layer by its mark."""
    layers = [layer for group in spec["layer"] for layer in group.get("layer", [group])]
    shared = spec.get("data", {}).get("name")
    return {
        layer["mark"]["type"]: spec["datasets"][layer.get("data", {}).get("name", shared)]
        for layer in layers
    }


@BOTH
def test_every_chart_is_complete_on_its_own(look: Palette) -> None:
    for name, chart in every_chart(look).items():
        spec = chart.to_dict()
        assert spec["width"] == "container", name
        assert spec["height"] > 0, name
        assert spec["background"] == "transparent", name
        # Streamlit assigns to a member of the padding, which a plain number does not have.
        assert isinstance(spec["padding"], dict), name
        assert spec["autosize"]["type"] == "fit-x", name
        assert spec["config"]["view"]["stroke"] is None, name
        assert spec["config"]["axis"]["gridColor"] == look.grid, name
        assert "title" not in spec, name


@BOTH
def test_every_chart_is_valid_vega_lite(look: Palette) -> None:
    for chart in every_chart(look).values():
        alt.LayerChart.from_dict(chart.to_dict())


@BOTH
def test_tooltips_are_titled_text(look: Palette) -> None:
    # A number format of the chart's own would print a missing value as zero.
    for name, chart in every_chart(look).items():
        tips = [tip for tips in found(chart.to_dict(), "tooltip") for tip in tips]
        assert tips, name
        assert all(tip["type"] == "nominal" and tip["title"] for tip in tips), name


def test_group_heatmap_keeps_the_given_order_and_centres_on_the_floor() -> None:
    spec = group_heatmap(group_frame(GROUPS), reach=0.3, palette=LIGHT).to_dict()
    encoding = spec["layer"][0]["encoding"]
    domain = [each["expr"] for each in encoding["color"]["scale"]["domain"]]
    assert encoding["x"]["sort"] == encoding["y"]["sort"] == GROUPS
    assert (domain[0], domain[5], domain[-1]) == (
        "centre + reach * -1.0", "centre + reach * 0.0", "centre + reach * 1.0",
    )  # fmt: skip
    assert {"name": "centre", "value": 0.0} in spec["params"]
    assert {"name": "reach", "value": 0.3} in spec["params"]
    assert encoding["color"]["scale"]["range"] == list(LIGHT.diverging)
    assert "floor" in encoding["color"]["legend"]["labelExpr"]


def test_group_heatmap_says_why_a_cell_is_blank() -> None:
    spec = group_heatmap(group_frame(GROUPS), reach=0.3, palette=LIGHT).to_dict()
    blank, other = drawn(spec)["rect"][:2]
    assert blank["value"] is None
    assert blank["mean_text"] == "undefined: one token has no pair"
    assert blank["ink"] == LIGHT.muted
    assert (blank["groups"], other["groups"]) == ("within zebras", "zebras × apples")
    assert (other["mean_text"], other["pairs_text"]) == ("0.130", "1,225")


@pytest.mark.parametrize(
    ("count", "compact", "marks"),
    [
        (12, False, ["rect", "text", "text"]),
        (13, False, ["rect"]),
        (3, True, ["rect", "text", "text"]),
    ],
)
def test_group_heatmap_prints_values_while_they_fit(
    count: int, compact: bool, marks: list[str]
) -> None:
    frame = group_frame([f"group {i}" for i in range(count)])
    chart = group_heatmap(frame, reach=0.3, palette=DARK, compact=compact)
    assert [layer["mark"]["type"] for layer in chart.to_dict()["layer"]] == marks


def test_compact_heatmap_has_no_legend() -> None:
    spec = group_heatmap(group_frame(GROUPS), reach=0.3, palette=LIGHT, compact=True).to_dict()
    assert spec["layer"][0]["encoding"]["color"]["legend"] is None
    assert spec["height"] < 200


@pytest.mark.parametrize("selectable", [True, False])
def test_group_heatmap_picks_a_cell_only_when_asked(selectable: bool) -> None:
    frame = group_frame(GROUPS)
    spec = group_heatmap(frame, reach=0.3, palette=LIGHT, selectable=selectable).to_dict()
    picks = {
        param["name"]: param["select"]["fields"] for param in spec["params"] if "select" in param
    }
    assert picks == ({"pick": ["row", "column"]} if selectable else {})


def test_token_heatmap_keeps_repeated_labels_apart() -> None:
    spec = token_heatmap(token_cells(), TOKENS, centre=0.0, reach=0.3, palette=LIGHT).to_dict()
    encoding = spec["layer"][0]["encoding"]
    tokens = spec["datasets"]["tokens"]
    assert len({token["key"] for token in tokens}) == 4
    assert tokens[3]["key"].endswith(f"{KEY_SEPARATOR}cat")
    assert tokens[1]["described"] == "dog  (id 8, animals)"
    assert encoding["x"]["sort"] is None is encoding["y"]["sort"]
    assert KEY_SEPARATOR in encoding["y"]["axis"]["labelExpr"]
    assert "Source Code Pro" in encoding["y"]["axis"]["labelFont"]


def test_token_heatmap_sends_cells_as_numbers_only() -> None:
    drawing = token_heatmap(token_cells(), TOKENS, centre=0.0, reach=0.3, palette=LIGHT)
    cells = drawing.frames["cells"]
    assert {str(kind) for kind in cells.dtypes} == {"int16", "float32"}


def test_token_heatmap_separates_and_names_the_groups() -> None:
    spec = token_heatmap(token_cells(), TOKENS, centre=0.0, reach=0.3, palette=LIGHT).to_dict()
    assert [start["key"] for start in spec["datasets"]["starts"]] == [f"0002{KEY_SEPARATOR}red"]
    names = next(param["value"] for param in spec["params"] if param["name"] == "names")
    assert list(names.values()) == ["animals", "colours"]
    assert spec["layer"][2]["encoding"]["y"]["axis"]["orient"] == "right"


@BOTH
def test_norm_distribution_shares_one_axis_and_the_groups_colours(look: Palette) -> None:
    spec = every_chart(look)["norms"].to_dict()
    scales = [x["scale"]["domain"] for x in found(spec["layer"], "x") if "scale" in x]
    assert all(scale == [{"expr": "low"}, {"expr": "high"}] for scale in scales)
    assert {"name": "low", "value": 0.0} in spec["params"]
    assert {"name": "high", "value": 4.0} in spec["params"]
    colours = [
        colour["scale"] for colour in found(spec["layer"], "color") if isinstance(colour, dict)
    ]
    assert colours[0] == {"domain": GROUPS, "range": list(look.groups[:3])}
    assert GROUPS in found(spec["layer"], "sort")
    assert [(row["group"], row["x"], row["tokens"]) for row in spec["datasets"]["means"]] == [
        (group, 2.0, 3) for group in GROUPS
    ]


def test_norm_by_id_puts_groups_on_a_grey_band() -> None:
    spec = every_chart(LIGHT)["by id"].to_dict()
    assert list(drawn(spec)) == ["area", "line", "circle"]
    assert spec["layer"][0]["mark"]["color"] == LIGHT.area
    assert drawn(spec)["area"][0]["middle"] == "0.8000 to 1.200"


@BOTH
def test_before_is_outline_and_after_is_fill(look: Palette) -> None:
    spec = every_chart(look)["cosines"].to_dict()
    assert {rows[0]["state"] for rows in [drawn(spec)["area"]]} == {"after"}
    assert {row["state"] for row in drawn(spec)["line"]} == {"before"}
    assert spec["layer"][0]["encoding"]["color"]["scale"] == {
        "domain": ["before", "after"],
        "range": [look.muted, look.accent],
    }


def test_rules_are_named_on_lines_of_their_own() -> None:
    rules = drawn(every_chart(LIGHT)["cosines"].to_dict())["rule"]
    assert [rule["words"] for rule in rules] == [
        "floor, before 0.400",
        "mean, before 0.500",
        "floor, after 3.500",
    ]
    assert len({rule["top"] for rule in rules}) == len(rules)


def test_one_state_needs_no_legend() -> None:
    rules = rule_frame().query("state == 'before'")
    spec = cosine_distribution(bins("before"), rules, domain=(0.0, 4.0), palette=LIGHT).to_dict()
    assert spec["layer"][0]["encoding"]["color"]["legend"] is None
    assert drawn(spec)["rule"][0]["words"] == "floor 0.400"


def test_spectrum_leaves_out_empty_components_on_logarithmic_axes() -> None:
    spec = spectrum(spectrum_frame(), palette=LIGHT).to_dict()
    encoding = spec["layer"][0]["encoding"]
    assert {encoding[channel]["scale"]["type"] for channel in "xy"} == {"log"}
    rows = drawn(spec)["line"]
    assert len(rows) == 5
    assert (rows[0]["share_text"], rows[1]["cumulative_text"]) == ("90.0 %", "100 %")


def test_step_outline_closes_at_the_first_and_last_filled_bin() -> None:
    outline = step_outline(bins())
    assert outline["edge"].tolist() == [1.0, 1.0, 2.0, 3.0]
    assert outline["share"].tolist() == [0.0, 0.25, 0.75, 0.0]
    assert step_outline(bins().assign(share=0.0)).empty


def test_matrix_png_has_a_pixel_per_cell() -> None:
    values = np.array([[-9.0, 0.0, 9.0], [np.nan, -1.0, 1.0]])
    picture = Image.open(io.BytesIO(matrix_png(values, centre=0.0, reach=1.0, palette=LIGHT)))
    pixels = np.asarray(picture)
    assert pixels.shape == (2, 3, 4)
    ends = [tuple(bytes.fromhex(LIGHT.diverging[stop][1:])) for stop in (0, 5, 10)]
    assert [tuple(pixel) for pixel in pixels[0, :, :3].tolist()] == ends
    assert pixels[:, :, 3].tolist() == [[255, 255, 255], [0, 255, 255]]


@BOTH
def test_colours_can_be_read(look: Palette) -> None:
    for words in (look.text, look.muted, look.accent, look.floor):
        assert contrast(words, look.background) >= 4.5
    for colour in look.groups:
        assert contrast(colour, look.background) >= 3
    assert len({*look.groups}) == len(look.groups) == len(look.sequential) == 10
    assert len(look.diverging) == 11


@BOTH
def test_printed_values_read_on_every_shade(look: Palette) -> None:
    values = np.linspace(-1, 1, 201)
    colours = diverging_rgb(values, centre=0.0, reach=1.0, palette=look)
    shades = ["#" + bytes(rgb).hex() for rgb in colours]
    inks = ink(values, centre=0.0, reach=1.0, palette=look)
    assert min(contrast(a, b) for a, b in zip(shades, inks, strict=True)) >= 4.4


@BOTH
@pytest.mark.parametrize(
    "vision",
    [
        np.eye(3),
        # Machado, Oliveira and Fernandes 2009, severity 1: protan and deutan.
        [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
        [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    ],
    ids=["normal", "protan", "deutan"],
)
def test_group_colours_stay_apart(look: Palette, vision: Any) -> None:
    encoded = np.array([list(bytes.fromhex(colour[1:])) for colour in look.groups]) / 255
    linear = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    # Oklab, in which 0.02 is about the least difference one can see.
    cones = np.clip(linear @ np.asarray(vision).T, 0, 1) @ np.array(
        [[0.4122, 0.2119, 0.0883], [0.5363, 0.6807, 0.2817], [0.0514, 0.1074, 0.6300]]
    )
    lab = np.cbrt(cones) @ np.array(
        [[0.2105, 1.9780, 0.0259], [0.7936, -2.4286, 0.7828], [-0.0041, 0.4506, -0.8087]]
    )
    assert min(np.linalg.norm(a - b) for a, b in combinations(lab, 2)) > 0.075


def test_group_colours_follow_the_order_and_start_again() -> None:
    names = [f"group {i}" for i in range(11)]
    colours = group_colours(names, DARK)
    assert list(colours) == names
    assert colours["group 0"] == colours["group 10"] == DARK.groups[0]


def test_palette_by_name() -> None:
    assert (palette("dark"), palette("light"), palette("")) == (DARK, LIGHT, LIGHT)


@BOTH
def test_streamlit_theme_agrees_with_the_palette(look: Palette) -> None:
    config = tomllib.loads((ROOT / ".streamlit/config.toml").read_text())["theme"][look.name]
    assert config["backgroundColor"] == look.background
    assert config["textColor"] == look.text
    assert config["primaryColor"] == look.accent
    assert config["chartCategoricalColors"] == list(look.groups)
    assert config["chartSequentialColors"] == list(look.sequential)
    # Streamlit takes ten diverging colours, so that the neutral middle has no place there.
    assert config["chartDivergingColors"] == [*look.diverging[:5], *look.diverging[6:]]
    assert contrast(config["textColor"], config["sidebar"]["backgroundColor"]) >= 4.5
    chips = config["sidebar"].get("primaryColor", config["primaryColor"])
    assert contrast("#ffffff", chips) >= 4.5


@pytest.mark.parametrize(
    ("printed", "text"),
    [
        (cosine_text(-0.5), "−0.500"),
        (cosine_text(-0.0004), "0.000"),
        (cosine_text(float("nan")), "–"),
        (signed_text(0.1), "+0.100"),
        (signed_text(-0.1), "−0.100"),
        (signed_text(0.0001), "0.000"),
        (signed_text(None), "–"),
        (norm_text(0.0), "0.000"),
        (norm_text(9.99996), "10.00"),
        (norm_text(0.0123456), "0.01235"),
        (norm_text(123456), "123,500"),
        (norm_text(12345678), "1.235×10⁷"),
        (norm_text(-2.5), "−2.500"),
        (norm_text(float("inf")), "–"),
        (count_text(1000), "1,000"),
        (count_text(float("nan")), "–"),
        (share_text(0.0), "0 %"),
        (share_text(0.5), "50.0 %"),
        (share_text(None), "–"),
    ],
)
def test_numbers(printed: str, text: str) -> None:
    assert printed == text


def test_numbers_and_palette_need_no_altair() -> None:
    code = (
        "import embgeo.charts.numbers, embgeo.charts.palette, sys; print('altair' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True, cwd=ROOT
    )
    assert run.stdout.strip() == "False"
