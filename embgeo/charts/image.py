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


def pooled(values: npt.NDArray[np.float64], side: int) -> npt.NDArray[np.float64]:
    """Means of side × side blocks, so that a large picture stays small on the wire."""
    if side == 1:
        return values
    short = -len(values) % side
    padded = np.pad(values, (0, short), constant_values=np.nan)
    blocks = padded.reshape(len(padded) // side, side, -1, side)
    known = ~np.isnan(blocks)
    counts = known.sum(axis=(1, 3))
    sums = np.where(known, blocks, 0.0).sum(axis=(1, 3))
    means: npt.NDArray[np.float64] = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return means
