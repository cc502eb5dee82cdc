"""What a single file is, by how it begins: the suffix alone says little (a .bin is four things)."""

import gzip
import re
import zlib
from pathlib import Path
from typing import Literal

from embgeo.errors import SourceError

Format = Literal["safetensors", "gguf", "pickle", "vectors", "random"]
VectorsKind = Literal["word2vec text", "word2vec binary", "GloVe text", "NumPy array", "NumPy zip"]

HEADER = re.compile(rb"[ \t]*([0-9]{1,12})[ \t]+([0-9]{1,12})[ \t\r]*\n")
"""First line of word2vec's formats and of fastText's .vec: how many words, how many values each."""
NUMBER = re.compile(
    rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|[+-]?nan|[+-]?inf", re.IGNORECASE
)
"""A value as a text of word vectors spells it."""
VALUE = re.compile(rb"[+-]?[0-9]*\.[0-9]+(?:e[+-]?[0-9]+)?|[0-9.]+e[+-]?[0-9]+", re.IGNORECASE)
"""A number that can only be a value, where a whole number may be a word."""
PICKLES = (".bin", ".pt", ".pth")
"""Suffixes of the files that PyTorch writes itself."""

_GZIP, _ZIP, _NPY, _FASTTEXT = b"\x1f\x8b", b"PK", b"\x93NUMPY", b"\xba\x16\x4f\x2f"
_HEAD = 4096
_ADVICE = (
    "Give a folder, or a .safetensors, .gguf, .bin, .pt, .npy, .npz file or word vectors "
    "(word2vec, GloVe, fastText .vec)."
)


def format_of(path: Path) -> Format:
    """The format of one weight file.

    Raises
    ------
    SourceError
        If it is of a kind that holds no table, or none that embgeo reads, or cannot be read.
    """
    if path.suffix in {".safetensors", ".gguf"}:
        return "gguf" if path.suffix == ".gguf" else "safetensors"
    head = beginning(path)
    _refuse(path, head)
    if head.startswith(b"GGUF"):
        return "gguf"
    if _kind(path, head) is not None:
        return "vectors"
    if head.startswith((_ZIP, b"\x80")) or path.suffix in PICKLES:
        return "pickle"
    raise SourceError(f"{path.name} is no file of weights that embgeo reads. {_ADVICE}")


def vectors_kind(path: Path) -> VectorsKind:
    """Which way of writing word vectors a file follows.

    Raises
    ------
    SourceError
        If it follows none, or cannot be read.
    """
    kind = _kind(path, beginning(path))
    if kind is None:
        raise SourceError(f"{path.name} holds no word vectors. {_ADVICE}")
    return kind


def holds_vectors(path: Path) -> bool:
    """Whether a file is word vectors, not a list of words.

    Raises
    ------
    SourceError
        If it cannot be read.
    """
    return _kind(path, beginning(path)) is not None


def beginning(path: Path) -> bytes:
    """The first bytes of a file, unpacked where it is gzipped.

    Raises
    ------
    SourceError
        If it cannot be read.
    """
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
        if head.startswith(_GZIP):
            with gzip.open(path) as unpacked:
                return unpacked.read(_HEAD)
    except (EOFError, zlib.error):
        raise SourceError(
            f"{path.name} is a gzip file that is cut short; fetch it again."
        ) from None
    except OSError as error:
        reason = error.strerror or "no valid gzip file"
        raise SourceError(f"{path.name} cannot be read: {reason}.") from error
    return head


def _refuse(path: Path, head: bytes) -> None:
    """Refuse what is often taken for word vectors, with the way from there to them."""
    if head.startswith(_FASTTEXT):
        raise SourceError(
            f"{path.name} is a fastText model, not its table alone; give the .vec file of it."
        )
    if head.startswith(b"\x80") and b"gensim" in head:
        raise SourceError(
            f"{path.name} is a pickle of gensim's, which is not opened since that can run code. In "
            "gensim, write it with save_word2vec_format(…, binary=True) and give that file."
        )
    if head.startswith(_ZIP) and path.suffix not in {".npz", ".ckpt", *PICKLES}:
        raise SourceError(f"{path.name} is a zip archive; unpack it and give the file inside.")
    if head.startswith(_NPY) and path.name.endswith(".gz"):
        raise SourceError(f"{path.name} is a gzipped array; unpack it, then it can be mapped.")


def _kind(path: Path, head: bytes) -> VectorsKind | None:
    if head.startswith(_NPY):
        return "NumPy array"
    if head.startswith(_ZIP):
        return "NumPy zip" if path.suffix == ".npz" else None
    header = HEADER.match(head)
    if header is None:
        return "GloVe text" if _begins_with_values(head) else None
    line = _fields(head[header.end() :])
    # A word may have blanks in it, so the later half of the line is looked at.
    later = line[len(line) // 2 :]
    text = len(line) != 1 and all(map(NUMBER.fullmatch, later))
    return "word2vec text" if text else "word2vec binary"


def _begins_with_values(head: bytes) -> bool:
    """Whether the first line is a word and at least two values."""
    line = _fields(head)
    values = len(line) > 2 and all(map(NUMBER.fullmatch, line[-max(2, len(line) // 2) :]))
    return values and not VALUE.fullmatch(line[0])


def _fields(head: bytes) -> list[bytes]:
    """The fields of the first line; without the last one where the line goes on."""
    line, end, _ = head.partition(b"\n")
    fields = line.split()
    return fields if end or len(head) < _HEAD // 2 else fields[:-1]
