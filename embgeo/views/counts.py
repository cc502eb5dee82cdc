"""How often tokens occur, from a file that a person brought: read, and matched to a vocabulary."""

import csv
import hashlib
import io
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from embgeo.errors import SourceError
from embgeo.tables import EmbeddingTable

Array = np.ndarray[Any, np.dtype[Any]]

LARGEST = 20_000_000
"""Bytes that a file of counts may have."""


@dataclass(frozen=True, eq=False)
class Counts:
    """What a file of counts says.

    Attributes
    ----------
    name, digest
        Of the file, and what tells its contents from another's.
    of
        Count by token, as it is spelled there.
    by_id
        Whether every token is a number, which then is its id.
    bad_lines
        Lines that hold no token and count.
    """

    name: str
    digest: str
    of: Mapping[str, float] = field(repr=False)
    by_id: bool
    bad_lines: int


@dataclass(frozen=True, eq=False)
class Matched:
    """Counts of a table's rows: (rows,) float64, and how many of the file's tokens have a row."""

    counts: Array
    matched: int
    of: int


def read_counts(name: str, data: bytes) -> Counts:
    """The counts of a CSV, TSV or JSON file: a token or an id, then how often it occurs.

    A first line of headings is skipped; a token that comes again is added up.

    Raises
    ------
    SourceError
        If the file is too large, is not UTF-8 or JSON, or no line of it holds a count.
    """
    refuse_large(name, len(data))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceError(f"{name} is not UTF-8 text. Save the counts as UTF-8.") from error
    found: dict[str, float] = {}
    bad = 0
    for position, entry in enumerate(_entries(name, text)):
        count = _count(entry)
        if count is not None:
            found[str(entry[0])] = found.get(str(entry[0]), 0.0) + count
        elif position or len(entry) != 2 or _is_number(entry[1]):  # else a line of headings
            bad += 1
    if math.isinf(sum(found.values())):
        raise SourceError(f"The counts of {name} are too large to be added up. Scale them down.")
    if not sum(found.values()) > 0:
        raise SourceError(
            f"No line of {name} holds a token and a count above 0. Expected lines such as "
            "`the,22038` or `1996,22038` (token or id, then its count)."
        )
    by_id = all(token.isascii() and token.isdigit() for token in found)
    return Counts(name, hashlib.sha256(data).hexdigest(), found, by_id, bad)


def refuse_large(name: str, size: int) -> None:
    """Raise `SourceError` for a file that is too large to be read."""
    if size > LARGEST:
        raise SourceError(
            f"{name} has {size:,} bytes; a file of counts may have {LARGEST:,}. Keep its most "
            "frequent tokens only."
        )


def _entries(name: str, text: str) -> Iterable[list[Any]]:
    if name.lower().endswith(".json"):
        try:
            content = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise SourceError(f"{name} is not JSON that can be read: {error}") from error
        listed = list(content.items()) if isinstance(content, dict) else content
        if not isinstance(listed, list):
            raise SourceError(f"{name} holds no counts. Expected an object of tokens and counts.")
        return [list(each) if isinstance(each, list | tuple) else [] for each in listed]
    delimiter = _delimiter(name, text.partition("\n")[0])
    return _lines(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


def _delimiter(name: str, first: str) -> str:
    """What parts the first line in a token and a number; else in two, as headings are."""
    parted = {}
    for each in "\t,;":
        parts = next(_lines(csv.reader([first], delimiter=each)), [])
        if len(parts) == 2 and parts[0]:
            parted[each] = parts[1]
    counted = [each for each, count in parted.items() if _is_number(count)]
    if "," in counted and _is_number(parted.get(";", "").replace(",", ".")):
        raise SourceError(
            f"The first line of {name} can be read with a comma and with a semicolon between token "
            "and count. Write counts with a decimal point."
        )
    return next(iter([*counted, *parted]), ",")


def _lines(reader: Iterator[list[str]]) -> Iterator[list[str]]:
    while True:
        try:
            line = next(reader)
        except StopIteration:
            return
        except csv.Error:
            line = ["", "", ""]  # counted among the bad
        if line:
            yield line


def _count(entry: list[Any]) -> float | None:
    """How often, None where it is not a number from 0 up beside a token."""
    if len(entry) != 2 or not isinstance(entry[0], str | int):
        return None
    if not _is_number(entry[1]):
        return None
    count = float(entry[1])
    return count if math.isfinite(count) and count >= 0 else None


def _is_number(written: Any) -> bool:
    try:
        float(written)
    except (OverflowError, TypeError, ValueError):
        return False
    return True


def matched(table: EmbeddingTable, counts: Counts) -> Matched:
    """The counts of a table's tokens, by id or by exact text; remembered with the table.

    A token's text is matched as a person reads it (" the") or as the vocabulary spells it ("Ġthe");
    of several tokens with one text the lowest id has the count.
    """
    return table.remember(("counts", counts.digest), lambda: _match(table, counts))


def _match(table: EmbeddingTable, counts: Counts) -> Matched:
    ids = {} if counts.by_id else _ids_by_text(table)
    values, known = np.zeros(table.rows), 0
    for token, count in counts.of.items():
        at = (int(token) if len(token) < 19 else None) if counts.by_id else ids.get(token)
        if at is not None and at < table.rows:
            values[at] += count
            known += 1
    return Matched(values, known, len(counts.of))


def _ids_by_text(table: EmbeddingTable) -> dict[str, int]:
    vocabulary = table.vocabulary
    found: dict[str, int] = {}
    ids = sorted(vocabulary.entries)
    for token_id in ids:
        found.setdefault(vocabulary.text(token_id), token_id)
    for token_id in ids:  # exact texts go before spellings
        found.setdefault(vocabulary.entries[token_id], token_id)
    return found
