"""A checkpoint's table: its facts from the headers, its numbers on request."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from embgeo.checkpoints import gguf_file, hub_file, pickle_file, safetensors_file, vectors_file
from embgeo.checkpoints.stored import StoredTable
from embgeo.errors import CheckpointError
from embgeo.jobs import Progress, silent
from embgeo.sources import Files
from embgeo.sources.listing import INDEX

if TYPE_CHECKING:
    import torch

RANDOM_SD = 0.02
"""Standard deviation of a generated table: what most models are initialised with."""

_PART = re.compile(r"-[0-9]{5}-of-(?!00001)[0-9]{5}\.(safetensors|bin)$")


@dataclass(frozen=True)
class _Format:
    """How one format is read: the facts of the tensor that is asked for, then its numbers."""

    facts: Callable[[Path, Files], StoredTable]
    weight: Callable[[Path, StoredTable, Progress], torch.Tensor]


_FORMATS: Mapping[str, _Format] = {
    "gguf": _Format(
        lambda path, files: gguf_file.facts(path, files.tensor),
        lambda path, table, _: gguf_file.weight(path, table),
    ),
    "pickle": _Format(
        # What was fetched from a hub does not lie beside its config.
        lambda path, files: pickle_file.facts(path, files.tensor, files.folder),
        lambda path, table, _: pickle_file.weight(path.parent, table),
    ),
    "safetensors": _Format(
        lambda path, files: safetensors_file.facts(path, files.tensor),
        lambda path, table, _: safetensors_file.weight(path.parent, table),
    ),
    "vectors": _Format(
        lambda path, files: vectors_file.facts(path, files.tensor),
        vectors_file.weight,
    ),
}


def read_facts(files: Files) -> StoredTable:
    """The facts of a checkpoint's embedding table; only headers are read, no numbers.

    Where an output table is stored too, the two are compared, until their first difference.

    Raises
    ------
    CheckpointError
        If a file is missing or damaged, or holds no table of floating-point numbers.
    """
    if files.repository is not None:
        facts = replace(hub_file.facts(files), mapped=False)
    elif files.path is None:
        return _generated(files)
    else:
        facts = _FORMATS[files.format].facts(files.path, files)
    if not facts.rows or not facts.dim:
        raise CheckpointError(
            f"{facts.tensor} in {facts.file} is {facts.rows:,} × {facts.dim:,}: there is no number "
            "in it. Give a checkpoint with a table of at least one row and one column."
        )
    if _is_part(files):
        reason = "one part of several: an output table may lie in another"
        return replace(facts, parameters=None, tied=None, tied_reason=reason)
    return facts


def open_weight(files: Files, facts: StoredTable, progress: Progress = silent) -> torch.Tensor:
    """The embedding table (rows, dim).

    A table in safetensors or PyTorch's own files keeps its stored type and is memory-mapped. Word
    vectors are parsed to float32, arrays of them stay as they are. A GGUF table is dequantised to
    float32, or as stored where it is plain. A generated one is normal, σ = 0.02, always the same.

    Raises
    ------
    CheckpointError
        If the file has become unreadable, or its block type cannot be dequantised.
    """
    if files.format == "random":
        return _random(facts.rows, facts.dim)
    assert files.path is not None
    return _FORMATS[files.format].weight(files.path, facts, progress)


def _is_part(files: Files) -> bool:
    """Whether what was read is one part of a checkpoint whose others are not at hand."""
    if files.path is None:
        return False
    # Of a hub's shards in PyTorch's own format only one was fetched, under another name.
    one_of_a_hub = files.repository is None and files.weights.endswith(INDEX)
    return one_of_a_hub or _PART.search(files.path.name) is not None


def _generated(files: Files) -> StoredTable:
    rows, dim = files.shape or (0, 0)
    return StoredTable(
        tensor=f"normal, σ = {RANDOM_SD}",
        file="generated",
        rows=rows,
        dim=dim,
        dtype="F32",
        quantised=False,
        parameters=None,
        tied=None,
        tied_reason="generated, no output table",
        architecture=None,
        title=None,
    )


def _random(rows: int, dim: int) -> torch.Tensor:
    import torch

    return torch.randn(rows, dim, generator=torch.Generator().manual_seed(0)).mul_(RANDOM_SD)
