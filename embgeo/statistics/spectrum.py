"""A second pass: the covariance of the rows and the Gram of the unit rows, d × d each.

Both are summed in float64 over rows from which the mean, known from the first pass, was taken
first; an uncentred float32 Gram of a cone-shaped table would lose the small eigenvalues.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch

from embgeo.devices import compute_device, working_dtype
from embgeo.jobs import Progress, silent
from embgeo.metrics.cosine import cosine_sd_from_gram, unit_rows
from embgeo.metrics.spectrum import (
    effective_rank,
    isoscore,
    participation_ratio,
    without_rounding,
)
from embgeo.populations import Population
from embgeo.statistics.moments import moments, store_key
from embgeo.tables import EmbeddingTable

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, eq=False)
class Spectrum:
    """How the used rows spread around their mean.

    Attributes
    ----------
    count
        Rows used, n.
    mean
        (d,) mean row.
    eigenvalues, eigenvectors
        (d,) descending and (d, d), one a column, of the covariance (ddof 1).
    cosine_sd
        Standard deviation (ddof 0) of the cosine over all pairs of different rows, or None.
    """

    count: int
    mean: torch.Tensor
    eigenvalues: torch.Tensor
    eigenvectors: torch.Tensor
    cosine_sd: float | None

    @cached_property
    def defined(self) -> bool:
        """Whether there is any spread at all; rows that are all the same have none."""
        return self.count > 1 and float(self.eigenvalues.sum()) > 0

    @property
    def participation_ratio(self) -> float | None:
        return participation_ratio(self.eigenvalues)

    @property
    def isoscore(self) -> float | None:
        return isoscore(self.eigenvalues)

    @property
    def effective_rank(self) -> float | None:
        """Of the centred table's singular values."""
        return effective_rank(self.eigenvalues)


def spectrum(
    table: EmbeddingTable,
    population: Population = Population(),
    progress: Progress = silent,
) -> Spectrum:
    """The table's spectrum: from memory, from the store, or from one pass over its rows."""
    return table.remember(("spectrum", population), lambda: _load(table, population, progress))


def _load(table: EmbeddingTable, population: Population, progress: Progress) -> Spectrum:
    key = store_key("spectrum", table, population)
    kept = table.store.read(*key)
    if kept is not None:
        arrays = {name: torch.from_numpy(array) for name, array in kept.arrays.items()}
        return Spectrum(kept.facts["count"], **arrays, cosine_sd=kept.facts["cosine_sd"])
    result = _pass(table, population, progress)
    arrays = {name: getattr(result, name) for name in ("mean", "eigenvalues", "eigenvectors")}
    table.store.write(
        *key,
        arrays={name: tensor.numpy() for name, tensor in arrays.items()},
        facts={"count": result.count, "cosine_sd": result.cosine_sd},
    )
    return result


def _pass(table: EmbeddingTable, population: Population, progress: Progress) -> Spectrum:
    first = moments(table, population, progress)
    device = compute_device()
    mean = torch.from_numpy(first.mean)
    covariance = torch.zeros(table.dim, table.dim, dtype=torch.float64)
    unit_gram = torch.zeros_like(covariance)
    used = torch.from_numpy(first.used)
    for rows, stored in table.chunks("covariance", progress):
        chunk = stored[used[rows]].to(device).to(working_dtype(device))
        covariance += gram(chunk - mean.to(chunk))
        unit_gram += gram(unit_rows(chunk))
    progress(0.99, f"{table.name}: eigenvalues")
    values, vectors = np.linalg.eigh((covariance / max(1, first.count - 1)).numpy())
    sd = None
    if first.mean_cosine is not None:
        frobenius = float((unit_gram * unit_gram).sum())
        sd = cosine_sd_from_gram(frobenius, first.mean_cosine, first.count)
    return Spectrum(
        count=first.count,
        mean=mean,
        eigenvalues=torch.from_numpy(without_rounding(values, float(mean.norm())).copy()),
        eigenvectors=torch.from_numpy(vectors[:, ::-1].copy()),
        cosine_sd=sd,
    )


def gram(rows: torch.Tensor) -> torch.Tensor:
    """rowsᵀ rows (d, d) in float64 on the CPU.

    On a CPU numpy is asked, which uses a symmetric product and takes half of torch's time.
    """
    if rows.device.type == "cpu":
        array = rows.numpy()
        return torch.from_numpy(array.T @ array).to(torch.float64)
    return (rows.T @ rows).cpu().to(torch.float64)
