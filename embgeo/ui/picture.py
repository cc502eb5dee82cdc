"""A matrix too large for a chart: an image that answers a click with the place clicked."""

import base64
from typing import Any

import streamlit as st

_HTML = '<img tabindex="0" /><div class="mark"></div>'
_CSS = """
:host { display: block; position: relative; }
img { width: 100%; max-width: 40rem; display: block; image-rendering: pixelated;
      cursor: crosshair; border-radius: 4px; }
.mark { position: absolute; box-sizing: border-box; border: 2px solid var(--st-text-color);
        pointer-events: none; display: none; min-width: 6px; min-height: 6px; }
"""
_JS = """
export default function ({ data, parentElement, setStateValue }) {
  const img = parentElement.querySelector("img");
  const mark = parentElement.querySelector(".mark");
  img.src = data.src;
  img.alt = data.alt;
  const show = (row, column) => {
    const height = img.clientHeight / data.rows, width = img.clientWidth / data.columns;
    Object.assign(mark.style, {
      display: "block", top: `${row * height}px`, left: `${column * width}px`,
      width: `${width}px`, height: `${height}px`,
    });
  };
  if (data.picked) img.decode().then(() => show(data.picked[0], data.picked[1])).catch(() => {});
  img.onclick = (event) => {
    const row = Math.min(data.rows - 1, Math.floor((event.offsetY / img.clientHeight) * data.rows));
    const column = Math.min(
      data.columns - 1, Math.floor((event.offsetX / img.clientWidth) * data.columns));
    show(row, column);
    setStateValue("picked", [row, column]);
  };
}
"""


@st.cache_resource(show_spinner=False)
def _component() -> Any:
    return st.components.v2.component("embgeo_picture", html=_HTML, css=_CSS, js=_JS)


def picture(png: bytes, *, rows: int, columns: int, alt: str, key: str) -> tuple[int, int] | None:
    """Draw a PNG of `rows` × `columns` cells; the (row, column) last clicked, or None."""
    before = st.session_state.get(key)
    picked = _pair(getattr(before, "picked", None), rows, columns)
    found = _component()(
        key=key,
        data={
            "src": "data:image/png;base64," + base64.b64encode(png).decode(),
            "rows": rows,
            "columns": columns,
            "alt": alt,
            "picked": picked,
        },
        default={"picked": None},
        on_picked_change=lambda: None,
    )
    return _pair(found.picked, rows, columns)


def _pair(value: Any, rows: int, columns: int) -> tuple[int, int] | None:
    """A place inside the picture; what the browser sends is not trusted."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        return None
    row, column = value
    if type(row) is not int or type(column) is not int:
        return None
    return (row, column) if 0 <= row < rows and 0 <= column < columns else None
