"""Editing a token group: its name and its entries, one a line."""

import re

import streamlit as st

from embgeo.groups import LONGEST_NAME, TokenGroup, printable_name
from embgeo.ui import session
from embgeo.ui.choices import MOST_ENTRIES, MOST_GROUPS

NEW = "(new group)"
_EDITED, _PROBLEM = "_edited group", "editor problem"
_WRITTEN = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def draw(known: dict[str, TokenGroup]) -> None:
    """Draw the editor for one of the known groups, or a new one."""
    which = st.selectbox("Group", [*known, NEW], key=_EDITED)
    group = known.get(which, TokenGroup(""))
    name, entries = f"_name of {which}", f"_entries of {which}"
    st.text_input("Name", group.name, key=name, max_chars=LONGEST_NAME)
    st.text_area(
        "Entries, one a line",
        to_text(group.entries),
        key=entries,
        height=190,
        help=r"Blanks at either end count only when written: `\s` for a space, `\n`, `\t`, `\\`.",
    )
    if group.drawn:
        st.caption(f"And {group.drawn} random tokens of each model (seed 0).")
    st.button(
        "Apply",
        type="primary",
        key="_apply group",
        on_click=lambda: _press(group, st.session_state[name], st.session_state[entries]),
    )
    problem = st.session_state.pop(_PROBLEM, "")
    if problem:
        st.error(problem)


def _press(group: TokenGroup, name: str, text: str) -> None:
    """Apply what is written, and go on with the group under its name of now."""
    st.session_state[_PROBLEM] = problem = apply(group, name, text)
    if not problem:
        st.session_state[_EDITED] = printable_name(name)


def apply(group: TokenGroup, name: str, text: str) -> str:
    """Put the edited group in the place of the old one; returns what is wrong, or ""."""
    name, entries = printable_name(name), from_text(text)
    chosen = session.choices().groups
    others = [each for each in chosen if each.name != group.name]
    if not name or name == NEW:
        return "A group needs a name."
    if not entries and not group.drawn:
        return "A group needs at least one entry."
    if len(entries) > MOST_ENTRIES:
        return f"A group takes at most {MOST_ENTRIES:,} entries; found {len(entries):,}."
    if any(each.name == name for each in others):
        return f"There is another group called {name!r}; choose another name."
    edited = TokenGroup(name, entries, group.drawn)
    if group in chosen:
        groups = tuple(edited if each == group else each for each in chosen)
    elif len(chosen) < MOST_GROUPS:
        groups = (*chosen, edited)
    else:
        return f"{MOST_GROUPS} groups are chosen; remove one first."
    st.session_state.setdefault("edited groups", {})[name] = edited
    session.change(groups=groups, cell=())
    return ""


def to_text(entries: tuple[str, ...]) -> str:
    r"""Entries as lines, with what a text area would hide written out.

    >>> to_text(("the", " ", "\n", "a b"))
    'the\n\\s\n\\n\na b'
    """

    def written(entry: str) -> str:
        text = "".join(_WRITTEN.get(character, character) for character in entry)
        ends = re.fullmatch(r"( *)(.*?)( *)", text, re.DOTALL)
        assert ends is not None
        return r"\s" * len(ends[1]) + ends[2] + r"\s" * len(ends[3])

    return "\n".join(map(written, entries))


def from_text(text: str) -> tuple[str, ...]:
    r"""The entries of the lines, each once; empty lines are none.

    >>> from_text("the\n\\s\n\\n\n\nthe\n")
    ('the', ' ', '\n')
    """
    read = {"s": " ", "n": "\n", "t": "\t", "r": "\r", "\\": "\\"}
    lines = (line.strip(" \t\r") for line in text.split("\n"))  # other blanks are entries too
    entries = (
        re.sub(r"\\([sntr\\])", lambda found: read[found[1]], line) for line in lines if line
    )
    return tuple(dict.fromkeys(entries))
