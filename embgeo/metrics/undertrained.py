"""Signs that training hardly touched a row: they name candidates, only the model confirms one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from embgeo.metrics.precision import Array, as_array, in_float64

if TYPE_CHECKING:
    from torch import Tensor

CANDIDATE_SHARE = 0.02


def reference_distances(rows: Tensor, reference: Tensor) -> Array:
    """Cosine distance 1 − cos(x, m) of each row to one reference row m, NaN where it has none.

    Parameters
    ----------
    rows
        (n, d), any float dtype and device.
    reference
        (d,) the mean of rows that no text ever used.

    Returns
    -------
    ndarray
        (n,) float64 from 0 (along the reference: suspicious) to 2.

    References
    ----------
    Land & Bartolo (2024), arXiv:2405.05417, for tied tables.

    Examples
    --------
    >>> import torch
    >>> rows, reference = torch.tensor([[2.0, 0.0], [0.0, 3.0]]), torch.tensor([1.0, 0.0])
    >>> reference_distances(rows, reference).tolist()
    [0.0, 1.0]
    """
    wide, towards = in_float64(rows), in_float64(reference[None])[0].to(rows.device)
    lengths = (wide * wide).sum(dim=1).sqrt() * (towards * towards).sum().sqrt()
    return 1 - as_array((wide @ towards) / lengths).clip(-1, 1)


def lowest(indicator: Array, ranked: NDArray[np.bool_], share: float = CANDIDATE_SHARE) -> Array:
    """Positions of the lowest share of the ranked values, lowest first, at least one if any.

    Parameters
    ----------
    indicator
        (n,) small where a row is suspicious; a value that is not finite counts as the lowest.
    ranked
        (n,) bool: which may be named.
    share
        Of the ranked, how many are named.

    Examples
    --------
    >>> lowest(np.array([3.0, np.nan, 1.0, 2.0]), np.array([True, True, False, True]), 0.5).tolist()
    [1, 3]
    """
    positions = np.flatnonzero(ranked)
    values = np.where(np.isfinite(indicator[positions]), indicator[positions], -np.inf)
    count = min(len(positions), max(1, round(share * len(positions))))
    return np.asarray(positions[np.argsort(values, kind="stable")[:count]])
