"""The frames of the norm page: by group, by id, both ends, and one axis for all models."""

from pathlib import Path

import made
import numpy as np
import pandas as pd
import pytest
import spelled
from made import random_rows

from embgeo.populations import Population
from embgeo.statistics import moments
from embgeo.tables import EmbeddingTable
from embgeo.views.group_rows import group_rows
from embgeo.views.norms import (
    BANDS,
    WHOLE,
    group_norms,
    norm_bands,
    norm_histogram,
    norm_table,
    norm_tail,
    unit_length,
)

LENGTHS = np.array([5.0, 1.0, 0.0, 2.0, 3.0, 1e-21, 4.0, 2.0, np.nan, 9.0])


def of_lengths(folder: Path, lengths: np.ndarray, tokens: bool = False) -> EmbeddingTable:
    """Rows of these lengths along the first axis."""
    rows = np.zeros((len(lengths), 2))
    rows[:, 0] = lengths
    return made.table(folder, rows, spelled.byte_level() if tokens else None)


def test_rows_are_measured_in_median_rows_or_as_they_are(tmp_path: Path) -> None:
    first = moments(of_lengths(tmp_path / "a", LENGTHS))
    assert unit_length(first, relative=True) == 3.0  # the median of 1 2 2 3 4 5 9
    assert unit_length(first, relative=False) == 1.0
    nothing = moments(of_lengths(tmp_path / "b", np.zeros(4)))
    assert unit_length(nothing, relative=True) == 1.0


def test_the_histogram_counts_each_used_row_once(tmp_path: Path) -> None:
    table = made.table(tmp_path, random_rows(500, 4))
    first = moments(table)
    low, high = float(first.norms.min()), float(first.norms.max())
    frame = norm_histogram(first, 2.0, (low / 2, high / 2))
    assert list(frame.columns) == ["left", "right", "rows", "share"]
    assert frame["rows"].sum() == 500
    assert frame["share"].sum() == pytest.approx(1)
    assert (frame["right"] > frame["left"]).all()
    np.testing.assert_array_equal(frame["left"][1:], frame["right"][:-1])


def test_norms_that_are_almost_constant_make_one_bar_that_can_be_seen(tmp_path: Path) -> None:
    first = moments(of_lengths(tmp_path, 1 + 1e-12 * np.arange(50)))
    frame = norm_histogram(first, 1.0, (0.5, 1.5))
    filled = frame[frame["rows"] > 0]
    assert filled["rows"].tolist() == [50]
    assert (filled["right"] - filled["left"] > 1e-3).all()


def test_no_used_row_makes_an_empty_frame(tmp_path: Path) -> None:
    frame = norm_histogram(moments(of_lengths(tmp_path, np.zeros(4))), 1.0, (0.0, 1.0))
    assert (list(frame.columns), len(frame)) == (["left", "right", "rows", "share"], 0)


def test_group_norms_are_raw_and_divided(tmp_path: Path) -> None:
    table = of_lengths(tmp_path, LENGTHS)
    rows = group_rows(table, made.groups({"b": [4, 0], "a": [8, 2, 4]}))
    frame = group_norms(rows, 2.0)
    assert list(frame.columns) == ["group", "token", "id", "norm", "x"]
    assert frame["id"].tolist() == ["4", "0", "2", "4"]  # a row that is not finite has no length
    assert frame["group"].tolist() == ["b", "b", "a", "a"]
    assert frame["norm"].tolist() == [3, 5, 0, 3]
    assert frame["x"].tolist() == [1.5, 2.5, 0, 1.5]


def test_the_table_of_norms_starts_with_the_whole_table(tmp_path: Path) -> None:
    table = of_lengths(tmp_path, LENGTHS)
    rows = group_rows(table, made.groups({"two": [0, 3], "none": [], "lost": [8]}))
    frame = norm_table(moments(table), rows)
    assert list(frame.columns) == [
        "group", "tokens", "mean", "sd", "minimum", "q05", "q25", "median", "q75", "q95", "maximum",
    ]  # fmt: skip
    assert frame["group"].tolist() == [WHOLE, "two", "none", "lost"]
    assert frame["tokens"].tolist() == [7, 2, 0, 0]
    whole, two = frame.iloc[0], frame.iloc[1]
    assert (whole["median"], whole["minimum"], whole["maximum"]) == (3, 1, 9)
    assert (two["mean"], two["sd"]) == (3.5, 1.5)  # ddof 0
    assert pd.isna(frame["mean"][2])
    assert pd.isna(frame["mean"][3])


def test_bands_are_quantiles_of_slices_of_ids(tmp_path: Path) -> None:
    table = made.table(tmp_path, random_rows(2000, 3))
    first = moments(table)
    frame = norm_bands(first, 1.0)
    assert list(frame.columns) == ["id_low", "id_high", "id_mid", "rows", "q05", "median", "q95"]
    assert (len(frame), frame["rows"].sum()) == (BANDS, 2000)
    np.testing.assert_array_equal(frame["id_low"][1:], frame["id_high"][:-1] + 1)
    some = frame.iloc[7]
    inside = first.norms[int(some["id_low"]) : int(some["id_high"]) + 1]
    assert some["median"] == pytest.approx(np.median(inside))
    assert (frame["q05"] <= frame["median"]).all()
    assert (frame["median"] <= frame["q95"]).all()


@pytest.mark.parametrize("count", [0, 1, 5])
def test_bands_of_few_rows(count: int, tmp_path: Path) -> None:
    frame = norm_bands(moments(of_lengths(tmp_path, np.r_[np.ones(count), 0.0])), 1.0)
    assert frame["rows"].sum() == count


def test_tails_are_the_extremes_with_ties_by_id(tmp_path: Path) -> None:
    table = of_lengths(tmp_path, LENGTHS)
    first = moments(table)
    longest, shortest = (norm_tail(table, first, way, count=4) for way in (True, False))
    assert list(longest.columns) == ["rank", "token", "id", "class", "norm", "times_median"]
    assert longest["id"].tolist() == [9, 0, 6, 4]
    assert longest["times_median"].tolist() == pytest.approx([3, 5 / 3, 4 / 3, 1])
    assert shortest["id"].tolist() == [2, 5, 1, 3]
    assert shortest["rank"].tolist() == [1, 2, 3, 4]
    assert len(norm_tail(table, first, longest=True, count=99)) == 9


def test_a_tail_names_padding_rows_and_they_are_in_no_summary(tmp_path: Path) -> None:
    lengths = np.r_[np.ones(256), np.full(4, 50.0)]
    table = of_lengths(tmp_path, lengths, tokens=True)
    first = moments(table)
    tail = norm_tail(table, first, longest=True, count=5)
    assert tail["class"].tolist()[:4] == ["padding (no token)"] * 4
    assert tail["token"].tolist()[:4] == ["(no token)"] * 4
    summaries = [moments(table, Population(padding=way)).norm_summary for way in (False, True)]
    assert [summary and (summary.count, summary.maximum) for summary in summaries] == [
        (256, 1),
        (260, 50),
    ]
