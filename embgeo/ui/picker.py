"""Adding a model: suggestions while one types, and what the typed text is before it is opened."""

import re

import streamlit as st

from embgeo.errors import EmbgeoError
from embgeo.settings import settings
from embgeo.sources import parse_source
from embgeo.sources.suggestions import described, suggestions
from embgeo.ui import session
from embgeo.ui.choices import MOST_MODELS
from embgeo.ui.literal import literal

_TYPED = "_typed model"
_PROBLEM, _ADDED = "picker problem", "picker added"


def draw() -> None:
    """Draw the picker; while one types, nothing else is drawn again."""
    with st.popover("Add a model", width="stretch", icon=":material/add:"):
        _search()


@st.fragment
def _search() -> None:
    if st.session_state.pop(_ADDED, False):
        st.rerun()  # the page, not only this
    typed = st.text_input(
        "Model", key=_TYPED, live=True, placeholder=_placeholder(), help=_help()
    ).strip()
    known = {typed, *session.choices().models}
    found = [each for each in suggestions(typed) if each.text not in known]
    searching = bool(found) and re.fullmatch(r"[\w .-]+", typed) is not None
    if typed and not searching:
        _describe(typed)
    for each in found:
        with st.container(gap=None):
            st.button(
                literal(each.text),
                key=f"_add {each.text}",
                type="tertiary",
                on_click=_add,
                args=(each.text,),
            )
            st.caption(literal(each.note))
    if searching:  # a bare word is an id too, but the less likely meaning
        _describe(typed)
    problem = st.session_state.pop(_PROBLEM, "")
    if problem:
        st.error(literal(problem))


def _describe(text: str) -> None:
    """What the typed text is, with a button that adds it; or what would be a model."""
    try:
        said = described(text)
    except EmbgeoError as error:
        st.caption(f":material/info: {literal(str(error))}")
        return
    st.caption(f":material/check: {literal(said)}")
    st.button(
        f"Add {literal(text)}",
        type="primary",
        key="_add typed",
        width="stretch",
        on_click=_add,
        args=(text,),
    )


def _add(text: str) -> None:
    """Add a model to the comparison."""
    chosen = session.choices().models
    name = parse_source(text).text
    if len(chosen) >= MOST_MODELS and name not in chosen:
        st.session_state[_PROBLEM] = f"{MOST_MODELS} models are chosen; remove one first."
        return
    session.change(models=tuple(dict.fromkeys([*chosen, name])))
    st.session_state[_TYPED] = ""
    st.session_state[_ADDED] = True


def _placeholder() -> str:
    allowed = settings()
    hub = ["owner/name"] if allowed.allow_hub else []
    paths = ["path"] if allowed.allow_local else []
    return " or ".join([*hub, *paths]) or "random:VxD"


def _help() -> str:
    allowed = settings()
    said = []
    if allowed.allow_hub:
        said.append("A model on the hub: `owner/name`, with `@revision` if need be.")
    if allowed.allow_local:
        said.append(
            "A folder or file on this machine: safetensors, GGUF, PyTorch, word vectors "
            "(word2vec, GloVe, fastText, NumPy)."
        )
    said.append("`random:VxD`: the initialisation that a table starts from.")
    return " ".join(said)
