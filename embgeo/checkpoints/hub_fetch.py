"""One tensor of a hub repository, fetched into a file of its own: a safetensors file like any.

What an earlier attempt has written is gone on with, since a commit never changes, as far as the
checksum in the file's header is right; it is compared again whenever the file is opened.
"""

import json
import re
import time
import zlib
from collections import deque
from pathlib import Path

from embgeo.checkpoints.hub_headers import header
from embgeo.checkpoints.stored import StoredTable, StoredTensor
from embgeo.errors import SourceError
from embgeo.jobs import Progress
from embgeo.quantities import bytes_text
from embgeo.sources import Files
from embgeo.sources.hub import Repository
from embgeo.sources.ranges import stream_range

_BLOCK = 2**20
_SAID_EVERY = (
    2**24
)  # bytes after which the header follows; fewer are lost where a process is killed
_META = re.compile(rb'"done":"([0-9]{16})","crc":"([0-9]{10})"')
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
    with _Growing(path, tensor) as out:
        report = _Report(repository.hub_id, end - begin, out.done, progress)

        def take(block: bytes) -> None:
            out.take(block)
            report(len(block))

        stream_range(repository, tensor.file, (begin + out.done, end), take)


def fetch_whole(repository: Repository, name: str, path: Path, progress: Progress) -> None:
    """Make `path` a copy of a whole file: for formats that have no header to read alone.

    Raises
    ------
    SourceError
        As `fetch_table`.
    """
    size = repository.sizes[name]
    if size < 0:
        raise SourceError(
            f"The hub does not say how long {name} of {repository.hub_id} is, so that it cannot be "
            "told when it is whole. Download the model and give its folder."
        )
    with path.open("ab") as out:
        report = _Report(repository.hub_id, size, out.tell(), progress)

        def take(block: bytes) -> None:
            out.write(block)
            report(len(block))

        stream_range(repository, name, (out.tell(), size), take)


class _Growing:
    """The file while it grows: its header says how much is there, and the checksum of that."""

    def __init__(self, path: Path, tensor: StoredTensor) -> None:
        self.path, self.tensor = path, tensor
        self.done = self.crc = self._said = 0

    def __enter__(self) -> "_Growing":
        self.path.touch()
        self._file = self.path.open("r+b")
        self._take_up()
        return self

    def __exit__(self, *_: object) -> None:
        with self._file:
            self._say()

    def take(self, block: bytes) -> None:
        """Write what comes next."""
        self._file.write(block)
        self.done += len(block)
        self.crc = zlib.crc32(block, self.crc)
        if self.done - self._said > _SAID_EVERY:
            self._say()

    def _say(self) -> None:
        head = _head(self.tensor, self.done, self.crc)
        self._file.seek(0)
        self._file.write(head)
        self._file.seek(len(head) + self.done)
        self._said = self.done

    def _take_up(self) -> None:
        """Go on with what is there, as far as its checksum is right; else begin anew."""
        blank = _head(self.tensor, 0, 0)
        meta = _META.search(self._file.read(len(blank)))
        done, crc = (int(meta[1]), int(meta[2])) if meta else (0, 0)
        self._file.seek(0)
        ours = self._file.read(len(blank)) == _head(self.tensor, done, crc)
        if ours and self._checksum(done) == crc:
            self.done, self.crc = done, crc
        self._file.truncate(len(blank) + self.done)
        self._say()

    def _checksum(self, size: int) -> int:
        """Checksum of so many bytes behind the header, or of fewer where there are no more."""
        crc = 0
        while size > 0 and (block := self._file.read(min(size, _BLOCK))):
            size, crc = size - len(block), zlib.crc32(block, crc)
        return -1 if size else crc


def _head(tensor: StoredTensor, done: int, crc: int) -> bytes:
    """The header of the file; of one length whatever is there."""
    assert tensor.span is not None
    entry = {
        "dtype": tensor.dtype,
        "shape": tensor.shape,
        "data_offsets": [0, tensor.span[1] - tensor.span[0]],
    }
    meta = {"done": f"{done:016d}", "crc": f"{crc:010d}", "facts": "null"}
    text = json.dumps({"__metadata__": meta, "weight": entry}, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # the numbers begin at a multiple of eight
    return len(text).to_bytes(8, "little") + text


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
