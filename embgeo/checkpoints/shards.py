"""The index of a checkpoint in several files: which tensor is in which."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from embgeo.errors import CheckpointError


def weight_map(index: Path, content: Mapping[str, Any]) -> dict[str, str]:
    """File name by tensor name, as an index says.

    Raises
    ------
    CheckpointError
        If it does not say.
    """
    names = content.get("weight_map")
    if not isinstance(names, dict) or not all(isinstance(name, str) for name in names.values()):
        raise CheckpointError(f"{index.name} has no weight_map from tensors to files; restore it.")
    return names


def shards_beside(index: Path, names: Iterable[str]) -> tuple[Path, ...]:
    """The files of those names beside an index.

    Raises
    ------
    CheckpointError
        If one is missing, or named to be elsewhere.
    """
    shards = tuple(index.parent / name for name in sorted(set(names)))
    missing = [s.name for s in shards if s.parent != index.parent or not s.is_file()]
    if missing:
        raise CheckpointError(
            f"{index.name} names {', '.join(missing)}, which is not beside it: an incomplete "
            "download. Fetch the missing shard."
        )
    return shards
