"""The sidebar: which models, which token groups, and the link to exactly this view."""

from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st

from embgeo.errors import EmbgeoError
from embgeo.groups import READY_MADE
from embgeo.sources import PACKAGED, parse_source
from embgeo.ui import editor, picker, session
from embgeo.ui.choices import MOST_GROUPS, MOST_MODELS
from embgeo.ui.links import to_query

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
    st.multiselect(
        "Models",
        options,
        **session.tie(
            "models",
            list(chosen),
            lambda models: session.change(models=tuple(models)),
            at="default",
        ),
        max_selections=MOST_MODELS,
        format_func=_label,
        placeholder="Choose a model",
        help=f"Up to {MOST_MODELS}, side by side in the order chosen.",
    )
    picker.draw()
    with st.popover("Rows counted", width="stretch", icon=":material/table_rows:"):
        st.toggle("Padding rows that no token has", **session.bind("padding"))
        st.toggle("Special, unused and byte tokens", **session.bind("special"))
        st.toggle(
            "As fed to the first layer",
            help="Some models multiply each row by a factor of their own (Gemma by √d) before the "
            "first layer. Lengths change with it, cosines do not. Off: as stored.",
            **session.bind("as_fed"),
        )
        st.caption("Rows without a direction (zero, or below 1e-6 of the median norm) never count.")


def _label(text: str) -> str:
    try:
        return parse_source(text).label
    except EmbgeoError:
        return text


def _groups() -> None:
    chosen = {group.name: group for group in session.choices().groups}
    known = {**READY_MADE, **st.session_state.get("edited groups", {}), **chosen}
    st.multiselect(
        "Token groups",
        list(known),
        **session.tie(
            "groups",
            list(chosen),
            lambda names: session.change(groups=tuple(known[name] for name in names)),
            at="default",
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
            **session.bind("spacing", at="default"),
        )
        st.selectbox(
            "Entries of several tokens",
            format_func=_PIECES.__getitem__,
            **session.tie_list(
                "pieces",
                list(_PIECES),
                session.choices().pieces,
                lambda pieces: session.change(pieces=pieces),
            ),
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
