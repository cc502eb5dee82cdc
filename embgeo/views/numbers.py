"""Numbers on their way out: None instead of what is not a number."""

import math


def number(value: float | None) -> float | None:
    """The value as a plain float, None where it is undefined.

    >>> number(float("nan")), number(0.5)
    (None, 0.5)
    """
    if value is None or not math.isfinite(value):
        return None
    return float(value)
