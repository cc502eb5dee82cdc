"""What the headers of a hub repository's weights say, read by byte ranges and kept in the store."""

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from embgeo.checkpoints.stored import StoredTensor
from embgeo.errors import CheckpointError
from embgeo.quantities import bytes_text
from embgeo.sources.hub import Repository
from embgeo.sources.ranges import read_range
from embgeo.store import default_store

_FIRST = 2**16  # most headers are shorter; a longer one takes a second request
_LONGEST = 100_000_000  # what the format allows
_POINTER = b"version https://git-lfs"
_BITS = {
    "F64": 64, "I64": 64, "U64": 64, "C64": 64, "F32": 32, "I32": 32, "U32": 32, "F16": 16,
    "BF16": 16, "I16": 16, "U16": 16, "F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8, "I8": 8, "U8": 8,
    "BOOL": 8, "F6_E2M3": 6, "F6_E3M2": 6, "F4": 4,
}  # fmt: skip


def header(repository: Repository, name: str) -> dict[str, StoredTensor]:
    """Every tensor that a safetensors file of a repository declares, with its bytes' place.

    Raises
    ------
    CheckpointError
        If the file is no safetensors file, cut short, or its header contradicts itself.
    SourceError
        If its bytes cannot be read.
    """
    store, key = default_store(), ("header", repository.hub_id, repository.commit, name)
    kept = store.read(*key)
    text = kept.arrays["json"].tobytes() if kept else _read(repository, name)
    tensors = _parsed(repository, name, text)
    if kept is None:
        store.write(*key, arrays={"json": np.frombuffer(text, np.uint8)})
    return tensors


def _read(repository: Repository, name: str) -> bytes:
    size = repository.sizes.get(name, -1)
    if 0 <= size < 8:
        raise damaged(repository, name)
    first = read_range(repository, name, 0, min(size, _FIRST) if size >= 0 else 8)
    length = int.from_bytes(first[:8], "little")
    end = 8 + length
    if first.startswith(_POINTER) or length > _LONGEST or 0 <= size < end:
        raise damaged(repository, name)
    if end > len(first):
        first += read_range(repository, name, len(first), end)
    return first[8:end]


def _parsed(repository: Repository, name: str, text: bytes) -> dict[str, StoredTensor]:
    size, start = repository.sizes.get(name, -1), 8 + len(text)
    try:
        entries = json.loads(text)
        tensors = {
            each: _tensor(name, each, entry, start)
            for each, entry in entries.items()
            if each != "__metadata__"
        }
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        raise damaged(repository, name) from error
    ends = [tensor.span[1] for tensor in tensors.values() if tensor.span]
    if size >= 0 and max(ends, default=start) > size:
        raise damaged(repository, name)
    return tensors


def _tensor(file: str, name: str, entry: Mapping[str, Any], start: int) -> StoredTensor:
    """ValueError where the entry contradicts itself."""
    shape, (begin, end) = tuple(entry["shape"]), entry["data_offsets"]
    dtype = str(entry["dtype"])
    name.encode()  # half a surrogate pair is no name that could be kept or shown
    if not all(type(number) is int for number in (*shape, begin, end)):
        raise ValueError(name)
    if begin < 0 or end < begin or min(shape, default=0) < 0:
        raise ValueError(name)
    if dtype in _BITS and (end - begin) * 8 != math.prod(shape) * _BITS[dtype]:
        raise ValueError(name)
    return StoredTensor(name, file, shape, dtype, (start + begin, start + end))


def damaged(repository: Repository, name: str) -> CheckpointError:
    """The error for a file on the hub that is not what its name says."""
    size = repository.sizes.get(name, -1)
    there = f" ({bytes_text(size)})" if size >= 0 else ""
    return CheckpointError(
        f"{name}{there} of {repository.hub_id} is an incomplete upload or git-LFS pointer, or no "
        ".safetensors file at all. Name another revision (owner/name@revision) or another model."
    )
