"""One pass for what may be under-trained: distance to untrained rows, and rows exactly alike."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from embgeo.jobs import Progress, silent
from embgeo.metrics.undertrained import lowest
from embgeo.populations import Population
from embgeo.statistics.moments import Moments, moments
from embgeo.tables import EmbeddingTable
from embgeo.tokens.reserved import reserved_rows
from embgeo.tokens.text import SPECIAL

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, eq=False)
class Undertrained:
    """What one pass knows about rows that training hardly touched.

    Attributes
    ----------
    references
        (m,) ids of reserved rows that have a direction, in order.
    said
        What the reserved rows are, in words; "" where there is none.
    distances
        (rows,) cosine distance to the mean of the reference rows; NaN without a direction.
    twins
        (rows,) number of the group of exactly equal rows that a row is in, −1 where it has none.
    by_distance
        Whether candidates are ranked by distance; by norm otherwise.
    candidates
        (c,) ids of the lowest 2 % of the ranked tokens, most suspicious first.
    nearest, nearest_distances
        (c,) id of each candidate's nearest reference row (−1: none), and the cosine distance.
    """

    references: Array
    said: str
    distances: Array
    twins: Array
    by_distance: bool
    candidates: Array
    nearest: Array
    nearest_distances: Array


def undertrained(
    table: EmbeddingTable,
    population: Population = Population(),
    progress: Progress = silent,
) -> Undertrained:
    """Signs of under-training, from memory, from the store, or from one pass.

    They are the same for every population, which only says whose norms are known already.
    """
    return table.remember(("undertrained",), lambda: _load(table, population, progress))


def ranked_rows(first: Moments) -> Array:
    """(rows,) bool: which rows are ranked: those of a token that is not special, unused or byte."""
    return np.asarray((first.classes >= 0) & (first.classes != SPECIAL))


def _load(table: EmbeddingTable, population: Population, progress: Progress) -> Undertrained:
    key = ("undertrained", *table.key, str(len(table.vocabulary)))
    kept = table.store.read(*key)
    if kept is not None:
        known: dict[str, Any] = {**kept.arrays, **kept.facts}
        return Undertrained(**known)
    result = _compute(table, moments(table, population, progress), progress)
    facts = {"said": result.said, "by_distance": result.by_distance}
    names = [each.name for each in fields(Undertrained) if each.name not in facts]
    table.store.write(*key, arrays={name: getattr(result, name) for name in names}, facts=facts)
    return result


def _compute(table: EmbeddingTable, first: Moments, progress: Progress) -> Undertrained:
    from embgeo.statistics.undertrained_pass import mean_row, nearest_references, signs_pass

    reserved = reserved_rows(table.vocabulary, first.classes)
    ids = np.asarray(reserved.ids, dtype=np.int64)
    references = ids[~first.degenerate[ids]]
    mean = mean_row(table, references)
    if mean is None:
        references = references[:0]
    signs = signs_pass(table, first, mean, progress)
    # An untied table's unused rows only decay; a tied one's are pushed one way by the softmax.
    by_distance = table.facts.tied is not False and mean is not None
    indicator = signs.distances if by_distance else first.norms
    candidates = lowest(indicator, ranked_rows(first))
    near = nearest_references(table, candidates, references, first)
    said = reserved.said if len(references) else ""
    return Undertrained(
        references,
        said,
        signs.distances,
        signs.twins,
        by_distance,
        candidates,
        near.ids,
        near.distances,
    )
