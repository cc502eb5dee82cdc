"""Drawing a chart on the page."""

from collections.abc import Callable

import streamlit as st

from embgeo.charts.drawing import Drawing


def draw(
    drawing: Drawing, *, key: str, alt: str, on_pick: Callable[[], None] | None = None
) -> None:
    """Draw a chart, complete in its own theme.

    Parameters
    ----------
    key
        Of the element; where the selection is kept.
    alt
        What the picture shows, in words.
    on_pick
        Called when a person picks a mark (the selection ``pick``).
    """
    if on_pick is None:
        st.vega_lite_chart(drawing.spec(), theme=None, key=key, alt=alt)
        return
    st.vega_lite_chart(
        drawing.spec(), theme=None, key=key, alt=alt, on_select=on_pick, selection_mode=["pick"]
    )
