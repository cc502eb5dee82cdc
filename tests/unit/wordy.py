"""Makes word vectors on disk in the ways of word2vec, GloVe, fastText and NumPy."""

import gzip
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from spelled import SIGNS
from spelled import WORDS as WORDY

WORDS = (*WORDY, *SIGNS)


def rows(count: int = len(WORDS), dim: int = 5, seed: int = 0) -> NDArray[np.float32]:
    """(count, dim) float32, of many magnitudes, so that a text has to keep every digit."""
    generator = np.random.default_rng(seed)
    sizes = 10.0 ** generator.integers(-6, 4, (count, 1))
    return (generator.standard_normal((count, dim)) * sizes).astype(np.float32)


def text(
    path: Path,
    words: Sequence[str | bytes] = WORDS,
    values: NDArray[np.float32] | None = None,
    header: str | None = "{rows} {dim}\n",
) -> Path:
    """word2vec's text, or GloVe's without a header; gzipped where the name says so."""
    values = rows(len(words)) if values is None else values
    lines = [] if header is None else [header.format(rows=len(words), dim=values.shape[1]).encode()]
    for word, row in zip(words, values, strict=True):
        spelled = word if isinstance(word, bytes) else word.encode()
        lines.append(spelled + b" " + " ".join(f"{value:.9g}" for value in row).encode() + b"\n")
    return _write(path, b"".join(lines))


def binary(
    path: Path,
    words: Sequence[str] = WORDS,
    values: NDArray[np.float32] | None = None,
    end: bytes = b"\n",
) -> Path:
    """word2vec's binary; some writers end an entry with a line feed, some do not."""
    values = rows(len(words)) if values is None else values
    head = f"{len(words)} {values.shape[1]}\n".encode()
    entries = (
        word.encode() + b" " + row.tobytes() + end for word, row in zip(words, values, strict=True)
    )
    return _write(path, head + b"".join(entries))


def _write(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path
