"""Several steps in one transform: as if each were taken on the whole table, refitted every time."""

from pathlib import Path

import made
import numpy as np
import oracle
import oracle_whitening as slowly
import pytest
import torch
from made import random_rows
from oracle import agree
from sklearn.decomposition import PCA

from embgeo.errors import ShapeError
from embgeo.statistics import after_each_step, fitted, transformed
from embgeo.statistics.weighted import weighted_spread
from embgeo.tables import EmbeddingTable
from embgeo.tables import table as tables
from embgeo.transforms import (
    Centre,
    DropRogue,
    Whiten,
    described,
    named,
    preset,
    read_word,
    spelled,
    steps_for,
)

DIM = 6
ROWS = random_rows(150, DIM) @ random_rows(DIM, DIM, seed=7, shift=0.2)
PIPELINES = [
    "rogue:2",
    "centre+rogue:1+whiten",
    "rogue:1+centre+standardise+drop:1+whiten:3~0.2",
    "drop:1+centre",
    "standardise+rogue:2+centre",
    "standardise+drop:2+centre",
    "drop:2+standardise+centre",
    "centre+zipf-centre",
    "zipf-centre+centre",
    "zipf-centre+zipf-whiten",
    "zipf-centre+zipf-whiten:4~0.05",
    "centre+whiten~0.3",
    "centre+whiten~1",
    "whiten+centre",
    "zipf-whiten+whiten+centre",
    "centre+whiten:4+zipf-whiten",
    "drop:1+zipf-whiten~0.1+zipf-centre",
]


@pytest.fixture
def table(tmp_path: Path) -> EmbeddingTable:
    return made.table(tmp_path, ROWS, made.worded(len(ROWS)))


def steps(words: str) -> tuple:
    return steps_for([read_word(word) for word in words.split("+")], DIM)


@pytest.mark.parametrize("words", PIPELINES)
def test_a_pipeline_is_its_steps_one_after_another(
    words: str, table: EmbeddingTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_CHUNK_NUMBERS", 1)
    assert spelled(steps(words)) == words
    how = fitted(table, steps(words))
    expected = slowly.after(ROWS.numpy(), words.split("+"))
    agree(oracle.pair_cosines(how.apply(ROWS[:25])), oracle.pair_cosines(expected[:25]), 1e-9)
    found = after_each_step(table, steps(words))[-1].mean_cosine
    agree(found, oracle.mean_cosine(expected), 1e-10)
    values = oracle.eigenvalues(how.apply(ROWS).numpy()).clip(min=0)
    agree(how.eigenvalues / values.max(), values / values.max(), 1e-9)


def test_the_order_of_the_steps_matters(table: EmbeddingTable) -> None:
    for one, other in (
        ("standardise+drop:2+centre", "drop:2+standardise+centre"),
        ("centre+zipf-centre", "zipf-centre+centre"),
        ("standardise+zipf-whiten~0.5+centre", "zipf-whiten~0.5+standardise+centre"),
    ):
        found = [transformed(table, steps(words)).mean_cosine for words in (one, other)]
        assert abs(found[0] - found[1]) > 1e-5, one


def test_every_prefix_is_what_it_is_alone(tmp_path: Path) -> None:
    words = "rogue:1+centre+standardise+drop:1+whiten"
    several = after_each_step(made.table(tmp_path / "a", ROWS), steps(words))
    alone = made.table(tmp_path / "b", ROWS)
    assert len(several) == 6
    for taken, each in enumerate(several):
        agree(each.unit_sums, transformed(alone, steps(words)[:taken]).unit_sums, 1e-12)
        assert each.counts.tolist() == transformed(alone, steps(words)[:taken]).counts.tolist()


@pytest.mark.parametrize("k", [None, 3])
def test_whitening_is_that_of_scikit_learn_up_to_sign(k: int | None, table: EmbeddingTable) -> None:
    found = fitted(table, named("whitened", DIM, k)).apply(ROWS).numpy()
    expected = PCA(n_components=k, whiten=True).fit_transform(ROWS.numpy())
    agree(np.abs(found), np.abs(expected), 1e-9)


def test_rogue_dimensions_are_those_that_contribute_most(table: EmbeddingTable) -> None:
    how = fitted(table, (DropRogue(2),))
    largest = np.argsort(-slowly.contributions(ROWS.numpy()))[:2].tolist()
    assert how.note == f"Dimensions set to zero: {largest[0]}, {largest[1]}."
    moved = how.apply(ROWS)
    assert moved[:, largest].abs().max() == 0
    others = np.setdiff1d(np.arange(DIM), largest)
    assert torch.equal(moved[:, others], ROWS[:, others])


def test_the_weighted_mean_and_covariance_are_those_of_the_oracle(table: EmbeddingTable) -> None:
    found, weights = weighted_spread(table), slowly.zipf(150)
    agree(found.mean, slowly.weighted_mean(ROWS.numpy(), weights), 1e-12)
    product = found.eigenvectors * found.eigenvalues @ found.eigenvectors.T
    agree(product, slowly.weighted_covariance(ROWS.numpy(), weights), 1e-10)
    assert "a proxy" in fitted(table, (Centre(weighted=True),)).note


def test_what_is_set_to_zero_on_purpose_is_not_called_constant(table: EmbeddingTable) -> None:
    assert "constant" not in fitted(table, steps("rogue:2+centre+standardise")).note


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("whiten+rogue:1", "Put dropping rogue dimensions before whitening"),
        ("rogue:6", "without 6 of them nothing is left"),
        ("drop:3+drop:3", "3 components; removing 3 leaves nothing"),
        ("whiten:3+whiten:4", "3 components to whiten; found k = 4"),
    ],
)
def test_a_step_that_means_nothing_is_refused(words: str, said: str, table: EmbeddingTable) -> None:
    with pytest.raises(ShapeError, match=said):
        fitted(table, steps(words))


def test_shrinkage_lets_few_rows_be_whitened(tmp_path: Path) -> None:
    few = random_rows(DIM, DIM)
    table = made.table(tmp_path, few)
    with pytest.raises(ShapeError, match="or some shrinkage"):
        fitted(table, steps("centre+whiten"))
    found = fitted(table, steps("centre+whiten~0.1"))
    expected = slowly.after(few.numpy(), ["centre", "whiten~0.1"])
    agree(oracle.pair_cosines(found.apply(few)), oracle.pair_cosines(expected), 1e-9)
    assert "noisy" in found.note


def test_a_row_that_has_no_direction_changes_nothing(tmp_path: Path) -> None:
    words = "rogue:1+zipf-centre+zipf-whiten~0.1"
    bad = torch.tensor([[0.0] * DIM, [1e-21] * DIM, [torch.nan] * DIM], dtype=torch.float64)
    table = made.table(tmp_path / "b", torch.cat([ROWS, bad]), made.worded(153))
    clean = made.table(tmp_path / "a", ROWS, made.worded(150))
    one, other = (transformed(each, steps(words)).mean_cosine for each in (clean, table))
    agree(one, other, 1e-10)


def test_rows_that_are_all_the_same_are_refused_in_words(tmp_path: Path) -> None:
    for count in (1, 2, 9):
        table = made.table(tmp_path / str(count), np.full((count, 3), 0.7), made.worded(count))
        for words in ("rogue:1", "zipf-centre", "centre+whiten~0.1"):
            with pytest.raises(ShapeError, match="all the same"):
                transformed(table, steps_for([read_word(w) for w in words.split("+")], 3))


@pytest.mark.parametrize(
    "word", ["", "zca", "centre:3", "drop~0.1", "whiten:0", "whiten~2", "drop:9999999", "drop: 3"]
)
def test_a_word_that_is_no_step_is_refused(word: str) -> None:
    with pytest.raises(ShapeError, match="Unknown step"):
        read_word(word)


@pytest.mark.parametrize("word", ["rogue", "drop:4", "whiten:8~0.25", "zipf-whiten~1", "centre"])
def test_a_word_reads_as_it_is_written(word: str) -> None:
    assert read_word(word).word == word


def test_numbers_that_were_not_chosen_suit_the_width() -> None:
    chosen = [read_word(word) for word in ("rogue", "drop", "whiten")]
    assert spelled(steps_for(chosen, 384)) == "rogue:3+drop:4+whiten"
    assert spelled(steps_for(chosen, 2)) == "rogue:1+drop:1+whiten"
    with pytest.raises(ShapeError, match=r"Between 1 and 4 .* found 5"):
        read_word("rogue:5").step(4)
    assert preset("abtt", 7)[1].word == "drop:7"
    assert (
        described((Centre(), Whiten(3, 0.1))) == "centred, whitened to 3 components (shrinkage 0.1)"
    )


def test_a_shrinkage_may_be_written_out() -> None:
    written = [read_word(f"whiten~{each}").word for each in ("0", "0.0", "1.0", "0.50")]
    assert written == ["whiten", "whiten", "whiten~1", "whiten~0.5"]
