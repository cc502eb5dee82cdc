"""The two-token calculator: which tokens, and four numbers beside their floors."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from embgeo.charts.numbers import cosine_text, norm_text
from embgeo.ui import session
from embgeo.ui.choices import LONGEST_TOKEN, Choices
from embgeo.ui.literal import literal, table
from embgeo.ui.lookup_reading import Read

if TYPE_CHECKING:
    import pandas as pd


def controls(known: Sequence[Read], chosen: Choices) -> None:
    """The two tokens: of the sentences, or typed."""
    texts = dict.fromkeys(
        read.table.vocabulary.text(token_id)
        for read in known
        for token_id in (*read.sentence.ids, *read.other.ids)
        if len(read.table.vocabulary.text(token_id)) <= LONGEST_TOKEN
    )
    for at, (name, place) in enumerate(zip(("One", "Other"), st.columns(2), strict=True)):
        with place:
            st.selectbox(
                f"{name} token",
                format_func=_shown,
                accept_new_options=True,
                help="Choose one, or type a token (␣ for a space) or an id such as #123.",
                **session.tie_list(
                    f"{name} token",
                    list(dict.fromkeys([*texts, *chosen.pair])),
                    chosen.pair[at],
                    partial(_set_pair, at),
                ),
            )


def _shown(text: str) -> str:
    from embgeo.tokens import visible

    return visible(text)


def _set_pair(at: int, text: str | None) -> None:
    pair = list(session.choices().pair)
    pair[at] = (text or "").replace("␣", " ")[:LONGEST_TOKEN]
    session.change(pair=tuple(pair))


def calculator(read: Read, chosen: Choices) -> None:
    """Cosine, angle, inner product and distance of two tokens, each beside its floor."""
    from embgeo.views.two_tokens import calculate, pick

    known = (*read.sentence.ids, *read.other.ids)
    picked = [pick(read.table, text, known) for text in chosen.pair]
    for text, each in zip(chosen.pair, picked, strict=True):
        if each.token_id is None:
            st.caption(literal(f"{_shown(text)}: {each.problem}"))
    one, other = (each.token_id for each in picked)
    if one is None or other is None:
        return
    label = read.table.vocabulary.label
    st.markdown(literal(f"{label(one)} #{one}  ·  {label(other)} #{other}"))
    frame = calculate(read.table, read.first, one, other)
    if frame.empty:
        st.caption("One of these rows is not finite: nothing can be computed from it.")
        return
    headings = {"quantity": "", "value": "Value", "turned": "Rotated", "floor": "At the floor"}
    if not chosen.rotated:
        del headings["turned"]
    written = [_number(frame, name) for name in ("value", "turned", "floor")]
    shown = frame.assign(**dict(zip(("value", "turned", "floor"), written, strict=True)))
    table(shown, headings, written=dict.fromkeys(("value", "turned", "floor"), str))


def _number(frame: "pd.DataFrame", column: str) -> list[str]:
    """A column in words: cosines to three decimals, the rest to four digits with its sign."""
    return [
        cosine_text(value) if quantity == "Cosine" else _any(value)
        for quantity, value in zip(frame["quantity"], frame[column], strict=True)
    ]


def _any(value: float) -> str:
    return norm_text(value) if not value < 0 else "−" + norm_text(-value)
