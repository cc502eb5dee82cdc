"""Tables whose figures are known by hand, and tables too small or too plain to have some."""

import math
from pathlib import Path

import made
import numpy as np
import pytest
from numpy.typing import ArrayLike

from embgeo.errors import ShapeError
from embgeo.statistics import fitted
from embgeo.transforms import CENTRED
from embgeo.views.records import info_record

PLANTED: dict[str, tuple[ArrayLike, dict[str, float | None]]] = {
    "four directions of a plane": (
        [[1, 0], [0, 1], [-1, 0], [0, -1]],
        {
            "mean_cosine": -1 / 3, "mean_cosine_sd": math.sqrt(2 / 9),
            "participation_ratio": 2, "isoscore": 1, "effective_rank": 2,
        },
    ),
    "a basis": (
        np.eye(5),
        {
            "mean_cosine": 0, "mean_cosine_centred": -1 / 4,
            "participation_ratio": 4, "isoscore": 0.75,
        },
    ),
    "a cone": (
        [[3, 4], [4, 3], [5, 0]],
        {"mean_cosine": 0.7866666667, "norm_mean": 5, "norm_sd": 0},
    ),
    "a spectrum of 4, 2, 1, 1": (
        np.concatenate([np.diag([4, 2, 1, 1]), -np.diag([4, 2, 1, 1])]),
        {
            "effective_rank": 3.3635857, "participation_ratio": 1.7664234, "isoscore": 0.2554745,
            "mean_cosine": -1 / 7,
        },
    ),
    "identical rows": (
        np.full((6, 3), 0.7),
        {
            "mean_cosine": 1, "mean_cosine_sd": 0, "mean_cosine_centred": None, "zero_rows": 0,
            "participation_ratio": None, "isoscore": None, "effective_rank": None,
        },
    ),
    "one row": (
        [[3, 4]],
        {"mean_cosine": None, "mean_cosine_sd": None, "isoscore": None, "norm_mean": 5},
    ),
    "two rows": ([[1, 0], [0, 2]], {"mean_cosine": 0, "mean_cosine_centred": -1, "isoscore": 0}),
    "only zero rows": (
        np.zeros((3, 2)),
        {"zero_rows": 3, "mean_cosine": None, "norm_mean": None, "participation_ratio": None},
    ),
    "one dimension": (
        [[1], [2], [-1]], {"mean_cosine": -1 / 3, "isoscore": None, "participation_ratio": 1},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_planted_answers(name: str, tmp_path: Path) -> None:
    rows, expected = PLANTED[name]
    record = info_record(made.table(tmp_path, np.asarray(rows, dtype=float)))
    for figure, value in expected.items():
        close = value if value is None else pytest.approx(value, abs=1e-7)
        assert record[figure] == close, figure
    assert all(math.isfinite(value) for value in record.values() if isinstance(value, float))


def test_a_table_without_a_usable_row_says_so(tmp_path: Path) -> None:
    table = made.table(tmp_path, np.zeros((6, 3)))
    with pytest.raises(ShapeError, match=r"No row of .* can be used"):
        fitted(table, CENTRED)
