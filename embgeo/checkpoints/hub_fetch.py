"""One tensor of a hub repository, fetched into a file of its own: a safetensors file like any.

What an earlier attempt has written is gone on with, since a commit never changes; a checksum of all
bytes is written into the file's header last, and compared whenever the file is opened.
"""

import json
import time
import zlib
from collections import deque
from pathlib import Path
from typing import BinaryIO

from embgeo.checkpoints.hub_headers import header
from embgeo.checkpoints.stored import StoredTable, StoredTensor
from embgeo.jobs import Progress
from embgeo.quantities import bytes_text
from embgeo.sources import Files
from embgeo.sources.hub import Repository
from embgeo.sources.ranges import stream_range

_BLOCK = 2**20
_OFTEN = 0.1  # seconds between two reports


def fetch_table(files: Files, table: StoredTable, path: Path, progress: Progress) -> None:
    """Make `path` a safetensors file with this one table, called "weight".

    Raises
    ------
    SourceError
        If the bytes cannot be read; what was read stays in the file.
    """
    repository = files.repository
    assert repository is not None
    tensor = header(repository, table.file)[table.tensor]
    assert tensor.span is not None
    begin, end = tensor.span
    head = _head(tensor, 0)
    _keep_if_ours(path, head, end - begin)
    with path.open("r+b") as out:
        done, crc = _read_again(out, len(head))
        report = _Report(repository.hub_id, end - begin, done, progress)

        def take(block: bytes) -> None:
            nonlocal crc
            out.write(block)
            crc = zlib.crc32(block, crc)
            report(len(block))

        stream_range(repository, tensor.file, (begin + done, end), take)
        out.seek(0)
        out.write(_head(tensor, crc))


def fetch_whole(repository: Repository, name: str, path: Path, progress: Progress) -> None:
    """Make `path` a copy of a whole file: for formats that have no header to read alone.

    Raises
    ------
    SourceError
        As `fetch_table`.
    """
    size = repository.sizes[name]
    with path.open("ab") as out:
        report = _Report(repository.hub_id, size, out.tell(), progress)

        def take(block: bytes) -> None:
            out.write(block)
            report(len(block))

        stream_range(repository, name, (out.tell(), size), take)


def _head(tensor: StoredTensor, crc: int) -> bytes:
    """The header of the file; of one length whatever the checksum."""
    assert tensor.span is not None
    entry = {
        "dtype": tensor.dtype,
        "shape": tensor.shape,
        "data_offsets": [0, tensor.span[1] - tensor.span[0]],
    }
    meta = {"crc": f"{crc:010d}", "facts": "null"}
    text = json.dumps({"__metadata__": meta, "weight": entry}, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # the numbers begin at a multiple of eight
    return len(text).to_bytes(8, "little") + text


def _keep_if_ours(path: Path, head: bytes, size: int) -> None:
    """Begin anew where an earlier attempt left anything but the beginning of this very file."""
    if path.exists():
        with path.open("rb") as file:
            ours = file.read(len(head)) == head and path.stat().st_size <= len(head) + size
        if ours:
            return
    path.write_bytes(head)


def _read_again(file: BinaryIO, start: int) -> tuple[int, int]:
    """Bytes after the header, and their checksum."""
    file.seek(start)
    done = crc = 0
    while block := file.read(_BLOCK):
        done, crc = done + len(block), zlib.crc32(block, crc)
    return done, crc


class _Report:
    """Says how many bytes there are, of how many, and how fast they come."""

    def __init__(self, name: str, size: int, done: int, progress: Progress) -> None:
        self.name, self.size, self.done, self.progress = name, size, done, progress
        self.recent = deque([(time.monotonic(), done)], maxlen=30)
        self._say(0.0)

    def __call__(self, count: int) -> None:
        self.done += count
        now = time.monotonic()
        if now - self.recent[-1][0] < _OFTEN and self.done < self.size:
            return
        then, had = self.recent[0]
        self.recent.append((now, self.done))
        self._say((self.done - had) / max(1e-6, now - then))

    def _say(self, rate: float) -> None:
        speed = f", {bytes_text(rate)}/s" if rate else ""
        self.progress(
            self.done / max(1, self.size),
            f"{self.name}: {bytes_text(self.done)} of {bytes_text(self.size)}{speed}",
        )
