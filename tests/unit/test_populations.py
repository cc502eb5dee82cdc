"""Which rows count, and the strata that floors are taken over."""

import numpy as np
import pytest

from embgeo.populations import ID_BINS, STRATA, Population, strata, stratum_name
from embgeo.tokens import CLASSES
from embgeo.tokens.text import CHARACTER, INSIDE, SPECIAL, START

KINDS = np.array([SPECIAL, START, INSIDE, CHARACTER, -1, START])


@pytest.mark.parametrize(
    ("population", "counted", "words"),
    [
        (Population(), [0, 1, 2, 3, 5], "rows that have a token"),
        (Population(padding=True), [0, 1, 2, 3, 4, 5], "all rows"),
        (
            Population(special=False),
            [1, 2, 3, 5],
            "rows that have a token, special, unused and byte tokens left out",
        ),
        (
            Population(padding=True, special=False),
            [1, 2, 3, 4, 5],
            "all rows, special, unused and byte tokens left out",
        ),
    ],
)
def test_the_switches_choose_rows_and_say_so(
    population: Population, counted: list[int], words: str
) -> None:
    assert np.flatnonzero(population.mask(KINDS)).tolist() == counted
    assert population.spelled() == words


def test_every_row_is_of_one_stratum_which_can_be_named() -> None:
    classes = np.full(200_001, START)
    found = strata(classes)
    assert sorted(set(found.tolist())) == [
        START * len(ID_BINS) + each for each in range(len(ID_BINS))
    ]
    for low, name in ((0, "0–499"), (499, "0–499"), (500, "500–999"), (49_999, "20,000–49,999")):
        assert stratum_name(int(found[low]), len(classes)) == f"word start, ids {name}"
    assert stratum_name(int(found[200_000]), 200_001) == "word start, ids 200,000–200,000"
    assert stratum_name(int(found[20_000]), 30_522) == "word start, ids 20,000–30,521"


def test_classes_are_strata_of_their_own_and_padding_goes_with_special_rows() -> None:
    found = strata(KINDS)
    assert [stratum_name(int(each), 6).split(", ids")[0] for each in found[:4]] == [
        CLASSES[kind] for kind in KINDS[:4]
    ]
    assert found[4] == found[0]
    assert found.max() < STRATA == len(CLASSES) * len(ID_BINS)
