"""What the environment decides: device, memory, cache folder and its size, what is allowed.

Read on every call, never cached: a test or a host changes a variable and the next call sees it.
"""

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from embgeo.errors import EmbgeoError

_GIB = 2**30
_UNKNOWN = 8 * _GIB  # taken for the memory of a machine that does not tell
# Where a container is told how much of the machine's memory it may use.
_CONTAINER = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


@dataclass(frozen=True)
class Settings:
    """The EMBGEO_* variables, read and checked.

    Attributes
    ----------
    device
        ``EMBGEO_DEVICE``: "cpu", "cuda", "cuda:1", "mps"; None chooses by itself.
    cache_folder
        ``EMBGEO_CACHE``: where tables and statistics are kept between starts.
    cache_bytes
        ``EMBGEO_CACHE_GIB`` (default 20) in bytes: above it the least recently used leave.
    memory_bytes
        ``EMBGEO_MEMORY_GIB`` (default: half of this machine's memory) in bytes: what all tables and
        what is computed from them may take together; above it the least recently used leave.
    allow_local
        ``EMBGEO_ALLOW_LOCAL`` (default 1): whether a person may name a path on this machine;
        a hosted demo sets 0.
    allow_hub
        ``EMBGEO_ALLOW_HUB`` (default 1): whether a person may name a model on the hub.
    allow_pickle
        ``EMBGEO_ALLOW_PICKLE`` (default: as allow_local): whether PyTorch's own files (.bin, .pt)
        are opened, by its restricted reader, which runs nothing.
    """

    device: str | None
    cache_folder: Path
    cache_bytes: int
    memory_bytes: int
    allow_local: bool
    allow_hub: bool
    allow_pickle: bool


def settings() -> Settings:
    """The settings as the environment has them now.

    Raises
    ------
    EmbgeoError
        If a variable does not parse; the text names it and what it takes.
    """
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    local = _allowed("EMBGEO_ALLOW_LOCAL", True)
    return Settings(
        device=os.environ.get("EMBGEO_DEVICE") or None,
        cache_folder=Path(os.environ.get("EMBGEO_CACHE") or Path(home) / "embgeo").expanduser(),
        cache_bytes=int(_positive("EMBGEO_CACHE_GIB", 20.0) * _GIB),
        memory_bytes=int(_positive("EMBGEO_MEMORY_GIB", _physical() / 2 / _GIB) * _GIB),
        allow_local=local,
        allow_hub=_allowed("EMBGEO_ALLOW_HUB", True),
        allow_pickle=_allowed("EMBGEO_ALLOW_PICKLE", local),
    )


def _allowed(name: str, default: bool) -> bool:
    text = os.environ.get(name, "").lower()
    return text not in {"0", "false", "no"} if text else default


def _positive(name: str, default: float) -> float:
    text = os.environ.get(name)
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < float("inf"):
        raise EmbgeoError(f"{name} must be a positive number, found {text!r}.")
    return value


def _physical() -> int:
    """Bytes of memory that this process can hope for: the machine's, or its container's share."""
    try:
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # not every system has these
        machine = 0
    return min([machine if machine > 0 else _UNKNOWN, *_container_limits()])


def _container_limits() -> list[int]:
    limits = []
    for place in _CONTAINER:
        with contextlib.suppress(OSError):
            limits.append(Path(place).read_text(encoding="ascii").strip())
    return [int(limit) for limit in limits if limit.isdecimal()]  # "max" is none
