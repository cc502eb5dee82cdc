"""Editing a group: what is typed is what is looked up, and what cannot be is said."""

import random
from typing import Any

import pytest
import streamlit as st

from embgeo.groups import DEFAULT, READY_MADE, TokenGroup
from embgeo.ui import editor, session
from embgeo.ui.choices import MOST_GROUPS
from embgeo.ui.editor import apply, from_text, to_text


@pytest.fixture(autouse=True)
def own_session(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A session's state and address without a running page."""
    state: dict[str, Any] = {}

    class Address(dict[str, str]):
        def to_dict(self) -> dict[str, str]:
            return dict(self)

    monkeypatch.setattr(st, "session_state", state)
    monkeypatch.setattr(st, "query_params", Address())
    return state


@pytest.mark.parametrize(
    ("entries", "text"),
    [
        (("the", "cat"), "the\ncat"),
        ((" the", "the "), r"\sthe" + "\n" + r"the\s"),
        (("a b",), "a b"),
        ((" ", "   "), r"\s" + "\n" + r"\s\s\s"),
        (("\n", "\n\n", "\t", "\r\n"), r"\n" + "\n" + r"\n\n" + "\n" + r"\t" + "\n" + r"\r\n"),
        (("\\", "\\n", "\\s"), r"\\" + "\n" + r"\\n" + "\n" + r"\\s"),
        ((), ""),
    ],
)
def test_entries_as_lines_and_back(entries: tuple[str, ...], text: str) -> None:
    assert to_text(entries) == text
    assert from_text(text) == entries


def test_any_entry_comes_back_as_it_was() -> None:
    noise = random.Random(0)
    odd = "\\sntr \t\r\n\x0b\x0c\x1c\x85\u00a0\u2028\u2029\u3000\u200b\ufeff'=ü😀"
    for _ in range(500):
        drawn = ("".join(noise.choices(odd, k=noise.randint(1, 6))) for _ in range(4))
        entries = tuple(dict.fromkeys(drawn))
        assert from_text(to_text(entries)) == entries


def test_blanks_at_the_ends_repeats_and_empty_lines_count_for_nothing() -> None:
    assert from_text("  the \n\n\tthe\r\ncat\\q\n \n") == ("the", "cat\\q")


def test_an_edited_group_takes_the_place_of_the_old_one(own_session: dict[str, Any]) -> None:
    session.change(cell=("code", "english"))
    assert apply(DEFAULT[1], "mine", "the\n\\sthe") == ""
    edited = TokenGroup("mine", ("the", " the"))
    assert session.choices().groups == (DEFAULT[0], edited, DEFAULT[2])
    assert session.choices().cell == ()  # the clicked cell may no longer exist
    assert own_session["edited groups"] == {"mine": edited}


def test_a_group_that_was_not_chosen_is_added(own_session: dict[str, Any]) -> None:
    assert apply(TokenGroup(""), "new", "x") == ""
    assert session.choices().groups == (*DEFAULT, TokenGroup("new", ("x",)))
    assert apply(READY_MADE["random tokens"], "random tokens", "") == ""
    assert session.choices().groups[-1] == READY_MADE["random tokens"]


@pytest.mark.parametrize(
    ("name", "text", "wrong"),
    [
        ("", "the", "A group needs a name."),
        ("mine", " \n\n", "A group needs at least one entry."),
        ("code", "the", "There is another group called 'code'; choose another name."),
        ("mine", "\n".join(map(str, range(1001))), "at most 1,000 entries; found 1,001."),
    ],
)
def test_what_cannot_be_a_group_is_said_and_changes_nothing(
    name: str, text: str, wrong: str
) -> None:
    assert apply(DEFAULT[1], name, text).endswith(wrong)
    assert session.choices().groups == DEFAULT


def test_one_group_too_many_is_said() -> None:
    session.change(groups=tuple(TokenGroup(f"g{n}", ("x",)) for n in range(MOST_GROUPS)))
    assert apply(TokenGroup(""), "new", "x") == "12 groups are chosen; remove one first."
    assert apply(TokenGroup("g3", ("x",)), "g3", "y") == ""
    assert len(session.choices().groups) == MOST_GROUPS
    assert editor.NEW not in READY_MADE
