"""The floor: exact means over strata, averaged over the very pairs a block averages."""

import itertools

import numpy as np
import oracle
import pytest
import torch
from oracle import agree

from embgeo.errors import ShapeError
from embgeo.metrics.cosine import cosine_matrix, unit_rows
from embgeo.metrics.floor import floor_of_pairs, stratum_cosines
from embgeo.metrics.similarity import block_means

STRATA = np.array([0, 0, 0, 1, 1, 1, 1, 2, 0, 1])
GROUPS = [[0, 1, 3], [3, 4, 5], [7], [2, 3, 7, 8]]


def rows() -> torch.Tensor:
    return torch.randn(10, 4, generator=torch.Generator().manual_seed(4)) + 0.5


def means(values: torch.Tensor, strata: np.ndarray, count: int) -> np.ndarray:
    """Stratum means from sums, as a table's statistics would hold them."""
    units = unit_rows(values)
    sums = torch.stack([units[strata == s].sum(0) for s in range(count)])
    return stratum_cosines(sums, np.bincount(strata, minlength=count))


def test_stratum_means_agree_with_oracle() -> None:
    found = means(rows(), STRATA, 4)
    for s, t in itertools.product(range(3), repeat=2):
        if (s, t) != (2, 2):
            agree(found[s, t], oracle.stratum_cosine(rows(), STRATA, s, t))
    assert np.isnan(found[2, 2])
    assert np.isnan(found[3]).all()
    assert np.isnan(found[:, 3]).all()
    assert np.isfinite(found).sum() == 8


def test_floor_agrees_with_oracle() -> None:
    found = floor_of_pairs(means(rows(), STRATA, 3), STRATA, GROUPS)
    for a, b in itertools.product(range(4), repeat=2):
        if (a, b) != (2, 2) and {a, b} != {2, 3}:
            agree(found[a, b], oracle.floor(rows(), STRATA, GROUPS[a], GROUPS[b]))
    assert np.isnan(found[2, 2])


def test_floor_of_whole_strata_is_their_cosine() -> None:
    members = [np.flatnonzero(s == STRATA).tolist() for s in range(3)]
    stratum = means(rows(), STRATA, 3)
    agree(
        floor_of_pairs(stratum, STRATA, members), block_means(cosine_matrix(rows()), members).mean
    )


def test_rows_without_a_stratum_are_left_out() -> None:
    strata = STRATA.copy()
    strata[[4, 7]] = -1
    stratum = means(rows(), STRATA, 3)
    found = floor_of_pairs(stratum, strata, GROUPS)
    kept = [[i for i in group if strata[i] >= 0] for group in GROUPS]
    agree(found, floor_of_pairs(stratum, STRATA, kept))
    assert np.isnan(found[2]).all()


def test_a_pair_without_a_floor_is_left_out_of_its_block() -> None:
    stratum = means(rows(), STRATA, 3)
    # Rows 7 and 7 only meet in stratum 2, which has one row and so no mean with itself.
    found = floor_of_pairs(stratum, STRATA, GROUPS)
    agree(found[2, 3], np.mean([stratum[2, 0], stratum[2, 1], stratum[2, 0]]))


def test_inputs_stay_and_members_are_checked() -> None:
    stratum = means(rows(), STRATA, 3)
    before = stratum.copy()
    floor_of_pairs(stratum, STRATA, GROUPS)
    agree(stratum, before)
    sums, counts = np.ones((2, 3)), np.array([2, 3])
    stratum_cosines(sums, counts)
    assert counts.dtype.kind == "i"
    agree([sums.sum(), counts.sum()], [6, 5])
    with pytest.raises(ShapeError, match="members in 0 to 9, found"):
        floor_of_pairs(stratum, STRATA, [[10]])
