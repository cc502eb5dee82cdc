"""What every page shares: navigation, title, sidebar, and the address that reproduces the view.

`st.navigation` beside a folder called `pages/` has a trap: the first request to a fresh server, if
it goes to a page, runs that page alone, without dashboard.py. So every page opens with `page`, which
registers the pages itself where dashboard.py has not, and draws the sidebar.
"""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from embgeo.charts.palette import Palette, palette
from embgeo.settings import settings
from embgeo.store import default_store
from embgeo.ui import navigation, session, sidebar
from embgeo.ui.choices import Choices
from embgeo.ui.literal import literal

_ROUTED = "routed"
_ICON = Path(__file__).with_name("icon.png")
_STYLE = Path(__file__).with_name("style.css")


def route() -> None:
    """Run the page that the address names; called by dashboard.py alone."""
    if not st.runtime.exists():  # imported, not run: there is nobody to draw for
        return
    st.session_state[_ROUTED] = True
    navigation.register().run()


def page(question: str, answer: str, draw: Callable[[Choices], None]) -> None:
    """Open a page and draw it.

    Parameters
    ----------
    question
        The page's title, as a question.
    answer
        One sentence: what am I looking at.
    draw
        Draws all that follows, for what is chosen.
    """
    if not st.runtime.exists():
        return
    if not st.session_state.get(_ROUTED):
        st.session_state[_ROUTED] = True
        navigation.register()
        st.rerun()
    # The icon is a file of ours: a named one would be fetched from another host.
    st.set_page_config(page_icon=str(_ICON), layout="wide")
    session.choices()
    session.page_begins(question)
    st.html(_STYLE)
    with st.sidebar:
        navigation.draw()
        sidebar.draw()
    st.title(question, anchor=False)
    st.markdown(answer)
    for notice in session.notices():
        st.warning(notice, icon=":material/link_off:")
    problem = default_store().problem
    if problem:
        shown = problem if settings().allow_local else "The cache cannot be used on this server."
        st.warning(literal(shown), icon=":material/save:")
    session.mirror()
    with st.spinner("Reading and computing …"):
        draw(session.choices())


def colours() -> Palette:
    """The palette of the page as the person sees it, light or dark."""
    return palette("dark" if st.context.theme.type == "dark" else "light")
