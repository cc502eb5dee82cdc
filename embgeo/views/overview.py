"""What a model's card says: the facts of its table, and the numbers as they become known."""

from dataclasses import dataclass

from embgeo.checkpoints import StoredTable
from embgeo.statistics import Moments
from embgeo.tables import EmbeddingTable


@dataclass(frozen=True)
class Fact:
    """A line of a card: a label, its value, and what a person may want to know beside it."""

    label: str
    value: str
    note: str = ""


def facts(table: EmbeddingTable, first: Moments) -> list[Fact]:
    """The facts of a table after its first pass."""
    stored, size = table.facts, table.rows * table.dim
    lines = [
        Fact("Table", f"{table.rows:,} × {table.dim:,}", f"{stored.tensor} in {stored.file}"),
        Fact("Parameters", f"{size:,}", _share(size, stored.parameters)),
        Fact("Stored as", stored.dtype, _how_stored(table)),
        Fact("Fed to the first layer", _scaled(table), stored.scale_reason),
        Fact("Output table", _output(stored), stored.tied_reason),
        Fact("Tokens", f"{len(table.vocabulary):,}", _tokens(table, first)),
        Fact("Rows counted", f"{first.count:,} of {table.rows:,}", left_out(first)),
        Fact("Revision", table.revision, _from(table)),
    ]
    return [line for line in lines if line.value]


def _share(size: int, whole: int | None) -> str:
    if not whole or whole <= size:
        return ""
    return f"{100 * size / whole:.1f} % of the model's {whole:,}"


def _how_stored(table: EmbeddingTable) -> str:
    if table.facts.quantised:
        return "quantised; dequantised to float32, which is what is measured"
    if table.source.kind == "random":
        return "generated: normal, σ = 0.02, seed 0"
    if table.facts.scheme:
        return f"other weights are quantised ({table.facts.scheme}); the table is not"
    return ""


def _scaled(table: EmbeddingTable) -> str:
    """What the model multiplies its rows by, and whether these numbers are; "" for nothing."""
    scale = table.facts.scale
    if scale == 1.0:
        return ""
    fed = "which these lengths are" if table.factor == scale else "which these lengths are not"
    return f"× {scale:.4g}, {fed}"


def _from(table: EmbeddingTable) -> str:
    if table.source.kind != "hub":
        return ""
    return f"commit of {table.source.hub_id}; {table.source.hub_revision} when it was first read"


def _output(stored: StoredTable) -> str:
    tied = stored.tied
    if stored.tensor == stored.output:
        return "this one"
    if tied is None:
        return "none stored"
    return "tied: the same numbers" if tied else "untied: its own numbers"


def _tokens(table: EmbeddingTable, first: Moments) -> str:
    said = [table.vocabulary.note] if table.vocabulary.note else []
    missing = len(table.vocabulary) - int((first.classes >= 0).sum())
    if missing:
        said.append(f"{missing:,} tokens have no row in this table")
    return "; ".join(said)


def left_out(first: Moments) -> str:
    """Which rows are not counted, and why: "left out: 44 that no token has", or ""."""
    lost = int((first.degenerate & first.population.mask(first.classes)).sum())
    said = []
    if first.padding_rows and not first.population.padding:
        said.append(f"{first.padding_rows:,} that no token has")
    if lost:
        said.append(f"{lost:,} without a direction")
    if not first.population.special:
        said.append("special, unused and byte tokens")
    return f"left out: {', '.join(said)}" if said else ""
