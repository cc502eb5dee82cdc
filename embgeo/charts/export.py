"""A drawing as a file: its specification with the data inside, or the picture itself.

Pictures are made on this machine by the converter that altair uses; nothing is fetched.
"""

import json
from typing import Any

from embgeo.charts.drawing import Drawing
from embgeo.charts.palette import Palette

WIDTH = 640
"""Pixels; on the page a chart takes the width of its column, a file needs one of its own."""
PNG_SCALE = 2.0


def json_bytes(drawing: Drawing, palette: Palette) -> bytes:
    """The Vega-Lite specification with the data in it, which any Vega-Lite viewer draws."""
    return json.dumps(_on_its_own(drawing, palette), ensure_ascii=False, indent=1).encode()


def svg_bytes(drawing: Drawing, palette: Palette) -> bytes:
    """The picture as SVG."""
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(_on_its_own(drawing, palette))
    return svg.encode()


def png_bytes(drawing: Drawing, palette: Palette) -> bytes:
    """The picture as PNG, two pixels for each of the page's."""
    import vl_convert

    png: bytes = vl_convert.vegalite_to_png(_on_its_own(drawing, palette), scale=PNG_SCALE)
    return png


def _on_its_own(drawing: Drawing, palette: Palette) -> dict[str, Any]:
    return drawing.to_dict() | {"width": WIDTH, "background": palette.background}
