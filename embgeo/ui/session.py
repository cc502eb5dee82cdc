"""A person's choices: one value in the session, mirrored in the address, changed by widgets.

The value lives under a key of its own. A widget has an underscore key, is set from the value before
it is drawn, and copies back when it changes; so choices outlive a page that does not draw their
widget, which Streamlit's own widget state does not.
"""

from dataclasses import replace
from typing import Any

import streamlit as st

from embgeo.errors import EmbgeoError
from embgeo.sources import parse_source
from embgeo.ui.choices import Choices
from embgeo.ui.links import from_query, to_query

_OWN = "choices"
_NOTICES = "link notices"


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


def replace_model(old: str, new: str) -> None:
    """Put another model in the place of a chosen one, however its link may spell it."""
    models = (new if _canonical(text) == old else text for text in choices().models)
    change(models=tuple(dict.fromkeys(models)))


def _canonical(text: str) -> str:
    try:
        return parse_source(text).text
    except EmbgeoError:
        return text


def bind(name: str, **reset: Any) -> dict[str, Any]:
    """Keyword arguments that tie a widget to the choice `name`; a change also makes `reset` so."""
    key = f"_{name}"
    st.session_state[key] = getattr(choices(), name)

    def copy_back() -> None:
        change(**{name: st.session_state[key]}, **reset)

    return {"key": key, "on_change": copy_back}


def mirror() -> None:
    """Make the address say what is chosen, so that a reload or a copied link shows the same."""
    wanted = to_query(choices())
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)
