"""What can be done to a table before cosines are taken: a tuple of steps, fitted on all its rows.

Every step is affine, so a fitted transform is one subtraction and one product, x' = (x − offset) A,
whatever the steps; the eigenvalues of the transformed table come out on the way.
"""

from embgeo.transforms.fitting import EIGENVALUE_FLOOR, Fitted, Spread, fit
from embgeo.transforms.steps import (
    CENTRED,
    NAMES,
    RAW,
    Centre,
    DropRogue,
    DropTop,
    Standardise,
    Step,
    Transform,
    Whiten,
    default_dropped,
    described,
    spelled,
    uses_weights,
)
from embgeo.transforms.words import (
    KINDS,
    MOST_COUNTED,
    StepChoice,
    named,
    preset,
    read_steps,
    read_word,
    steps_for,
)

__all__ = [
    "CENTRED",
    "EIGENVALUE_FLOOR",
    "KINDS",
    "MOST_COUNTED",
    "NAMES",
    "RAW",
    "Centre",
    "DropRogue",
    "DropTop",
    "Fitted",
    "Spread",
    "Standardise",
    "Step",
    "StepChoice",
    "Transform",
    "Whiten",
    "default_dropped",
    "described",
    "fit",
    "named",
    "preset",
    "read_steps",
    "read_word",
    "spelled",
    "steps_for",
    "uses_weights",
]
