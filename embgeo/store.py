"""The disk cache: what was read or computed once, kept as safetensors between starts.

An entry is one file: named arrays plus a few JSON facts. It is written beside its place and renamed
into it, so a reader never sees half an entry; small entries carry a checksum; the folder is bounded
by bytes, and what was used longest ago leaves first. A cache that cannot be used is never an error:
reading answers None, writing answers None, and `problem` says why, for a page to tell once.
"""

import contextlib
import errno
import hashlib
import json
import os
import shutil
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from embgeo.settings import settings

Array = np.ndarray[Any, np.dtype[Any]]

_FORMAT = "2"  # part of every key: raise it when what an entry means changes
_SUFFIX = ".safetensors"
_SUFFIXES = {"pickle": ".bin"}  # a file that is kept as it came from a hub
_MOST_ENTRIES = 4096  # small entries cost little room, but each write looks at every entry
_ABANDONED = 3600.0  # seconds after which nobody can still be writing an entry
_FORGOTTEN = 7 * 86400.0  # seconds after which nobody will go on with an entry half fetched


@dataclass(frozen=True)
class Entry:
    """What was stored: arrays by name, and the JSON facts beside them."""

    arrays: Mapping[str, Array]
    facts: dict[str, Any]


class Store:
    """A bounded folder of entries, safe for several processes at once.

    Parameters
    ----------
    folder
        Where entries are kept; made on the first write.
    limit
        Bytes above which the least recently used entries are removed.
    """

    def __init__(self, folder: Path, limit: int) -> None:
        self.folder = folder
        self.limit = limit
        self.problem: str | None = None

    def probe(self) -> None:
        """Find out whether the folder can be used, so that `problem` is known from the start."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=self.folder, prefix="writing-"):
                pass
        except OSError as error:
            self._cannot_use(error)

    def read(self, *key: str) -> Entry | None:
        """The entry kept under `key`, or None where there is none that can be trusted."""
        path = self.file(*key)
        if path is None:
            return None
        try:
            with safe_open(path, framework="np") as file:
                meta = file.metadata()
                arrays = {name: file.get_tensor(name) for name in sorted(file.keys())}
            if int(meta["crc"]) != checksum(arrays.values()):
                raise ValueError("checksum differs")
            return Entry(arrays, json.loads(meta["facts"]))
        except OSError as error:
            self._cannot_use(error)
        except (SafetensorError, ValueError, KeyError, TypeError):
            with contextlib.suppress(OSError):  # a damaged entry is as good as none: computed again
                path.unlink()
        return None

    def file(self, *key: str) -> Path | None:
        """The file of an entry, for whoever maps it into memory instead of reading it.

        Its metadata has a `checksum` ("crc") that the reader compares.
        """
        path = self._path(key)
        try:
            os.utime(path)  # "used just now", which is what eviction goes by
        except FileNotFoundError:
            return None
        except OSError as error:
            self._cannot_use(error)
            return None
        return path

    def write(self, *key: str, arrays: Mapping[str, Array], facts: Any = None) -> Path | None:
        """Keep arrays and JSON facts under `key`; None (and `problem`) where that is impossible."""
        whole = {name: np.ascontiguousarray(arrays[name]) for name in sorted(arrays)}
        meta = {"facts": json.dumps(facts), "crc": str(checksum(whole.values()))}
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._make_room(sum(array.nbytes for array in whole.values()))
            with tempfile.TemporaryDirectory(dir=self.folder, prefix="writing-") as beside:
                part = Path(beside, "entry")
                save_file(whole, part, metadata=meta)
                os.replace(part, self._path(key))
        except OSError as error:
            self._cannot_use(error)
            return None
        return self._path(key)

    def grow(self, *key: str, size: int, fill: Callable[[Path], None]) -> Path:
        """The file of an entry that takes long to write, begun again where it was left.

        Parameters
        ----------
        size
            Bytes that the entry will have.
        fill
            Completes the file it is given, which holds what an earlier attempt had written, or is
            not there. What it raises is passed on, and what it has written stays for the next time.

        Raises
        ------
        OSError
            If the folder cannot be written, or too little room is left.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        whole = self._path(key)
        part = self.folder / f"growing-{whole.stem}"
        with _alone(part.with_suffix(".lock")):
            kept = self.file(*key)  # somebody else may have been at it
            if kept is not None:
                return kept
            self._make_room(size)
            have = part.stat().st_size if part.exists() else 0
            free = shutil.disk_usage(self.folder).free
            if free < size - have:
                raise OSError(errno.ENOSPC, f"{size - have:,} bytes are needed, {free:,} are free")
            fill(part)
            os.replace(part, whole)
        return whole

    def _path(self, key: tuple[str, ...]) -> Path:
        digest = hashlib.sha256("\0".join((_FORMAT, *key)).encode()).hexdigest()
        return self.folder / f"{key[0]}-{digest[:32]}{_SUFFIXES.get(key[0], _SUFFIX)}"

    def _entries(self) -> list[Path]:
        suffixes = (_SUFFIX, *_SUFFIXES.values())
        return [path for suffix in suffixes for path in self.folder.glob(f"*{suffix}")]

    def _make_room(self, incoming: int) -> None:
        self._sweep()
        entries = []
        for path in self._entries():
            with contextlib.suppress(FileNotFoundError):  # another process may have been faster
                entries.append((path, path.stat()))
        total = incoming + sum(stat.st_size for _, stat in entries)
        surplus = len(entries) + 1 - _MOST_ENTRIES
        for path, stat in sorted(entries, key=lambda entry: entry[1].st_mtime):
            if total <= self.limit and surplus <= 0:
                break
            surplus -= 1
            with contextlib.suppress(OSError):
                path.unlink()
            total -= stat.st_size

    def _sweep(self) -> None:
        """Remove what writers that were killed have left half done."""
        for part in self.folder.glob("writing-*"):
            with contextlib.suppress(OSError):
                if time.time() - part.stat().st_mtime > _ABANDONED:
                    shutil.rmtree(part)
        for part in self.folder.glob("growing-*"):
            with contextlib.suppress(OSError):
                if time.time() - part.stat().st_mtime > _FORGOTTEN:
                    part.unlink()

    def _cannot_use(self, error: OSError) -> None:
        self.problem = (
            f"The cache folder {self.folder} cannot be used "
            f"({error.strerror or type(error).__name__}). Everything still works, but is read and "
            "computed again on every start: point EMBGEO_CACHE at a folder that can be written."
        )


@contextlib.contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Held by one process and one thread at a time."""
    from huggingface_hub.utils import WeakFileLock

    with WeakFileLock(lock):
        yield


_stores: dict[tuple[Path, int], Store] = {}


def default_store() -> Store:
    """The store that the environment names; one object per folder, so `problem` is shared."""
    now = settings()
    key = (now.cache_folder, now.cache_bytes)
    if key not in _stores:
        _stores.setdefault(key, Store(*key)).probe()
    return _stores[key]


def checksum(arrays: Iterable[Array]) -> int:
    """CRC-32 of the bytes of some arrays, in order."""
    crc = 0
    for array in arrays:
        crc = zlib.crc32(array.reshape(-1).view(np.uint8).data, crc)
    return crc
