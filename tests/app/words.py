"""Writes tiny checkpoints whose every token is a whole text: any text can be a token."""

import json
from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel

from embgeo.groups import DEFAULT

DIM = 4
WORDS = [entry for group in DEFAULT for entry in group.entries]
"""The entries of the default groups."""


def checkpoint(
    folder: Path,
    tokens: Sequence[str],
    *,
    zero: Sequence[int] = (),
    padding: int = 0,
    seed: int = 0,
) -> Path:
    """A Hugging Face folder with these tokens, and an unknown one after them.

    Parameters
    ----------
    zero
        Ids of the rows that are exactly zero.
    padding
        Rows beyond the last token.
    """
    folder.mkdir(parents=True)
    known = {token: at for at, token in enumerate([*tokens, "[UNK]"])}
    Tokenizer(WordLevel(known, unk_token="[UNK]")).save(str(folder / "tokenizer.json"))
    generator = torch.Generator().manual_seed(seed)
    weight = torch.randn(len(known) + padding, DIM, generator=generator)
    weight[list(zero)] = 0.0
    save_file({"model.embed_tokens.weight": weight}, folder / "model.safetensors")
    config = {"model_type": "llama", "vocab_size": len(weight), "hidden_size": DIM}
    (folder / "config.json").write_text(json.dumps(config))
    return folder
