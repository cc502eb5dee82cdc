"""The calculator of the size page: what a table of any shape takes, and what more tokens cost."""

from typing import TYPE_CHECKING

import streamlit as st

from embgeo.charts.numbers import count_text, share_text
from embgeo.ui import session
from embgeo.ui.choices import MOST, NUMBER_BYTES, Choices

if TYPE_CHECKING:
    from embgeo.views.sizes import TableSize

_MORE = 1000
_WIDE = 200  # pixels: four figures stand side by side in the width of a laptop
_FIELD = 220
_STEPS = {"vocabulary": _MORE, "width": 64, "total": 1_000_000_000}


def calculator(chosen: Choices) -> None:
    """The controls, and under them the four figures."""
    from embgeo.views.sizes import TableSize

    _controls()
    tables = 2 if chosen.untied else 1
    size = TableSize(chosen.vocabulary, chosen.width, tables, chosen.total, chosen.number_bytes)
    _figures(size, size.grown(_MORE))


def _controls() -> None:
    with st.container(horizontal=True, gap="medium"):
        for name, label in _LABELS.items():
            empty = name == "total"
            st.number_input(
                label,
                min_value=1,
                max_value=MOST[name],
                step=_STEPS[name],
                placeholder="not known",
                help=_TOTAL if empty else None,
                width=_FIELD,
                **(session.bind_empty(name) if empty else session.bind(name)),
            )
    with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
        st.segmented_control(
            "Bytes a number",
            NUMBER_BYTES,
            required=True,
            width="content",
            help="4: float32. 2: bfloat16 or float16. 1: int8 or fp8, scales left out.",
            **session.bind("number_bytes", at="default"),
        )
        st.toggle(
            "Untied: an output table of the same shape",
            help="Then there are two tables, and every token costs a row in both.",
            **session.bind("untied"),
        )


_LABELS = {
    "vocabulary": "Vocabulary, V",
    "width": "Width, d",
    "total": "Numbers in the whole model",
}
_TOTAL = "The tables included. Leave it empty if it is not known; it begins as that of Llama-3-8B."


def _figures(size: "TableSize", more: "TableSize") -> None:
    tables = "two tables" if size.tables == 2 else "one table"
    lines = [
        ("Numbers", count_text(size.parameters), f"V × d × {size.tables}, {tables}"),
        ("Bytes", *_split(size.bytes_text)),
        ("Share of the model", share_text(size.share), _whole(size)),
        (f"{_MORE:,} more tokens", *_split(more.bytes_text)),
    ]
    with st.container(horizontal=True, gap="medium"):
        for label, value, below in lines:
            with st.container(width=_WIDE, gap=None):
                st.metric(label, value)
                st.caption(below)
    st.caption(_cost(size, more))


def _split(text: str) -> list[str]:
    """Decimal bytes as the figure, binary ones under it."""
    decimal, _, binary = text.partition(" (")
    return [decimal, binary.removesuffix(")")]


def _whole(size: "TableSize") -> str:
    if size.total is None:
        return "no whole is given"
    if size.share is None:
        return f"{size.total:,} would be no more than the table itself"
    return f"of {size.total:,} numbers"


def _cost(size: "TableSize", more: "TableSize") -> str:
    said = f"Each {_MORE:,} more tokens cost {more.parameters:,} numbers, {more.bytes_text}"
    if size.total is None or size.share is None:
        return f"{said}."
    return f"{said}: {share_text(more.parameters / size.total)} of the model as it is."
