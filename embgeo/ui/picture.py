"""A matrix too large for a chart: an image that answers a click with the place clicked."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

_HTML = """
<div class="legend"><span></span><div class="ramp"></div><span></span></div>
<div class="frame">
  <div class="names"></div>
  <div class="cells"><img /><div class="mark"></div></div>
</div>
"""
_CSS = """
:host { display: block; }
.legend { display: flex; gap: 8px; align-items: center; font-size: 12px; margin: 0 0 8px 84px; }
.ramp { width: 220px; height: 10px; border-radius: 2px; }
.frame { display: flex; max-width: 44rem; }
.names { position: relative; width: 84px; flex: none; font-size: 12px; }
.names div { position: absolute; right: 8px; max-width: 76px; overflow: hidden;
             text-overflow: ellipsis; white-space: nowrap; transform: translateY(-50%); }
.cells { position: relative; flex: 1; min-width: 0; }
img { width: 100%; display: block; image-rendering: pixelated; cursor: crosshair;
      border-radius: 4px; }
.edge { position: absolute; background: var(--st-text-color); opacity: 0.6; pointer-events: none; }
.mark { position: absolute; box-sizing: border-box; border: 2px solid var(--st-text-color);
        pointer-events: none; display: none; min-width: 6px; min-height: 6px; }
"""
_JS = """
export default function ({ data, parentElement, setStateValue }) {
  const find = (name) => parentElement.querySelector(name);
  const [img, mark, names, cells] = ["img", ".mark", ".names", ".cells"].map(find);
  img.src = data.src;
  img.alt = data.alt;
  // Few long rows would be too thin to see: they are stretched.
  img.style.height = data.line ? `${data.line * data.size}px` : "";
  find(".frame").style.maxWidth = data.line ? "none" : "";
  find(".ramp").style.background = `linear-gradient(to right, ${data.colours.join(", ")})`;
  const ends = parentElement.querySelectorAll(".legend span");
  [ends[0].textContent, ends[1].textContent] = data.ends;
  names.replaceChildren();
  cells.querySelectorAll(".edge").forEach((edge) => edge.remove());
  const share = (count) => `${(100 * count) / data.size}%`;
  data.groups.forEach(({ name, start, count }) => {
    const label = document.createElement("div");
    label.textContent = label.title = name;
    label.style.top = share(start + count / 2);
    names.append(label);
    if (start === 0 || data.line) return;
    const [row, column] = [0, 1].map(() => document.createElement("div"));
    Object.assign(row.style, { top: share(start), left: 0, right: 0, height: "1px" });
    Object.assign(column.style, { left: share(start), top: 0, bottom: 0, width: "1px" });
    row.className = column.className = "edge";
    cells.append(row, column);
  });
  const show = ([row, column]) => Object.assign(mark.style, {
    display: "block", top: share(row), left: `${(100 * column) / data.across}%`,
    width: `${100 / data.across}%`, height: share(1),
  });
  mark.style.display = "none";
  if (data.picked) show(data.picked);
  img.onclick = (event) => {
    const parts = [event.offsetY / img.clientHeight, event.offsetX / img.clientWidth];
    const place = [data.size, data.across].map(
      (cells, at) => Math.min(cells - 1, Math.floor(parts[at] * cells)));
    show(place);
    setStateValue("picked", place);
  };
}
"""


@dataclass(frozen=True)
class Picture:
    """A picture and what stands around it; a square one unless said otherwise.

    Attributes
    ----------
    png, size
        The image, and how many cells it has a side (an image pixel may stand for several).
    groups
        Names of contiguous runs of cells, with how many each has.
    colours, ends
        The colours from low to high, and what the two ends are called.
    alt
        What the picture shows, in words.
    across, line
        Cells of a row where they are not as many as rows, and then how many screen pixels high a
        row is drawn.
    """

    png: bytes
    size: int
    groups: Mapping[str, int]
    colours: Sequence[str]
    ends: tuple[str, str]
    alt: str
    across: int | None = None
    line: int | None = None


@st.cache_resource(show_spinner=False)
def _component() -> Any:
    return st.components.v2.component("embgeo_picture", html=_HTML, css=_CSS, js=_JS)


def draw(picture: Picture, key: str) -> tuple[int, int] | None:
    """Draw a picture; the (row, column) last clicked, or None."""
    before, across = st.session_state.get(key), picture.across or picture.size
    found = _component()(
        key=key,
        data={
            "src": "data:image/png;base64," + base64.b64encode(picture.png).decode(),
            "size": picture.size,
            "groups": _runs(picture.groups),
            "colours": list(picture.colours),
            "ends": list(picture.ends),
            "alt": picture.alt,
            "across": across,
            "line": picture.line,
            "picked": _place(getattr(before, "picked", None), picture.size, across),
        },
        default={"picked": None},
        on_picked_change=lambda: None,
    )
    return _place(found.picked, picture.size, across)


def _runs(groups: Mapping[str, int]) -> list[dict[str, Any]]:
    runs, start = [], 0
    for name, count in groups.items():
        if count:
            runs.append({"name": name, "start": start, "count": count})
        start += count
    return runs


def _place(value: Any, size: int, across: int) -> tuple[int, int] | None:
    """A place inside the picture; what the browser sends is not trusted."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        return None
    row, column = value
    if type(row) is not int or type(column) is not int:
        return None
    return (row, column) if 0 <= row < size and 0 <= column < across else None
