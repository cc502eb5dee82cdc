"""The script a token is written in, by the Unicode names of its letters."""

import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from embgeo.tokens.text import SPECIAL
from embgeo.tokens.vocabulary import Vocabulary

DIGITS, SIGNS, BLANK, MIXED = "digits", "punctuation and symbols", "blank", "several scripts"
BYTES, RESERVED, NO_TOKEN = "pieces of characters", "special or unused", "no token"


@dataclass(frozen=True, eq=False)
class Scripts:
    """The script of every row: ``names[codes[row]]``."""

    names: tuple[str, ...]
    codes: np.ndarray[Any, np.dtype[np.int16]]


def script_of(text: str) -> str:
    """What a text is written in: the script of its letters, else digits, signs or blanks.

    >>> script_of(" the"), script_of("привет"), script_of("世"), script_of("1")
    ('Latin', 'Cyrillic', 'CJK', 'digits')
    """
    kinds = {_kind(character) for character in text}
    scripts = kinds - {DIGITS, SIGNS, BLANK}
    if scripts:
        return scripts.pop() if len(scripts) == 1 else MIXED
    return next((kind for kind in (DIGITS, SIGNS) if kind in kinds), BLANK)


def token_scripts(vocabulary: Vocabulary, classes: np.ndarray[Any, np.dtype[np.int8]]) -> Scripts:
    """The script of every row's token.

    Parameters
    ----------
    vocabulary
        The tokens.
    classes
        (rows,) their classes, −1 where a row has no token.
    """
    numbers: dict[str, int] = {}
    codes = np.empty(len(classes), dtype=np.int16)
    for row, kind in enumerate(classes.tolist()):
        name = _name(vocabulary, row, kind)
        codes[row] = numbers.setdefault(name, len(numbers))
    return Scripts(tuple(numbers), codes)


def _name(vocabulary: Vocabulary, row: int, kind: int) -> str:
    if kind < 0:
        return NO_TOKEN
    text = vocabulary.text(row)
    if kind == SPECIAL:
        return BYTES if "⟨" in text and "⟨" not in vocabulary.entries[row] else RESERVED
    if vocabulary.spelling == "wordpiece" and len(text) > 2:
        text = text.removeprefix("##")
    return script_of(text)


@cache
def _kind(character: str) -> str:
    category = unicodedata.category(character)
    if category[0] == "N":
        return DIGITS
    if category[0] == "L":
        return _script(character)
    # A mark belongs to the letter before it; unassigned and private characters are signs.
    return BLANK if category[0] in "ZM" or category in {"Cc", "Cf"} else SIGNS


def _script(letter: str) -> str:
    """The first word of the letter's name: LATIN SMALL LETTER A, CJK UNIFIED IDEOGRAPH-4E16.

    Wide, raised and mathematical forms are named by their form, so the plain letter is looked up.
    """
    plain = unicodedata.normalize("NFKC", letter)
    first = next((each for each in plain if unicodedata.category(each)[0] == "L"), "")
    if not first:  # a sound mark that stands alone only in its half-wide form
        return BLANK
    word = unicodedata.name(first, "OTHER").split()[0]
    if word == "MODIFIER":  # stress and tone, letters of no script
        return SIGNS
    return word if word == "CJK" else word.partition("-")[0].capitalize()
