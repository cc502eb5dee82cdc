"""Word vectors: one row per word, in the formats of word2vec, GloVe, fastText and NumPy.

Texts and binaries are read as a stream, twice: once for the words, so that a wrong count is noticed
before a table of that size is made, and once for the numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from embgeo.checkpoints import vectors_array
from embgeo.checkpoints.stored import StoredTable
from embgeo.checkpoints.vectors_stream import Entry, StreamLayout, entries, layout_of, numbers
from embgeo.checkpoints.word_lists import WordList, array_words, without_repeats
from embgeo.errors import CheckpointError
from embgeo.jobs import Progress, silent
from embgeo.sources.formats import vectors_kind

if TYPE_CHECKING:
    import torch

NAME = "word vectors"
_BATCH = 2**20  # numbers parsed at once


@dataclass(frozen=True)
class _Scanned:
    """What one pass over a text or binary found."""

    layout: StreamLayout
    words: tuple[bytes, ...]


def facts(path: Path, wanted: str = "") -> StoredTable:
    """The facts of the one table in a file of word vectors.

    Raises
    ------
    CheckpointError
        If the file is damaged, a line has another number of values than the first, there are
        not as many words as the first line says, or another tensor is asked for.
    """
    kind = vectors_kind(path)
    if kind.startswith("NumPy"):
        return vectors_array.facts(path, kind, wanted)
    if wanted not in {"", NAME}:
        raise CheckpointError(f"{path.name} holds word vectors only; leave out #{wanted}.")
    found = _scanned(path)
    rows, dim = len(found.words), found.layout.dim
    return StoredTable(
        tensor=NAME,
        file=path.name,
        rows=rows,
        dim=dim,
        dtype="F32",
        quantised=False,
        parameters=rows * dim,
        tied=None,
        tied_reason="word vectors have no output table",
        architecture=kind,
        title=None,
        mapped=False,
    )


def weight(path: Path, table: StoredTable, progress: Progress = silent) -> torch.Tensor:
    """The table (rows, dim), parsed into float32; an array as stored, memory-mapped if it can be.

    Raises
    ------
    CheckpointError
        If a value is no number, or the file was changed since its facts were read.
    """
    import numpy as np
    import torch

    kind = vectors_kind(path)
    if kind.startswith("NumPy"):
        return vectors_array.weight(path, kind, table)
    layout = layout_of(path, kind)
    whole = np.empty((table.rows, table.dim), dtype=np.float32)
    step, start = max(1, _BATCH // max(1, table.dim)), 0
    for batch in _batches(entries(path, layout), step):
        stop = start + len(batch)
        if stop > table.rows or layout.dim != table.dim:
            raise _changed(path)
        whole[start:stop] = numbers(path, layout, batch, start)
        start = stop
        progress(start / table.rows, f"{path.name}: word {start:,} of {table.rows:,}")
    if start != table.rows:
        raise _changed(path)
    return torch.from_numpy(whole)


def word_list(path: Path, rows: int) -> WordList:
    """The words of a file of word vectors, one per row.

    Raises
    ------
    CheckpointError
        As `facts`.
    VocabularyError
        If an array has no list of words, or one that does not fit its rows.
    """
    kind = vectors_kind(path)
    if kind.startswith("NumPy"):
        return array_words(path, kind, rows)
    words = _scanned(path).words
    _last.cache_clear()  # who asks keeps them
    return without_repeats(words)


def _scanned(path: Path) -> _Scanned:
    status = path.stat()
    return _last(path, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=1)
def _last(path: Path, size: int, modified: int) -> _Scanned:
    """The file scanned last: its facts and its words come out of one pass."""
    layout = layout_of(path, vectors_kind(path))
    words = tuple(entry.word for entry in entries(path, layout))
    if layout.rows is not None and len(words) != layout.rows:
        raise CheckpointError(
            f"{path.name} says it holds {layout.rows:,} words, but {len(words):,} whole ones are "
            "there: an incomplete download, or a wrong first line. Fetch it again."
        )
    return _Scanned(layout, words)


def _batches(each: Iterator[Entry], size: int) -> Iterator[list[Entry]]:
    while batch := list(islice(each, size)):
        yield batch


def _changed(path: Path) -> CheckpointError:
    return CheckpointError(f"{path.name} was changed while it was read. Open it again.")
