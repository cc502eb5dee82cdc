"""What single coordinates do to the mean cosine: their part in it, and the rest without them."""

import math

import altair as alt
import pandas as pd

from embgeo.charts.drawing import Drawing, data, template
from embgeo.charts.isotropy import DASHES
from embgeo.charts.numbers import MINUS, MISSING, cosine_text, norm_text, share_text
from embgeo.charts.palette import Palette
from embgeo.charts.theme import themed, tooltip

_ROW = 21
_STEP = ["k", "last", "mean_cosine", "mean_text", "r2_text", "chosen"]
_LINE_HEIGHT = 210


def dimension_bars(frame: pd.DataFrame, *, palette: Palette) -> Drawing:
    """What the top coordinates add to the mean cosine; rogue ones in the accent.

    Parameters
    ----------
    frame
        One row per coordinate, in order: ``dimension``, ``contribution``, ``share`` (missing where
        shares mean nothing), ``mean``, ``mean_z``, ``sd``, ``rogue``.
    """
    shares = bool(frame["share"].notna().any())
    adds = frame["contribution"].map(norm_text)
    words = frame.assign(
        label=frame["dimension"].map(str),
        x=frame["share"] if shares else frame["contribution"],
        contribution_text=adds,
        share_text=frame["share"].map(share_text),
        printed=frame["share"].map(share_text) if shares else adds,
        z_text=frame["mean_z"].map(deviations_text),
        rogue=frame["rogue"].astype(bool),
    )
    kept = ["label", "x", "contribution_text", "share_text", "printed", "z_text", "rogue"]
    return Drawing(
        _dimension_template(tuple(words["label"]), shares, palette), {"dimensions": words[kept]}
    )


@template
def _dimension_template(
    dimensions: tuple[str, ...], shares: bool, palette: Palette
) -> alt.LayerChart:
    title = "share of the mean cosine" if shares else "part of the mean cosine"
    axis = alt.Axis(format="~%" if shares else "~g", tickCount=4)
    words = {
        "label": "coordinate",
        "contribution_text": "adds to the mean cosine",
        "share_text": "share of it",
        "z_text": "column mean, in sd from all",
    }
    base = data("dimensions").encode(
        x=alt.X("x:Q", title=title, axis=axis),
        y=alt.Y("label:N", sort=list(dimensions), title="coordinate"),
    )
    colour = (
        alt.when("datum.rogue").then(alt.value(palette.accent)).otherwise(alt.value(palette.muted))
    )
    layers = [
        base.mark_bar().encode(color=colour, tooltip=tooltip(words)),
        base.mark_text(align="left", dx=4).encode(text="printed:N"),
    ]
    height = _ROW * max(1, len(dimensions))
    return themed(alt.LayerChart(layer=layers).properties(height=height), palette)


def zeroed_line(
    frame: pd.DataFrame,
    standardised: float | None,
    *,
    chosen: int,
    domain: tuple[float, float],
    palette: Palette,
) -> Drawing:
    """The mean cosine as ever more coordinates are zeroed, the chosen number marked.

    Parameters
    ----------
    frame
        One row per number: ``k``, ``dimension`` (zeroed last), ``mean_cosine``, ``informativity``.
    standardised
        The mean cosine after standardising, as a rule; none where it is None.
    chosen
        The k that is marked.
    domain
        The lowest and the highest mean drawn, the same for models side by side.
    """
    words = frame.assign(
        last=["none" if at < 0 else str(at) for at in frame["dimension"]],
        mean_text=frame["mean_cosine"].map(cosine_text),
        r2_text=frame["informativity"].map(cosine_text),
        chosen=frame["k"] == chosen,
    )
    said = f"{DASHES} standardised {cosine_text(standardised)}"
    rule = pd.DataFrame({"y": [standardised], "words": [said]})
    return Drawing(
        _zeroed_template(palette),
        {"steps": words[_STEP], "after": rule.dropna(subset=["y"])},
        {"low": domain[0], "high": domain[1]},
    )


@template
def _zeroed_template(palette: Palette) -> alt.LayerChart:
    scale = alt.Scale(domain=[alt.ExprRef("low"), alt.ExprRef("high")], nice=False)
    words = {
        "k": "coordinates zeroed",
        "last": "the last of them",
        "mean_text": "mean cosine",
        "r2_text": "r² with the cosines before",
    }
    base = data("steps").encode(
        x=alt.X("k:Q", title="top coordinates zeroed", axis=alt.Axis(tickMinStep=1, grid=False)),
        y=alt.Y("mean_cosine:Q", title="mean cosine", scale=scale, axis=alt.Axis(tickCount=4)),
    )
    after = data("after").encode(y=alt.Y("y:Q", scale=scale))
    marked = base.transform_filter("datum.chosen")
    layers = [
        base.mark_line(color=palette.muted, strokeWidth=1.5),
        after.mark_rule(strokeDash=[4, 3], strokeWidth=1.25, color=palette.floor),
        # Where the line, which falls, is not.
        after.mark_text(align="right", baseline="top").encode(
            x=alt.value("width"), y=alt.value(0), text="words:N"
        ),
        base.mark_point(filled=True, size=45, color=palette.muted).encode(tooltip=tooltip(words)),
        marked.mark_point(filled=True, size=130, color=palette.accent).encode(
            tooltip=tooltip(words)
        ),
        marked.mark_text(align="left", baseline="bottom", dx=7, dy=-4).encode(text="mean_text:N"),
    ]
    return themed(alt.LayerChart(layer=layers).properties(height=_LINE_HEIGHT), palette)


def deviations_text(deviations: float | None) -> str:
    """A distance in standard deviations to one decimal."""
    if deviations is None or not math.isfinite(deviations):
        return MISSING
    return f"{deviations:z.1f}".replace("-", MINUS)
