"""Own group among the nearest, and within above between pairs, against every pair one by one."""

import numpy as np
import oracle_whitening as slowly
import pytest
import torch
from oracle import agree
from sklearn.metrics import roc_auc_score

from embgeo.errors import ShapeError
from embgeo.metrics.cosine import cosine_matrix
from embgeo.metrics.retrieval import Retrieval, retrieval
from embgeo.metrics.similarity import separation

GENERATOR = np.random.default_rng(3)
LABELS = np.array([0] * 6 + [1] * 4 + [2] * 3 + [3])
ROWS = GENERATOR.normal(size=(len(LABELS), 5)) + GENERATOR.normal(size=(4, 5))[LABELS]
COSINES = cosine_matrix(torch.from_numpy(ROWS))


def test_every_number_is_that_of_the_oracle() -> None:
    found = retrieval(COSINES, LABELS.tolist())
    assert len(found.precision) == len(found.best) == 10
    for k in range(1, 11):
        agree(found.precision[k - 1], slowly.precision_at(ROWS, LABELS, k), 1e-12)
        agree(found.best[k - 1], slowly.best_precision(LABELS, k), 1e-12)
        assert found.precision[k - 1] <= found.best[k - 1]
    agree(found.chance, slowly.chance(LABELS), 1e-12)
    agree(found.auc, slowly.auc(ROWS, LABELS), 1e-12)


def test_auc_is_that_of_scikit_learn() -> None:
    first, second = np.triu_indices(len(LABELS), 1)
    inside = LABELS[first] == LABELS[second]
    found = retrieval(COSINES, LABELS.tolist()).auc
    agree(found, roc_auc_score(inside, COSINES.numpy()[first, second]), 1e-12)


def test_the_nearest_one_is_the_nearest_neighbour_of_the_separation() -> None:
    other = separation(COSINES, LABELS.tolist(), permutations=0)
    found = retrieval(COSINES, LABELS.tolist())
    assert (found.precision[0], found.chance) == (
        other.own_group_neighbours,
        other.own_group_chance,
    )


def test_rows_that_are_all_the_same_tie() -> None:
    found = retrieval(np.ones((4, 4)), [0, 0, 1, 1])
    assert found.auc == 0.5
    assert found.precision[-1] == pytest.approx(1 / 3)


def test_groups_far_apart_are_found_perfectly() -> None:
    rows = torch.eye(2, dtype=torch.float64).repeat_interleave(4, dim=0)
    found = retrieval(cosine_matrix(rows), [0] * 4 + [1] * 4)
    assert found.auc == 1
    assert found.precision[:3] == found.best[:3] == (1, 1, 1)
    assert found.precision[3] == found.best[3] == 0.75


def test_a_row_without_a_direction_is_left_out() -> None:
    rows = torch.from_numpy(np.vstack([ROWS, np.zeros(5)]))
    assert retrieval(cosine_matrix(rows), [*LABELS.tolist(), 0]) == retrieval(
        COSINES, LABELS.tolist()
    )


@pytest.mark.parametrize("labels", [[0], [0, 1], [0, 0], [0, 0, 0], [0, 1, 2], []])
def test_without_a_pair_within_and_one_between_there_is_none(labels: list[int]) -> None:
    rows = torch.from_numpy(ROWS[: len(labels)])
    assert retrieval(cosine_matrix(rows), labels) == Retrieval()


def test_labels_that_are_too_few_are_refused() -> None:
    with pytest.raises(ShapeError, match="label for each row"):
        retrieval(COSINES, [0, 1])
