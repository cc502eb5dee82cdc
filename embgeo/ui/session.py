"""A person's choices: one value in the session, mirrored in the address, changed by widgets.

The value lives under a key of its own. A widget starts with the value and copies back what it
becomes; so choices outlive a page that does not draw their widget, which Streamlit's own widget
state does not.
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
_WIDGETS = "widgets and what they show"


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
    """A page is drawn from its top; each page has widgets of its own."""
    st.session_state[_PAGE] = name


def replace_model(old: str, new: str) -> None:
    """Put another model in the place of a chosen one, however its link may spell it."""
    models = (new if _canonical(text) == old else text for text in choices().models)
    change(models=tuple(dict.fromkeys(models)))


def _canonical(text: str) -> str:
    try:
        return parse_source(text).text
    except EmbgeoError:
        return text


def tie(
    name: str,
    value: Any,
    changed: Callable[[Any], None],
    at: str = "value",
    options: Sequence[Any] = (),
) -> dict[str, Any]:
    """Keyword arguments of a widget that shows `value` and tells `changed` what it becomes.

    To set a widget is to send it to the browser, where it takes back a click made meanwhile; and a
    browser that has not got it yet sends back what was there before, as if it had been clicked. So
    nothing is set: where the value, or the options it is one of, became others without the widget,
    that is a new widget, which starts with it. `at` is the argument for what it starts with.
    """
    widgets = st.session_state.setdefault(_WIDGETS, {})
    place = (st.session_state.get(_PAGE), name)
    number, *shown = widgets.get(place, (0, value, options))
    if shown != [value, options]:
        number += 1
    widgets[place] = number, value, options
    key = f"_{name} {number}"

    def copy_back() -> None:
        # Streamlit also calls for a widget that the browser has not got yet, or never got.
        last, shown, _ = widgets[place]
        now = st.session_state.get(key, shown)
        if last == number and now != shown:
            widgets[place] = number, now, options
            changed(now)

    return {"key": key, at: value, "on_change": copy_back}


def tie_list(
    name: str, options: Sequence[Any], value: Any, changed: Callable[[Any], None]
) -> dict[str, Any]:
    """As `tie`, with the options: for a widget that starts at the place of one of them."""
    tied = tie(name, value, changed, "index", options)
    return {**tied, "options": options, "index": options.index(value)}


def tie_empty(name: str, value: Any, changed: Callable[[Any], None]) -> dict[str, Any]:
    """As `tie`, for a number that may be left out: a field that starts full cannot be emptied."""
    tied = tie(name, value, changed)
    st.session_state[tied["key"]] = value
    return {**tied, "value": None}


def bind(name: str, at: str = "value", **reset: Any) -> dict[str, Any]:
    """Tie a widget to the choice `name`; a change also makes `reset` so."""
    return tie(name, getattr(choices(), name), lambda value: change(**{name: value}, **reset), at)


def bind_empty(name: str) -> dict[str, Any]:
    """Tie the field of a number that may be left out to the choice `name`."""
    return tie_empty(name, getattr(choices(), name), lambda value: change(**{name: value}))


def mirror() -> None:
    """Make the address say what is chosen, so that a reload or a copied link shows the same."""
    wanted = to_query(choices())
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)
