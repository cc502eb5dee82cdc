"""A table's statistics against the oracle, and what is made of rows without a direction."""

import itertools
import math
from pathlib import Path

import made
import numpy as np
import oracle
import pytest
import spelled
import torch
from made import random_rows
from oracle import agree

from embgeo.errors import ShapeError
from embgeo.metrics.contributions import informativity
from embgeo.populations import STRATA, Population
from embgeo.statistics import PAIRS, fitted, moments, sampled_cosines, spectrum, transformed
from embgeo.statistics.pairs import sampled_pairs
from embgeo.tables import table as tables
from embgeo.transforms import CENTRED, NAMES, RAW, Centre, Whiten, named
from embgeo.views.records import info_record
from embgeo.views.whitening import cosine_histograms, sampling_error


def test_figures_are_those_of_the_oracle_whatever_the_chunks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_CHUNK_NUMBERS", 1)
    rows = random_rows(300, 5)
    record = info_record(made.table(tmp_path, rows))
    expected = {
        "norm_mean": rows.norm(dim=1).mean(),
        "norm_sd": rows.norm(dim=1).std(correction=0),
        "mean_cosine": oracle.mean_cosine(rows),
        "mean_cosine_sd": oracle.cosine_sd(rows),
        "mean_cosine_centred": oracle.mean_cosine(oracle.centre(rows)),
        "participation_ratio": oracle.participation_ratio(rows),
        "isoscore": oracle.isoscore(rows),
        "effective_rank": oracle.effective_rank(rows),
    }
    for figure, value in expected.items():
        assert record[figure] == pytest.approx(float(value), rel=1e-10), figure


def test_many_random_directions_have_no_structure(tmp_path: Path) -> None:
    rows = random_rows(4000, 64, shift=0.0)
    table = made.table(tmp_path, rows)
    record = info_record(table)
    assert record["mean_cosine"] == pytest.approx(0, abs=1e-3)
    assert record["mean_cosine_sd"] == pytest.approx(1 / 8, rel=0.01)
    squared = torch.cdist(rows, rows).square().sum() / (4000 * 3999)
    assert 2 * float(spectrum(table).eigenvalues.sum()) == pytest.approx(float(squared))


BAD = {
    "zero": [0.0] * 4,
    "1e-21": [1e-21] * 4,
    "not finite": [math.inf, 0, 0, 0],
    "no number": [math.nan] * 4,
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("bad", BAD)
def test_a_row_without_a_direction_is_counted_and_in_no_pair(
    bad: str, dtype: torch.dtype, tmp_path: Path
) -> None:
    good = random_rows(20, 4).to(dtype)
    with_bad = torch.cat([good[:7], torch.tensor([BAD[bad]] * 2, dtype=dtype), good[7:]])
    clean, table = made.table(tmp_path / "a", good), made.table(tmp_path / "b", with_bad)
    expected, found = info_record(clean), info_record(table)
    zero = 2 if np.isfinite(BAD[bad]).all() else 0
    assert (expected["zero_rows"], found["zero_rows"]) == (0, zero)
    for figure in ("norm_mean", "mean_cosine", "mean_cosine_sd", "mean_cosine_centred", "isoscore"):
        assert found[figure] == pytest.approx(expected[figure], rel=1e-9), figure
    agree(spectrum(table).eigenvalues, spectrum(clean).eigenvalues)
    assert np.isfinite(sampled_cosines(table, RAW)).all()
    assert np.flatnonzero(moments(table).degenerate).tolist() == [7, 8]


def test_half_precision_neither_overflows_nor_loses_the_mean(tmp_path: Path) -> None:
    rows = torch.full((64, 4096), 1100.0, dtype=torch.float16)
    large = moments(made.table(tmp_path / "large", rows))
    assert large.norms == pytest.approx(np.full(64, 1100.0 * 64))
    agree(large.mean_cosine, 1, 1e-12)
    cone = random_rows(3000, 16).half()
    agree(moments(made.table(tmp_path / "cone", cone)).mean_cosine, all_pairs(cone), 1e-12)


def all_pairs(rows: torch.Tensor) -> float:
    """Mean cosine from the whole matrix of cosines."""
    units = torch.nn.functional.normalize(rows.double()).numpy()
    return float(((units @ units.T).sum() - len(units)) / (len(units) * (len(units) - 1)))


@pytest.mark.parametrize("name", NAMES)
def test_floors_are_means_over_all_pairs_of_two_strata(name: str, tmp_path: Path) -> None:
    tokenizer = spelled.byte_level(
        [f" {word}" for word in spelled.WORDS], [f"x{n}" for n in range(260)]
    )
    rows = random_rows(tokenizer.get_vocab_size(), 5)
    table = made.table(tmp_path, rows, tokenizer)
    first, how = moments(table), fitted(table, named(name, 5))
    floors = transformed(table, named(name, 5)).floors
    moved = how.apply(rows).numpy()
    units = moved / np.linalg.norm(moved, axis=1, keepdims=True)
    present = np.unique(first.stratum)
    assert len(present) >= 5
    for s, t in itertools.product(present, repeat=2):
        block = units[first.stratum == s] @ units[first.stratum == t].T
        pairs = block[~np.eye(len(block), dtype=bool)] if s == t else block.ravel()
        expected = pairs.mean() if pairs.size else np.nan
        assert floors[s, t] == pytest.approx(expected, abs=1e-12, nan_ok=True)
    absent = np.setdiff1d(np.arange(STRATA), present)
    assert np.isnan(floors[absent]).all()


def test_padding_rows_are_left_out_unless_asked_for(tmp_path: Path) -> None:
    tokenizer = spelled.byte_level()
    rows = random_rows(300, 4)
    table = made.table(tmp_path, rows, tokenizer)
    default, whole = moments(table), moments(table, Population(padding=True))
    assert (default.padding_rows, default.count, whole.count) == (44, 256, 300)
    agree(default.mean_cosine, all_pairs(rows[:256]), 1e-12)
    agree(whole.mean_cosine, all_pairs(rows), 1e-12)


def test_a_transform_that_cannot_be_fitted_says_why(tmp_path: Path) -> None:
    same = made.table(tmp_path / "same", np.full((9, 3), 0.7))
    for name in NAMES[1:]:
        with pytest.raises(ShapeError, match=r"The rows used of same \(9\) are all the same"):
            transformed(same, named(name, 3))
    few = made.table(tmp_path / "few", random_rows(3, 3))
    with pytest.raises(ShapeError, match="Whitening n = 3 rows in d = 3 dimensions"):
        transformed(few, (Centre(), Whiten()))


def test_a_row_at_the_mean_is_left_out_after_centring(tmp_path: Path) -> None:
    half = random_rows(40, 4)
    rows = torch.cat([half, 0.6 - half, torch.full((1, 4), 0.3, dtype=torch.float64)])
    found = transformed(made.table(tmp_path, rows), CENTRED)
    assert found.count == 80
    agree(found.mean_cosine, oracle.mean_cosine(oracle.centre(rows)[:80]))


def test_the_sample_is_the_same_pairs_whatever_the_transform(tmp_path: Path) -> None:
    rows = random_rows(400, 6)
    table = made.table(tmp_path, rows)
    raw = sampled_cosines(table, RAW)
    assert raw.shape == (PAIRS,)
    assert np.array_equal(raw, sampled_cosines(made.table(tmp_path / "again", rows), RAW))
    assert raw.mean() == pytest.approx(transformed(table, RAW).mean_cosine, abs=0.01)
    assert np.corrcoef(raw, sampled_cosines(table, CENTRED))[0, 1] > 0.5


def test_a_pair_that_a_transform_leaves_without_a_direction_has_no_cosine(tmp_path: Path) -> None:
    rows = random_rows(40, 6)
    rows[39] = rows[:39].mean(dim=0)  # on the mean of them all: centred, it points nowhere
    table = made.table(tmp_path, rows)
    raw, centred = (sampled_cosines(table, steps) for steps in (RAW, CENTRED))
    pairs = sampled_pairs(moments(table).used)
    gone = (pairs.left == 39) | (pairs.right == 39)
    assert np.isfinite(raw).all()
    assert np.array_equal(np.isnan(centred), gone)
    after = cosine_histograms(table, CENTRED).query("state == 'after'")
    assert after["pairs"].sum() == (~gone).sum()
    assert after["share"].sum() == pytest.approx(1.0)
    assert sampling_error(table, CENTRED) == pytest.approx(
        centred[~gone].std() / np.sqrt((~gone).sum())
    )
    expected = np.corrcoef(raw[~gone], centred[~gone])[0, 1] ** 2
    assert informativity(raw, centred) == pytest.approx(expected)
