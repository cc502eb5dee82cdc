"""A token that is Markdown, LaTeX, HTML or a link is shown as the text it is, everywhere."""

from pathlib import Path

import pytest
from opened import PAGES, Opened, open_page
from words import checkpoint

from embgeo.groups import TokenGroup
from embgeo.ui.choices import Choices
from embgeo.ui.links import to_query

pytestmark = pytest.mark.app

HOSTILE = (
    "$", "$x^2$", "**", "**b**", "`", "<script>alert(1)</script>", "<b>", "&amp;", ":smile:",
    ":material/home:", "[x](javascript:1)", "![x](y)", "# head", "- item", "|", "~~s~~", "\\", '"',
    "'", "}", "{{x}}", "'; drop", ":red[x]",
)  # fmt: skip
SPACES = ("\n", "\t", " ", "   ", "\u200b", "\u202eabc", "e\u0301", "\u00a0")


def _open(page: str, folder: Path, *groups: TokenGroup) -> Opened:
    return open_page(page, **to_query(Choices(models=(str(folder),), groups=groups))).works()


@pytest.mark.parametrize("page", PAGES)
def test_hostile_tokens_are_escaped_in_tables_and_captions(page: str, tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "hostile", HOSTILE)
    half = len(HOSTILE) // 2
    # In both groups, so that captions name it, too.
    both = ("<script>alert(1)</script>", ":smile:", "$", "**")
    first = TokenGroup("first", (*HOSTILE[:half], *both))
    opened = _open(page, folder, first, TokenGroup("second", (*HOSTILE[half:], *both)))
    assert opened.charts
    for body in opened.tables:
        assert "<script" not in body.replace("&lt;script", "")
    for text in opened.said:
        assert "<script" not in text.replace("\\<script", "")
        assert ":smile:" not in text
        assert "[x](" not in text
    assert any("&lt;script&gt;alert(1)&lt;/script&gt;" in body for body in opened.tables)


@pytest.mark.parametrize("page", PAGES)
def test_hostile_names_of_groups_and_models_are_escaped(page: str, tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "**bold** $x$ :smile: <img src=x>", HOSTILE)
    names = ("<script>alert(1)</script>", "a.b[c]", ":smile: $x$")
    groups = [TokenGroup(name, HOSTILE[at : at + 3]) for at, name in enumerate(names)]
    opened = _open(page, folder, *groups)
    assert opened.charts
    for text in (*opened.said, *opened.tables):
        assert "<script" not in text.replace("\\<script", "").replace("&lt;script", "")
        assert "<img" not in text.replace("\\<img", "").replace("&lt;img", "")
        assert ":smile:" not in text.replace("\\:smile\\:", "") or text in opened.tables
        assert "**bold**" not in text or text in opened.tables


def test_tokens_of_blanks_and_odd_directions_have_a_visible_label(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "blank", [*SPACES, "a", "b"])
    opened = _open("norms", folder, TokenGroup("blank", (*SPACES, "a", "b")))
    tails = [body for body in opened.tables if "× median<" in body]
    assert tails
    for body in tails:
        cells = [cell.split("</td>")[0] for cell in body.split('embgeo-token">')[1:]]
        assert len(cells) == len(SPACES) + 2 + 1
        assert all(cell.strip() for cell in cells)


def test_axis_keeps_two_tokens_of_one_label_apart(tmp_path: Path) -> None:
    # A space and the glyph it is shown as: different tokens whose labels look alike.
    folder = checkpoint(tmp_path / "alike", ["\u2423", " ", "a", "b"])
    group = TokenGroup("alike", ("\u2423", " ", "a", "b"))
    opened = _open("group_similarity", folder, group)
    [sent] = [frames for alt, frames in opened.frames.items() if "every token" in alt]
    assert sent["tokens"]["key"].nunique() == 4
    assert len(sent["cells"]) == 4**2


def test_same_entry_twice_counts_once(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "twice", ["a", "b", "c"])
    opened = _open("group_similarity", folder, TokenGroup("twice", ("a", "b", "a", "a")))
    [sent] = [frames for alt, frames in opened.frames.items() if "every token" in alt]
    assert sent["tokens"]["key"].nunique() == 2
    assert len(sent["cells"]) == 2**2


def test_editor_shows_and_reads_back_what_cannot_be_seen() -> None:
    opened = open_page("group_similarity", models="minilm")
    opened.write_group("odd", "\\s\n\\n\n$x$\n<script>alert(1)</script>\n**\n`").works()
    assert opened.groups == ["odd", "english", "code"]
    written = opened.set("selectbox", "Group", "odd").control("text_area", "Entries, one a line")
    assert written.value == "\\s\n\\n\n$x$\n<script>alert(1)</script>\n**\n`"
