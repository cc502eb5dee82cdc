"""Word vectors in .npy and .npz files: one 2-D array, whose words are elsewhere."""

from __future__ import annotations

import lzma
import math
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from embgeo.checkpoints.damage import damaged, unreadable
from embgeo.checkpoints.stored import StoredTable
from embgeo.errors import CheckpointError
from embgeo.sources.formats import VectorsKind

if TYPE_CHECKING:
    import numpy as np
    import torch

_VECTORS = ("vectors", "embeddings", "weight", "wv")
# What numpy and zipfile raise for a damaged header or member, or one that nobody can unpack.
_FAULTS = (
    ValueError,
    EOFError,
    KeyError,
    MemoryError,
    RuntimeError,
    SyntaxError,
    TypeError,
    lzma.LZMAError,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)
_DTYPES = {"f2": "F16", "f4": "F32", "f8": "F64"}


@dataclass(frozen=True)
class ArrayHeader:
    """What is known of an array before its numbers are read."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    fortran: bool

    @property
    def stored(self) -> str:
        """The stored type as "F32"; "" where it is no plain floating-point number."""
        return _DTYPES.get(self.dtype.str[1:], "")


def facts(path: Path, kind: VectorsKind, wanted: str = "") -> StoredTable:
    """The facts of the array in a .npy file, or of one of those in a .npz file.

    Raises
    ------
    CheckpointError
        If the file is damaged, or holds no 2-D array of floating-point numbers, or several.
    """
    found = headers(path, kind)
    name = _chosen(path, found, wanted)
    header = found[name]
    rows, dim = _shape(path, name, header)
    native = header.dtype.isnative and not header.fortran
    tables = {each for each, other in found.items() if other.stored and len(other.shape) == 2}
    return StoredTable(
        tensor=name,
        file=path.name,
        rows=rows,
        dim=dim,
        dtype=header.stored,
        quantised=False,
        parameters=rows * dim,
        tied=None,
        tied_reason="word vectors have no output table",
        architecture=kind,
        title=None,
        mapped=kind == "NumPy array" and native,
        others=tuple(sorted(tables - {name})),
    )


def weight(path: Path, kind: VectorsKind, table: StoredTable) -> torch.Tensor:
    """The array (rows, dim) as stored; memory-mapped where it lies in the file as it is used."""
    import numpy as np
    import torch

    try:
        if table.mapped:
            # Copy-on-write: torch takes the array without copying it, and the file stays as it is.
            return torch.from_numpy(np.load(path, mmap_mode="c", allow_pickle=False))
        if kind == "NumPy zip":
            with np.load(path, allow_pickle=False) as arrays:
                array = arrays[table.tensor]
        else:
            array = np.load(path, allow_pickle=False)
    except _FAULTS as error:
        raise damaged(path) from error
    except OSError as error:
        raise unreadable(path, error) from error
    native = array.dtype.newbyteorder("=")
    return torch.from_numpy(np.ascontiguousarray(array, dtype=native))


def headers(path: Path, kind: VectorsKind) -> Mapping[str, ArrayHeader]:
    """The arrays of a file by name; that of a .npy file goes by "word vectors".

    Raises
    ------
    CheckpointError
        If the file is damaged.
    """
    try:
        if kind == "NumPy array":
            with path.open("rb") as file:
                return {"word vectors": _whole(path, _header(file), file.tell())}
        with zipfile.ZipFile(path) as archive:
            found = {}
            for member in archive.namelist():
                if member.endswith(".npy"):
                    with archive.open(member) as inside:
                        found[member.removesuffix(".npy")] = _header(inside)
            return found
    except _FAULTS as error:
        raise damaged(path) from error
    except OSError as error:
        raise unreadable(path, error) from error


def _header(file: IO[bytes]) -> ArrayHeader:
    from numpy.lib import format as npy

    if npy.read_magic(file) == (1, 0):
        shape, fortran, dtype = npy.read_array_header_1_0(file)
    else:
        shape, fortran, dtype = npy.read_array_header_2_0(file)
    # A vector or one column is in the same order either way.
    return ArrayHeader(shape, dtype, fortran and min(shape, default=0) > 1)


def _whole(path: Path, header: ArrayHeader, start: int) -> ArrayHeader:
    size = start + math.prod(header.shape) * header.dtype.itemsize
    if not header.dtype.hasobject and path.stat().st_size < size:
        raise ValueError("cut short")
    return header


def _chosen(path: Path, found: Mapping[str, ArrayHeader], wanted: str) -> str:
    if wanted:
        names = [wanted] if wanted in found else []
    else:
        tables = [name for name, each in found.items() if each.stored and len(each.shape) == 2]
        names = [name for name in _VECTORS if name in found][:1] or tables
        names = names or (list(found) if len(found) == 1 else [])
    if len(names) == 1:
        return names[0]
    there = ", ".join(found) or "none"
    if names:
        raise CheckpointError(
            f"{path.name} holds several arrays that may be the table: {', '.join(names)}. Write "
            "the name of one behind the source, after a #."
        )
    sought = wanted or f"one called {' or '.join(_VECTORS)}, or a single 2-D array"
    raise CheckpointError(f"{path.name} holds no such array: expected {sought}; found {there}.")


def _shape(path: Path, name: str, header: ArrayHeader) -> tuple[int, int]:
    if header.dtype.hasobject:
        raise CheckpointError(
            f"{name} in {path.name} is an array of Python objects, which is not opened since that "
            "can run code. Save it as numbers: array.astype('float32')."
        )
    if not header.stored:
        raise CheckpointError(
            f"{name} in {path.name} is stored as {header.dtype}; expected floating-point numbers "
            "of 16, 32 or 64 bits. Convert it: array.astype('float32')."
        )
    if len(header.shape) != 2:
        raise CheckpointError(
            f"{name} in {path.name} has the shape {header.shape}; expected two dimensions, words "
            "and values. Reshape it before saving."
        )
    return header.shape[0], header.shape[1]
