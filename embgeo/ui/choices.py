"""Everything a person can choose, as one value."""

from dataclasses import dataclass

from embgeo.groups import DEFAULT, Policy, TokenGroup
from embgeo.populations import Population

MODELS = ("minilm", "smollm2")
MOST_MODELS = 6
MOST_GROUPS = 12
MOST_ENTRIES = 1000
TRANSFORMS = ("centred", "standardised", "abtt", "whitened", "raw")
NUMBER_BYTES = (4, 2, 1)
MOST_ZEROED = 20
MOST = {"components": 100_000, "vocabulary": 10**8, "width": 10**6, "total": 10**15}
"""Whole numbers that a person may choose, from 1 to this."""
LONGEST_TEXT = 2_000
LONGEST_TOKEN = 200


@dataclass(frozen=True)
class Choices:
    """What is compared, how, and what each page shows of it."""

    models: tuple[str, ...] = MODELS
    groups: tuple[TokenGroup, ...] = DEFAULT
    spacing: str = "typed"
    pieces: str = "skip"
    shared: bool = True
    padding: bool = False
    special: bool = True
    as_fed: bool = False
    minus_floor: bool = False
    cell: tuple[str, ...] = ()
    relative: bool = True
    transform: str = "whitened"
    components: int | None = None
    every_table: bool = False
    vocabulary: int = 128_256
    width: int = 4_096
    number_bytes: int = 2
    total: int | None = 8_030_261_248
    untied: bool = True
    sentence: str = "The bank by the river bank holds the cat"
    other_sentence: str = "She has an account at the bank"
    places: tuple[int, ...] = (1, 1)
    coordinate: int | None = None
    rotated: bool = False
    pair: tuple[str, ...] = (" bank", " river")
    zeroed: int = 3
    steps: tuple[str, ...] = ()
    nearest: int = 5
    example_pairs: bool = False

    @property
    def policy(self) -> Policy:
        """How entries become rows."""
        return Policy(self.spacing, self.pieces, self.shared)  # type: ignore[arg-type]

    @property
    def population(self) -> Population:
        """Which rows are counted."""
        return Population(self.padding, self.special)
