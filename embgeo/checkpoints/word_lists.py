"""The words of word vectors: from the vectors' own file, or from a list beside an array."""

from __future__ import annotations

import json
import re
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from embgeo.checkpoints.vectors_array import headers
from embgeo.errors import VocabularyError
from embgeo.sources.files import vocabulary_beside
from embgeo.sources.formats import VectorsKind

_KEYS = ("vocab", "words", "tokens", "index_to_key")
_COUNTED = re.compile(rb"(.+)[ \t][0-9]+")
_HINT = "vocab.txt, one word a line in the order of the rows"


@dataclass(frozen=True)
class WordList:
    """The word of each row; None for a row that has none, or whose word an earlier row has."""

    words: tuple[str | None, ...]
    note: str = ""


def without_repeats(found: Iterable[bytes | str | None]) -> WordList:
    """The words as text: of equal ones the first counts, and what is no UTF-8 is replaced."""
    words: dict[str, None] = {}
    listed: list[str | None] = []
    repeated = replaced = 0
    for each in found:
        word = each.decode("utf-8", "replace") if isinstance(each, bytes) else _whole(each)
        replaced += isinstance(each, bytes) and "\ufffd" in (word or "")
        again = word in words
        repeated += again
        listed.append(None if again else word)
        if word is not None:
            words[word] = None
    notes = (
        f"{repeated:,} rows repeat the word of an earlier row, which is the one that counts."
        if repeated
        else "",
        f"{replaced:,} words are not UTF-8; what could not be read in them is shown as \ufffd."
        if replaced
        else "",
    )
    return WordList(tuple(listed), " ".join(filter(None, notes)))


def _whole(word: str | None) -> str | None:
    """The word without halves of surrogate pairs, which no page and no file can hold."""
    return None if word is None else word.encode("utf-8", "replace").decode("utf-8")


def array_words(path: Path, kind: VectorsKind, rows: int) -> WordList:
    """The words of an array's rows: inside a .npz file, else in a list beside the array.

    Raises
    ------
    VocabularyError
        If there is none, it cannot be read, or it has another length than the array.
    """
    names = headers(path, kind)
    inside = next((key for key in _KEYS if key in names), None)
    beside = vocabulary_beside(path)
    found: Sequence[str | bytes | None]
    if inside is not None:
        found, where = _from_zip(path, inside), f"{inside} in {path.name}"
    elif beside is not None:
        found, where = _from_file(beside, rows), beside.name
    else:
        raise VocabularyError(f"{path.name} comes without words; put them beside it as {_HINT}.")
    if len(found) != rows:
        raise VocabularyError(
            f"{where} lists {len(found):,} words, but {path.name} has {rows:,} rows: one of them "
            "belongs to other vectors."
        )
    return without_repeats(found)


def _from_zip(path: Path, key: str) -> Sequence[str | bytes]:
    import numpy as np

    try:
        with np.load(path, allow_pickle=False) as arrays:
            array = arrays[key]
    except (ValueError, EOFError, zipfile.BadZipFile, zlib.error):
        raise VocabularyError(
            f"{key} in {path.name} is an array of Python objects, which is not opened since that "
            f"can run code, or damaged. Save it as text, np.array(words, dtype='U'), or as {_HINT}."
        ) from None
    if array.dtype.kind not in "US" or array.ndim != 1:
        raise VocabularyError(f"{key} in {path.name} is no list of words. Save them as {_HINT}.")
    words: list[str | bytes] = array.tolist()
    return words


def _from_file(path: Path, rows: int) -> Sequence[str | bytes | None]:
    try:
        text = path.read_bytes()
    except OSError as error:
        raise VocabularyError(f"{path.name} cannot be read: {error.strerror}.") from error
    if path.suffix == ".json" or (text[:1] in b"[{" and path.suffix == ".vocab"):
        return _from_json(path, text, rows)
    lines = text.removesuffix(b"\n").split(b"\n") if text else []
    lines = [line.removesuffix(b"\r") for line in lines]
    # word2vec writes how often each word occurred behind it.
    counted = [_COUNTED.fullmatch(line) for line in lines]
    if path.suffix == ".vocab" and all(counted):
        return [match[1] for match in counted if match]
    return lines


def _from_json(path: Path, text: bytes, rows: int) -> Sequence[str | None]:
    try:
        found: Any = json.loads(text)
    except (RecursionError, ValueError) as error:
        raise VocabularyError(f"{path.name} is not valid JSON ({error}).") from error
    if isinstance(found, dict):
        return _placed(path, found, rows)
    if not isinstance(found, list) or not all(isinstance(word, str) for word in found):
        raise VocabularyError(f"{path.name} is neither a list of words nor their row numbers.")
    return found


def _placed(path: Path, row_of: dict[str, Any], rows: int) -> Sequence[str | None]:
    words: list[str | None] = [None] * rows
    for word, row in row_of.items():
        if type(row) is not int or not 0 <= row < rows:
            raise VocabularyError(
                f"{path.name} gives {word!r} the row {row!r}, but the rows go from 0 to {rows - 1}."
            )
        words[row] = word
    return words
