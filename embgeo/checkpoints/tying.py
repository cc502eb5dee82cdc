"""Whether a checkpoint's output table is its input table: decided by values, then by declaration.

Flags lie (a head is stored beside ``tie_word_embeddings: true``, or missing beside ``false``), so
stored numbers come first, and a flag alone never makes a table tied.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from embgeo.checkpoints.architecture import default_tie, model_class, tied_source
from embgeo.checkpoints.config import ModelConfig
from embgeo.checkpoints.stored import StoredTensor, Tie

Rows = Callable[[int, int], Any]
"""Rows start to stop of a stored table, as an array or tensor that compares by element."""

_CHUNK = 4096
_NO_OUTPUT = "no output table stored"
# BertModel, LlamaModel, T5EncoderModel... but not GPT2LMHeadModel or MarianMTModel.
_BARE = re.compile(r"^(?!.*Head).*(?<!MT)Model$")


@dataclass(frozen=True)
class Declared:
    """What the architecture declares: the tensor its head shares (None: none), and why."""

    source: str | None
    reason: str


def compared(
    table: StoredTensor, output: StoredTensor, read: Callable[[StoredTensor], Rows]
) -> Tie:
    """The tie of two stored tables: equal numbers on the rows that both have."""
    if table.shape[1] != output.shape[1]:
        return Tie(
            False, f"{output.name} is {output.shape[1]} wide, the input table {table.shape[1]}"
        )
    rows = min(table.shape[0], output.shape[0])
    first, second = read(table), read(output)
    equal = all(
        bool(
            (
                first(start, min(start + _CHUNK, rows)) == second(start, min(start + _CHUNK, rows))
            ).all()
        )
        for start in range(0, rows, _CHUNK)
    )
    common = "" if table.shape[0] == output.shape[0] else f" on the {rows:,} common rows"
    return Tie(equal, f"{output.name} holds {'the same' if equal else 'other'} numbers{common}")


def declared(config: ModelConfig | None) -> Declared:
    """What config.json and the architecture it names say of an output table that is not stored."""
    if config is None:
        return Declared(None, f"{_NO_OUTPUT}, and no config.json says more")
    name, flag = config.model_class, config.tie
    if name is None or flag is False or _BARE.match(name):
        # Decided without waiting for transformers.
        return Declared(None, f"{_NO_OUTPUT}; {name or 'no architecture named'}; {_says(flag)}")
    found = model_class(name)
    if found is None:
        return Declared(None, f"{_NO_OUTPUT}; transformers does not know {name}; {_says(flag)}")
    source = tied_source(found)
    if source is None:
        return Declared(None, f"{_NO_OUTPUT}; {name} declares no tied head; {_says(flag)}")
    if flag is None:
        flag = default_tie(found)
    if not flag:
        return Declared(None, f"{_NO_OUTPUT}; {name} does not tie; {_says(config.tie)}")
    return Declared(source, f"{_NO_OUTPUT}; {name} ties its head to the input table")


def _says(flag: bool | None) -> str:
    if flag is None:
        return "config leaves tie_word_embeddings unset"
    return f"config says tie_word_embeddings={str(flag).lower()}"
