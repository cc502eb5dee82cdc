"""Steps as a person chooses them, before the width of a table is known, and as words in a link."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from embgeo.errors import ShapeError
from embgeo.transforms.steps import (
    NAMES,
    Centre,
    DropRogue,
    DropTop,
    Standardise,
    Step,
    Transform,
    Whiten,
    default_dropped,
)

KINDS = ("rogue", "centre", "zipf-centre", "standardise", "drop", "whiten", "zipf-whiten")
"""Every kind of step, in the order in which they are usually taken."""
MOST_COUNTED = 100_000
_COUNTED = ("rogue", "drop", "whiten", "zipf-whiten")
_WHITENING = ("whiten", "zipf-whiten")
_ROGUE = 3
_SHARE = r"0(?:\.[0-9]{1,4})?|1(?:\.0{1,4})?"
_WORD = re.compile(rf"({'|'.join(KINDS)})(?::([1-9][0-9]{{0,5}}))?(?:~({_SHARE}))?")


@dataclass(frozen=True)
class StepChoice:
    """One step as it is chosen.

    Attributes
    ----------
    kind
        One of `KINDS`.
    number
        Dimensions zeroed, components removed or kept; None for what suits the table's width.
    shrinkage
        Of whitening, 0 to 1.
    """

    kind: str
    number: int | None = None
    shrinkage: float = 0.0

    @property
    def counted(self) -> bool:
        """Whether the step has a number."""
        return self.kind in _COUNTED

    @property
    def whitens(self) -> bool:
        """Whether the step has a shrinkage."""
        return self.kind in _WHITENING

    @property
    def word(self) -> str:
        """As it stands in a link.

        >>> StepChoice("whiten", 128, 0.1).word, StepChoice("drop").word
        ('whiten:128~0.1', 'drop')
        """
        number = "" if self.number is None else f":{self.number}"
        return f"{self.kind}{number}" + (f"~{self.shrinkage:g}" if self.shrinkage else "")

    def step(self, dim: int) -> Step:
        """The step for a table of this width.

        Raises
        ------
        ShapeError
            If the number is outside 1 … dim.
        """
        _within(self.number, dim)
        match self.kind:
            case "rogue":
                return DropRogue(self.number or min(_ROGUE, max(1, dim - 1)))
            case "standardise":
                return Standardise()
            case "drop":
                return DropTop(self.number or default_dropped(dim))
            case "centre" | "zipf-centre":
                return Centre(weighted=self.kind == "zipf-centre")
        return Whiten(self.number, self.shrinkage, weighted=self.kind == "zipf-whiten")


def read_word(word: str) -> StepChoice:
    """The step that a word of a link stands for.

    Raises
    ------
    ShapeError
        If it stands for none.

    Examples
    --------
    >>> read_word("whiten:128~0.1")
    StepChoice(kind='whiten', number=128, shrinkage=0.1)
    """
    found = _WORD.fullmatch(word)
    kind, number, shrinkage = found.groups() if found else ("", None, None)
    chosen = StepChoice(kind, int(number) if number else None, float(shrinkage or 0))
    misplaced = (number and not chosen.counted) or (shrinkage and not chosen.whitens)
    if not found or misplaced or (chosen.number or 1) > MOST_COUNTED:
        raise ShapeError(
            f"Unknown step {word[:40]!r}; steps are {', '.join(KINDS)}, with a number behind a "
            "colon and a shrinkage behind a tilde where they have one: whiten:128~0.1."
        )
    return chosen


def read_steps(text: str) -> tuple[StepChoice, ...]:
    """The steps of a transform that is named, or spelled as `spelled` does: "centre+drop:3".

    Raises
    ------
    ShapeError
        If it is neither.

    Examples
    --------
    >>> [step.word for step in read_steps("abtt")], read_steps("drop:3")[0].number
    (['centre', 'drop'], 3)
    """
    if text in NAMES:
        return preset(text)
    try:
        return tuple(map(read_word, text.split("+")))
    except ShapeError as error:
        raise ShapeError(
            f"{error} Several are joined by a plus; or name one of {', '.join(NAMES)}."
        ) from error


def preset(name: str, parameter: int | None = None) -> tuple[StepChoice, ...]:
    """The steps behind one of the five names.

    Raises
    ------
    ShapeError
        If the name is unknown.
    """
    centre = StepChoice("centre")
    match name:
        case "raw":
            return ()
        case "centred":
            return (centre,)
        case "standardised":
            return (centre, StepChoice("standardise"))
        case "abtt":
            return (centre, StepChoice("drop", parameter))
        case "whitened":
            return (centre, StepChoice("whiten", parameter))
    raise ShapeError(f"Unknown transform {name!r}; there are {', '.join(NAMES)}.")


def named(name: str, dim: int, parameter: int | None = None) -> Transform:
    """The steps of a transform by its name.

    Parameters
    ----------
    name
        "raw", "centred", "standardised", "abtt" (all-but-the-top) or "whitened".
    dim
        Width of the table; all-but-the-top removes max(1, round(dim / 100)) components.
    parameter
        Components to remove (abtt) or to keep (whitened) instead of the default.

    Raises
    ------
    ShapeError
        If the name is unknown or the parameter is outside 1 … dim.
    """
    _within(parameter, dim)
    return steps_for(preset(name, parameter), dim)


def steps_for(chosen: Sequence[StepChoice], dim: int) -> Transform:
    """The chosen steps for a table of this width.

    Raises
    ------
    ShapeError
        If a number is outside 1 … dim.
    """
    return tuple(each.step(dim) for each in chosen)


def _within(number: int | None, dim: int) -> None:
    if number is not None and not 1 <= number <= dim:
        raise ShapeError(f"Between 1 and {dim} components can be chosen here; found {number}.")
