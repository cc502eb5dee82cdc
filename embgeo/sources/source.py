"""The value that names a table everywhere: in a link, on the command line, in a cache key."""

import os
import re
from dataclasses import dataclass
from typing import Literal

from embgeo.errors import SourceError
from embgeo.settings import settings
from embgeo.sources.packaged import PACKAGED

LARGEST_RANDOM = 600_000_000
"""Most numbers a generated table may hold (2.4 GB in float32)."""
LARGEST_HOSTED = 60_000_000
"""The same where strangers may ask for it: where paths on this machine are switched off."""

_RANDOM = re.compile(r"random:([0-9]{1,10})[x×]([0-9]{1,10})", re.IGNORECASE)


@dataclass(frozen=True)
class TableSource:
    """Where a table comes from, before anything is opened.

    Attributes
    ----------
    kind
        "packaged", "local" or "random".
    text
        The canonical spelling, which :func:`parse_source` reads back to an equal value: "minilm",
        an absolute path, "random:1000x64".
    """

    kind: Literal["packaged", "local", "random"]
    text: str

    @property
    def label(self) -> str:
        """A short name for people: of a path only its last part.

        >>> TableSource("local", "/models/gpt2").label
        'gpt2'
        """
        return os.path.basename(self.text) or self.text if self.kind == "local" else self.text

    @property
    def shape(self) -> tuple[int, int] | None:
        """Rows and dim of a random table; None where the files decide."""
        match = _RANDOM.fullmatch(self.text) if self.kind == "random" else None
        return (int(match[1]), int(match[2])) if match else None


def parse_source(text: str) -> TableSource:
    """The source that a person's text names; nothing is opened yet.

    A packaged name wins over a file of the same name (write ``./minilm`` for the file); then
    ``random:VxD``; anything else is a path.

    Raises
    ------
    SourceError
        If the text is empty, an unknown bare word, a malformed or too large ``random:``, or a
        path where paths are switched off.

    Examples
    --------
    >>> parse_source("Random:1000×064")
    TableSource(kind='random', text='random:1000x64')
    """
    text = text.strip()
    if not text:
        raise SourceError(f"No model was named. {_known()}")
    if text in PACKAGED:
        return TableSource("packaged", text)
    if text.lower().startswith("random:"):
        return _parse_random(text)
    return _parse_path(text)


def _parse_random(text: str) -> TableSource:
    match = _RANDOM.fullmatch(text)
    rows, dim = (int(match[1]), int(match[2])) if match else (0, 0)
    if rows < 1 or dim < 1:
        raise SourceError(
            f"A random table is written random:ROWSxDIM, as in random:1000x64; found {text!r}."
        )
    largest = LARGEST_RANDOM if settings().allow_local else LARGEST_HOSTED
    if rows * dim > largest:
        raise SourceError(
            f"{text} would hold {rows * dim:,} numbers; at most {largest:,} are generated. "
            "Ask for fewer rows or dimensions."
        )
    return TableSource("random", f"random:{rows}x{dim}")


def _parse_path(text: str) -> TableSource:
    bare = not any(mark in text for mark in (os.sep, os.altsep) if mark)
    allowed = settings().allow_local
    path = os.path.abspath(os.path.expanduser(text))
    # Whether a path exists is told only where paths are allowed at all.
    if bare and not (allowed and os.path.exists(path)):
        raise SourceError(f"{text!r} is not a model that embgeo knows. {_known()}")
    if not allowed:
        raise SourceError(
            f"{text!r} is a path, and local paths are switched off on this server. {_known()}"
        )
    return TableSource("local", path)


def _known() -> str:
    places = " or a path to a folder, .safetensors or .gguf file" if settings().allow_local else ""
    return f"Name one of {', '.join(PACKAGED)}, random:ROWSxDIM{places}; hub ids are not read yet."
