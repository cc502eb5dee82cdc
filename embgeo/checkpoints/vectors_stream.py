"""Word vectors as text or in word2vec's binary, entry by entry: a word and its numbers' bytes."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, cast

from embgeo.checkpoints.damage import damaged, unreadable
from embgeo.errors import CheckpointError
from embgeo.sources.formats import HEADER, NUMBER, VALUE, VectorsKind, beginning

if TYPE_CHECKING:
    import numpy as np

_WIDEST = 65_536
_BLOCK = 2**22
_LONGEST_LINE, _LONGEST_WORD = 2**24, 2**16
_BLANKS = b" \t\r\n"


class Entry(NamedTuple):
    """A word and its numbers, both as the file has them."""

    word: bytes
    numbers: bytes


@dataclass(frozen=True)
class StreamLayout:
    """How the entries are written.

    Attributes
    ----------
    rows
        How many words the first line says there are; None where there is no such line.
    dim
        Values of each word.
    binary
        Whether they are float32 numbers instead of text.
    """

    rows: int | None
    dim: int
    binary: bool


def layout_of(path: Path, kind: VectorsKind) -> StreamLayout:
    """The layout that the beginning of a file shows.

    Raises
    ------
    CheckpointError
        If the first line asks for no or absurdly many values, or the file cannot be read.
    """
    header = HEADER.match(beginning(path))
    if kind == "GloVe text" or header is None:
        with _opened(path) as file:
            fields = file.readline(_LONGEST_LINE).split()
        rows, dim = None, min(_values(fields), len(fields) - 1)
    else:
        rows, dim = int(header[1]), int(header[2])
    if not 0 < dim <= _WIDEST:
        raise CheckpointError(
            f"{path.name} says that each word has {dim:,} values; embgeo reads 1 to {_WIDEST:,}. "
            "Check its first line."
        )
    return StreamLayout(rows, dim, kind == "word2vec binary")


def entries(path: Path, layout: StreamLayout) -> Iterator[Entry]:
    """Every entry of the file, in order.

    Raises
    ------
    CheckpointError
        If the file is damaged, or a line has another number of values than it should.
    """
    with _opened(path) as file:
        if layout.rows is not None:
            file.readline()
        if layout.binary:
            yield from _binary(path, file, layout)
        else:
            yield from _lines(path, file, layout)


def numbers(
    path: Path, layout: StreamLayout, batch: Sequence[Entry], start: int
) -> np.ndarray[Any, np.dtype[np.float32]]:
    """The numbers of consecutive entries, of which the first is word `start`: (n, dim) float32.

    Raises
    ------
    CheckpointError
        If a value is no number; the text names the line.
    """
    import numpy as np

    if layout.binary:
        joined = b"".join(entry.numbers for entry in batch)
        return np.frombuffer(joined, dtype="<f4").reshape(-1, layout.dim)
    try:
        # Parsed in C and to the nearest float32; the bytes are ASCII if they are numbers at all.
        texts = (entry.numbers.decode("latin-1") for entry in batch)
        found = np.loadtxt(texts, dtype=np.float32, comments=None, ndmin=2)
        if found.shape == (len(batch), layout.dim):
            return found
        raise ValueError("lines with other numbers of values")
    except ValueError:
        for line, entry in enumerate(batch, start + _first_line(layout)):
            if _values(entry.numbers.split()) != layout.dim:
                raise _wrong(path, line, entry.word + b" " + entry.numbers, layout) from None
        raise CheckpointError(f"{path.name} holds values that are no numbers.") from None


def _lines(path: Path, file: IO[bytes], layout: StreamLayout) -> Iterator[Entry]:
    blank, first = 0, _first_line(layout)
    for number, line in enumerate(iter(partial(file.readline, _LONGEST_LINE), b""), first):
        if len(line) == _LONGEST_LINE:
            raise damaged(path)
        line = line.rstrip(_BLANKS)  # noqa: PLW2901, a name for what is left would hide the loop
        if not line:
            blank = blank or number
            continue
        if blank:  # at the end empty lines mean nothing
            raise _wrong(path, blank, b"", layout)
        if line.count(b" ") == layout.dim:
            word, _, values = line.partition(b" ")
            yield Entry(word, values)
        else:
            yield _odd(path, number, line, layout)


def _odd(path: Path, number: int, line: bytes, layout: StreamLayout) -> Entry:
    """The entry of a line whose word has blanks in it, or none at all, or with other blanks."""
    fields = line.rsplit(None, layout.dim)
    if len(fields) == layout.dim and line[:1] in _BLANKS:
        fields = [b"", *fields]
    if len(fields) != layout.dim + 1 or _ends_in_values(fields[0]):
        raise _wrong(path, number, line, layout)
    return Entry(fields[0], b" ".join(fields[1:]))


def _ends_in_values(word: bytes) -> bool:
    """Whether a word is one with values too many behind it, not one such as ". . ." or "Boeing 7".

    One whole number is taken for a part of the word; two, or anything with a point, for values.
    """
    behind = word.split()[1:]
    return bool(behind) and (VALUE.fullmatch(behind[-1]) is not None or _values(behind) > 1)


def _binary(path: Path, file: IO[bytes], layout: StreamLayout) -> Iterator[Entry]:
    size, at, buffer = 4 * layout.dim, 0, b""
    assert layout.rows is not None
    for row in range(layout.rows):
        blank = buffer.find(b" ", at)
        while blank < 0 or len(buffer) <= blank + size:
            block = file.read(_BLOCK)
            if blank < 0 and len(buffer) - at > _LONGEST_WORD:
                raise damaged(path)
            if not block:
                return  # whoever counts the entries says how many are missing
            buffer, at = buffer[at:] + block, 0
            blank = buffer.find(b" ", at)
        stop = blank + 1 + size
        # Some writers end each entry with a line feed, which is then in front of the next word.
        word = buffer[at:blank].lstrip(b"\n")
        if b"\n" in word:  # a blank in the word before has shifted everything behind it
            raise CheckpointError(
                f"{path.name}, word {row + 1:,}: the numbers before it do not end where they "
                "should. A word with a blank in it, perhaps; the binary format has none."
            )
        yield Entry(word, buffer[blank + 1 : stop])
        at = stop
    if (buffer[at:] + file.read(_BLOCK)).strip(_BLANKS):
        raise CheckpointError(
            f"{path.name} goes on after the {layout.rows:,} words of {layout.dim:,} values that "
            "its first line announces: that line is wrong. Write the file again."
        )


def _values(fields: Sequence[bytes]) -> int:
    """How many fields at the end are numbers."""
    count = 0
    for field in reversed(fields):
        if not NUMBER.fullmatch(field):
            break
        count += 1
    return count


def _first_line(layout: StreamLayout) -> int:
    """The number of the line on which the first word stands."""
    return 1 if layout.rows is None else 2


def _wrong(path: Path, number: int, line: bytes, layout: StreamLayout) -> CheckpointError:
    fields = line.split()
    # A word that is a number itself is no value.
    found = min(_values(fields), max(0, len(fields) - 1))
    return CheckpointError(
        f"{path.name}, line {number:,}: expected a word and {layout.dim:,} values, found "
        f"{found:,} of them. Mend or remove that line."
    )


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    try:
        with path.open("rb") as plain:
            packed = plain.read(2) == b"\x1f\x8b"
            plain.seek(0)
            if packed:
                with gzip.GzipFile(fileobj=plain) as unpacked:
                    yield cast(IO[bytes], unpacked)
            else:
                yield plain
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise damaged(path) from error
    except OSError as error:
        raise unreadable(path, error) from error
