"""Text of a token, a path or an error, shown exactly as it is and never as Markdown or HTML."""

import html
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

if TYPE_CHECKING:
    import pandas as pd

_MARKS = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$:<>&])")


def literal(text: str) -> str:
    r"""The text for where Streamlit reads Markdown: every mark escaped.

    >>> literal("$x$ **b** :smile:")
    '\\$x\\$ \\*\\*b\\*\\* \\:smile\\:'
    """
    return _MARKS.sub(r"\\\1", text)


def table(
    frame: "pd.DataFrame",
    headings: Mapping[str, str],
    *,
    written: Mapping[str, Callable[[Any], str]] | None = None,
    tokens: Sequence[str] = (),
    judged: Sequence[str] = (),
    height: int | None = None,
) -> None:
    """Draw chosen columns of a frame as a table of literal text.

    Parameters
    ----------
    frame
        Labels may repeat and may be any text.
    headings
        Column to heading, in the order shown.
    written
        Column to how its cells are printed; such columns stand right-aligned, as numbers do.
    tokens
        Columns in the monospaced face.
    judged
        Columns of a verdict and its reason, "no: 0.02": the verdict stands out.
    height
        Pixels above which the table scrolls; None lets it grow.
    """
    written = written or {}
    head = "".join(
        f'<th class="{_kind(name, written)}">{html.escape(text)}</th>'
        for name, text in headings.items()
    )
    rows = (
        "".join(_cell(row[name], name, written, tokens, judged) for name in headings)
        for row in frame.to_dict("records")
    )
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    style = f' style="max-height: {height}px"' if height else ""
    st.html(
        f'<div class="embgeo-scroll"{style} tabindex="0"><table class="embgeo-table">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cell(
    value: Any,
    name: str,
    written: Mapping[str, Callable[[Any], str]],
    tokens: Sequence[str],
    judged: Sequence[str],
) -> str:
    text = html.escape(written[name](value) if name in written else str(value))
    kind = _kind(name, written) + (" embgeo-token" if name in tokens else "")
    if name in judged and ": " in text:
        text = "<b>{}</b>: {}".format(*text.split(": ", 1))
    return f'<td class="{kind}">{text}</td>'


def _kind(name: str, written: Mapping[str, Callable[[Any], str]]) -> str:
    return "number" if name in written else "text"
