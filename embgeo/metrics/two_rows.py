"""Four numbers about two rows: inner product, cosine, distance, angle."""

from dataclasses import dataclass

import numpy as np

from embgeo.errors import ShapeError
from embgeo.metrics.precision import Array


@dataclass(frozen=True)
class TwoRows:
    """How two rows lie to each other.

    Attributes
    ----------
    dot
        u·v, any number.
    cosine
        In [−1, 1]; None where one of them is zero.
    distance
        |u − v|, 0 or more.
    degrees
        The angle between them, from 0 to 180; None where one of them is zero.
    """

    dot: float
    cosine: float | None
    distance: float
    degrees: float | None


def compare(u: Array, v: Array) -> TwoRows | None:
    """Inner product, cosine, distance and angle of two rows; None if one of them is not finite.

    The angle is 2·atan2(|û − v̂|, |û + v̂|): the arc cosine would turn the last bit of a cosine near
    1 into a hundred-millionth of a radian.

    Parameters
    ----------
    u, v
        (d,) float64.

    Raises
    ------
    ShapeError
        If the rows differ in length.

    Examples
    --------
    >>> found = compare(np.array([3.0, 4.0]), np.array([4.0, 3.0]))
    >>> found.dot, round(found.cosine, 12), round(found.degrees, 2)
    (24.0, 0.96, 16.26)
    """
    if u.shape != v.shape:
        raise ShapeError(f"Two rows of one table have one width; found {u.shape} and {v.shape}.")
    if not (np.isfinite(u).all() and np.isfinite(v).all()):
        return None
    dot, distance = float(u @ v), float(np.linalg.norm(u - v))
    lengths = float(np.linalg.norm(u)), float(np.linalg.norm(v))
    if not all(lengths):
        return TwoRows(dot, None, distance, None)
    a, b = u / lengths[0], v / lengths[1]
    angle = 2 * np.arctan2(np.linalg.norm(a - b), np.linalg.norm(a + b))
    return TwoRows(dot, min(1.0, max(-1.0, float(a @ b))), distance, float(np.degrees(angle)))


def at_cosine(cosine: float, lengths: tuple[float, float]) -> TwoRows:
    """What two rows of these lengths would give if their cosine were this one."""
    u, v = lengths
    squared = u * u + v * v - 2 * cosine * u * v
    angle = float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))
    return TwoRows(cosine * u * v, cosine, float(np.sqrt(max(0.0, squared))), angle)
