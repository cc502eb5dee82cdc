"""Transforms of the packaged models against figures that were computed apart from this project."""

import pytest

from embgeo.groups import Policy, resolve
from embgeo.statistics import transformed
from embgeo.statistics.scored_pairs import pair_cosines
from embgeo.tables import EmbeddingTable
from embgeo.transforms import Centre, DropRogue, Standardise, named
from embgeo.views.word_pairs import EXAMPLE, found_pairs, word_group

pytestmark = pytest.mark.real


def test_mean_cosine_of_smollm2_after_its_steps(smollm2: EmbeddingTable) -> None:
    dim = smollm2.dim
    for transform, expected, within in (
        (named("abtt", dim), -8.0e-6, 5e-8),
        (named("whitened", dim), 5.95e-7, 5e-10),
        (named("standardised", dim), 6.63e-5, 5e-8),
        ((Centre(weighted=True),), 0.1814, 5e-5),
        ((DropRogue(1),), 0.42144, 5e-6),
        ((DropRogue(3),), 0.38385, 5e-6),
    ):
        found = transformed(smollm2, transform).mean_cosine
        assert found == pytest.approx(expected, rel=0, abs=within), transform


def test_mean_cosine_of_minilm_after_its_steps(minilm: EmbeddingTable) -> None:
    for transform, expected, within in (
        (named("abtt", minilm.dim), 0.001033, 5e-7),
        (named("whitened", minilm.dim), 0.000716, 5e-7),
        ((Centre(), Standardise()), 0.002374, 5e-7),
        ((DropRogue(3),), 0.01730, 5e-6),
    ):
        found = transformed(minilm, transform).mean_cosine
        assert found == pytest.approx(expected, rel=0, abs=within), transform


def test_every_word_of_the_example_is_one_token_in_both(
    minilm: EmbeddingTable, smollm2: EmbeddingTable
) -> None:
    for table, spacing in ((minilm, "typed"), (smollm2, "space")):
        words = resolve([word_group(EXAMPLE)], [table], Policy(spacing))[0][0]  # type: ignore[arg-type]
        found = found_pairs(EXAMPLE, words)
        assert (len(found.rows), found.left_out) == (20, {})
        assert abs(pair_cosines(table, found.rows)).max() < 1
