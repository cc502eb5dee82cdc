"""The two-token calculator: which rows two texts are, and four numbers beside their floors."""

import re
from dataclasses import dataclass

import pandas as pd

from embgeo.errors import VocabularyError
from embgeo.metrics.rotations import rotated
from embgeo.metrics.two_rows import TwoRows, at_cosine, compare
from embgeo.statistics import Moments
from embgeo.statistics.coordinates import ROTATION_SEED
from embgeo.tables import EmbeddingTable
from embgeo.views.lookup import pair_floor

_ID = re.compile(r"\s*#(\d{1,12})\s*")
COLUMNS = ["quantity", "formula", "value", "turned", "floor"]


@dataclass(frozen=True)
class Picked:
    """The row that a text is in one table, or why it is none."""

    token_id: int | None
    problem: str = ""


def pick(table: EmbeddingTable, text: str, known: tuple[int, ...] = ()) -> Picked:
    """The token of a text: "#12" is an id, else a token of the sentence spelled so, else encoded.

    A token of the sentence comes first because some, such as "##ing", are no text that a tokenizer
    would make them of.
    """
    vocabulary = table.vocabulary
    if written := _ID.fullmatch(text):
        ids = [int(written[1])]
    elif same := [token_id for token_id in known if vocabulary.text(token_id) == text]:
        ids = same[:1]
    else:
        try:
            ids = vocabulary.encode(text)
        except VocabularyError as error:
            return Picked(None, f"{error} Write an id instead, such as #123.")
    if len(ids) != 1:
        pieces = " · ".join(vocabulary.label(token_id) for token_id in ids[:8])
        said = f"{len(ids)} tokens here ({pieces})" if ids else "no token here"
        return Picked(None, f"That is {said}; choose one token.")
    if not ids[0] < table.rows:
        return Picked(None, f"No row in this table, which has {table.rows:,}: #{ids[0]}.")
    return Picked(ids[0])


def calculate(table: EmbeddingTable, first: Moments, one: int, other: int) -> pd.DataFrame:
    """Four numbers about two tokens' rows.

    Columns: quantity, formula, value, turned (the same after the seeded rotation), floor (what rows
    of these lengths give at the mean cosine of their strata). None where undefined; no row where a
    number of the table is not finite.
    """
    rows = table.take([one, other]).numpy()
    value = compare(*rows)
    if value is None:
        return pd.DataFrame(columns=COLUMNS)
    after = compare(*rotated(rows, ROTATION_SEED))
    cosine = pair_floor(first, one, other)
    lengths = float(first.norms[one]), float(first.norms[other])
    floor = None if cosine is None else at_cosine(cosine, lengths)
    if first.degenerate[one] or first.degenerate[other]:
        value, after = _undirected(value), after and _undirected(after)
    records = [
        {
            "quantity": quantity,
            "formula": formula,
            "value": getattr(value, name),
            "turned": getattr(after, name, None),
            "floor": getattr(floor, name, None),
        }
        for name, quantity, formula in _QUANTITIES
    ]
    return pd.DataFrame(records, columns=COLUMNS).astype(
        dict.fromkeys(["value", "turned", "floor"], float)
    )


def _undirected(found: TwoRows) -> TwoRows:
    """The direction of a row that is as good as zero is noise."""
    return TwoRows(found.dot, None, found.distance, None)


_QUANTITIES = (
    ("cosine", "Cosine", "u·v / (|u| |v|)"),
    ("degrees", "Angle, degrees", "arccos of the cosine"),
    ("dot", "Inner product", "u·v"),
    ("distance", "Distance", "|u − v|"),
)
