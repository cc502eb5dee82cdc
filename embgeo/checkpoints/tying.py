"""Whether a checkpoint's output table is its input table: decided by values, then by declaration.

Flags lie (a head is stored beside ``tie_word_embeddings: true``, or missing beside ``false``), so
stored numbers come first, and a flag alone never makes a table tied.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from embgeo.checkpoints.architecture import default_tie, model_class, shares_table, tied_source
from embgeo.checkpoints.config import ModelConfig
from embgeo.checkpoints.heads import HEADS, DeclaredHead
from embgeo.checkpoints.stored import StoredTensor, Tie

Rows = Callable[[int, int], Any]
"""Rows start to stop of a stored table, as an array or tensor that compares by element."""

_CHUNK = 4096
_FIRST = 16  # other tables differ at once: no need to read more of them
_NO_OUTPUT = "no output table stored"
# BertModel, LlamaModel, T5EncoderModel... but not GPT2LMHeadModel or MarianMTModel.
_BARE = re.compile(r"^(?!.*Head).*(?<!MT)Model$")


@dataclass(frozen=True)
class Declared:
    """What the architecture declares: the tensor its head shares, and why.

    None: it shares none; "": the input table, whatever that is called.
    """

    source: str | None
    reason: str


def compared(
    table: StoredTensor,
    output: StoredTensor,
    read: Callable[[StoredTensor], Rows],
    rows_looked_at: int | None = None,
) -> Tie:
    """The tie of two stored tables: equal numbers on the rows that both have.

    Parameters
    ----------
    table, output
        The input table and the output table.
    read
        What reads the rows of either.
    rows_looked_at
        How many rows are compared where reading all would cost too much: a third each from the
        beginning, the middle and the end. None: all.
    """
    if table.shape[1] != output.shape[1]:
        return Tie(
            False, f"{output.name} is {output.shape[1]} wide, the input table {table.shape[1]}"
        )
    rows = min(table.shape[0], output.shape[0])
    if not rows:
        return Tie(None, f"there is no row to compare with {output.name}")
    first, second = read(table), read(output)
    spans = list(_spans(rows, rows_looked_at))
    equal = all(_same(first(*span), second(*span)) for span in spans)
    looked_at = sum(stop - start for start, stop in spans)
    where = "" if table.shape[0] == output.shape[0] else f" on the {rows:,} common rows"
    if equal and looked_at < rows:
        where = f" on the {looked_at:,} rows compared"
    return Tie(equal, f"{output.name} holds {'the same' if equal else 'other'} numbers{where}")


def _same(rows: Any, others: Any) -> bool:
    """Whether two arrays hold the same numbers, and no number in the same places."""
    return np.array_equal(rows, others) or np.array_equal(rows, others, equal_nan=True)


def _spans(rows: int, rows_looked_at: int | None) -> Iterator[tuple[int, int]]:
    if rows_looked_at is not None and rows_looked_at < rows:
        length = max(1, rows_looked_at // 3)
        for start in sorted({0, (rows - length) // 2, rows - length}):
            yield start, start + length
        return
    yield 0, min(_FIRST, rows)
    for start in range(_FIRST, rows, _CHUNK):
        yield start, min(start + _CHUNK, rows)


def declared(config: ModelConfig | None, folder: Path | None = None) -> Declared:
    """What config.json and the architecture it names say of an output table that is not stored."""
    if config is None:
        return Declared(None, f"{_NO_OUTPUT}, and no config.json says more")
    name, flag = config.model_class, config.tie
    if name is None or flag is False or _BARE.match(name):
        # Decided without waiting for transformers.
        return Declared(None, f"{_NO_OUTPUT}; {name or 'no architecture named'}; {_says(flag)}")
    head = HEADS.get(name)
    if head is None:
        found = model_class(name)
        if found is None:
            return Declared(None, f"{_NO_OUTPUT}; transformers does not know {name}; {_says(flag)}")
        source = tied_source(found)
        if source is None:
            return _built(name, flag, folder)
        head = DeclaredHead(source, bool(default_tie(found)))
    if not (head.default if flag is None else flag):
        return Declared(None, f"{_NO_OUTPUT}; {name} does not tie; {_says(config.tie)}")
    return Declared(head.source, f"{_NO_OUTPUT}; {name} ties its head to the input table")


def _built(name: str, flag: bool | None, folder: Path | None) -> Declared:
    """What a class does that declares nothing itself: the model inside it may tie."""
    if folder is not None and shares_table(folder):
        return Declared("", f"{_NO_OUTPUT}; {name} ties its head to the input table")
    return Declared(None, f"{_NO_OUTPUT}; {name} declares no tied head; {_says(flag)}")


def _says(flag: bool | None) -> str:
    if flag is None:
        return "config leaves tie_word_embeddings unset"
    return f"config says tie_word_embeddings={str(flag).lower()}"
