"""How often a token occurs, where nobody has counted: by its id, a proxy.

Most vocabularies list tokens in the order of merges or of counts, after special tokens that stand
in front; WordPiece puts single characters there too, in the order of their code points.
"""

from typing import Any

import numpy as np

from embgeo.metrics.isotropy import zipf_weights
from embgeo.statistics.moments import Moments
from embgeo.tables import EmbeddingTable
from embgeo.tokens.text import CHARACTER, SPECIAL

Array = np.ndarray[Any, np.dtype[Any]]


def first_ranked_id(table: EmbeddingTable) -> int:
    """The id from which on ids follow frequency; the number of rows where none does.

    Without a tokenizer nothing is known of the order of the rows.
    """
    if table.vocabulary.numbered:
        return table.rows
    unranked = [-1, SPECIAL]
    if table.vocabulary.spelling == "wordpiece":
        unranked.append(CHARACTER)
    ranked = np.flatnonzero(~np.isin(table.classes, unranked))
    return int(ranked[0]) if len(ranked) else table.rows


def zipf_of(table: EmbeddingTable, first: Moments) -> Array:
    """(rows,) p ∝ 1/(rank + 10) of the used tokens from `first_ranked_id` on, else 0; of sum 1.

    The rank is the id's distance from there. All zeros where no row is ranked.
    """
    weights, start = np.zeros(table.rows), first_ranked_id(table)
    # Rows that no token has are in no text, whether a person counts them or not.
    ids = start + np.flatnonzero((first.used & (first.classes >= 0))[start:])
    if len(ids):
        weights[ids] = zipf_weights(ids - start)
    return weights
