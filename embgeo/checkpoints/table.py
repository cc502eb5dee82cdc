"""A checkpoint's table: its facts from the headers, its numbers on request."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from embgeo.checkpoints import gguf_file, safetensors_file
from embgeo.checkpoints.stored import StoredTable
from embgeo.errors import CheckpointError
from embgeo.sources import Files

if TYPE_CHECKING:
    import torch

RANDOM_SD = 0.02
"""Standard deviation of a generated table: what most models are initialised with."""

_PART = re.compile(r"-[0-9]{5}-of-(?!00001)[0-9]{5}\.(safetensors|gguf)$")


def read_facts(files: Files) -> StoredTable:
    """The facts of a checkpoint's embedding table; only headers are read, no numbers.

    Where an output table is stored too, the two are compared, until their first difference.

    Raises
    ------
    CheckpointError
        If a file is missing or damaged, or holds no table of floating-point numbers.
    """
    if files.path is None:
        return _generated(files)
    read = gguf_file.facts if files.format == "gguf" else safetensors_file.facts
    facts = read(files.path)
    if not facts.rows or not facts.dim:
        raise CheckpointError(
            f"{facts.tensor} in {facts.file} is {facts.rows:,} × {facts.dim:,}: there is no number "
            "in it. Give a checkpoint with a table of at least one row and one column."
        )
    if _PART.search(files.path.name):
        reason = "one part of several: an output table may lie in another"
        return replace(facts, parameters=None, tied=None, tied_reason=reason)
    return facts


def open_weight(files: Files, facts: StoredTable) -> torch.Tensor:
    """The embedding table (rows, dim).

    A safetensors table keeps its stored type and is memory-mapped. A GGUF table is dequantised to
    float32, or as stored where it is plain. A generated one is normal, σ = 0.02, always the same.

    Raises
    ------
    CheckpointError
        If the file has become unreadable, or its block type cannot be dequantised.
    """
    if files.path is None:
        return _random(facts.rows, facts.dim)
    if files.format == "gguf":
        return gguf_file.weight(files.path, facts)
    return safetensors_file.weight(files.path.parent, facts)


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
