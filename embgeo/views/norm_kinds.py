"""Frames of the norm page: does norm follow id, and how long rows are by script and by class."""

from typing import Any

import numpy as np
import pandas as pd

from embgeo.metrics.rank_correlation import spearman
from embgeo.statistics import Moments
from embgeo.tables import EmbeddingTable
from embgeo.tokens import CLASSES
from embgeo.tokens.scripts import Scripts, token_scripts
from embgeo.views.counts import Counts, matched
from embgeo.views.norms import WHOLE
from embgeo.views.numbers import number

Array = np.ndarray[Any, np.dtype[Any]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

_RANKS = ["kind", "tokens", "spearman"]
_COLUMNS = ["kind", "tokens", "q05", "median", "q95"]
SMALL = 5
"""Kinds of fewer tokens are shown together: their median says nothing."""
_MOST_KINDS = 24
OTHERS = "others together"


def rank_correlations(
    table: EmbeddingTable, first: Moments, counts: Counts | None = None
) -> pd.DataFrame:
    """Spearman's ρ of norm and token id, of all used rows and within each token class.

    Columns: kind, tokens, spearman (missing where fewer than 3 rows, or all of one length); with
    counts also counted (tokens that occur in them) and with_counts (ρ of norm and count, of those).
    """

    def compute() -> pd.DataFrame:
        occurs = None if counts is None else matched(table, counts).counts
        kinds = [(WHOLE, first.used), *_classes(first)]
        records = [
            {"kind": name, "tokens": int(chosen.sum()), "spearman": norm_by_id(first, chosen)}
            | ({} if occurs is None else _with_counts(first, chosen & (occurs > 0), occurs))
            for name, chosen in kinds
            if chosen.any()
        ]
        return pd.DataFrame(records or None, columns=None if records else _RANKS).astype(
            {"spearman": float}
        )

    brought = "" if counts is None else counts.digest
    return table.remember(("norm ranks", first.population, brought), compute)


def norm_by_id(first: Moments, chosen: Mask) -> float | None:
    """Spearman's ρ of norm and token id over chosen rows; the id stands in for a frequency rank."""
    ids = np.flatnonzero(chosen)
    return number(spearman(first.norms[ids], ids.astype(np.float64)))


def _with_counts(first: Moments, chosen: Mask, occurs: Array) -> dict[str, object]:
    rho = number(spearman(first.norms[chosen], occurs[chosen]))
    return {"counted": int(chosen.sum()), "with_counts": np.nan if rho is None else rho}


def scripts_of(table: EmbeddingTable) -> Scripts:
    """The script of every row's token, found once."""
    return table.remember(("scripts",), lambda: token_scripts(table.vocabulary, table.classes))


def norms_by_script(table: EmbeddingTable, first: Moments) -> pd.DataFrame:
    """Raw norms of the used rows by the script of their tokens, the most common script first.

    Columns: kind, tokens, q05, median, q95. Scripts of fewer than 5 tokens, and those beyond the
    24 most common, are one kind. No row where tokens are only numbers.
    """
    if table.vocabulary.numbered:
        return pd.DataFrame(columns=_COLUMNS)
    scripts = scripts_of(table)
    counts = np.bincount(scripts.codes[first.used], minlength=len(scripts.names))
    order = np.argsort(-counts, kind="stable")
    shown = [int(code) for code in order[:_MOST_KINDS] if counts[code] >= SMALL]
    kinds = [(scripts.names[code], first.used & (scripts.codes == code)) for code in shown]
    kinds.append((OTHERS, first.used & ~np.isin(scripts.codes, shown)))
    return _by_kind(first, kinds)


def norms_by_class(first: Moments) -> pd.DataFrame:
    """Raw norms of the used rows by token class. Columns: kind, tokens, q05, median, q95."""
    return _by_kind(first, _classes(first))


def _classes(first: Moments) -> list[tuple[str, Mask]]:
    """The used rows of each token class."""
    return [(name, first.used & (first.classes == code)) for code, name in enumerate(CLASSES)]


def _by_kind(first: Moments, kinds: list[tuple[str, Mask]]) -> pd.DataFrame:
    records = []
    for name, chosen in kinds:
        norms = first.norms[chosen]
        if len(norms):
            q05, median, q95 = np.quantile(norms, [0.05, 0.5, 0.95])
            found = {"kind": name, "tokens": len(norms), "q05": q05, "median": median, "q95": q95}
            records.append(found)
    return pd.DataFrame(records, columns=_COLUMNS)
