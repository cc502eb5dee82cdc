"""Tokens that no text can contain: what an untrained row of this table looks like.

They are found by what they are, never by a list of ids: the bytes that UTF-8 never uses, and the
slots that a vocabulary keeps for later. Padding tokens are not among them: whether their rows are
trained depends on the model.
"""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from embgeo.tokens.vocabulary import Vocabulary

NEVER_IN_UTF8 = frozenset({0xC0, 0xC1, *range(0xF5, 0x100)})
_SLOT = re.compile(
    r"[\[<]\|?_?(unused|reserved|dummy|placeholder)[ _a-z]*[-_ ]?\d*_?\|?[\]>]", re.IGNORECASE
)


@dataclass(frozen=True)
class Reserved:
    """Rows that training cannot have used as input: their ids, and in words what they are."""

    ids: tuple[int, ...]
    said: str


def reserved_rows(vocabulary: Vocabulary, classes: np.ndarray[Any, np.dtype[np.int8]]) -> Reserved:
    """The reserved rows of a table: bytes outside UTF-8 and unused slots; else rows without token.

    Parameters
    ----------
    vocabulary
        The tokens.
    classes
        (rows,) token class of each row, −1 where no token has it.
    """
    rows = len(classes)
    known = [(at, entry) for at, entry in vocabulary.entries.items() if at < rows]
    slots = {at for at, entry in known if _SLOT.fullmatch(entry)}
    stray = {at for at, entry in known if len(entry) <= 6 and _stray(vocabulary.utf8(at))}
    if slots or stray:
        parts = [(len(slots), "unused or reserved tokens"), (len(stray), "bytes outside UTF-8")]
        said = " and ".join(f"{count:,} {what}" for count, what in parts if count)
        return Reserved(tuple(sorted(slots | stray)), said)
    padding = tuple(np.flatnonzero(classes < 0).tolist())
    return Reserved(padding, f"{len(padding):,} rows that no token has" if padding else "")


def _stray(spelled: bytes) -> bool:
    return len(spelled) == 1 and spelled[0] in NEVER_IN_UTF8
