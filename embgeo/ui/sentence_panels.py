"""The token lookup's pieces for a sentence: X, its repeated rows, a coordinate, a calculator."""

from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from embgeo.charts.numbers import count_text, norm_text, share_text
from embgeo.charts.palette import Palette
from embgeo.ui import panels, session, work
from embgeo.ui.charts import download, download_file
from embgeo.ui.choices import Choices
from embgeo.ui.literal import literal, table
from embgeo.ui.lookup_reading import Read, coordinate_of
from embgeo.ui.picture import Picture
from embgeo.ui.picture import draw as draw_picture

if TYPE_CHECKING:
    from embgeo.jobs import Progress
    from embgeo.tables import EmbeddingTable

Array = np.ndarray[Any, np.dtype[Any]]

WIDEST = 1_024
"""Pixels across above which a pixel shows the mean of several coordinates."""
_LINE = 18


def sentence_matrix(read: Read, chosen: Choices, colours: Palette) -> None:
    """X, one line a token, one column a coordinate, as a picture that answers a click."""
    from embgeo.charts.image import matrix_png
    from embgeo.views.sentences import matrix, matrix_frame

    ids = read.sentence.ids
    values = matrix(read.table, ids, chosen.rotated)
    finite = np.where(np.isfinite(values), values, np.nan)
    reach = float(np.nanmax(np.abs(finite))) if np.isfinite(finite).any() else 0.0
    reach = reach or 1.0
    side = -(-values.shape[1] // WIDEST)
    png = matrix_png(_narrowed(finite, side), centre=0.0, reach=reach, palette=colours)
    image = Picture(
        png,
        len(ids),
        dict.fromkeys(_line_names(read), 1),
        colours.diverging,
        (f"−{norm_text(reach)}", norm_text(reach)),
        f"{read.model.label}: the rows of the {len(ids)} tokens of the sentence, one line each.",
        across=values.shape[1],
        line=_LINE,
    )
    picked = draw_picture(image, f"matrix of {read.model.text}")
    _matrix_words(read, values, side, picked)
    name = f"matrix {read.model.label}"
    with st.popover("Download", type="tertiary", icon=":material/download:"):
        download(lambda: matrix_frame(read.table, ids, values), name, read.about)
        download_file("PNG", name, lambda: png)


def _matrix_words(read: Read, values: Array, side: int, picked: tuple[int, int] | None) -> None:
    said = f"X: {len(values):,} × {values.shape[1]:,} numbers, one line a token"
    if side > 1:
        said += f"; {side} coordinates a pixel, their mean"
    st.caption(f"{said}. “6=2” says that place 6 has the row of place 2. Click for a number.")
    if picked is not None:
        line, column = picked
        label = literal(read.table.vocabulary.label(read.sentence.ids[line]))
        value = f"{values[line, column]:.6g}".replace("-", "−")
        st.caption(f"Place {line + 1}, {label}, coordinate {column:,}: **{literal(value)}**")


def _line_names(read: Read) -> list[str]:
    """A name for each line, all different: its place, the first of the same row, the token."""
    names = []
    for at, token_id in enumerate(read.sentence.ids):
        before = read.sentence.ids.index(token_id)
        equal = f"={before + 1}" if before < at else ""
        names.append(f"{at + 1}{equal} {read.table.vocabulary.label(token_id)}")
    return names


def _narrowed(values: Array, side: int) -> Array:
    """Means of `side` neighbouring columns; NaN where one of them is."""
    if side == 1:
        return values
    short = -values.shape[1] % side
    padded = np.concatenate([values, values[:, -1:].repeat(short, axis=1)], axis=1)
    means: Array = padded.reshape(len(values), -1, side).mean(axis=2)
    return means


def repeated(read: Read) -> None:
    """Tokens that stand more than once: the same row each time, whatever stands around them."""
    from embgeo.views.sentences import repeated_frame

    frame = repeated_frame(read.table, read.sentence, read.other)
    if read.other.note:
        st.caption(literal(f"The other sentence: {read.other.note}"))
    if frame.empty:
        st.caption("No token stands twice in the two sentences.")
        return
    shown = frame.assign(said=frame["equal"].map({True: "the same row", False: "different rows"}))
    headings = {
        "token": "Token",
        "id": "Id",
        "places": "Places",
        "other_places": "In the other",
        "said": "Looked up each time",
        "apart": "Largest difference",
    }
    table(
        shown,
        headings,
        written={"id": count_text, "apart": _difference},
        tokens=("token",),
        height=300,
    )


def _difference(apart: float | None) -> str:
    return "0" if apart == 0 else norm_text(apart)


def rotation(read: Read) -> None:
    """What the rotation changed in the sentence's rows, and what it left."""
    from embgeo.views.lookup import turned
    from embgeo.views.sentences import matrix

    found = turned(matrix(read.table, read.sentence.ids))
    if found is None:
        return
    st.caption(
        f"Rotated: {found.changed:,} of the {found.numbers:,} numbers of the sentence are others; "
        f"the largest change of a norm is {norm_text(found.norm_change)} of the longest row, of a "
        f"cosine between two tokens {norm_text(found.cosine_change)}: rounding. Neighbours, floors "
        "and the calculator stay as they are."
    )


def coordinate(read: Read, chosen: Choices, patience: work.Patience) -> None:
    """The extreme tokens of one coordinate, and its share of length."""
    from embgeo.statistics.coordinates import coordinate as look
    from embgeo.views.lookup import coordinate_frame

    index = coordinate_of(read, chosen)
    stage = _coordinate_stage(index, chosen)
    if not work.fetch([read.model], stage, patience):
        panels.stands(read.model)
        return
    found = look(read.table, index, chosen.rotated, chosen.population)
    frame = coordinate_frame(read.table, found)
    last = read.table.dim - 1
    beyond = chosen.coordinate is not None and chosen.coordinate > last
    instead = f"; there is no {chosen.coordinate:,}, this is the last" if beyond else ""
    st.markdown(f"**Coordinate {index:,}** of 0 to {last:,}{instead}")
    if frame.empty:
        st.caption("No row has a direction.")
        return
    for end, place in zip(("highest", "lowest"), st.columns(2), strict=True):
        with place:
            headings = {"token": end.capitalize(), "value": "Value"}
            table(
                frame[frame["end"] == end], headings, written={"value": _signed}, tokens=("token",)
            )
    st.caption(
        f"{share_text(found.share)} of the table's squared length lies along it; spread evenly it "
        f"would be {share_text(1 / read.table.dim)}."
    )
    download(frame, f"coordinate {read.model.label}", read.about)


def _signed(value: float) -> str:
    return f"{value:.4g}".replace("-", "−")


def _coordinate_stage(index: int, chosen: Choices) -> work.Stage:
    """One pass that keeps one number a row."""
    rotated, population = chosen.rotated, chosen.population

    def compute(table: "EmbeddingTable", progress: "Progress") -> bool:
        from embgeo.statistics.coordinates import coordinate as look

        look(table, index, rotated, population, progress)
        return True

    return work.Stage("coordinate", (index, rotated, population), compute)


def coordinate_control() -> None:
    """Which coordinate."""
    st.number_input(
        "Coordinate",
        min_value=0,
        max_value=10**6 - 1,
        step=1,
        width=220,
        placeholder="the row's largest",
        **session.bind_empty("coordinate"),
    )
