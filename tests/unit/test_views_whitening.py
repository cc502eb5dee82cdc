"""The frames of the whitening page: the same pairs, groups and spectrum before and after."""

from pathlib import Path

import made
import numpy as np
import oracle
import pytest
from made import random_rows

from embgeo.errors import ShapeError
from embgeo.statistics import PAIRS, transformed
from embgeo.tables import EmbeddingTable
from embgeo.transforms import CENTRED, NAMES, RAW, named
from embgeo.views.group_rows import group_rows
from embgeo.views.separation import MEASURES, separation_frame
from embgeo.views.whitening import (
    AFTER,
    BEFORE,
    cosine_histograms,
    cosine_rules,
    fit_note,
    spectrum_frame,
)

DIM = 6


@pytest.fixture
def table(tmp_path: Path) -> EmbeddingTable:
    return made.table(tmp_path, random_rows(300, DIM))


@pytest.mark.parametrize("name", NAMES)
def test_the_sampled_pairs_before_and_after(name: str, table: EmbeddingTable) -> None:
    frame = cosine_histograms(table, named(name, DIM))
    assert list(frame.columns) == ["state", "left", "right", "pairs", "share"]
    for state in (BEFORE, AFTER):
        bars = frame[frame["state"] == state]
        assert (bars["left"].min(), bars["right"].max()) == (-1, 1)
        assert bars["pairs"].sum() == PAIRS
        assert bars["share"].sum() == pytest.approx(1)


def test_the_rules_are_the_exact_means(table: EmbeddingTable) -> None:
    frame = cosine_rules(table, CENTRED)
    assert list(frame.columns) == ["state", "name", "x"]
    assert frame["x"].tolist() == [
        transformed(table, steps).mean_cosine for steps in (RAW, CENTRED)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_the_spectrum_before_and_after_is_that_of_the_rows(
    name: str, table: EmbeddingTable
) -> None:
    rows = table.weight.numpy()
    moved = {
        "raw": rows, "centred": rows, "standardised": oracle.standardise(rows),
        "abtt": oracle.all_but_the_top(rows, 1), "whitened": oracle.whiten(rows),
    }[name]  # fmt: skip
    frame = spectrum_frame(table, named(name, DIM))
    assert list(frame.columns) == ["state", "k", "share", "cumulative"]
    for state, expected in ((BEFORE, rows), (AFTER, moved)):
        found = frame[frame["state"] == state]
        assert found["k"].tolist() == list(range(1, DIM + 1))
        oracle.agree(found["cumulative"].to_numpy(), oracle.explained_variance(expected), 1e-9)
        oracle.agree(found["share"].cumsum().to_numpy(), found["cumulative"].to_numpy(), 1e-12)


def test_a_wide_spectrum_is_thinned_for_the_chart(tmp_path: Path) -> None:
    frame = spectrum_frame(made.table(tmp_path, random_rows(600, 400)), CENTRED)
    for _, found in frame.groupby("state"):
        assert len(found) <= 160
        assert (found["k"].iloc[0], found["k"].iloc[-1]) == (1, 400)
        assert found["cumulative"].iloc[-1] == pytest.approx(1)


def test_effects_before_and_after(table: EmbeddingTable) -> None:
    groups = made.groups({"a": [0, 1, 2], "b": [3, 4, 5]})
    before, after = (group_rows(table, groups, named(name, DIM)) for name in ("raw", "whitened"))
    frame = separation_frame({BEFORE: before, AFTER: after})
    assert list(frame.columns) == ["measure", "label", "compared", "value"]
    assert frame["measure"].unique().tolist() == list(MEASURES)
    found = frame.pivot(index="measure", columns="compared", values="value")
    rows = oracle.whiten(table.weight.numpy())[:6]
    labels = np.array([0, 0, 0, 1, 1, 1])
    for measure in ("within", "between", "effect_size", "silhouette", "own_group_neighbours"):
        expected = getattr(oracle, measure)(rows, labels)
        assert found[AFTER][measure] == pytest.approx(expected, abs=1e-10), measure


def test_effects_that_are_undefined_are_gaps(table: EmbeddingTable) -> None:
    rows = group_rows(table, made.groups({"one": [1]}))
    assert separation_frame({BEFORE: rows, AFTER: rows})["value"].isna().all()


def test_the_note_says_n_d_rank_and_floor(tmp_path: Path) -> None:
    flat = random_rows(25, 4) @ random_rows(4, DIM, seed=3)
    note = fit_note(made.table(tmp_path, flat), named("whitened", DIM))
    assert "n = 25 rows, d = 6, rank 4 (eigenvalues above 1e-10 of the largest)." in note
    assert "Only the 4 components" in note
    assert "noisy" in note


def test_what_cannot_be_fitted_says_so_in_every_frame(tmp_path: Path) -> None:
    few = made.table(tmp_path, random_rows(DIM, DIM))
    for view in (cosine_histograms, cosine_rules, spectrum_frame, fit_note):
        with pytest.raises(ShapeError, match="Whitening n = 6 rows in d = 6 dimensions"):
            view(few, named("whitened", DIM))
