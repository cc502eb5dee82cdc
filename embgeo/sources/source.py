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

_RANDOM = re.compile(r"random:([0-9]{1,18})[x×]([0-9]{1,18})", re.IGNORECASE)
# What the hub takes as an id: letters, digits, and - _ . not at an end, not doubled.
_PART = r"[A-Za-z0-9_](?:[A-Za-z0-9_]|[-.](?![-.]))*(?<![-.])"
_HUB = re.compile(rf"(?P<id>(?:{_PART}/)?{_PART})(?:@(?P<revision>[^\s@#]+))?")
_NO_REVISION = re.compile(r"\.\.|^[./]|[./]$|[\x00-\x1f\x7f~^:?*\[\\]")  # as git has it
_LONGEST_ID = 96
_FILE = re.compile(r"\.(safetensors|gguf|bin|pt|pth|vec|txt|npy|npz|gz|json)$", re.IGNORECASE)


@dataclass(frozen=True)
class TableSource:
    """Where a table comes from, before anything is opened.

    Attributes
    ----------
    kind
        "packaged", "hub", "local" or "random".
    text
        The canonical spelling, which :func:`parse_source` reads back to an equal value: "minilm",
        "owner/name@revision", an absolute path, "random:1000x64"; with "#tensor" behind it where
        another table than the model's input table is meant.
    tensor
        The tensor that is meant; "" for the model's input table.
    """

    kind: Literal["packaged", "hub", "local", "random"]
    text: str
    tensor: str = ""

    @property
    def place(self) -> str:
        """The text without the tensor."""
        return self.text.removesuffix(f"#{self.tensor}") if self.tensor else self.text

    @property
    def label(self) -> str:
        """A short name for people: of a path or an id only its last part.

        >>> TableSource("local", "/models/gpt2").label
        'gpt2'
        >>> TableSource("hub", "Qwen/Qwen3-8B@main#lm_head.weight", "lm_head.weight").label
        'Qwen3-8B@main#lm_head.weight'
        """
        if self.kind not in {"local", "hub"}:
            return self.text
        place = os.path.basename(self.place) or self.place
        return f"{place}#{self.tensor}" if self.tensor else place

    @property
    def hub_id(self) -> str:
        """The repository of a hub source, without its revision."""
        return self.place.partition("@")[0]

    @property
    def hub_revision(self) -> str:
        """The revision a person asked for: a branch, a tag or a commit."""
        return self.place.partition("@")[2] or "main"

    @property
    def shape(self) -> tuple[int, int] | None:
        """Rows and dim of a random table; None where the files decide."""
        match = _RANDOM.fullmatch(self.text) if self.kind == "random" else None
        return (int(match[1]), int(match[2])) if match else None


def parse_source(text: str) -> TableSource:
    """The source that a person's text names; nothing is opened yet.

    A packaged name wins over a file of the same name (write ``./minilm`` for the file); then
    ``random:VxD``; then a path that exists; then a hub id, ``name`` or ``owner/name``, with
    ``@revision`` behind it if need be. ``#tensor`` at the end asks for one tensor of a checkpoint.

    Raises
    ------
    SourceError
        If the text is empty, none of these, a too large ``random:``, or a path or a hub id where
        they are switched off.

    Examples
    --------
    >>> parse_source("Random:1000×064")
    TableSource(kind='random', text='random:1000x64', tensor='')
    >>> parse_source("https://huggingface.co/openai-community/gpt2")
    TableSource(kind='hub', text='openai-community/gpt2', tensor='')
    >>> parse_source("openai-community/gpt2@main")
    TableSource(kind='hub', text='openai-community/gpt2', tensor='')
    """
    text = _without_address(text.strip())
    if not text:
        raise SourceError(f"No model was named. {_known()}")
    if text.lower().startswith("random:"):
        return _parse_random(text)
    place, tensor = _split(text)
    if place in PACKAGED:
        return _source("packaged", place, tensor)
    # Whether a path exists is told only where paths are allowed at all.
    allowed = settings().allow_local
    path = os.path.abspath(os.path.expanduser(place))
    if allowed and os.path.exists(path):
        return _source("local", path, tensor)
    match = _HUB.fullmatch(place)
    if match and len(match["id"]) <= _LONGEST_ID and not _FILE.search(match["id"]):
        return _parse_hub(match["id"], match["revision"], tensor)
    if not (place.startswith((".", "~")) or os.path.isabs(place) or _FILE.search(place)):
        raise SourceError(f"{place!r} is not a model that embgeo knows. {_known()}")
    if not allowed:
        raise SourceError(
            f"{place!r} is a path, and local paths are switched off on this server. {_known()}"
        )
    return _source("local", path, tensor)


def _without_address(text: str) -> str:
    """The id in the address of a model's page on the hub, as a browser shows it; or the text."""
    if not text.lower().startswith(("https://", "http://")):
        return text
    from huggingface_hub import constants

    for place in (constants.ENDPOINT, "https://huggingface.co"):
        if text.startswith(f"{place}/"):
            path = text.removeprefix(f"{place}/").partition("?")[0].rstrip("/")
            hub_id, _, revision = path.partition("/tree/")
            return f"{hub_id}@{revision}" if revision else hub_id
    return text


def _split(text: str) -> tuple[str, str]:
    """The text before the last "#" and the tensor behind it; a file may have a "#" in its name."""
    place, mark, tensor = text.rpartition("#")
    whole = os.path.exists(os.path.expanduser(text)) if settings().allow_local else False
    return (place, tensor) if mark and place and tensor and not whole else (text, "")


def _source(kind: Literal["packaged", "hub", "local"], place: str, tensor: str) -> TableSource:
    return TableSource(kind, f"{place}#{tensor}" if tensor else place, tensor)


def _parse_hub(hub_id: str, revision: str | None, tensor: str) -> TableSource:
    if not settings().allow_hub:
        raise SourceError(
            f"{hub_id!r} is a hub id, and the hub is switched off on this server. {_known()}"
        )
    if revision and _NO_REVISION.search(revision):
        raise SourceError(
            f"{revision!r} is no revision that git knows. Name a branch, a tag or a commit behind "
            f"the @ of {hub_id}."
        )
    at = f"@{revision}" if revision and revision != "main" else ""
    return _source("hub", hub_id + at, tensor)


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


def _known() -> str:
    allowed = settings()
    hub = ", a hub id (owner/name)" if allowed.allow_hub else ""
    paths = ", a path to a folder or file" if allowed.allow_local else ""
    return f"Name one of {', '.join(PACKAGED)}, random:ROWSxDIM{hub}{paths}."
