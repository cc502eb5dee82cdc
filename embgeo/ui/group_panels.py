"""The group page's pieces: heatmaps on one scale, the pairs behind a cell, tokens, separation."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from embgeo.charts.heatmaps import group_heatmap, token_heatmap
from embgeo.charts.image import matrix_png
from embgeo.charts.numbers import cosine_text, count_text, p_value_text, share_text, signed_text
from embgeo.charts.palette import Palette
from embgeo.ui import panels, session
from embgeo.ui.charts import Figure, download, draw
from embgeo.ui.choices import Choices
from embgeo.ui.literal import literal, table
from embgeo.ui.picture import picture
from embgeo.ui.work import Model

Array = np.ndarray[Any, np.dtype[Any]]

LARGEST_CHART = 60
"""Tokens a side above which the token picture is sent as an image."""
LARGEST_IMAGE = 600


@dataclass(frozen=True)
class Scale:
    """One colour scale for all models: each centred on its own floor, all of one reach."""

    centres: dict[str, float]
    reach: float


def scale(models: Sequence[Model], minus_floor: bool) -> Scale:
    """The scale that holds every cell of every model's groups."""
    centres = _centres(models, minus_floor)
    apart = [_cells(model, minus_floor) - centres[model.text] for model in models]
    return Scale(centres, _reach(apart))


def token_scale(models: Sequence[Model], minus_floor: bool) -> Scale:
    """The scale that holds every pair of different tokens; a token with itself is off it."""
    centres = _centres(models, minus_floor)
    apart = []
    for model in models:
        assert model.rows is not None
        values = model.rows.cosines - (model.rows.pair_floors if minus_floor else 0.0)
        apart.append(values[~np.eye(len(values), dtype=bool)] - centres[model.text])
    return Scale(centres, _reach(apart))


def _centres(models: Sequence[Model], minus_floor: bool) -> dict[str, float]:
    return {model.text: 0.0 if minus_floor else _floor(model) for model in models}


def _cells(model: Model, minus_floor: bool) -> Array:
    assert model.rows is not None
    means: Array = model.rows.blocks.mean
    return means - model.rows.block_floors if minus_floor else means


def _reach(apart: Sequence[Array]) -> float:
    largest = [float(np.nanmax(np.abs(each))) for each in apart if np.isfinite(each).any()]
    return max(0.05, *largest) if largest else 0.05


def _floor(model: Model) -> float:
    """What a pair of unrelated tokens of these groups gives, over all of a model's cells."""
    assert model.rows is not None
    floors = model.rows.block_floors
    return float(np.nanmean(floors)) if np.isfinite(floors).any() else 0.0


def heatmap(model: Model, chosen: Choices, scale: Scale, colours: Palette) -> None:
    """Groups against groups; a click lists the pairs of a cell."""
    from embgeo.views.similarity import group_frame

    assert model.rows is not None
    frame = group_frame(model.rows, chosen.minus_floor)
    write = signed_text if chosen.minus_floor else cosine_text
    drawing = group_heatmap(
        frame.assign(text=frame["value"].map(write)),
        centre=scale.centres[model.text],
        reach=scale.reach,
        palette=colours,
    )
    figure = Figure(
        f"groups {model.label}",
        f"{model.label}: mean cosine within and between token groups.",
        drawing,
        frame,
        model.rows.about.columns(),
    )
    draw(figure, colours, on_pick=lambda: _pick(figure.name))
    said = f"Floor {cosine_text(_floor(model))}"
    said += " (what unrelated tokens of these kinds give)"
    if model.rows.degenerate.any():
        said += f"; {int(model.rows.degenerate.sum())} tokens without a direction are in no pair"
    st.caption(f"{said}.")


def _pick(key: str) -> None:
    picked = st.session_state[key]["selection"].get("pick", [])
    session.change(cell=(picked[0]["row"], picked[0]["column"]) if picked else ())


def pairs(models: Sequence[Model], chosen: Choices) -> None:
    """The token pairs of the chosen cell, in every model."""
    from embgeo.views.similarity import pair_frame

    names = [group.name for group in chosen.groups]
    options = [(), *combinations_with_replacement(names, 2)]
    cell = tuple(sorted(chosen.cell, key=names.index)) if set(chosen.cell) <= set(names) else ()
    st.session_state["_cell"] = cell
    st.selectbox(
        "Token pairs of",
        options,
        key="_cell",
        on_change=lambda: session.change(cell=st.session_state["_cell"]),
        format_func=_cell_name,
    )
    if not cell:
        return

    def listed(model: Model) -> None:
        assert model.rows is not None
        frame = pair_frame(model.rows, *cell)
        if frame.empty:
            st.caption("No pair of different tokens with a direction.")
            return
        table(_labelled(frame), _PAIRS, written=_PAIR_NUMBERS, tokens=("left", "right"), height=330)
        download(frame, f"pairs {model.label}", model.rows.about.columns())

    panels.columns(models, listed)


def _cell_name(cell: Sequence[str]) -> str:
    if not cell:
        return "Click a cell of a heatmap, or choose here"
    return f"within {cell[0]}" if cell[0] == cell[1] else f"{cell[0]} × {cell[1]}"


def _labelled(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(left=_with_id(frame, "row"), right=_with_id(frame, "column"))


def _with_id(frame: pd.DataFrame, side: str) -> "pd.Series[str]":
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
_PAIR_NUMBERS = {"cosine": cosine_text, "floor": cosine_text, "above_floor": signed_text}


def token_columns(models: Sequence[Model]) -> int:
    """How many token pictures stand beside each other: the more tokens, the fewer."""
    counts = [sum(map(len, model.rows.positions)) for model in models if model.rows is not None]
    largest = max((count for count in counts if count <= LARGEST_CHART), default=LARGEST_CHART // 2)
    return 3 if largest <= 18 else 2 if largest <= 32 else 1


def tokens(model: Model, chosen: Choices, scale: Scale, colours: Palette) -> None:
    """Every token of the groups against every other."""
    from embgeo.views.similarity import token_places

    assert model.rows is not None
    count = len(token_places(model.rows))
    if count < 2:
        st.caption("Needs two tokens.")
    elif count <= LARGEST_CHART:
        _token_chart(model, chosen, scale, colours)
    else:
        _token_picture(model, chosen, scale, colours)


def _token_chart(model: Model, chosen: Choices, scale: Scale, colours: Palette) -> None:
    from embgeo.views.similarity import token_frame, token_list

    assert model.rows is not None
    frame = token_frame(model.rows, chosen.minus_floor)
    drawing = token_heatmap(
        frame,
        token_list(model.rows),
        centre=scale.centres[model.text],
        reach=scale.reach,
        palette=colours,
    )
    alt = f"{model.label}: cosine of every token of the groups with every other."
    about = model.rows.about.columns()
    draw(Figure(f"tokens {model.label}", alt, drawing, frame, about), colours)


def _token_picture(model: Model, chosen: Choices, scale: Scale, colours: Palette) -> None:
    from embgeo.views.similarity import one_pair, token_matrix

    assert model.rows is not None
    values = token_matrix(model.rows, chosen.minus_floor)
    count = len(values)
    side = -(-count // LARGEST_IMAGE)
    png = matrix_png(
        _pooled(values, side), centre=scale.centres[model.text], reach=scale.reach, palette=colours
    )
    picked = picture(
        png,
        rows=count,
        columns=count,
        key=f"picture of {model.text}",
        alt=f"{model.label}: cosine of each of {count} tokens with every other, groups contiguous.",
    )
    said = f"{count:,} × {count:,} tokens in group order"
    if side > 1:
        said += f", {side} × {side} pairs a pixel (their mean)"
    if picked is None:
        st.caption(f"{said}. Click a place for its exact cosine.")
        return
    pair = pd.DataFrame([one_pair(model.rows, *picked)])
    table(_labelled(pair), _PAIRS, written=_PAIR_NUMBERS, tokens=("left", "right"))


def _pooled(values: Array, side: int) -> Array:
    """Means of side × side blocks, so that a large picture stays small on the wire."""
    if side == 1:
        return values
    short = -len(values) % side
    padded = np.pad(values, (0, short), constant_values=np.nan)
    blocks = padded.reshape(len(padded) // side, side, -1, side)
    known = ~np.isnan(blocks)
    counts = known.sum(axis=(1, 3))
    sums = np.where(known, blocks, 0.0).sum(axis=(1, 3))
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


_SEPARATION = {
    "within": ("Within groups, mean cosine", cosine_text),
    "between": ("Between groups, mean cosine", cosine_text),
    "difference": ("Difference (within − between)", signed_text),
    "effect_size": ("Effect size (Cohen's d of the pairs)", cosine_text),
    "silhouette": ("Silhouette (−1 to 1)", cosine_text),
    "own_group_neighbours": ("Nearest neighbour in own group", share_text),
    "own_group_chance": ("  … by chance", share_text),
    "p_value": ("p-value of the difference", p_value_text),
}


def separation_table(models: Sequence[Model]) -> None:
    """How well the groups stand apart, a column for each model."""
    records = []
    for name, (label, write) in _SEPARATION.items():
        record = {"measure": label}
        for position, model in enumerate(models):
            assert model.rows is not None
            record[str(position)] = write(getattr(model.rows.separation, name))
        records.append(record)
    headings = {"measure": ""} | {str(at): model.label for at, model in enumerate(models)}
    table(pd.DataFrame(records), headings, written={str(at): str for at in range(len(models))})
    st.caption(literal(" ".join(_separation_notes(models))))


def _separation_notes(models: Sequence[Model]) -> list[str]:
    notes = ["Over pairs of different tokens, pooled over groups."]
    shuffles: dict[str, list[str]] = {}
    for model in models:
        assert model.rows is not None
        found, shared = model.rows.separation, model.rows.shared
        if shared:
            labels = ", ".join(model.rows.members[at].label for at in shared[:8])
            notes.append(f"{model.label}: tokens of several groups are left out ({labels}).")
        if found.difference is None:
            notes.append(f"{model.label}: needs two groups with tokens, one of them with two.")
        elif found.p_value is not None:
            how = "all distinct" if found.exact else f"random (seed {found.seed})"
            shuffles.setdefault(f"{count_text(found.permutations)} {how}", []).append(model.label)
    notes += [
        f"p over {how} shuffles of the labels ({', '.join(who)})." for how, who in shuffles.items()
    ]
    return notes
