"""Opening a GGUF file: its headers, its token list, and views of its tensors, parsed once.

A model may be split over several files, the vocabulary in the first and the table in any; all the
parts that lie beside each other are opened as one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embgeo.checkpoints.damage import damaged, unreadable
from embgeo.checkpoints.stored import StoredTensor

if TYPE_CHECKING:
    from gguf import GGUFReader


_PART = re.compile(r"(?P<stem>.*)-[0-9]{5}-of-(?P<count>[0-9]{5})\.gguf")


@dataclass(frozen=True, eq=False)
class OpenedGguf:
    """What was parsed of a model; the arrays are views of mapped files, so this stays small.

    Attributes
    ----------
    fields, tensors, arrays
        Metadata, headers and contents by name.
    missing
        How many parts of a split model do not lie beside the others.
    """

    fields: Mapping[str, Any]
    tensors: Mapping[str, StoredTensor]
    arrays: Mapping[str, Any]
    missing: int = 0

    @property
    def architecture(self) -> str:
        """The family that the file names, such as "llama"; empty where it does not."""
        return str(self.fields.get("general.architecture", ""))

    @property
    def is_encoder(self) -> bool:
        """Whether the model has no output table to begin with."""
        causal = self.fields.get(f"{self.architecture}.attention.causal", True)
        return not causal or "bert" in self.architecture or "encoder" in self.architecture


def release_gguf() -> None:
    """Forget the file that was opened last; it is opened anew when it is needed again."""
    _parsed.cache_clear()


def opened_gguf(path: Path) -> OpenedGguf:
    """What a GGUF file holds, with the parts beside it; what was opened last stays parsed.

    Raises
    ------
    CheckpointError
        If a file is missing, damaged, or not a GGUF file.
    """
    parts = _parts(path)
    found = tuple(part for part in parts if part == path or part.is_file())
    return _parsed(tuple(_Stamp.of(part) for part in found), len(parts) - len(found))


@dataclass(frozen=True)
class _Stamp:
    """A file as it was when it was parsed."""

    path: Path
    size: int
    modified: int

    @classmethod
    def of(cls, path: Path) -> _Stamp:
        try:
            status = path.stat()
        except OSError as error:
            raise unreadable(path, error) from error
        return cls(path, status.st_size, status.st_mtime_ns)


def _parts(path: Path) -> tuple[Path, ...]:
    match = _PART.fullmatch(path.name)
    if match is None:
        return (path,)
    stem, count = match["stem"], match["count"]
    numbers = range(1, int(count) + 1)
    return tuple(path.with_name(f"{stem}-{n:05d}-of-{count}.gguf") for n in numbers) or (path,)


@lru_cache(maxsize=1)
def _parsed(parts: tuple[_Stamp, ...], missing: int) -> OpenedGguf:
    """The parsed parts: facts, weight and vocabulary share them, since parsing takes seconds."""
    fields: dict[str, Any] = {}
    tensors: dict[str, StoredTensor] = {}
    arrays: dict[str, Any] = {}
    for part in parts:
        opened = _part(part.path)
        # The first part describes the model, the others little but themselves.
        fields = {**opened.fields, **fields}
        tensors |= opened.tensors
        arrays |= opened.arrays
    return OpenedGguf(fields, tensors, arrays, missing)


def _part(path: Path) -> OpenedGguf:
    try:
        reader = _reader(path)
        fields = {name: field.contents() for name, field in reader.fields.items() if _used(name)}
    except OSError as error:
        raise unreadable(path, error) from error
    except (IndexError, KeyError, OverflowError, RecursionError, ValueError) as error:
        raise damaged(path) from error
    tensors = {
        # GGUF writes a shape from the fastest axis, torch from the slowest.
        tensor.name: StoredTensor(
            tensor.name, path.name, tuple(tensor.shape.tolist()[::-1]), tensor.tensor_type.name
        )
        for tensor in reader.tensors
    }
    return OpenedGguf(fields, tensors, {tensor.name: tensor.data for tensor in reader.tensors})


def _used(field: str) -> bool:
    return field.endswith((".attention.causal", ".embedding_scale")) or field in {
        "general.architecture",
        "general.name",
        "tokenizer.ggml.model",
        "tokenizer.ggml.tokens",
        "tokenizer.ggml.token_type",
    }


def _reader(path: Path) -> GGUFReader:
    import numpy as np
    from gguf import GGUFReader

    class Reader(GGUFReader):
        # The reader slices its data several times per token; a plain array slices three times
        # faster than the memory map under it.
        @property
        def data(self) -> Any:
            return self._plain

        @data.setter
        def data(self, mapped: Any) -> None:
            self._plain = mapped.view(np.ndarray)

        def _get(self, offset: int, *args: Any, **kwargs: Any) -> Any:
            # Past the end a slice is empty, and a list said to be endless would be read for ever.
            if offset >= self._plain.size:
                raise ValueError("cut short")
            return super()._get(offset, *args, **kwargs)

    # Copy-on-write: torch takes the arrays without copying them, and the file stays as it is.
    return Reader(path, "c")
