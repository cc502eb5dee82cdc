"""Which rows of a table a number is about, and the strata that its floor is taken over."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from embgeo.tokens import CLASSES
from embgeo.tokens.text import SPECIAL

Array = np.ndarray[Any, np.dtype[Any]]

ID_BINS = (0, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000)
"""Lower ends of the id bins. In most vocabularies the id follows the order of merges or of counts,
so a bin holds tokens of about one frequency; mean cosines differ by a factor of four between
bins."""

STRATA = len(CLASSES) * len(ID_BINS)


@dataclass(frozen=True)
class Population:
    """Which rows count, beside the degenerate ones, which never do.

    Attributes
    ----------
    padding
        Whether rows that no token has are counted.
    special
        Whether special, unused and byte tokens are counted.
    """

    padding: bool = False
    special: bool = True

    def spelled(self) -> str:
        """In words, for a caption and for provenance."""
        rows = "all rows" if self.padding else "rows that have a token"
        return rows if self.special else f"{rows}, special, unused and byte tokens left out"

    def mask(self, classes: Array) -> Array:
        """(rows,) bool of a table's token classes (−1: no token)."""
        chosen = classes >= 0
        if self.padding:
            chosen = chosen | (classes < 0)
        return chosen if self.special else chosen & (classes != SPECIAL)


def strata(classes: Array) -> Array:
    """(rows,) int16: token class × id bin as one number; padding rows go with special ones."""
    bins = np.searchsorted(ID_BINS, np.arange(len(classes)), side="right") - 1
    kinds = np.where(classes < 0, SPECIAL, classes).astype(np.int16)
    return (kinds * len(ID_BINS) + bins).astype(np.int16)


def stratum_name(stratum: int, rows: int) -> str:
    """A stratum of a table of so many rows, in words: "word start, ids 1,000–1,999"."""
    kind, position = divmod(stratum, len(ID_BINS))
    end = min([rows, *ID_BINS[position + 1 : position + 2]])
    return f"{CLASSES[kind]}, ids {ID_BINS[position]:,}–{end - 1:,}"
