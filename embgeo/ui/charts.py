"""Drawing a chart on the page, with everything it can be taken away as."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from embgeo.charts.palette import Palette

if TYPE_CHECKING:
    import pandas as pd

    from embgeo.charts.drawing import Drawing


@dataclass(frozen=True, eq=False)
class Figure:
    """A chart and what belongs to it.

    Attributes
    ----------
    name
        Names the element, where its selection is kept, and its files.
    alt
        What the picture shows, in words.
    drawing, frame
        The chart, and the data behind it.
    about
        The provenance of the data, as columns.
    """

    name: str
    alt: str
    drawing: "Drawing"
    frame: "pd.DataFrame"
    about: Mapping[str, str]


def draw(figure: Figure, colours: Palette, on_pick: Callable[[], None] | None = None) -> None:
    """Draw a chart, complete in its own theme, and what it can be downloaded as.

    Parameters
    ----------
    on_pick
        Called when a person picks a mark (the selection ``pick``).
    """
    from embgeo.charts.export import json_bytes, png_bytes, svg_bytes

    spec, name, alt = figure.drawing.spec(), figure.name, figure.alt
    if on_pick is None:
        st.vega_lite_chart(spec, theme=None, key=name, alt=alt)
    else:
        st.vega_lite_chart(
            spec, theme=None, key=name, alt=alt, on_select=on_pick, selection_mode=["pick"]
        )
    with st.popover("Download", type="tertiary", icon=":material/download:"):
        download(figure.frame, name, figure.about)
        drawing = figure.drawing
        download_file(
            "JSON", name, lambda: json_bytes(drawing, colours), "Vega-Lite, the data included."
        )
        download_file("SVG", name, lambda: svg_bytes(drawing, colours))
        download_file("PNG", name, lambda: png_bytes(drawing, colours))


def download(
    frame: "pd.DataFrame | Callable[[], pd.DataFrame]",
    name: str,
    about: Mapping[str, str] | None = None,
) -> None:
    """A button for data (or what makes it when asked) as CSV that is safe for a spreadsheet."""

    def data() -> bytes:
        from embgeo.views.export import csv_bytes

        return csv_bytes(frame() if callable(frame) else frame, about)

    download_file("CSV", name, data, _CSV_HELP)


def download_file(kind: str, name: str, data: Callable[[], bytes], note: str | None = None) -> None:
    """A button for a file of one kind, made when it is asked for."""
    st.download_button(
        kind,
        data,
        file_name=f"{name}.{kind.lower()}",
        mime=_MIME[kind],
        key=f"_{kind} {name}",
        type="tertiary",
        icon=":material/download:",
        on_click="ignore",
        help=note,
    )


_MIME = {
    "CSV": "text/csv",
    "JSON": "application/json",
    "SVG": "image/svg+xml",
    "PNG": "image/png",
}
_CSV_HELP = (
    "The data, its provenance beside it. Texts that a spreadsheet would run as a formula have an "
    "apostrophe in front."
)
