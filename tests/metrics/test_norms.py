"""Row norms, degenerate rows, and the histogram of values that hardly differ."""

import numpy as np
import pytest
import torch
from oracle import agree

from embgeo.metrics.norms import degenerate, histogram, norm_summary, row_norms


def test_norms_of_easy_tiny_huge_and_broken_rows() -> None:
    rows = torch.tensor([[3.0, 4.0], [3e-21, 4e-21], [0.0, 0.0], [torch.inf, 1.0]])
    found = row_norms(rows)
    agree(found / [1, 1e-21, 1, 1], [5, 5, 0, np.nan], 1e-6)
    half = torch.full((1, 4096), 1100.0, dtype=torch.float16)
    agree(row_norms(half), [70400.0])
    assert half.dtype == torch.float16


def test_degenerate_is_a_share_of_the_median() -> None:
    norms = np.array([1.0, 3.0, 2.0, 2.1e-6, 1.9e-6, 0.0, np.nan, np.inf])
    expected = [False, False, False, False, True, True, True, True]
    # The median of the six finite norms is that of 1 and 2.1e-6, so judge on a longer table.
    long = np.concatenate([norms, np.full(20, 2.0)])
    assert degenerate(long)[:8].tolist() == expected
    assert degenerate(long * 1e-30)[:8].tolist() == expected


def test_every_row_of_an_all_zero_or_broken_table_is_degenerate() -> None:
    assert degenerate(np.zeros(3)).all()
    assert degenerate(np.full(3, np.nan)).all()
    assert degenerate(np.empty(0)).shape == (0,)


def test_summary_leaves_out_what_is_not_finite() -> None:
    norms = np.append(np.arange(101.0), [np.nan, np.inf])
    found = norm_summary(norms)
    assert found is not None
    assert (found.count, found.minimum, found.maximum) == (101, 0, 100)
    marks = [found.q05, found.q25, found.median, found.q75, found.q95]
    agree(marks, [5, 25, 50, 75, 95])
    agree([found.mean, found.sd], [50, np.sqrt((101**2 - 1) / 12)])
    assert norm_summary(np.array([np.nan])) is None


def test_histogram_counts_every_value_once() -> None:
    values = np.append(np.random.default_rng(0).normal(size=1000), np.nan)
    found = histogram(values)
    assert found.counts.sum() == 1000
    assert (len(found.counts), len(found.edges)) == (60, 61)
    assert histogram(values, bins=4, limits=(0, 9)).counts.sum() == (values >= 0).sum()
    agree(histogram(np.empty(0), bins=2, limits=(0, 1)).edges, [0, 0.5, 1])


@pytest.mark.parametrize("value", [0.0, 1.0, -3.25, 1e-21, 1e12])
@pytest.mark.parametrize("noise", [0.0, 1e-16])
def test_almost_constant_values_make_one_bar(value: float, noise: float) -> None:
    found = histogram(value * (1 + noise * np.arange(5.0)))
    assert found.counts.tolist() == [5]
    width = float(np.diff(found.edges)[0])
    agree(width / (1e-6 * (abs(value) or 1.0)), 1.0, 1e-6)


def test_histogram_of_nothing_has_no_bars() -> None:
    found = histogram(np.array([np.nan]))
    assert found.edges.size == found.counts.size == 0
