"""What a model's card says: the facts of its table, and the numbers as they become known."""

from dataclasses import dataclass

from embgeo.statistics import Moments
from embgeo.tables import EmbeddingTable


@dataclass(frozen=True)
class Fact:
    """A line of a card: a label, its value, and what a person may want to know beside it."""

    label: str
    value: str
    note: str = ""


def facts(table: EmbeddingTable, first: Moments | None = None) -> list[Fact]:
    """The facts of a table, before or after its first pass."""
    stored, size = table.facts, table.rows * table.dim
    lines = [
        Fact("Table", f"{table.rows:,} × {table.dim:,}", f"{stored.tensor} in {stored.file}"),
        Fact("Parameters", f"{size:,}", _share(size, stored.parameters)),
        Fact("Stored as", stored.dtype, _how_stored(table)),
        Fact("Output table", _tied(stored.tied), stored.tied_reason),
        Fact("Tokens", f"{len(table.vocabulary):,}", _padding(table, first)),
        Fact("Revision", table.revision),
    ]
    return [line for line in lines if line.value]


def _share(size: int, whole: int | None) -> str:
    if not whole or whole <= size:
        return ""
    return f"{size / whole:.1%} of the model's {whole:,}"


def _how_stored(table: EmbeddingTable) -> str:
    if table.facts.quantised:
        return "quantised; dequantised to float32, which is what is measured"
    if table.source.kind == "random":
        return "generated: normal, σ = 0.02, seed 0"
    return ""


def _tied(tied: bool | None) -> str:
    if tied is None:
        return "none stored"
    return "tied: the same numbers" if tied else "untied: its own numbers"


def _padding(table: EmbeddingTable, first: Moments | None) -> str:
    said = []
    if table.vocabulary.note:
        said.append(table.vocabulary.note)
    missing = len(table.vocabulary) - table.rows
    if first is not None and first.padding_rows:
        said.append(f"{first.padding_rows:,} padding rows, which no token has, are left out")
    elif missing > 0:
        said.append(f"{missing:,} tokens have no row in this table")
    if first is not None and first.degenerate.any():
        said.append(
            f"{int(first.degenerate.sum()):,} rows without a direction are left out of cosines"
        )
    return "; ".join(said)
