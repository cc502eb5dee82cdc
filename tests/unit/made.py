"""Makes tables on disk, small enough to check by hand, and groups of their rows."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel

import embgeo
from embgeo.groups import Member, ResolvedGroup
from embgeo.tables import EmbeddingTable


def table(folder: Path, rows: object, tokenizer: Tokenizer | None = None) -> EmbeddingTable:
    """The table of a safetensors file that was just written, with or without a tokenizer."""
    folder.mkdir(parents=True, exist_ok=True)
    weight = torch.as_tensor(rows).contiguous()
    save_file({"model.embed_tokens.weight": weight}, folder / "model.safetensors")
    if tokenizer is not None:
        tokenizer.save(str(folder / "tokenizer.json"))
    return embgeo.load(str(folder))


def random_rows(count: int, dim: int, seed: int = 0, shift: float = 0.5) -> torch.Tensor:
    """(count, dim) float64 in a wide cone, the same for the same seed."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(count, dim, generator=generator, dtype=torch.float64) + shift


def worded(count: int) -> Tokenizer:
    """A tokenizer of as many words, in the order of their ids."""
    return Tokenizer(WordLevel({f"word{at}": at for at in range(count)}, unk_token="none"))


def groups(ids: Mapping[str, Sequence[int]]) -> list[ResolvedGroup]:
    """Groups of rows by id, as they come out of resolving."""
    return [
        ResolvedGroup(name, tuple(Member((each,), f"#{each}") for each in some), ())
        for name, some in ids.items()
    ]
