"""Well-known models by the size of their table: what can be said before anything is read."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_LIST = Path(__file__).with_name("known_models.csv")
_TIED = {"yes": True, "no": False, "": None}


@dataclass(frozen=True)
class KnownModel:
    """One model of the catalogue.

    Attributes
    ----------
    name, family
        What it is called, and which models share its tokenizer or lineage.
    hub_id
        Where its checkpoint lies on the hub; "" where the weights are not public.
    rows, dim
        The table as it is stored: padding rows included; its own width, which need not be the
        model's.
    tied
        Whether the output table is the input table; None where there is none, or it is not known.
    tie_assumed
        Whether ``tied`` is a class default that was not read from the model.
    parameters
        Numbers in the whole model, by its architecture; None where they were not computed.
    evidence, note
        What the figures rest on, and what must be known beside them.
    """

    name: str
    family: str
    hub_id: str
    rows: int
    dim: int
    tied: bool | None
    tie_assumed: bool
    parameters: int | None
    evidence: str
    note: str

    @property
    def table_parameters(self) -> int:
        """Numbers in the input table."""
        return self.rows * self.dim

    @property
    def tables(self) -> int:
        """Tables known to be stored: two where the output table is untied, else one."""
        return 2 if self.tied is False else 1


@cache
def known_models() -> tuple[KnownModel, ...]:
    """The catalogue, families together, smaller models first within most.

    >>> known_models()[0].hub_id
    'openai-community/gpt2'
    """
    with _LIST.open(encoding="utf-8", newline="") as file:
        return tuple(map(_model, csv.DictReader(file)))


def _model(row: Mapping[str, str]) -> KnownModel:
    return KnownModel(
        name=row["name"],
        family=row["family"],
        hub_id=row["hub_id"],
        rows=int(row["rows"]),
        dim=int(row["dim"]),
        tied=_TIED[row["tied"]],
        tie_assumed=row["tie_assumed"] == "yes",
        parameters=int(row["parameters"]) if row["parameters"] else None,
        evidence=row["evidence"],
        note=row["note"],
    )
