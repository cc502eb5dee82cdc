"""A person's choices: one value in the session, mirrored in the address, changed by widgets.

The value lives under a key of its own. A widget has an underscore key, shows the value when it is
drawn, and copies back when it changes; so choices outlive a page that does not draw their widget,
which Streamlit's own widget state does not.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from embgeo.errors import EmbgeoError
from embgeo.sources import parse_source
from embgeo.ui.choices import Choices
from embgeo.ui.links import from_query, to_query

_OWN = "choices"
_NOTICES = "link notices"
_PAGE = "page"
_SHOWN = "shown by a page that stands"
_SHOWING = "shown so far"


def choices() -> Choices:
    """What is chosen now; on a session's first run, what the address asks for."""
    if _OWN not in st.session_state:
        read = from_query(st.query_params.to_dict())
        st.session_state[_OWN] = read.choices
        st.session_state[_NOTICES] = read.notices
    chosen: Choices = st.session_state[_OWN]
    return chosen


def notices() -> list[str]:
    """What the link asked for and could not be had; told once."""
    told: list[str] = st.session_state.get(_NOTICES, [])
    return told


def change(**changed: Any) -> None:
    """Change some of the choices."""
    st.session_state[_OWN] = replace(choices(), **changed)
    st.session_state[_NOTICES] = []


def page_begins(name: str) -> None:
    """A page is drawn from its top; where it is another than before, its widgets are new."""
    if st.session_state.get(_PAGE) != name:
        st.session_state[_PAGE], st.session_state[_SHOWN] = name, {}
    st.session_state[_SHOWING] = {}


def page_stands() -> None:
    """The page has been drawn to its end, so the browser has all of its widgets."""
    st.session_state[_SHOWN] = st.session_state[_SHOWING]


def replace_model(old: str, new: str) -> None:
    """Put another model in the place of a chosen one, however its link may spell it."""
    models = (new if _canonical(text) == old else text for text in choices().models)
    change(models=tuple(dict.fromkeys(models)))


def _canonical(text: str) -> str:
    try:
        return parse_source(text).text
    except EmbgeoError:
        return text


def tie(key: str, value: Any, changed: Callable[[Any], None], at: str = "value") -> dict[str, Any]:
    """Keyword arguments of a widget that shows `value` and tells `changed` what it becomes.

    What is set by its key is sent to the browser, where it would take back a click made meanwhile.
    So that is done only where the browser is not known to show the value already. In a popover it
    shows nothing until that is opened, hence what the widget starts with, `at` the argument of that
    name; "" where the caller gives it.
    """
    shown, showing = st.session_state[_SHOWN], st.session_state[_SHOWING]
    showing[key] = value
    if key not in shown or shown[key] != value:
        st.session_state[key] = value

    def copy_back() -> None:
        now = st.session_state[_SHOWN][key] = st.session_state[key]
        changed(now)

    return {"key": key, "on_change": copy_back, **({at: value} if at else {})}


def tie_list(
    key: str, options: Sequence[Any], value: Any, changed: Callable[[Any], None]
) -> dict[str, Any]:
    """As `tie`, with the options: for a widget that starts at the place of one of them."""
    tied = tie(key, value, changed, at="")
    return {**tied, "options": options, "index": list(options).index(value)}


def bind(name: str, at: str = "value", **reset: Any) -> dict[str, Any]:
    """Tie a widget to the choice `name`; a change also makes `reset` so."""
    return tie(
        f"_{name}",
        getattr(choices(), name),
        lambda value: change(**{name: value}, **reset),
        at,
    )


def mirror() -> None:
    """Make the address say what is chosen, so that a reload or a copied link shows the same."""
    wanted = to_query(choices())
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)
