"""Tokens, paths and errors are shown as they are, never as Markdown, LaTeX or HTML."""

import re
from html.parser import HTMLParser

import pandas as pd
import pytest
import streamlit as st

from embgeo.ui import literal as literal_module
from embgeo.ui.literal import literal

HOSTILE = [
    "$x$", "**bold**", "`code`", "<script>alert(1)</script>", ":smile:", "[x](javascript:1)",
    "# title", "- item", "1. item", "> quote", "| a | b |", "~~gone~~", "&amp;", "\\", "http://x.y",
    ":material/home:", ":red[x]", "!", "__init__", "a_b_c", "<b onclick='x'>", '" onload="x', "é",
]  # fmt: skip


class Cells(HTMLParser):
    """Collects tags, attributes and the text of each cell."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.kinds: list[str] = []
        self.cells: list[str] = []
        self.inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.inside = tag in {"td", "th"}
        if self.inside:
            self.cells.append("")
            self.kinds.append(dict(attrs)["class"] or "")

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag not in {"td", "th"}

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.cells[-1] += data


@pytest.mark.parametrize("text", HOSTILE)
def test_every_mark_is_escaped_and_the_text_can_be_read_back(text: str) -> None:
    shown = literal(text)
    assert re.sub(r"\\([^a-zA-Z0-9\s])", r"\1", shown) == text
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_\[\]#~|$<>&:]", shown)


def drawn(frame: pd.DataFrame, monkeypatch: pytest.MonkeyPatch, **options: object) -> Cells:
    sent: list[str] = []
    monkeypatch.setattr(st, "html", sent.append)
    headings = {"token": "Token <i>", "n": "n & N"}
    literal_module.table(frame, headings, **options)  # type: ignore[arg-type]
    (html,) = sent
    found = Cells()
    found.feed(html)
    return found


def test_a_table_shows_every_cell_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"hidden": "x", "token": HOSTILE, "n": HOSTILE})
    found = drawn(frame, monkeypatch, tokens=["token"])
    assert set(found.tags) == {"div", "table", "thead", "tbody", "tr", "th", "td"}
    assert found.cells[:2] == ["Token <i>", "n & N"]
    assert found.cells[2:] == [text for each in HOSTILE for text in (each, each)]
    assert found.kinds[2:4] == ["text embgeo-token", "text"]


def test_labels_may_repeat_and_numbers_are_written_as_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frame = pd.DataFrame({"token": ["same", "same"], "n": [1.0, None]}, index=[0, 0])
    write = {"n": lambda value: "–" if pd.isna(value) else f"<{value:.2f}>"}
    found = drawn(frame, monkeypatch, written=write, height=200)
    assert found.cells[2:] == ["same", "<1.00>", "same", "–"]
    assert found.kinds[:2] == ["text", "number"]
    assert found.kinds[3] == "number"


def test_an_empty_table_has_its_headings(monkeypatch: pytest.MonkeyPatch) -> None:
    found = drawn(pd.DataFrame({"token": [], "n": []}), monkeypatch)
    assert found.cells == ["Token <i>", "n & N"]
