"""The one sample of pairs that every distribution of cosines is drawn from."""

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

PAIRS = 10_000
"""Pairs in the sample that a distribution of cosines is drawn from."""
SEED = 0


@dataclass(frozen=True, eq=False)
class Pairs:
    """Ids of the two rows of each pair, (pairs,) and (pairs,)."""

    left: Array
    right: Array


def sampled_pairs(used: Array) -> Pairs:
    """The same `PAIRS` seeded pairs of different used rows, whatever is done to the rows.

    Parameters
    ----------
    used
        (rows,) bool; below two rows there is no pair.
    """
    ids = np.flatnonzero(used)
    if len(ids) < 2:
        return Pairs(ids[:0], ids[:0])
    generator = np.random.default_rng(SEED)
    left = generator.integers(len(ids), size=PAIRS)
    right = (left + generator.integers(1, len(ids), size=PAIRS)) % len(ids)
    return Pairs(ids[left], ids[right])
