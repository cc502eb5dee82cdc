"""What the environment decides: device, cache folder and its size, what is allowed.

Read on every call, never cached: a test or a host changes a variable and the next call sees it.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from embgeo.errors import EmbgeoError

_GIB = 2**30


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
    allow_local
        ``EMBGEO_ALLOW_LOCAL`` (default 1): whether a person may name a path on this machine;
        a hosted demo sets 0.
    """

    device: str | None
    cache_folder: Path
    cache_bytes: int
    allow_local: bool


def settings() -> Settings:
    """The settings as the environment has them now.

    Raises
    ------
    EmbgeoError
        If a variable does not parse; the text names it and what it takes.
    """
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Settings(
        device=os.environ.get("EMBGEO_DEVICE") or None,
        cache_folder=Path(os.environ.get("EMBGEO_CACHE") or Path(home) / "embgeo").expanduser(),
        cache_bytes=int(_positive("EMBGEO_CACHE_GIB", 20.0) * _GIB),
        allow_local=os.environ.get("EMBGEO_ALLOW_LOCAL", "1").lower() not in {"0", "false", "no"},
    )


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
