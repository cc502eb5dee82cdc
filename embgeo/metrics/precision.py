"""What comes in is raised to float64 before anything is summed: fp16 sums overflow or lose half."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from embgeo.errors import ShapeError

if TYPE_CHECKING:
    from torch import Tensor

Array = NDArray[np.float64]


def in_float64(rows: Tensor) -> Tensor:
    """The same rows in float64, on their own device (on the CPU where that is mps).

    Parameters
    ----------
    rows
        (n, d), any float dtype and device.

    Raises
    ------
    ShapeError
        If ``rows`` is not a table.
    """
    if rows.ndim != 2:
        raise ShapeError(
            f"Expected rows as a table (n, d), found shape {tuple(rows.shape)}. "
            "Give one row per token."
        )
    import torch

    # mps has no float64.
    home = rows.detach().cpu() if rows.device.type == "mps" else rows.detach()
    return home.to(torch.float64)


def as_array(values: Tensor | NDArray[np.floating]) -> Array:
    """The same values as a float64 numpy array on the CPU; it may share memory with the input."""
    if isinstance(values, np.ndarray):
        return np.asarray(values, dtype=np.float64)
    return np.asarray(values.detach().cpu().double().numpy())
