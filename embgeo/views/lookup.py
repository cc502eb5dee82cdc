"""What a table holds for one token: the numbers, what a person knows, what the lookup costs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from embgeo.groups import ResolvedGroup
from embgeo.metrics.cosine import cosine_matrix
from embgeo.metrics.rotations import rotated
from embgeo.quantities import bytes_text
from embgeo.statistics import Moments
from embgeo.statistics.coordinates import ROTATION_SEED, Coordinate
from embgeo.statistics.nearest import LookedUp
from embgeo.tables import EmbeddingTable
from embgeo.tokens import CLASSES
from embgeo.views.numbers import number
from embgeo.views.overview import Fact

Array = np.ndarray[Any, np.dtype[Any]]

LINE = 96
"""Coordinates on one line of the folded strip."""


def row_frame(row: Array) -> pd.DataFrame:
    """A row folded into lines. Columns: coordinate, line, column, value (None: not finite)."""
    at = np.arange(len(row))
    value = np.where(np.isfinite(row), row, np.nan)
    return pd.DataFrame({"coordinate": at, "line": at // LINE, "column": at % LINE, "value": value})


def token_facts(
    table: EmbeddingTable, first: Moments, token_id: int, groups: Sequence[ResolvedGroup]
) -> list[Fact]:
    """What a person knows about a token: text, bytes, class, rank, length, groups."""
    inside = [g.name for g in groups if any(m.ids == (token_id,) for m in g.members)]
    return [
        *_text_facts(table, first, token_id),
        Fact("Norm", _length(first, token_id), _percentile(first, token_id)),
        Fact("In groups", ", ".join(inside) or "none of those chosen"),
    ]


def _text_facts(table: EmbeddingTable, first: Moments, token_id: int) -> list[Fact]:
    """Text, bytes, class and rank; where nothing is known of the texts, that."""
    if table.vocabulary.numbered:
        unknown = "no tokenizer: neither its bytes nor how frequent it is are known"
        return [Fact("Text", "not known", unknown), Fact("Id", f"{token_id:,}")]
    kind, known = int(first.classes[token_id]), first.classes >= 0
    spelled = table.vocabulary.utf8(token_id)
    return [
        Fact("Text", table.vocabulary.label(token_id), f"id {token_id:,}"),
        Fact("Bytes", spelled.hex(" ").upper() or "none", "UTF-8, in hexadecimal"),
        Fact("Class", CLASSES[kind] if kind >= 0 else "padding: no token has this row"),
        Fact(
            "Rank by id",
            f"{int(known[:token_id].sum()) + 1:,} of {int(known.sum()):,}" if kind >= 0 else "–",
            "a proxy for how frequent it is, not a count",
        ),
    ]


def percentile(first: Moments, token_id: int) -> float | None:
    """Share of the used rows that are no longer than this one, in [0, 1]."""
    norms, own = first.norms[first.used], first.norms[token_id]
    return float((norms <= own).mean()) if len(norms) and np.isfinite(own) else None


def _length(first: Moments, token_id: int) -> str:
    own = first.norms[token_id]
    return f"{own:.4g}" if np.isfinite(own) else "not finite"


def _percentile(first: Moments, token_id: int) -> str:
    if first.degenerate[token_id]:
        return "too short to have a direction, or not finite: no cosine is defined"
    share = percentile(first, token_id)
    if share is None:
        return ""
    return f"at least as long as {100 * share:.1f} % of the {first.count:,} rows"


def neighbour_frame(
    table: EmbeddingTable, first: Moments, found: LookedUp, token_id: int
) -> pd.DataFrame:
    """A token's nearest rows. Columns: rank, token, id, cosine, floor, above_floor."""
    at = found.place(token_id)
    records: list[dict[str, object]] = []
    for other, cosine in zip(found.near.ids[at], found.near.cosines[at], strict=True):
        if other >= 0:
            floor = pair_floor(first, token_id, int(other))
            records.append(
                {
                    "rank": len(records) + 1,
                    "token": table.vocabulary.label(int(other)),
                    "id": int(other),
                    "cosine": float(cosine),
                    "floor": floor,
                    "above_floor": None if floor is None else float(cosine) - floor,
                }
            )
    columns = ["rank", "token", "id", "cosine", "floor", "above_floor"]
    return pd.DataFrame(records, columns=columns)


def pair_floor(first: Moments, one: int, other: int) -> float | None:
    """Mean cosine of all pairs of rows of the two tokens' strata; None with no such pair."""
    if one == other or first.degenerate[one] or first.degenerate[other]:
        return None
    return number(first.floors[first.stratum[one], first.stratum[other]])


def product_frame(table: EmbeddingTable, found: LookedUp, token_id: int) -> pd.DataFrame:
    """The one-hot product beside the lookup.

    Columns: way, multiplications (count), numbers (read from the table), bytes (text, as they are
    read here), apart (largest difference from the stored row; None where undefined).
    """
    rows, dim, size = table.rows, table.dim, table.weight.element_size()
    apart = number(found.apart[found.place(token_id)])
    ways = (
        ("eₖ E, the one-hot product", rows * dim, rows * dim, apart),
        ("E[k], the lookup", 0, dim, 0.0),
    )
    return pd.DataFrame(
        [
            {
                "way": way,
                "multiplications": products,
                "numbers": read,
                "bytes": bytes_text(read * size),
                "apart": away,
            }
            for way, products, read, away in ways
        ]
    )


def coordinate_frame(table: EmbeddingTable, found: Coordinate) -> pd.DataFrame:
    """A coordinate's extreme tokens. Columns: end ("highest", "lowest"), rank, token, id, value."""
    ends = (
        ("highest", found.highest, found.high_values),
        ("lowest", found.lowest, found.low_values),
    )
    records = [
        {
            "end": end,
            "rank": rank,
            "token": table.vocabulary.label(int(token_id)),
            "id": int(token_id),
            "value": float(value),
        }
        for end, ids, values in ends
        for rank, (token_id, value) in enumerate(zip(ids, values, strict=True), start=1)
    ]
    return pd.DataFrame(records, columns=["end", "rank", "token", "id", "value"])


@dataclass(frozen=True)
class Turned:
    """What the rotation did to a sentence's rows.

    Attributes
    ----------
    changed, numbers
        How many of the numbers are others now (by more than 1e-9 of the longest row), of how many.
    norm_change, cosine_change
        Largest change of a norm, relative to the longest row, and of a cosine between two tokens.
    """

    changed: int
    numbers: int
    norm_change: float
    cosine_change: float


def turned(rows: Array) -> Turned | None:
    """What the seeded rotation changes and what it leaves; None without a row that is finite."""
    import torch

    kept = rows[np.isfinite(rows).all(axis=1)]
    longest = float(np.linalg.norm(kept, axis=1).max()) if len(kept) else 0.0
    if not longest:
        return None
    after = rotated(kept, ROTATION_SEED)
    lengths = (np.linalg.norm(each, axis=1) for each in (after, kept))
    cosines = (cosine_matrix(torch.from_numpy(each)).numpy() for each in (after, kept))
    return Turned(
        int((np.abs(after - kept) > 1e-9 * longest).sum()),
        kept.size,
        float(np.abs(np.subtract(*lengths)).max()) / longest,
        float(np.nan_to_num(np.abs(np.subtract(*cosines))).max()),
    )
