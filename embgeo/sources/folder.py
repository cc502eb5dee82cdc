"""The files of a folder on this machine, be it a model's own or one of the hub's cache."""

import json
import re
from pathlib import Path

from embgeo.errors import SourceError
from embgeo.sources.listing import STATIC, Choice, weights_among

_CACHED = re.compile(r"models--(?P<id>.+)")


def chosen_in(folder: Path) -> Choice:
    """The weight file of a folder, its name seen from there.

    Raises
    ------
    SourceError
        If the folder cannot be read, or holds no weights that can be told.
    """
    inside = folder / STATIC
    names = _names(folder)
    if STATIC in names and inside.is_dir():
        names += [f"{STATIC}/{name}" for name in _names(inside)]
    return weights_among(names, str(folder), base=lambda: _base_model(folder))


def snapshot_of(folder: Path) -> Path:
    """The folder itself; of a repository in the hub's cache the snapshot of its main branch.

    Raises
    ------
    SourceError
        If the cache holds no snapshot of it, or several and no word on which is meant.
    """
    snapshots = folder / "snapshots"
    if not _CACHED.fullmatch(folder.name) or not snapshots.is_dir():
        return folder
    try:
        main = (folder / "refs" / "main").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        main = ""
    there = _names(snapshots)
    if main in there:
        return snapshots / main
    if len(there) == 1:
        return snapshots / there[0]
    found = f"{len(there)} snapshots, none of them of its main branch" if there else "no snapshot"
    raise SourceError(
        f"{folder} holds {found}. Point at a folder below {snapshots.name}, or name the model by "
        "its hub id."
    )


def cached_id(folder: Path) -> str:
    """The hub id of a folder that lies in the hub's cache, else "".

    >>> cached_id(Path("/cache/models--owner--name/snapshots/0123abc"))
    'owner/name'
    """
    for each in (folder, *folder.parents[:2]):
        if match := _CACHED.fullmatch(each.name):
            return match["id"].replace("--", "/")
    return ""


def _base_model(folder: Path) -> str:
    try:
        found = json.loads((folder / "adapter_config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    name = found.get("base_model_name_or_path") if isinstance(found, dict) else None
    return name if isinstance(name, str) else ""


def _names(folder: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in folder.iterdir())
    except OSError as error:
        raise SourceError(f"{folder} cannot be read: {error.strerror}.") from error
