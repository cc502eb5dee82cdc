"""The sidebar: which models, which token groups, and the link to exactly this view."""

from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st

from embgeo.errors import EmbgeoError
from embgeo.groups import READY_MADE
from embgeo.settings import settings
from embgeo.sources import PACKAGED, TableSource, parse_source
from embgeo.ui import editor, session
from embgeo.ui.choices import MOST_GROUPS, MOST_MODELS, to_query

_SPACING = {
    "typed": "As typed",
    "space": "With a space",
    "both": "Both",
}
_PIECES = {
    "skip": "leave out and list",
    "mean": "mean of their pieces",
    "first": "first piece",
}


def draw() -> None:
    """Draw the sidebar."""
    _models()
    _groups()
    _link()


def _models() -> None:
    chosen = session.choices().models
    options = list(dict.fromkeys([*PACKAGED, *st.session_state.get("seen models", []), *chosen]))
    st.session_state["seen models"] = options
    bound = session.bind("models")
    st.session_state[bound["key"]] = list(chosen)
    st.multiselect(
        "Models",
        options,
        key=bound["key"],
        on_change=lambda: session.change(models=tuple(st.session_state[bound["key"]])),
        max_selections=MOST_MODELS,
        format_func=_label,
        placeholder="Choose a model",
        help=f"Up to {MOST_MODELS}, side by side in the order chosen.",
    )
    local = settings().allow_local
    st.text_input(
        "Add a local path" if local else "Add random rows",
        key="_path",
        on_change=_add_model,
        placeholder="folder, .safetensors, .gguf, random:VxD" if local else "random:30522x384",
        help="A Hugging Face folder, a .safetensors or .gguf file on this machine, or random:VxD, "
        "the initialisation a table starts from."
        if local
        else None,
    )
    problem = st.session_state.pop("path problem", "")
    if problem:
        st.error(problem)
    with st.popover("Rows counted", width="stretch", icon=":material/table_rows:"):
        st.toggle("Padding rows that no token has", **session.bind("padding"))
        st.toggle("Special, unused and byte tokens", **session.bind("special"))
        st.caption("Rows without a direction (zero, or below 1e-6 of the median norm) never count.")


def _add_model() -> None:
    text = st.session_state["_path"]
    if not text.strip():
        return
    chosen = session.choices().models
    try:
        source = parse_source(text)
    except EmbgeoError as error:
        st.session_state["path problem"] = str(error)
        return
    if len(chosen) >= MOST_MODELS and source.text not in chosen:
        st.session_state["path problem"] = f"{MOST_MODELS} models are chosen; remove one first."
        return
    session.change(models=tuple(dict.fromkeys([*chosen, source.text])))
    st.session_state["_path"] = ""


def _label(text: str) -> str:
    return (
        text if text in PACKAGED or text.startswith("random:") else TableSource("local", text).label
    )


def _groups() -> None:
    chosen = {group.name: group for group in session.choices().groups}
    known = {**READY_MADE, **st.session_state.get("edited groups", {}), **chosen}
    st.session_state["_groups"] = list(chosen)
    st.multiselect(
        "Token groups",
        list(known),
        key="_groups",
        on_change=lambda: session.change(
            groups=tuple(known[name] for name in st.session_state["_groups"])
        ),
        max_selections=MOST_GROUPS,
        placeholder="Choose token groups",
    )
    with st.popover("Edit or add groups", width="stretch", icon=":material/edit:"):
        editor.draw(known)
    with st.popover("How entries become rows", width="stretch", icon=":material/rule:"):
        st.segmented_control(
            "Each entry is looked up",
            list(_SPACING),
            format_func=_SPACING.__getitem__,
            required=True,
            **session.bind("spacing"),
        )
        st.selectbox(
            "Entries of several tokens",
            list(_PIECES),
            format_func=_PIECES.__getitem__,
            **session.bind("pieces"),
        )
        st.toggle(
            "Only entries that every model has",
            help="So that pictures side by side hold the same things.",
            **session.bind("shared"),
        )


def _link() -> None:
    with st.popover("Link to this view", width="stretch", icon=":material/link:"):
        st.caption("Opens exactly this view, on any server that has the models.")
        st.code(link(st.context.url or ""), language=None, wrap_lines=True)


def link(address: str) -> str:
    """The address of this page with everything that is chosen in it."""
    place = urlsplit(address)
    query = urlencode(to_query(session.choices()), safe=",:/")
    return urlunsplit((place.scheme, place.netloc, place.path, query, ""))
