"""A table's sufficient statistics: computed in one or two passes, once, and kept in the store."""

from embgeo.statistics.chosen import ChosenRows, chosen_rows, raw_rows
from embgeo.statistics.moments import Moments, moments
from embgeo.statistics.pairs import PAIRS, SEED
from embgeo.statistics.spectrum import Spectrum, spectrum
from embgeo.statistics.transformed import (
    Transformed,
    after_each_step,
    fitted,
    sampled_cosines,
    transformed,
)

__all__ = [
    "PAIRS",
    "SEED",
    "ChosenRows",
    "Moments",
    "Spectrum",
    "Transformed",
    "after_each_step",
    "chosen_rows",
    "fitted",
    "moments",
    "raw_rows",
    "sampled_cosines",
    "spectrum",
    "transformed",
]
