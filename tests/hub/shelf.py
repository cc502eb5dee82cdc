"""What the stand-in hub holds: repositories, their commits, and the ways they can misbehave."""

import hashlib
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

_LFS = {".safetensors", ".bin", ".gguf", ".pt"}
_POINTER = b"version https://git-lfs"

Kind = Literal["status", "drop", "whole", "wrong range", "short", "slow", "changing etag"]


@dataclass
class Fault:
    """One way to misbehave.

    Attributes
    ----------
    kind
        "status": answer with the status `value` (a 429 says Retry-After: 30);
        "drop": close the connection after `value` bytes of a body;
        "whole": ignore Range, a 200 with the whole file;
        "wrong range": a Content-Range that starts `value` bytes later than what was asked for;
        "short": a complete answer that is `value` bytes shorter than what was asked for;
        "slow": `value` bytes a second;
        "changing etag": another ETag with every answer.
    times
        How many answers it spoils; None for all. Only "status" and "changing etag" spoil answers
        without a file's bytes in them, a HEAD among them.
    path
        Pattern of the file's path in the repository, or of the whole path that was asked for.
    """

    kind: Kind
    value: int = 0
    times: int | None = None
    path: str = "*"

    def take(self, *paths: str) -> bool:
        """Whether it is this answer's turn; counts it."""
        if self.times == 0 or not any(fnmatch(path, self.path) for path in paths):
            return False
        if self.times is not None:
            self.times -= 1
        return True


@dataclass
class Repository:
    """One repository: a folder for each revision, and who may read it.

    Attributes
    ----------
    token
        The token that has access where it is private or gated; None where nobody has.
    redirected
        Whether weights are answered with a 302 to another host, as the real hub does.
    information
        What else its API answer says, such as `safetensors`.
    """

    name: str
    revisions: dict[str, Path]
    private: bool = False
    gated: bool = False
    token: str | None = None
    redirected: bool = False
    information: dict[str, Any] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def folder(self, revision: str) -> Path | None:
        """The folder of a branch, a tag or a commit."""
        if revision in self.revisions:
            return self.revisions[revision]
        return next((each for each in self.revisions.values() if commit(each) == revision), None)


@dataclass(frozen=True)
class Stored:
    """A file as git and LFS know it."""

    path: str
    size: int
    blob: str
    sha256: str
    lfs: bool

    @property
    def etag(self) -> str:
        """For LFS the hash of the contents, else git's hash of the blob."""
        return self.sha256 if self.lfs else self.blob

    def described(self) -> dict[str, Any]:
        """As the API describes it when asked for blobs."""
        lfs = {"sha256": self.sha256, "size": self.size, "pointerSize": 134}
        about = {"rfilename": self.path, "size": self.size, "blobId": self.blob}
        return {**about, "lfs": lfs} if self.lfs else about


def stored(folder: Path, path: str) -> Stored | None:
    """The file of that path in a folder; None where there is none."""
    place = (folder / path).resolve()
    if not place.is_file() or not place.is_relative_to(folder.resolve()):
        return None
    state = place.stat()
    return _stored(place, path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=1000)
def _stored(place: Path, path: str, size: int, changed: int) -> Stored:
    contents = place.read_bytes()
    blob = hashlib.sha1(b"blob %d\0" % size + contents).hexdigest()
    lfs = place.suffix in _LFS and not contents.startswith(_POINTER)
    return Stored(path, size, blob, hashlib.sha256(contents).hexdigest(), lfs)


def listing(folder: Path) -> list[Stored]:
    """All files of a folder, by path."""
    paths = sorted(each.relative_to(folder).as_posix() for each in folder.rglob("*"))
    return [each for each in (stored(folder, path) for path in paths) if each is not None]


def commit(folder: Path) -> str:
    """40 hex digits that change with the contents."""
    entries = "\n".join(f"{each.blob} {each.path}" for each in listing(folder))
    return hashlib.sha1(entries.encode()).hexdigest()
