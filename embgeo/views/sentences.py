"""From a text to the rows it becomes: its tokens, where the same one stands again, the matrix X."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from embgeo.errors import VocabularyError
from embgeo.metrics.rotations import rotated
from embgeo.statistics.coordinates import ROTATION_SEED
from embgeo.tables import EmbeddingTable
from embgeo.tokens.words import WordEncoder
from embgeo.views.norms import class_name

Array = np.ndarray[Any, np.dtype[Any]]

MOST_TOKENS = 60
_BY_ID = re.compile(r"\s*#\d{1,12}(\s+#\d{1,12})*\s*")


@dataclass(frozen=True)
class Sentence:
    """A text as one table reads it.

    Attributes
    ----------
    ids
        Ids in order, at most `MOST_TOKENS`, each with a row in the table.
    note
        What was left out and why, or what to do; "" where there is nothing to say.
    """

    ids: tuple[int, ...]
    note: str = ""


def read_sentence(table: EmbeddingTable, text: str) -> Sentence:
    """The ids of a text; of "#123 #5", the ids that are written there.

    Word vectors and generated tables know whole words, so they are asked word by word.
    """
    if not text.strip():
        return Sentence((), "Type a sentence, or ids such as #123 #5.")
    notes: list[str] = []
    if _BY_ID.fullmatch(text):
        ids = [int(word[1:]) for word in text.split()]
        notes.append("Read as ids.")
    else:
        try:
            ids = _encoded(table, text, notes)
        except VocabularyError as error:
            return Sentence((), f"{error} Write ids instead, such as #123 #5.")
    with_row = [token_id for token_id in ids if token_id < table.rows]
    missing = sorted(set(ids) - set(with_row))
    if missing:
        named = ", ".join(f"#{token_id}" for token_id in missing[:5])
        notes.append(f"No row in this table, which has {table.rows:,}: {named}.")
    if len(with_row) > MOST_TOKENS:
        notes.append(f"{len(with_row):,} tokens; the first {MOST_TOKENS} are shown.")
    if not ids:
        notes.append("The tokenizer makes no token of this text.")
    return Sentence(tuple(with_row[:MOST_TOKENS]), " ".join(notes))


def _encoded(table: EmbeddingTable, text: str, notes: list[str]) -> list[int]:
    vocabulary = table.vocabulary
    if not (isinstance(vocabulary.encoder, WordEncoder) or table.source.kind == "random"):
        return vocabulary.encode(text)
    ids, unknown = [], []
    for word in text.split():
        try:
            ids += vocabulary.encode(word)
        except VocabularyError:
            unknown.append(word[:40])
    if unknown:
        notes.append(f"No row for {', '.join(dict.fromkeys(unknown[:5]))}: not in this word list.")
    return ids


def token_frame(table: EmbeddingTable, first: Sentence, second: Sentence) -> pd.DataFrame:
    """The first sentence's tokens, one row a place.

    Columns: place (from 1), token (visible), id, class, same ("= 2" where the row at place 2 is the
    same one; "also 7 below" where the second sentence has it there).
    """
    classes = table.classes
    records = [
        {
            "place": place,
            "token": table.vocabulary.label(token_id),
            "id": token_id,
            "class": class_name(int(classes[token_id])),
            "same": _same(first.ids, second.ids, place),
        }
        for place, token_id in enumerate(first.ids, start=1)
    ]
    return pd.DataFrame(records, columns=["place", "token", "id", "class", "same"])


def _same(first: tuple[int, ...], second: tuple[int, ...], place: int) -> str:
    token_id = first[place - 1]
    earlier = first.index(token_id) + 1
    said = [f"= {earlier}"] if earlier < place else []
    below = [str(at) for at, other in enumerate(second, start=1) if other == token_id]
    return ", ".join([*said, *([f"= {' '.join(below)} below"] if below else [])])


def repeated_frame(table: EmbeddingTable, first: Sentence, second: Sentence) -> pd.DataFrame:
    """Tokens that stand more than once in the two sentences, each looked up at every place.

    Columns: token, id, places, other_places (text), rows (how many were looked up), apart (largest
    difference of any two of these rows in any coordinate; None where a number is not finite), equal
    (bool: the same bits in each).
    """
    every = (*first.ids, *second.ids)
    records = []
    for token_id in dict.fromkeys(every):
        if every.count(token_id) > 1:
            places, others = _places(first.ids, token_id), _places(second.ids, token_id)
            # Looked up once for each place, as a model does, rather than copied.
            rows = table.take([every[at] for at in _where(every, token_id)]).numpy()
            apart = float(np.abs(rows - rows[0]).max()) if np.isfinite(rows).all() else None
            records.append(
                {
                    "token": table.vocabulary.label(token_id),
                    "id": token_id,
                    "places": places,
                    "other_places": others,
                    "rows": len(rows),
                    "apart": apart,
                    "equal": all(row.tobytes() == rows[0].tobytes() for row in rows),
                }
            )
    columns = ["token", "id", "places", "other_places", "rows", "apart", "equal"]
    return pd.DataFrame(records, columns=columns)


def _where(ids: tuple[int, ...], token_id: int) -> list[int]:
    return [at for at, other in enumerate(ids) if other == token_id]


def _places(ids: tuple[int, ...], token_id: int) -> str:
    return ", ".join(str(at + 1) for at in _where(ids, token_id)) or "–"


def matrix(table: EmbeddingTable, ids: tuple[int, ...], turn: bool = False) -> Array:
    """X (n, d) float64: the row of each token in order, rotated if asked."""
    rows: Array = table.take(ids).numpy()
    return rotated(rows, ROTATION_SEED) if turn else rows


def matrix_frame(table: EmbeddingTable, ids: tuple[int, ...], values: Array) -> pd.DataFrame:
    """X as a table to take away. Columns: place, token, id, then a column for each coordinate."""
    head = {
        "place": range(1, len(ids) + 1),
        "token": [table.vocabulary.label(token_id) for token_id in ids],
        "id": list(ids),
    }
    numbers = pd.DataFrame(values, columns=[f"x{at}" for at in range(values.shape[1])])
    return pd.concat([pd.DataFrame(head), numbers], axis=1)
