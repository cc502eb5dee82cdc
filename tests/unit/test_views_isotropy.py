"""The frames of the isotropy page, and the statistics behind them, on small tables."""

import math
from pathlib import Path

import made
import numpy as np
import oracle
import oracle_isotropy
import pandas as pd
import pytest
import spelled
import torch
from made import random_rows
from oracle import agree

from embgeo.metrics.isotropy import sampled_error
from embgeo.populations import ID_BINS, Population
from embgeo.statistics import PAIRS, moments
from embgeo.statistics.directions import (
    counted_mean_cosine,
    directions,
    mean_cosines_by_id,
    text_estimate,
    zipf_mean_cosine,
)
from embgeo.statistics.frequency import zipf_of
from embgeo.statistics.zeroed import MOST_ZEROED, standardised, zeroed
from embgeo.tables import EmbeddingTable
from embgeo.tables import table as tables
from embgeo.ui import choices
from embgeo.views.isotropy import (
    FIGURES,
    ISOTROPIC,
    RANDOM,
    TABLE,
    by_id_frame,
    cosine_axis,
    cosine_frame,
    figures,
    mean_rules,
    random_cosines,
    to_mean_axis,
    to_mean_frame,
)
from embgeo.views.rogue import dimension_frame, effect_frame, rogue, zeroed_frame

DIM = 6
ROWS = random_rows(90, DIM)


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> EmbeddingTable:
    monkeypatch.setattr(tables, "_CHUNK_NUMBERS", 1)
    return made.table(tmp_path, ROWS)


def test_directions_are_those_of_the_oracle_and_are_kept(table: EmbeddingTable) -> None:
    found = directions(table)
    agree(found.contributions, oracle_isotropy.contributions(ROWS), 1e-13)
    agree(found.to_mean, oracle_isotropy.cosines_to_mean(ROWS), 1e-6)
    agree(found.cone_length, oracle_isotropy.cone_length(ROWS), 1e-13)
    again = directions(made.table(Path(table.source.place), ROWS))
    agree(again.to_mean, found.to_mean, 0)
    agree(again.unit_sum, found.unit_sum, 0)


def test_chunks_do_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = random_rows(700, DIM)
    whole = made.table(tmp_path / "whole", rows, made.worded(700))
    expected = directions(whole), zeroed(whole)
    monkeypatch.setattr(tables, "_CHUNK_NUMBERS", 1)  # chunks of 256 rows
    parts = made.table(tmp_path / "parts", rows, made.worded(700))
    agree(directions(parts).contributions, expected[0].contributions, 1e-15)
    agree(directions(parts).zipf_sum, expected[0].zipf_sum, 1e-15)
    agree(zeroed(parts).mean_cosines, expected[1].mean_cosines, 1e-14)
    edges = (3, 100, 400)
    for low, high, mean in zip(
        edges, (100, 400, 700), mean_cosines_by_id(parts, edges)[0], strict=True
    ):
        agree(mean, oracle.mean_cosine(rows[low:high]), 1e-12)


def test_zeroing_and_standardising(table: EmbeddingTable) -> None:
    found, order = zeroed(table), np.argsort(-oracle_isotropy.contributions(ROWS))
    assert found.order.tolist() == order[: DIM - 1].tolist()
    agree(found.mean_cosines, oracle_isotropy.zeroed_mean_cosines(ROWS, DIM - 1), 1e-13)
    for k in (1, 3):
        # A sample of pairs against all of them.
        changed = oracle_isotropy.zeroed(ROWS.numpy(), order[:k].tolist())
        expected = oracle_isotropy.informativity(ROWS, changed)
        assert found.informativity[k] == pytest.approx(expected, abs=0.03)
    after = standardised(table)
    agree(after.mean_cosine, oracle.mean_cosine(oracle.standardise(ROWS)), 1e-12)
    frame = effect_frame(table, 3)
    assert frame["change"].tolist() == ["raw", "top 3 zeroed", "standardised"]
    agree(frame["mean_cosine"], [*found.mean_cosines[[0, 3]], after.mean_cosine], 0)
    assert effect_frame(table, 0)["change"].tolist() == ["raw", "standardised"]
    assert effect_frame(table, 20)["mean_cosine"].isna().tolist() == [False, True, False]


def test_the_slider_goes_as_far_as_the_statistic() -> None:
    assert choices.MOST_ZEROED == MOST_ZEROED


def test_figures(table: EmbeddingTable) -> None:
    frame = figures(table, counted=0.25).set_index("measure")
    assert list(frame.index) == list(FIGURES)
    value = frame["value"]
    agree(value["mean_cosine"], oracle.mean_cosine(ROWS), 1e-12)
    agree(frame["spread"]["mean_cosine"], oracle.cosine_sd(ROWS), 1e-9)
    error = sampled_error(oracle.mean_cosine(ROWS), oracle.cosine_sd(ROWS), len(ROWS))
    agree(frame["spread"]["mean_cosine_sampled"], error, 1e-9)
    assert value["mean_cosine_sampled"] == text_estimate(table)
    assert value["mean_cosine_sampled"] == pytest.approx(value["mean_cosine"], abs=0.06)
    assert frame["spread"]["isotropic"] == 1 / math.sqrt(DIM)
    agree(value["cone_squared"], value["cone_length"] ** 2, 1e-15)
    assert pd.isna(value["mean_cosine_zipf"])  # nothing is known of the order of its rows
    assert value["mean_cosine_counted"] == 0.25


def test_counts_weigh_the_pairs(table: EmbeddingTable) -> None:
    counts = np.arange(90.0) % 7
    agree(
        counted_mean_cosine(table, counts),
        oracle_isotropy.weighted_mean_cosine(ROWS, counts),
        1e-12,
    )
    assert counted_mean_cosine(table, np.zeros(90)) is None
    assert counted_mean_cosine(table, np.eye(90)[3]) is None


def test_ranks_start_behind_the_special_tokens_in_front(tmp_path: Path) -> None:
    tokenizer = spelled.byte_level()
    rows = random_rows(300, DIM)
    found = zipf_mean_cosine(made.table(tmp_path, rows, tokenizer))
    first = moments(made.table(tmp_path, rows, tokenizer))
    start = int(np.flatnonzero(first.classes > 0)[0])
    used = np.flatnonzero(first.used)[np.flatnonzero(first.used) >= start]
    agree(found, oracle_isotropy.weighted_mean_cosine(rows[used], 1 / (used - start + 10)), 1e-12)


def test_pairs_beside_isotropic_and_random_ones(table: EmbeddingTable) -> None:
    axis = cosine_axis([table])
    frame = cosine_frame(table, axis)
    assert list(frame.columns) == ["name", "left", "right", "share"]
    assert frame["name"].unique().tolist() == [TABLE, ISOTROPIC, RANDOM]
    sums = frame.groupby("name")["share"].sum()
    assert sums[[TABLE, RANDOM]].tolist() == pytest.approx([1, 1])
    wide = cosine_frame(table, (-0.4, 0.4)).query("name == @ISOTROPIC")
    centre = 0.5 * (wide["left"] + wide["right"])
    width = wide["right"] - wide["left"]
    density = math.sqrt(DIM / (2 * math.pi)) * np.exp(-0.5 * DIM * centre**2)
    agree(wide["share"], density * width, 1e-6)


@pytest.mark.parametrize("dim", [1, 2, 3, 64, 576])
def test_random_rows_have_the_cosines_of_random_directions(dim: int) -> None:
    found = random_cosines(dim)
    assert found.shape == (PAIRS,)
    assert found.std() == pytest.approx(1 / math.sqrt(dim), rel=0.03)
    generator = torch.Generator().manual_seed(1)
    pairs = torch.randn(2, 4000, dim, generator=generator, dtype=torch.float64)
    drawn = torch.nn.functional.cosine_similarity(*pairs).numpy()
    for share in (0.1, 0.25, 0.75, 0.9):
        if dim > 1:
            assert np.quantile(found, share) == pytest.approx(
                np.quantile(drawn, share), abs=0.1 / math.sqrt(dim)
            )


def test_rows_by_cosine_to_the_mean(table: EmbeddingTable) -> None:
    frame = to_mean_frame(table, to_mean_axis([table]))
    assert frame["name"].unique().tolist() == [TABLE, ISOTROPIC]
    assert frame.loc[frame["name"] == TABLE, "share"].sum() == pytest.approx(1)
    rules = mean_rules({"a": 0.1, "b": None, "c": float("nan")})
    assert rules["name"].tolist() == ["a"]


def test_mean_cosine_by_id(tmp_path: Path) -> None:
    rows = random_rows(1203, DIM)
    found = by_id_frame(made.table(tmp_path, rows))
    assert list(found.columns) == ["low", "high", "rows", "mean_cosine"]
    assert found["low"].tolist() == [0, 500, 1000]
    assert found["high"].tolist() == [499, 999, 1202]
    assert found["rows"].tolist() == [500, 500, 203]
    for low, high, _, mean in found.itertuples(index=False):
        units = torch.nn.functional.normalize(rows[low : high + 1])
        count = len(units)
        total = float((units @ units.T).sum())
        agree(mean, (total - count) / (count * (count - 1)), 1e-12)
    single = by_id_frame(made.table(tmp_path / "one", random_rows(501, DIM)))
    assert single["low"].tolist() == [0]


def test_coordinates_and_which_are_rogue(tmp_path: Path) -> None:
    rows = random_rows(500, 24, shift=0.0)
    rows[:, 7] += 6
    table = made.table(tmp_path, rows)
    frame = dimension_frame(table)
    assert (len(frame), int(frame["dimension"].iloc[0])) == (24, 7)
    assert frame["rank"].tolist() == list(range(1, 25))
    agree(frame["contribution"].sum(), moments(table).mean_cosine, 1e-12)
    agree(frame["share"].sum(), 1, 1e-12)
    order = frame["dimension"].to_numpy()
    agree(frame["mean"], rows.numpy().mean(axis=0)[order], 1e-12)
    agree(frame["sd"], rows.numpy().std(axis=0, ddof=1)[order], 1e-9)
    assert frame.loc[frame["rogue"], "dimension"].tolist() == [7]
    found = rogue(table)
    assert (found.count, found.contribution) == (1, frame["contribution"].iloc[0])
    assert found.share == pytest.approx(1, abs=0.05)


def test_no_shares_of_a_mean_cosine_near_0(tmp_path: Path) -> None:
    table = made.table(tmp_path, random_rows(2000, 24, shift=0.0))
    frame = dimension_frame(table)
    assert frame["share"].isna().all()
    assert len(frame) == 24
    assert rogue(table).share is None


ODD = {
    "alike": np.full((9, 3), 0.7),
    "one row": np.array([[1.0, 2.0]]),
    "two rows": np.array([[1.0, 0.0], [0.6, 0.8]]),
    "zeros": np.zeros((4, 3)),
    "cancelling": np.array([[1.0, 0], [0, 1], [-1, 0], [0, -1]]),
    "one column": np.array([[1.0], [-2.0], [3.0]]),
    "few": np.random.default_rng(0).normal(size=(3, 8)),
    "with bad rows": np.concatenate([ROWS.numpy(), [[0.0] * 6, [1e-21] * 6, [math.nan] * 6]]),
    "constant norms": np.asarray(torch.nn.functional.normalize(ROWS)),
    "duplicates": np.repeat(ROWS.numpy()[:5], 3, axis=0),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_tables_have_numbers_or_none_and_never_nan(name: str, tmp_path: Path) -> None:
    table = made.table(tmp_path, ODD[name])
    assert not figures(table)["value"].dropna().map(math.isinf).any()
    for frame in (
        cosine_frame(table, cosine_axis([table])),
        to_mean_frame(table, to_mean_axis([table])),
        by_id_frame(table),
        zeroed_frame(table).drop(columns="informativity"),
        dimension_frame(table).drop(columns=["share", "mean_z"]),
    ):
        numbers = frame.select_dtypes("number")
        assert np.isfinite(numbers.to_numpy(dtype=float)).all(), frame


def test_what_the_odd_tables_give(tmp_path: Path) -> None:
    def value(name: str, measure: str) -> float | None:
        frame = figures(made.table(tmp_path / name, ODD[name])).set_index("measure")
        found = frame["value"][measure]
        return None if pd.isna(found) else float(found)

    agree(value("alike", "mean_cosine"), 1, 1e-12)
    agree(value("alike", "cone_length"), 1, 1e-12)
    agree(value("cancelling", "mean_cosine"), -1 / 3, 1e-12)
    agree(value("cancelling", "cone_length"), 0, 1e-12)
    agree(value("two rows", "mean_cosine"), 0.6, 1e-12)
    for measure in ("mean_cosine", "mean_cosine_zipf", "mean_cosine_centred"):
        assert value("one row", measure) is None
        assert value("zeros", measure) is None
    agree(value("one row", "cone_length"), 1, 1e-12)
    assert value("zeros", "cone_length") is None
    agree(value("with bad rows", "mean_cosine"), oracle.mean_cosine(ROWS), 1e-9)
    alike = made.table(tmp_path / "alike", ODD["alike"])
    assert (standardised(alike).mean_cosine, standardised(alike).informativity) == (None, None)
    assert np.isnan(zeroed(alike).informativity).all()
    agree(zeroed(alike).mean_cosines, [1, 1, 1], 1e-12)
    cancelling = directions(made.table(tmp_path / "cancelling", ODD["cancelling"]))
    assert np.isnan(cancelling.to_mean).all()


def test_a_population_is_kept_apart(tmp_path: Path) -> None:
    rows = random_rows(300, 4)
    table = made.table(tmp_path, rows, spelled.byte_level())
    for population, count in ((Population(), 256), (Population(padding=True), 300)):
        assert directions(table, population).count == count
        assert mean_cosines_by_id(table, ID_BINS, population)[1].sum() == count


def test_rows_that_no_token_has_have_no_frequency(tmp_path: Path) -> None:
    table = made.table(tmp_path, random_rows(300, 4), spelled.byte_level())
    with_padding = moments(table, Population(padding=True))
    assert with_padding.used[256:].all()
    weights = zipf_of(table, with_padding)
    assert not weights[256:].any()
    assert weights.sum() == pytest.approx(1.0)
