"""The group page's pieces: the heatmap of a model, and the token pairs behind a cell."""

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import streamlit as st

from embgeo.charts.numbers import cosine_text, signed_text
from embgeo.charts.palette import Palette
from embgeo.ui import panels, session
from embgeo.ui.charts import Figure, download, draw
from embgeo.ui.choices import Choices
from embgeo.ui.literal import table
from embgeo.ui.work import Model

if TYPE_CHECKING:
    import pandas as pd


def heatmap(model: Model, chosen: Choices, reach: float, colours: Palette) -> None:
    """Groups against groups, coloured from the floor of each cell; a click lists its pairs."""
    from embgeo.charts.heatmaps import group_heatmap
    from embgeo.views.similarity import group_frame

    assert model.rows is not None
    frame = group_frame(model.rows)
    figure = Figure(
        f"groups {model.label}",
        f"{model.label}: mean cosine within and between token groups.",
        group_heatmap(_printed(frame, chosen.minus_floor), reach=reach, palette=colours),
        frame,
        model.rows.about.columns(),
    )
    draw(figure, colours, on_pick=lambda: _pick(figure.name))
    if model.rows.degenerate.any():
        lost = int(model.rows.degenerate.sum())
        st.caption(f"{lost} tokens without a direction are in no pair.")


def _printed(frame: "pd.DataFrame", minus_floor: bool) -> "pd.DataFrame":
    """The frame with what stands in each cell, and small below it."""
    mean, floor = frame["mean"].map(cosine_text), frame["floor"].map(cosine_text)
    if minus_floor:
        return frame.assign(text=frame["above_floor"].map(signed_text), note="cosine " + mean)
    return frame.assign(text=mean, note="floor " + floor)


def _pick(key: str) -> None:
    picked = st.session_state[key]["selection"].get("pick", [])
    session.change(cell=(picked[0]["row"], picked[0]["column"]) if picked else ())


def pairs(models: Sequence[Model], chosen: Choices) -> None:
    """The token pairs of the chosen cell, in every model."""
    from embgeo.views.similarity import pair_frame

    names = [group.name for group in chosen.groups]
    options = [(), *combinations_with_replacement(names, 2)]
    cell = tuple(sorted(chosen.cell, key=names.index)) if set(chosen.cell) <= set(names) else ()
    st.selectbox(
        "Token pairs of",
        format_func=_cell_name,
        **session.tie_list("cell", options, cell, lambda cell: session.change(cell=cell)),
    )
    if not cell:
        return

    def listed(model: Model) -> None:
        assert model.rows is not None
        frame = pair_frame(model.rows, *cell)
        if frame.empty:
            st.caption("No pair of different tokens with a direction.")
            return
        pair_table(frame, height=330)
        download(frame, f"pairs {model.label}", model.rows.about.columns())

    panels.columns(models, listed)


def _cell_name(cell: Sequence[str]) -> str:
    if not cell:
        return "Click a cell of a heatmap, or choose here"
    return f"within {cell[0]}" if cell[0] == cell[1] else f"{cell[0]} × {cell[1]}"


def pair_table(frame: "pd.DataFrame", height: int | None = None) -> None:
    """Draw token pairs with their cosines and floors."""
    labelled = frame.assign(left=_with_id(frame, "row"), right=_with_id(frame, "column"))
    numbers = {"cosine": cosine_text, "floor": cosine_text, "above_floor": signed_text}
    table(labelled, _PAIRS, written=numbers, tokens=("left", "right"), height=height)


def _with_id(frame: "pd.DataFrame", side: str) -> "pd.Series[str]":
    """Labels with their ids beside them; a token that is only a number says it once."""
    label, number = frame[f"{side}_label"], "#" + frame[f"{side}_id"]
    return label.where(label == number, label + "  " + number)


_PAIRS = {
    "left": "Token",
    "right": "Token",
    "cosine": "Cosine",
    "floor": "Floor",
    "above_floor": "Above floor",
}
