"""The passes over a table: the only code that reads all of its rows.

Chunks are computed with on the compute device, where the table rests if it fits there; what is
summed over chunks is summed in float64 on the CPU.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from embgeo.devices import compute_device, working_dtype
from embgeo.jobs import Progress
from embgeo.metrics.cosine import cosine_sd_from_gram, unit_rows
from embgeo.metrics.norms import degenerate
from embgeo.metrics.spectrum import without_rounding
from embgeo.populations import STRATA, Population, strata
from embgeo.statistics.moments import Moments, moments
from embgeo.statistics.spectrum import Spectrum
from embgeo.statistics.transformed import Transformed, fitted
from embgeo.tables import EmbeddingTable
from embgeo.transforms import Fitted, Transform, described

Array = np.ndarray[Any, np.dtype[Any]]


def moments_pass(table: EmbeddingTable, population: Population, progress: Progress) -> Moments:
    """Norms, mean row and unit-row sums, in one pass."""
    classes = table.classes
    wanted, stratum = population.mask(classes), strata(classes)
    device = compute_device()
    sums = _Sums(table.dim)
    norms = np.empty(table.rows)
    for rows, stored in table.chunks("norms and mean cosine", progress, device):
        chunk = working(stored, device)
        norms[rows] = sums.add(
            chunk, torch.from_numpy(wanted[rows]), torch.from_numpy(stratum[rows])
        )
    out = degenerate(norms)
    # Which rows are degenerate is known only once every norm is: the few that were added leave.
    late = np.flatnonzero(wanted & out & np.isfinite(norms) & (norms > 0))
    for some in np.array_split(late, max(1, len(late) // 4096 + 1)):
        if len(some):
            sums.remove(table.take(some.tolist()), torch.from_numpy(stratum[some]))
    used = wanted & ~out
    return Moments(
        norms,
        classes,
        stratum,
        used,
        mean=(sums.rows / max(1, int(used.sum()))).numpy(),
        unit_sums=sums.units.numpy(),
        counts=np.bincount(stratum[used], minlength=STRATA),
        population=population,
    )


def working(stored: torch.Tensor, device: torch.device) -> torch.Tensor:
    """Rows on the device in its working precision, moved in the narrower of the two types."""
    dtype = working_dtype(device)
    if stored.dtype.itemsize > dtype.itemsize:  # a device may not even take what it cannot add
        stored = stored.to(dtype)
    return stored.to(device).to(dtype)


class _Sums:
    """Running float64 sums on the CPU: of rows, and of unit rows by stratum."""

    def __init__(self, dim: int) -> None:
        self.rows = torch.zeros(dim, dtype=torch.float64)
        self.units = torch.zeros(STRATA, dim, dtype=torch.float64)

    def add(self, chunk: torch.Tensor, wanted: torch.Tensor, stratum: torch.Tensor) -> Array:
        """Add a chunk's wanted rows; returns the norms of all its rows."""
        norms = torch.linalg.vector_norm(chunk, dim=1)
        norms = torch.where(torch.isfinite(norms), norms, torch.nan)
        counted = wanted.to(chunk.device) & (norms > 0)
        if not bool(counted.all()):
            chunk, stratum = chunk[counted], stratum[counted.cpu()]
        self._accumulate(chunk, stratum, 1.0)
        return norms.cpu().to(torch.float64).numpy()

    def remove(self, chunk: torch.Tensor, stratum: torch.Tensor) -> None:
        self._accumulate(chunk, stratum, -1.0)

    def _accumulate(self, chunk: torch.Tensor, stratum: torch.Tensor, sign: float) -> None:
        self.rows += sign * chunk.sum(dim=0).cpu().to(torch.float64)
        self.units += sign * sum_by_stratum(unit_rows(chunk), stratum)


def sum_by_stratum(units: torch.Tensor, stratum: torch.Tensor) -> torch.Tensor:
    """(STRATA, d) float64 on the CPU: the sum of the unit rows of each stratum."""
    sums = torch.zeros(STRATA, units.shape[1], dtype=units.dtype, device=units.device)
    sums.index_add_(0, stratum.to(units.device, torch.long), units)
    return sums.cpu().to(torch.float64)


def spectrum_pass(table: EmbeddingTable, population: Population, progress: Progress) -> Spectrum:
    """The covariance of the rows and the Gram of the unit rows, in one pass after the first.

    The mean is taken off before the products: subtracting n·μμᵀ afterwards would cancel.
    """
    first = moments(table, population, progress)
    device = compute_device()
    mean = torch.from_numpy(first.mean)
    covariance = torch.zeros(table.dim, table.dim, dtype=torch.float64)
    unit_gram = torch.zeros_like(covariance)
    used = torch.from_numpy(first.used)
    for rows, stored in table.chunks("covariance", progress, device):
        chunk = working(stored[used[rows]], device)
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
        mean=first.mean,
        eigenvalues=without_rounding(values, float(mean.norm())),
        eigenvectors=vectors[:, ::-1].copy(),
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


def transformed_pass(
    table: EmbeddingTable,
    transforms: Sequence[Transform],
    population: Population,
    progress: Progress,
) -> list[Transformed]:
    """Unit-row sums after each of several transforms, in one pass."""
    first, device = moments(table, population), compute_device()
    stratum = torch.from_numpy(first.stratum).to(torch.long)
    used = torch.from_numpy(first.used)
    sums = [_StratumSums(fitted(table, each, population)) for each in transforms]
    doing = f"mean cosine, {described(transforms[-1])}"
    for rows, stored in table.chunks(doing, progress, device):
        chosen = used[rows]
        chunk, where = working(stored[chosen], device), stratum[rows][chosen]
        for each in sums:
            each.add(chunk, where)
    return [Transformed(each.units.numpy(), each.counts) for each in sums]


class _StratumSums:
    """Running sums and numbers of the unit rows that a transform gives, by stratum."""

    def __init__(self, how: Fitted) -> None:
        self.how = how
        width = len(how.eigenvalues)
        self.units = torch.zeros(STRATA, width, dtype=torch.float64)
        self.counts = np.zeros(STRATA, dtype=np.int64)

    def add(self, chunk: torch.Tensor, stratum: torch.Tensor) -> None:
        units = unit_rows(self.how.directions(chunk))
        self.units += sum_by_stratum(units, stratum)
        nonzero = units.any(dim=1).cpu()
        self.counts += np.bincount(stratum[nonzero].numpy(), minlength=STRATA)


def cosines_of_pairs(table: EmbeddingTable, left: Array, right: Array, how: Fitted | None) -> Array:
    """(pairs,) the cosine of each pair of rows, after a transform where there is one.

    NaN where a row has no direction.
    """
    cosines = []
    for some in np.array_split(np.arange(len(left)), max(1, len(left) * table.dim // 2**21)):
        a, b = table.take(left[some].tolist()), table.take(right[some].tolist())
        if how is not None:
            a, b = how.directions(a), how.directions(b)
        a, b = unit_rows(a), unit_rows(b)
        pointing = a.any(dim=1) & b.any(dim=1)
        found = (a * b).sum(dim=1).clamp(-1, 1)
        cosines.append(found.masked_fill(~pointing, torch.nan))
    return torch.cat(cosines).numpy()
