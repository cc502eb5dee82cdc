"""A person's choices as a link, and back.

The link holds the models readably (``models=minilm,smollm2``) and all the rest, where it differs
from the defaults, as one versioned, compressed word (``view=1.…``). A link that cannot be read, or
was made by another version, costs what cannot be understood and nothing else: the rest is kept, and
a notice says so.
"""

import base64
import json
import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any
from urllib.parse import quote, unquote

from embgeo.errors import EmbgeoError
from embgeo.groups import PIECES, READY_MADE, SPACINGS, TokenGroup, printable_name
from embgeo.metrics.retrieval import NEAREST
from embgeo.transforms import read_word
from embgeo.ui.choices import (
    LONGEST_TEXT,
    LONGEST_TOKEN,
    MOST,
    MOST_ENTRIES,
    MOST_GROUPS,
    MOST_MODELS,
    MOST_ZEROED,
    NUMBER_BYTES,
    TRANSFORMS,
    Choices,
)

VERSION = "1"
_LARGEST = 200_000  # bytes a link may unfold to


@dataclass
class Read:
    """What a link says, and what in it could not be understood."""

    choices: Choices
    notices: list[str] = field(default_factory=list)


def to_query(choices: Choices) -> dict[str, str]:
    """The parameters of a link that shows these choices.

    >>> to_query(Choices())
    {'models': 'minilm,smollm2'}
    """
    query = {"models": ",".join(quote(model, safe="/:") for model in choices.models)}
    default = Choices()
    changed = {
        each.name: getattr(choices, each.name)
        for each in fields(choices)
        if each.name != "models" and getattr(choices, each.name) != getattr(default, each.name)
    }
    if "groups" in changed:
        changed["groups"] = [_pack_group(group) for group in choices.groups]
    if changed:
        text = json.dumps(changed, separators=(",", ":"), ensure_ascii=False)
        packed = base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")
        query["view"] = f"{VERSION}.{packed}"
    return query


def from_query(query: Mapping[str, str]) -> Read:
    """The choices a link asks for; defaults stand in for what cannot be read."""
    read = Read(Choices())
    if "models" in query:
        models = [unquote(part) for part in query["models"].split(",") if part]
        if len(models) > MOST_MODELS:
            read.notices.append(
                f"The link names {len(models)} models; the first {MOST_MODELS} are shown."
            )
        read.choices = replace(read.choices, models=tuple(dict.fromkeys(models))[:MOST_MODELS])
    if query.get("view"):
        _read_view(query["view"], read)
    return read


def _read_view(word: str, read: Read) -> None:
    version, _, packed = word.partition(".")
    try:
        if version != VERSION:
            raise ValueError(f"made by another version ({version[:8]})")
        padded = packed + "=" * (-len(packed) % 4)
        unfold = zlib.decompressobj()
        text = unfold.decompress(base64.b64decode(padded, altchars=b"-_", validate=True), _LARGEST)
        if unfold.unconsumed_tail or not unfold.eof:
            raise ValueError("cut short or too long")
        wanted = json.loads(text)
        if not isinstance(wanted, dict):
            raise ValueError("not a set of choices")
    except (ValueError, zlib.error, RecursionError):
        read.notices.append(
            "The link's view could not be read (it is cut short, changed, or made by another "
            "version); the default view of its models is shown instead."
        )
        return
    known = {each.name for each in fields(Choices)} - {"models"}
    lost = sorted(set(wanted) - known)
    for name in known & set(wanted):
        try:
            read.choices = replace(read.choices, **{name: _checked(name, wanted[name])})
        except (ValueError, TypeError):
            lost.append(name)
    if isinstance(wanted.get("groups"), list) and len(wanted["groups"]) > MOST_GROUPS:
        read.notices.append(
            f"The link names {len(wanted['groups'])} groups; the first {MOST_GROUPS} are shown."
        )
    if lost:
        read.notices.append(
            "The link asks for what this version does not know "
            f"({', '.join(map(str, lost))[:100]}); the rest of it is shown."
        )


def _checked(name: str, value: Any) -> Any:
    """The value of a choice, ValueError where it cannot be one."""
    allowed: dict[str, tuple[Any, ...]] = {
        "spacing": SPACINGS,
        "pieces": PIECES,
        "transform": TRANSFORMS,
        "number_bytes": NUMBER_BYTES,
        "nearest": tuple(range(1, NEAREST + 1)),
    }
    if name in allowed:
        good = type(value) in (str, int) and value in allowed[name]
    elif name == "groups":
        return _unpack_groups(value)
    elif name == "cell":
        good = isinstance(value, list) and len(value) == 2 and all(map(_is_text, value))
        value = tuple(value)
    elif name == "steps":
        return _known_steps(value)
    elif name in _LOOKUP:
        good = _LOOKUP[name](value)
        value = tuple(value) if isinstance(value, list) else value
    elif name == "zeroed":
        good = type(value) is int and 0 <= value <= MOST_ZEROED
    elif name in MOST:
        optional = value is None and name in ("components", "total")
        good = optional or (type(value) is int and 1 <= value <= MOST[name])
    else:
        good = isinstance(value, bool)
    if not good:
        raise ValueError(name)
    return value


def _pack_group(group: TokenGroup) -> str | list[Any]:
    if READY_MADE.get(group.name) == group:
        return group.name
    return [group.name, list(group.entries), *([group.drawn] if group.drawn else [])]


def _unpack_groups(value: Any) -> tuple[TokenGroup, ...]:
    if not isinstance(value, list):
        raise ValueError("groups")
    groups = {group.name: group for group in map(_unpack_group, value[:MOST_GROUPS])}
    return tuple(groups.values())


def _unpack_group(value: Any) -> TokenGroup:
    if isinstance(value, str):
        if value not in READY_MADE:
            raise ValueError(value)
        return READY_MADE[value]
    name, entries, *drawn = value
    if not (_is_text(name) and isinstance(entries, list) and all(map(_is_text, entries))):
        raise ValueError("group")
    name, many = printable_name(name), drawn[0] if drawn else 0
    if not name or len(entries) > MOST_ENTRIES:
        raise ValueError("group")
    if type(many) is not int or not 0 <= many <= 200:
        raise ValueError("drawn")
    return TokenGroup(name, tuple(entries), many)


def _known_steps(value: Any) -> tuple[str, ...]:
    """The words of steps, each kind at most once."""
    if not isinstance(value, list) or not all(map(_is_text, value)):
        raise ValueError("steps")
    try:
        kinds = [read_word(word).kind for word in value]
    except EmbgeoError as error:
        raise ValueError("steps") from error
    if len(set(kinds)) < len(kinds):
        raise ValueError("steps")
    return tuple(value)


def _is_place(value: Any) -> bool:
    """Whether it can be the place of a token or the number of a coordinate, from 0."""
    return type(value) is int and 0 <= value < MOST["width"]


def _is_sentence(value: Any) -> bool:
    return _is_text(value) and len(value) <= LONGEST_TEXT


def _is_pair(value: Any) -> bool:
    texts = isinstance(value, list) and len(value) == 2 and all(map(_is_text, value))
    return texts and max(map(len, value)) <= LONGEST_TOKEN


def _are_places(value: Any) -> bool:
    return isinstance(value, list) and len(value) <= MOST_MODELS and all(map(_is_place, value))


def _is_text(value: Any) -> bool:
    """Whether it is a text that can be encoded: JSON can also spell half a surrogate pair."""
    return isinstance(value, str) and not re.search("[\ud800-\udfff]", value)


_LOOKUP: dict[str, Callable[[Any], bool]] = {
    "sentence": _is_sentence,
    "other_sentence": _is_sentence,
    "places": _are_places,
    "coordinate": lambda value: value is None or _is_place(value),
    "pair": _is_pair,
}
