"""What a person may mean while typing: models at hand or well known, and what a text is."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from embgeo.errors import SourceError
from embgeo.quantities import bytes_text
from embgeo.settings import settings
from embgeo.sources.known import KnownModel, known_models
from embgeo.sources.packaged import PACKAGED
from embgeo.sources.source import TableSource, parse_source
from embgeo.store import default_store

_MOST = 6
_MOST_RECENT = 12


@dataclass(frozen=True)
class Suggestion:
    """A model to choose: the text that names it, and what is known of it before it is opened."""

    text: str
    note: str


def suggestions(typed: str, most: int = _MOST) -> tuple[Suggestion, ...]:
    """Models whose name holds every word that was typed: packaged, recent, cached, well known."""
    words = typed.lower().split()
    found: dict[str, Suggestion] = {}
    for each in (*_at_hand(), *_catalogue()):
        where = f"{each.text} {each.note}".lower()
        if all(word in where for word in words):
            found.setdefault(each.text.lower(), each)
    begins = [each for each in found.values() if _name(each.text).startswith(" ".join(words))]
    others = [each for each in found.values() if each not in begins]
    return tuple((begins + others)[:most])


def described(text: str) -> str:
    """What a typed text is, in a sentence; nothing is opened and no hub is asked.

    Raises
    ------
    SourceError
        If it names no model; the text says what would.
    """
    source = parse_source(text)
    if source.kind == "packaged":
        return f"{PACKAGED[source.place].title}, packaged: on this machine already."
    if source.kind == "random":
        rows, dim = source.shape or (0, 0)
        return f"Generated: {rows:,} × {dim:,}, normal with σ = 0.02, as training starts."
    if source.kind == "local":
        return _local(Path(source.place))
    return _hub(source)


def note_recent(source: TableSource) -> None:
    """Remember that a model was read, for the next time somebody chooses one on this machine."""
    if not settings().allow_local or source.kind not in {"hub", "local"}:
        return  # a server for strangers tells none of them what another read
    texts = [source.text, *(text for text in recent() if text != source.text)]
    default_store().write("recent", arrays={}, facts=texts[:_MOST_RECENT])


def recent() -> tuple[str, ...]:
    """The models read last on this machine, the latest first."""
    kept = default_store().read("recent") if settings().allow_local else None
    return tuple(map(str, kept.facts)) if kept else ()


def hub_cache() -> tuple[str, ...]:
    """Ids of the models that the hub's own cache on this machine holds files of."""
    from huggingface_hub import constants

    if not settings().allow_local or not settings().allow_hub:
        return ()
    try:
        names = sorted(entry.name for entry in os.scandir(constants.HF_HUB_CACHE))
    except OSError:
        return ()
    return tuple(
        name.removeprefix("models--").replace("--", "/")
        for name in names
        if name.startswith("models--")
    )


def _at_hand() -> Iterable[Suggestion]:
    yield from (Suggestion(name, f"{model.title}, packaged") for name, model in PACKAGED.items())
    yield from (Suggestion(text, "recent") for text in recent() if _can_be_opened(text))
    yield from (
        Suggestion(text, "in your hub cache") for text in hub_cache() if _can_be_opened(text)
    )


def _can_be_opened(text: str) -> bool:
    """Whether what was kept is still a model here: a path may be gone, the hub switched off."""
    try:
        source = parse_source(text)
    except SourceError:
        return False
    return source.kind != "local" or os.path.exists(source.place)


def _catalogue() -> Iterable[Suggestion]:
    if settings().allow_hub:
        for model in known_models():
            if model.hub_id:
                yield Suggestion(model.hub_id, size_note(model))


def size_note(model: KnownModel) -> str:
    """The size of a well-known model's table, in a few words."""
    size = bytes_text(2 * model.table_parameters)
    return f"{model.rows:,} × {model.dim:,}, about {size} at 2 bytes a number"


def _name(text: str) -> str:
    return text.lower().rsplit("/", 1)[-1]


def _local(path: Path) -> str:
    if not os.path.exists(path):  # also where it is too long to be one, or may not be looked into
        raise SourceError(f"{path} does not exist.")
    if path.is_dir():
        return "A folder on this machine."
    return f"A file on this machine, {bytes_text(path.stat().st_size)}."


def _hub(source: TableSource) -> str:
    from huggingface_hub import constants

    known = [model for model in known_models() if model.hub_id == source.hub_id]
    size = f"{size_note(known[0])}. " if known else ""
    return (
        f"{size}From {constants.ENDPOINT}: the exact bytes are said, and asked for, before the "
        "table is read."
    )
