"""Where a table's numbers rest: in their own file, or, once fetched or parsed, in the store."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embgeo.checkpoints import StoredTable, fetch_table, open_weight
from embgeo.errors import SourceError
from embgeo.jobs import Progress, silent
from embgeo.sources import Files
from embgeo.store import Store, checksum

if TYPE_CHECKING:
    import numpy as np
    import torch

_BYTES = {"F64": 8, "F16": 2, "BF16": 2}


def kept_bytes(facts: StoredTable) -> int:
    """Bytes of a table's numbers in the store: as they were, or dequantised to float32."""
    return facts.rows * facts.dim * (4 if facts.quantised else _BYTES.get(facts.dtype, 4))


def kept_file(files: Files, facts: StoredTable, store: Store) -> Path | None:
    """The store's file of a table that cannot be mapped where it lies; None if there is none."""
    return None if facts.mapped else store.file(*_key(files, facts))


def opened(
    files: Files, facts: StoredTable, store: Store, progress: Progress = silent
) -> "torch.Tensor":
    """The weight, mapped where that is possible; what must be fetched or parsed is so only once.

    Raises
    ------
    CheckpointError
        If the file has become unreadable.
    SourceError
        If a hub cannot be read, or there is no room for what it gives.
    """
    if facts.mapped:
        return open_weight(files, facts)
    key = _key(files, facts)
    mapped = _mapped(store.file(*key))
    if mapped is not None:
        return mapped
    if files.repository is None:
        weight = open_weight(files, facts, progress)
        mapped = _mapped(store.write(*key, arrays={"weight": weight.numpy()}))
        return weight if mapped is None else mapped

    def fill(part: Path) -> None:
        fetch_table(files, facts, part, progress)

    damaged = store.file(*key)
    if damaged is not None:
        damaged.unlink(missing_ok=True)
    mapped = _mapped(growing(files, store, key, kept_bytes(facts), fill))
    if mapped is None:
        raise SourceError(f"The table of {files.title} arrived damaged. Read it again.")
    return mapped


def growing(
    files: Files,
    store: Store,
    key: tuple[str, ...],
    size: int,
    fill: Callable[[Path], None],
) -> Path:
    """The store's file of what is fetched from a hub; see `Store.grow`.

    Raises
    ------
    SourceError
        If the hub cannot be read, or the store's folder cannot take the file.
    """
    if size > store.limit:
        raise SourceError(
            f"{files.title} takes {size:,} bytes, more than the cache folder may hold "
            f"({store.limit:,}). Set EMBGEO_CACHE_GIB to more."
        )
    try:
        return store.grow(*key, size=size, fill=fill)
    except OSError as error:
        raise SourceError(
            f"The table of {files.title} is kept in the cache folder, which cannot take it "
            f"({error.strerror or type(error).__name__}). Make room there, or point EMBGEO_CACHE "
            "at another folder."
        ) from error


def _mapped(path: Path | None) -> "torch.Tensor | None":
    """The weight that an entry of the store maps into memory; None where it is gone or damaged."""
    from safetensors import SafetensorError, safe_open

    if path is None:
        return None
    try:
        with safe_open(path, framework="pt") as file:
            weight: torch.Tensor = file.get_tensor("weight")
            whole = int(file.metadata()["crc"]) == checksum([_raw(weight)])
    except (SafetensorError, OSError):
        return None
    return weight if whole else None


def _raw(weight: "torch.Tensor") -> "np.ndarray[Any, np.dtype[np.uint8]]":
    import torch

    array: np.ndarray[Any, np.dtype[np.uint8]] = weight.view(torch.uint8).numpy()
    return array  # as bytes: numpy has no bfloat16


def _key(files: Files, facts: StoredTable) -> tuple[str, ...]:
    place = files.repository.hub_id if files.repository else str(files.path)
    return "table", place, files.revision, facts.tensor
