"""A matrix as a picture, one pixel a cell, for what is too large to draw as marks."""

import io

import numpy as np
import numpy.typing as npt
from PIL import Image

from embgeo.charts.palette import Palette, diverging_rgb


def matrix_png(
    values: npt.NDArray[np.floating], *, centre: float, reach: float, palette: Palette
) -> bytes:
    """A PNG of the matrix in diverging colours; undefined cells are transparent.

    Parameters
    ----------
    values
        Shape (rows, columns); NaN where undefined. Clipped to ``centre`` ± ``reach``.
    centre, reach
        The value of the neutral middle, and the distance from it to either end (> 0).
    palette
        Whose diverging colours are used.

    Returns
    -------
    bytes
        PNG, rows high and columns wide; enlarge it without smoothing.
    """
    rgb = diverging_rgb(values, centre=centre, reach=reach, palette=palette)
    alpha = np.where(np.isnan(values), 0, 255).astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(np.dstack([rgb, alpha])).save(file, format="PNG", optimize=True)
    return file.getvalue()
