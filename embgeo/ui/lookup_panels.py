"""The token lookup's pieces for one token: the sentence's tokens, the row, what it costs."""

import numpy as np
import streamlit as st

from embgeo.charts.numbers import cosine_text, count_text, norm_text, share_text, signed_text
from embgeo.charts.palette import Palette
from embgeo.ui import session
from embgeo.ui.charts import Figure, download, draw
from embgeo.ui.choices import MOST_MODELS, Choices
from embgeo.ui.literal import literal, table
from embgeo.ui.lookup_reading import Read, coordinate_of
from embgeo.ui.overview_panels import fact_list
from embgeo.ui.work import Model


def token(read: Read | None, model: Model, chosen: Choices, colours: Palette) -> None:
    """The tokens, the chosen one's row, and what a person knows of it; or why there is none."""
    from embgeo.ui.sentence_panels import rotation
    from embgeo.views.sentences import read_sentence

    if read is None:
        assert model.table is not None
        st.info(literal(read_sentence(model.table, chosen.sentence).note), icon=":material/edit:")
        return
    tokens(read)
    row(read, chosen, colours)
    if chosen.rotated:
        rotation(read)
    human(read)


def tokens(read: Read) -> None:
    """The sentence's tokens with their ids, and the choice of one."""
    from embgeo.views.sentences import token_frame

    frame = token_frame(read.table, read.sentence, read.other)
    headings = {"place": "", "token": "Token", "id": "Id", "same": "Same row as"}
    table(
        frame,
        headings,
        written={"place": str, "id": count_text},
        tokens=("token",),
        height=236,
    )
    if read.sentence.note:
        st.caption(literal(read.sentence.note))
    labels = [
        f"{at}  {read.table.vocabulary.label(token_id)}  #{token_id}"
        for at, token_id in enumerate(read.sentence.ids, start=1)
    ]
    st.selectbox(
        "Token",
        **session.tie_list(
            f"place in {read.model.text}",
            labels,
            labels[read.place],
            lambda label: _choose(read.column, labels.index(label)),
        ),
    )


def _choose(column: int, place: int) -> None:
    now = session.choices().places
    places = [*now, *([1] * MOST_MODELS)][:MOST_MODELS]
    places[column] = place
    session.change(places=tuple(places[: max(len(now), column + 1)]))


def row(read: Read, chosen: Choices, colours: Palette) -> None:
    """The chosen token's row as a strip and as numbers: all that the model has."""
    from embgeo.charts.lookup import row_strip
    from embgeo.views.lookup import row_frame
    from embgeo.views.sentences import matrix

    values = matrix(read.table, (read.token_id,), chosen.rotated)[0]
    frame = row_frame(values)
    finite = values[np.isfinite(values)]
    reach = float(np.abs(finite).max(initial=0.0)) or 1.0
    label = read.table.vocabulary.label(read.token_id)
    alt = f"{read.model.label}: the {len(values)} numbers of the row of {label}."
    drawing = row_strip(frame, chosen=coordinate_of(read, chosen), reach=reach, palette=colours)
    figure = Figure(f"row {read.model.label}", alt, drawing, frame, read.about)
    draw(figure, colours, on_pick=lambda: _pick(figure.name))
    some = ", ".join(_plain(value) for value in values[:6])
    more = f", … {len(values) - 6:,} more" if len(values) > 6 else ""
    turned = " after the rotation" if chosen.rotated else ""
    st.caption(literal(f"[{some}{more}]{turned}. Click a cell to see its coordinate below."))


def _plain(value: float) -> str:
    return f"{value:.3g}".replace("-", "−")


def _pick(key: str) -> None:
    picked = st.session_state[key]["selection"].get("pick", [])
    if picked:
        session.change(coordinate=int(picked[0]["coordinate"]))


def human(read: Read) -> None:
    """What a person knows about the token, and its nearest rows."""
    from embgeo.views.lookup import neighbour_frame, token_facts

    fact_list(token_facts(read.table, read.first, read.token_id, read.model.groups))
    frame = neighbour_frame(read.table, read.first, read.found, read.token_id)
    if frame.empty:
        st.caption("No neighbours: this row has no direction, or no other row has one.")
        return
    headings = {
        "token": "Nearest",
        "id": "Id",
        "cosine": "Cosine",
        "floor": "Floor",
        "above_floor": "Above",
    }
    numbers = {"cosine": cosine_text, "floor": cosine_text, "above_floor": signed_text}
    table(frame, headings, written=numbers | {"id": count_text}, tokens=("token",))
    download(frame, f"neighbours {read.model.label}", read.about)


def product(read: Read) -> None:
    """The one-hot product beside the lookup: the same numbers, at another cost."""
    from embgeo.views.lookup import product_frame

    frame = product_frame(read.table, read.found, read.token_id)
    headings = {
        "way": "Way",
        "multiplications": "Multiplications",
        "numbers": "Numbers read",
        "bytes": "Bytes",
    }
    numbers = dict.fromkeys(("multiplications", "numbers"), count_text)
    table(frame, headings, written=numbers | {"bytes": str})
    label = literal(read.table.vocabulary.label(read.token_id))
    apart = frame["apart"].iloc[0]
    if np.isnan(apart):
        st.caption(
            "The product is undefined here: a row of the table is not finite, and 0 × ∞ is no "
            "number. Reading the row is not affected."
        )
        return
    same = "equal" if apart == 0 else f"not equal, but for at most {norm_text(float(apart))}"
    st.caption(f"Both were computed for {label}: the {read.table.dim:,} numbers are {same}.")


def size(read: Read) -> None:
    """How big the table is, in one line."""
    from embgeo.views.sizes import measured_size

    one = measured_size(read.table)
    whole = f", {share_text(one.share)} of the model" if one.share is not None else ""
    st.markdown(
        f"{one.rows:,} × {one.dim:,} = **{one.parameters:,}** numbers{whole}; at 2 bytes each "
        f"{one.bytes_text}."
    )
