"""The script a token is written in, and norms by script and class."""

from pathlib import Path

import made
import numpy as np
import pytest
import spelled
from made import random_rows

from embgeo.statistics import moments
from embgeo.tokens.scripts import script_of, token_scripts
from embgeo.tokens.vocabulary import Vocabulary
from embgeo.views.counts import read_counts
from embgeo.views.norm_kinds import norms_by_class, norms_by_script, rank_correlations


@pytest.mark.parametrize(
    ("text", "script"),
    [
        (" the", "Latin"),
        ("ＡＢ", "Latin"),
        ("𝔸", "Latin"),
        ("ﬁ", "Latin"),
        ("naïve-2", "Latin"),
        ("µ", "Greek"),
        ("Ω", "Greek"),
        ("привет", "Cyrillic"),
        ("مرحبا", "Arabic"),
        ("ﷺ", "Arabic"),
        ("हिन्दी", "Devanagari"),
        ("世界", "CJK"),
        ("ﾃﾞ", "Katakana"),
        ("ー", "Katakana"),
        ("한국", "Hangul"),
        ("日本の", "several scripts"),
        ("aя", "several scripts"),
        ("2,000", "digits"),
        ("½", "digits"),
        ("), ", "punctuation and symbols"),
        ("😀", "punctuation and symbols"),
        ("\n\n", "blank"),
        ("\u200b", "blank"),
        ("", "blank"),
        ("\ue000", "punctuation and symbols"),
    ],
)
def test_script_of_a_text(text: str, script: str) -> None:
    assert script_of(text) == script


def test_every_row_has_a_script() -> None:
    words = ["the", "##ing", "##", "[unused3]", "[CLS]", "世"]
    vocabulary = Vocabulary(dict(enumerate(words)), "wordpiece", special=frozenset({4}))
    found = token_scripts(vocabulary, vocabulary.classes(8))
    names = [found.names[code] for code in found.codes]
    signs, special = "punctuation and symbols", "special or unused"
    assert names == ["Latin", "Latin", signs, special, special, "CJK", "no token", "no token"]
    pieces = Vocabulary({0: "<0xE6>", 1: "▁a"}, "sentencepiece")
    found = token_scripts(pieces, pieces.classes(2))
    assert [found.names[code] for code in found.codes] == ["pieces of characters", "Latin"]


def test_kinds_hold_every_used_row_once(tmp_path: Path) -> None:
    table = made.table(tmp_path, random_rows(260, 3), spelled.byte_level())
    first = moments(table)
    for frame in (norms_by_script(table, first), norms_by_class(first)):
        assert list(frame.columns) == ["kind", "tokens", "q05", "median", "q95"]
        assert frame["tokens"].sum() == first.count
        assert (frame["q05"] <= frame["median"]).all() and (frame["median"] <= frame["q95"]).all()
    assert norms_by_script(table, first)["tokens"].min() > 0


def test_tokens_that_are_numbers_have_no_script(tmp_path: Path) -> None:
    table = made.table(tmp_path, random_rows(30, 3))
    assert norms_by_script(table, moments(table)).empty


def test_rank_correlations_with_ids_and_with_counts(tmp_path: Path) -> None:
    rows = np.zeros((40, 2))
    rows[:, 0] = np.arange(1, 41)
    table = made.table(tmp_path, rows)
    first = moments(table)
    assert rank_correlations(table, first)["spearman"].tolist() == [1.0, 1.0]
    counts = read_counts("counts.csv", "\n".join(f"{at},{100 - at}" for at in range(30)).encode())
    frame = rank_correlations(table, first, counts)
    assert frame["counted"].tolist() == [30, 30]
    assert frame["with_counts"].tolist() == [-1.0, -1.0]


@pytest.mark.parametrize("rows", [np.ones((5, 2)), np.eye(2), np.zeros((3, 2))])
def test_constant_norms_or_few_rows_have_no_correlation(tmp_path: Path, rows: np.ndarray) -> None:
    table = made.table(tmp_path, rows)
    assert rank_correlations(table, moments(table))["spearman"].isna().all()
