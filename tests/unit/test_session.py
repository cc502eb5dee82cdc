"""How widgets are tied to what is chosen."""

from typing import Any

import pytest
import streamlit as st

from embgeo.ui import session


@pytest.fixture(autouse=True)
def own_session(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A session's state without a running page."""
    state: dict[str, Any] = {}
    monkeypatch.setattr(st, "session_state", state)
    return state


def test_a_widget_tells_each_change_once(own_session: dict[str, Any]) -> None:
    told: list[int] = []
    tied = session.tie("number", 3, told.append)
    for value in (4, 4, 3):
        own_session[tied["key"]] = value
        tied["on_change"]()
    assert told == [4, 3]


def test_a_widget_that_a_page_never_came_to_tells_nothing() -> None:
    told: list[int] = []
    session.tie("number", 3, told.append)["on_change"]()
    assert told == []


def test_a_widget_that_another_took_the_place_of_tells_nothing(own_session: dict[str, Any]) -> None:
    told: list[int] = []
    first = session.tie("number", 3, told.append)
    second = session.tie("number", 4, told.append)
    own_session[first["key"]] = 3
    first["on_change"]()
    assert told == []
    assert session.tie("number", 4, told.append)["key"] == second["key"]


def test_a_widget_is_another_one_on_another_page_and_after_another_change() -> None:
    def key(value: object, options: tuple[object, ...] = ()) -> str:
        return str(session.tie("number", value, print, options=options)["key"])

    session.page_begins("one")
    first = key(3)
    assert key(3) == first
    second = key(4)
    assert second != first
    assert key(4, (4, 5)) not in (first, second)
    session.page_begins("other")
    assert key(3) == first


def test_a_number_that_may_be_left_out_starts_empty_and_is_set(own_session: dict[str, Any]) -> None:
    tied = session.tie_empty("number", 5, print)
    assert tied["value"] is None
    assert own_session[tied["key"]] == 5
