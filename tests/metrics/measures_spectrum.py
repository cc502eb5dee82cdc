"""How each number of the spectrum page is taken from rows, for the proof of its invariances."""

from collections.abc import Callable

import numpy as np
import oracle

from embgeo.metrics.singular_values import (
    components_for,
    condition,
    effective_rank_of_variances,
    mean_alignment,
    power_law,
    raw_singular_values,
    singular_values,
    stable_rank,
)
from embgeo.metrics.spectrum import effective_rank

Array = np.ndarray


def _parts(rows: Array) -> tuple[Array, Array]:
    values, vectors = np.linalg.eigh(oracle.covariance(rows))
    return values[::-1], (vectors.T @ rows.mean(axis=0))[::-1]


def _raw(rows: Array) -> Array:
    return raw_singular_values(*_parts(rows), len(rows))


def _exponent(rows: Array) -> float:
    law = power_law(_parts(rows)[0])
    assert law is not None
    return law.exponent


MEASURES: dict[str, Callable[[Array], object]] = {
    "singular_values": lambda rows: [singular_values(_parts(rows)[0], len(rows)), _raw(rows)],
    "effective_rank_variance": lambda rows: effective_rank_of_variances(_parts(rows)[0]),
    "rankme": lambda rows: effective_rank(_raw(rows) ** 2),
    "stable_rank": lambda rows: stable_rank(_raw(rows)),
    "stable_rank_centred": lambda rows: stable_rank(singular_values(_parts(rows)[0], len(rows))),
    "first_share": lambda rows: 1 / (stable_rank(_raw(rows)) or np.nan),
    # One share alone may need as many components before as after.
    "k90": lambda rows: [components_for(_parts(rows)[0], at / 50) for at in range(5, 50)],
    # Of several samples, since one may keep it by chance.
    "mean_alignment": lambda rows: [mean_alignment(*_parts(rows[:n])) for n in (20, 30)],
    "condition": lambda rows: condition(_parts(rows)[0], len(rows)),
    "power_law": _exponent,
}
