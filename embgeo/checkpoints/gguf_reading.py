"""Opening a GGUF file: its headers, its token list, and views of its tensors, parsed once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embgeo.checkpoints.damage import damaged, unreadable
from embgeo.checkpoints.stored import StoredTensor

if TYPE_CHECKING:
    from gguf import GGUFReader


@dataclass(frozen=True, eq=False)
class OpenedGguf:
    """What was parsed of a file; the arrays are views of the mapped file, so this stays small."""

    fields: Mapping[str, Any]
    tensors: Mapping[str, StoredTensor]
    arrays: Mapping[str, Any]

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
    """What a GGUF file holds; the file that was opened last stays parsed.

    Raises
    ------
    CheckpointError
        If the file is missing, damaged, or not a GGUF file.
    """
    try:
        status = path.stat()
    except OSError as error:
        raise unreadable(path, error) from error
    return _parsed(path, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=1)
def _parsed(path: Path, size: int, modified: int) -> OpenedGguf:
    """The parsed file: facts, weight and vocabulary share it, since parsing takes seconds."""
    try:
        reader = _reader(path)
        fields = {name: field.contents() for name, field in reader.fields.items() if _used(name)}
    except OSError as error:
        raise unreadable(path, error) from error
    except (IndexError, KeyError, OverflowError, ValueError) as error:
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
    return field.endswith(".attention.causal") or field in {
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

    # Copy-on-write: torch takes the arrays without copying them, and the file stays as it is.
    return Reader(path, "c")
