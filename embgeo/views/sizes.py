"""How big tables are: of known models, of those that are compared, and of one that is planned."""

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from embgeo.quantities import bytes_text
from embgeo.sources.known import KnownModel, known_models
from embgeo.tables import EmbeddingTable

NUMBER_BYTES = 2
"""Bytes a number takes in the 16-bit types that most checkpoints are stored in."""
TIES = ("tied", "untied", "none, or not known")
_TIE_OF = {True: TIES[0], False: TIES[1], None: TIES[2]}


@dataclass(frozen=True)
class TableSize:
    """The size of one table, or of the two that an untied model stores.

    Attributes
    ----------
    rows, dim
        Vocabulary and width (both > 0).
    tables
        How many tables of that shape are counted, 1 or 2.
    total
        Numbers in the whole model, these tables included; None where that is not known.
    number_bytes
        Bytes that one number takes.
    """

    rows: int
    dim: int
    tables: int = 1
    total: int | None = None
    number_bytes: int = NUMBER_BYTES

    @property
    def parameters(self) -> int:
        """Numbers in the tables: rows × dim × tables.

        >>> TableSize(128_256, 4_096).parameters
        525336576
        """
        return self.rows * self.dim * self.tables

    @property
    def bytes(self) -> int:
        """Bytes of the tables."""
        return self.parameters * self.number_bytes

    @property
    def share(self) -> float | None:
        """Share of the whole model in (0, 1); None where no whole is known that holds them.

        >>> round(TableSize(128_256, 4_096, tables=2, total=8_030_261_248).share, 3)
        0.131
        """
        known = self.total is not None and self.total > self.parameters
        return self.parameters / self.total if self.total and known else None

    def grown(self, tokens: int) -> "TableSize":
        """What that many tokens cost: the size of a table of just their rows."""
        return TableSize(tokens, self.dim, self.tables, None, self.number_bytes)

    @property
    def bytes_text(self) -> str:
        """The bytes in decimal and in binary units, for those who think in either.

        >>> TableSize(128_256, 4_096).bytes_text
        '1.05 GB (1,002 MiB)'
        """
        binary = self.bytes / 2**20
        return f"{bytes_text(self.bytes)} ({binary:,.{0 if binary >= 99.5 else 1}f} MiB)"


def known_frame(every_table: bool = False) -> pd.DataFrame:
    """The catalogue, one row a model.

    Parameters
    ----------
    every_table
        Count the output table too where a model is known to store one of its own.

    Returns
    -------
    pandas.DataFrame
        ``name``, ``family``, ``hub_id``, ``rows``, ``dim``, ``tied`` (one of `TIES`), ``tables``
        (counted), ``parameters`` (in them), ``total`` and ``share`` (NaN where not known),
        ``bytes`` and ``bytes_text`` (at 2 a number), ``evidence``, ``note``.
    """
    return pd.DataFrame([_known(model, every_table) for model in known_models()])


def _known(model: KnownModel, every_table: bool) -> dict[str, object]:
    tables = model.tables if every_table else 1
    size = TableSize(model.rows, model.dim, tables, model.parameters)
    about = {"name": model.name, "family": model.family, "hub_id": model.hub_id}
    return about | _sized(size, model.tied) | {"evidence": model.evidence, "note": model.note}


def measured_frame(tables: Mapping[str, EmbeddingTable], every_table: bool = False) -> pd.DataFrame:
    """The same of tables that were opened, by their labels; columns as in `known_frame`."""
    rows = []
    for label, table in tables.items():
        size = measured_size(table, every_table)
        facts = {"name": label, "family": "", "hub_id": ""} | _sized(size, table.facts.tied)
        evidence = f"measured: {table.facts.tensor} in {table.facts.file}"
        rows.append(facts | {"evidence": evidence, "note": table.facts.tied_reason})
    return pd.DataFrame(rows, columns=list(_known(known_models()[0], every_table)))


def measured_size(table: EmbeddingTable, every_table: bool = False) -> TableSize:
    """The size of an opened table, and of its untied output table if that is counted."""
    tables = 2 if every_table and table.facts.tied is False else 1
    return TableSize(table.rows, table.dim, tables, table.facts.parameters)


def _sized(size: TableSize, tied: bool | None) -> dict[str, object]:
    return {
        "rows": size.rows,
        "dim": size.dim,
        "tied": _TIE_OF[tied],
        "tables": size.tables,
        "parameters": size.parameters,
        "total": float("nan") if size.total is None else float(size.total),
        "share": float("nan") if size.share is None else size.share,
        "bytes": size.bytes,
        "bytes_text": size.bytes_text,
    }


def slice_frame(table: EmbeddingTable) -> pd.DataFrame:
    """What an opened checkpoint is made of: its input table, its output table, all the rest.

    Returns
    -------
    pandas.DataFrame
        One row per part that is there: ``part``, ``parameters``, ``start`` and ``end`` as shares of
        what is known to be stored, from 0 to 1. Where no total is known that is the table alone.
    """
    one, every = measured_size(table), measured_size(table, every_table=True)
    whole = one.total if every.share is not None else None
    parts = {
        "input table": one.parameters,
        "output table": every.parameters - one.parameters if whole else 0,
        "everything else": whole - every.parameters if whole else 0,
    }
    sizes = pd.Series(parts)
    ends = sizes.cumsum() / sizes.sum()
    frame = pd.DataFrame({"parameters": sizes, "start": ends - sizes / sizes.sum(), "end": ends})
    return frame[frame["parameters"] > 0].rename_axis("part").reset_index()
