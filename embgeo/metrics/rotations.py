"""A random rotation of the space: it changes every number of a row and no length and no angle."""

import numpy as np

from embgeo.errors import ShapeError
from embgeo.metrics.precision import Array


def rotated(rows: Array, seed: int = 0) -> Array:
    """The rows in a seeded random orthonormal basis: y = (s ∘ x) H.

    s holds random signs and H the discrete Hartley basis, H[i, j] = (cos t + sin t)/√d with
    t = 2πij/d, which is symmetric and orthonormal in any number of dimensions. So each new
    coordinate mixes all the old ones, and no d × d matrix is needed: O(d log d) for a row.

    Parameters
    ----------
    rows
        (n, d) float64.
    seed
        Which signs are drawn.

    Returns
    -------
    ndarray
        (n, d) float64, of the same norms and inner products up to rounding.

    Raises
    ------
    ShapeError
        If ``rows`` is not a table.

    References
    ----------
    Bracewell (1983), Discrete Hartley transform; random signs before a fast orthonormal transform:
    Ailon & Chazelle (2009), The fast Johnson–Lindenstrauss transform.

    Examples
    --------
    >>> turned = rotated(np.array([[3.0, 4.0, 0.0]]))
    >>> round(float(np.linalg.norm(turned)), 12)
    5.0
    """
    if rows.ndim != 2:
        raise ShapeError(f"Expected rows as a table (n, d), found shape {rows.shape}.")
    return _hartley(rows * _signs(rows.shape[1], seed))


def rotated_axis(dim: int, coordinate: int, seed: int = 0) -> Array:
    """The direction (d,) of unit length whose product with a row is its rotated coordinate."""
    axis = np.zeros((1, dim))
    axis[0, coordinate] = 1.0
    turned: Array = _hartley(axis)[0] * _signs(dim, seed)
    return turned


def _hartley(rows: Array) -> Array:
    waves = np.fft.fft(rows, axis=1)
    mixed: Array = (waves.real - waves.imag) / np.sqrt(rows.shape[1])
    return mixed


def _signs(dim: int, seed: int) -> Array:
    return np.random.default_rng(seed).choice([-1.0, 1.0], size=dim)
