"""The singular values of a table as it is, from its spectrum: a d × d problem, no further pass."""

from typing import Any

import numpy as np

from embgeo.jobs import Progress, silent
from embgeo.metrics.singular_values import raw_singular_values
from embgeo.populations import Population
from embgeo.statistics.moments import store_key
from embgeo.statistics.spectrum import spectrum
from embgeo.tables import EmbeddingTable

Array = np.ndarray[Any, np.dtype[Any]]


def raw_spectrum(
    table: EmbeddingTable,
    population: Population = Population(),
    progress: Progress = silent,
) -> Array:
    """(d,) singular values of the used rows with their mean left in, largest first."""

    def compute() -> Array:
        key = store_key("raw spectrum", table, population)
        kept = table.store.read(*key)
        if kept is not None:
            return kept.arrays["singular_values"]
        spread = spectrum(table, population, progress)
        progress(0.99, f"{table.name}: singular values")
        scores = spread.eigenvectors.T @ spread.mean
        found = raw_singular_values(spread.eigenvalues, scores, spread.count)
        table.store.write(*key, arrays={"singular_values": found})
        return found

    return table.remember(("raw spectrum", population), compute)
