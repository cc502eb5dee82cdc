"""The isotropy page's coordinates: what each adds to the mean cosine, and the cosines without."""

from collections.abc import Sequence

import streamlit as st

from embgeo.charts.numbers import cosine_text, norm_text, share_text
from embgeo.charts.palette import Palette
from embgeo.ui import session
from embgeo.ui.charts import Figure, draw
from embgeo.ui.choices import MOST_ZEROED, Choices
from embgeo.ui.isotropy_panels import Axis, about, tables_of
from embgeo.ui.literal import table
from embgeo.ui.work import Model


def dimensions(model: Model, chosen: Choices, colours: Palette) -> None:
    """The coordinates that add most, as bars and as numbers."""
    from embgeo.charts.rogue import deviations_text, dimension_bars
    from embgeo.views.rogue import SHOWN, dimension_frame

    assert model.table is not None
    frame = dimension_frame(model.table, chosen.population)
    top = frame.head(SHOWN)
    if top.empty:
        st.caption("Fewer than two rows have a direction: no coordinate adds anything.")
        return
    drawing = dimension_bars(top, palette=colours)
    alt = f"{model.label}: the coordinates that add most to the mean cosine."
    title = f"contributions {model.label}"
    draw(Figure(title, alt, drawing, frame, about(model.table, chosen)), colours)
    st.caption(_said(model, chosen))
    with st.expander("As numbers"):
        table(
            top,
            {
                "dimension": "Coordinate",
                "contribution": "Adds",
                "share": "Share",
                "mean": "Column mean",
                "mean_z": "… in sd",
                "sd": "Column sd",
            },
            written={
                "dimension": str,
                "contribution": norm_text,
                "share": share_text,
                "mean": norm_text,
                "mean_z": deviations_text,
                "sd": norm_text,
            },
        )


def _said(model: Model, chosen: Choices) -> str:
    """How many coordinates are rogue, and what they add."""
    from embgeo.views.rogue import rogue

    assert model.table is not None
    found = rogue(model.table, chosen.population)
    if not found.count:
        return (
            f"None of {model.table.dim:,} coordinates is rogue: no column mean lies more than 3 sd "
            "from all columns' means."
        )
    adds = f"{norm_text(found.contribution)} of the mean cosine"
    if found.share is not None:
        adds = f"{share_text(found.share)} of the mean cosine"
    return (
        f"{found.count:,} of {model.table.dim:,} coordinates are rogue (in colour: their column "
        f"mean lies more than 3 sd from all columns' means); together they add {adds}."
    )


def slider() -> None:
    """How many of the top coordinates are zeroed."""
    st.slider(
        "Top coordinates zeroed",
        min_value=0,
        max_value=MOST_ZEROED,
        width=420,
        **session.bind("zeroed"),
    )


def zeroed_axis(models: Sequence[Model], chosen: Choices) -> Axis:
    """The axis that holds the lines of every model."""
    from embgeo.views.rogue import zeroed_frame

    frames = [zeroed_frame(each, chosen.population) for each in tables_of(models)]
    means = [mean for frame in frames for mean in frame["mean_cosine"]]
    return min(0.0, *means, 0.0), max(0.02, *means, 0.0) * 1.15


def zeroed(model: Model, chosen: Choices, axis: Axis, colours: Palette) -> None:
    """The mean cosine without the top coordinates, and how much of the cosines is still there."""
    from embgeo.charts.rogue import zeroed_line
    from embgeo.statistics.zeroed import standardised
    from embgeo.views.rogue import effect_frame, zeroed_frame

    assert model.table is not None
    frame = zeroed_frame(model.table, chosen.population)
    if frame.empty:
        st.caption("There is no pair of rows to compare.")
        return
    after = standardised(model.table, chosen.population).mean_cosine
    drawing = zeroed_line(frame, after, chosen=chosen.zeroed, domain=axis, palette=colours)
    alt = f"{model.label}: mean cosine as more and more of its top coordinates are zeroed."
    draw(Figure(f"zeroed {model.label}", alt, drawing, frame, about(model.table, chosen)), colours)
    table(
        effect_frame(model.table, chosen.zeroed, chosen.population),
        {"change": "", "mean_cosine": "Mean cosine", "r2": "r² with raw"},
        written={"mean_cosine": cosine_text, "r2": cosine_text},
    )
    if chosen.zeroed >= model.table.dim:
        st.caption(f"Without all {model.table.dim:,} coordinates there is nothing to compare.")
