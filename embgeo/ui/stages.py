"""The statistics of whole tables that several pages ask for."""

from typing import TYPE_CHECKING

from embgeo.jobs import Progress
from embgeo.populations import Population
from embgeo.tables import EmbeddingTable
from embgeo.ui.work import Stage

if TYPE_CHECKING:
    from embgeo.transforms import Transform


def moments(population: Population) -> Stage:
    """One pass: norms, mean cosine, floors."""

    def compute(table: EmbeddingTable, progress: Progress) -> bool:
        from embgeo.statistics import moments

        moments(table, population, progress)
        return True

    return Stage("moments", (population,), compute)


def spectrum(population: Population) -> Stage:
    """A second pass: covariance, eigenvalues, spread of the cosine, and the centred mean cosine."""

    def compute(table: EmbeddingTable, progress: Progress) -> bool:
        from embgeo.statistics import spectrum
        from embgeo.views.records import centred_mean_cosine

        spectrum(table, population, progress)
        centred_mean_cosine(table, population, progress)
        return True

    return Stage("spectrum", (population,), compute)


def transformed(transform: "Transform", population: Population) -> Stage:
    """The spectrum, a pass after each step of a transform, and sampled pairs before and after."""

    def compute(table: EmbeddingTable, progress: Progress) -> bool:
        from embgeo.statistics import after_each_step, sampled_cosines, spectrum
        from embgeo.transforms import RAW

        spectrum(table, population, progress)
        after_each_step(table, transform, population, progress)
        progress(0.95, f"{table.name}: sampling pairs")
        sampled_cosines(table, RAW, population)
        sampled_cosines(table, transform, population)
        return True

    return Stage("transformed", (transform, population), compute)
