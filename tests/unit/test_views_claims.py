"""Verdicts on what texts say: each one both ways, on made tables, and words where none is due."""

from collections.abc import Sequence
from pathlib import Path

import made
import numpy as np
import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel

from embgeo.errors import ShapeError
from embgeo.populations import Population
from embgeo.tables import EmbeddingTable
from embgeo.transforms import named
from embgeo.views import claims
from embgeo.views.claim_figures import CLAIMS, Claim, Shown, claim_frame
from embgeo.views.claims import NO, NOT_HERE, PARTLY, YES, Verdict
from embgeo.views.group_rows import GroupRows, group_rows

COUNT, DIM, RESERVED = 400, 120, 12
NOISE = np.random.default_rng(3).normal(size=(COUNT, DIM))
RELATED = {"a": range(20, 30), "b": range(40, 50)}
WORDS = {YES, NO, PARTLY, NOT_HERE}

Array = np.ndarray


def claim(said: str) -> Claim:
    [found] = [each for each in CLAIMS if each.said.startswith(said)]
    return found


def tabled(folder: Path, rows: Array, reserved: int = RESERVED) -> EmbeddingTable:
    """A table of words in the order of their ids, the first of them unused slots."""
    names = [f"[unused{at}]" if at < reserved else f"word{at}" for at in range(len(rows))]
    model = WordLevel({name: at for at, name in enumerate(names)}, unk_token="none")
    return made.table(folder, torch.from_numpy(rows), Tokenizer(model))


def shown(
    table: EmbeddingTable, ids: dict[str, Sequence[int]] | None = None, changed: bool = False
) -> Shown:
    groups = made.groups(ids or RELATED)
    rows: list[GroupRows | None] = [group_rows(table, groups)]
    for name in ("centred", "whitened"):
        try:
            steps = named(name, table.dim)
            rows.append(group_rows(table, groups, steps) if changed else None)
        except ShapeError:
            rows.append(None)
    return Shown(table, Population(), *rows)


def judged(said: str, folder: Path, rows: Array) -> Verdict:
    return claim(said).measure(shown(tabled(folder, rows)))


def rogue(size: float) -> Array:
    rows = NOISE.copy()
    rows[:, 7] += size
    return rows


def shrinking(start: float, end: float) -> Array:
    return NOISE * np.linspace(start, end, COUNT)[:, None]


def untrained(rare: float) -> Array:
    """Unused rows that point one way, and rare ones that do so in part."""
    rows = NOISE.copy()
    rows[:RESERVED] = 0.1 * rows[:RESERVED] + 1
    rows[COUNT // 2 :] += rare
    return rows


def clustered(signs: tuple[int, int]) -> Array:
    """Rows of which two groups have a direction each, the second half of a group with this sign."""
    rows = NOISE.copy()
    for at, ids in enumerate(RELATED.values()):
        rows[list(ids)[:5], at] += 30
        rows[list(ids)[5:], at] += 30 * signs[at]
    return rows


def above(rows: Array) -> Array:
    """These rows, and behind them rows of another range of ids that lie in a narrow cone."""
    return np.vstack([rows, rows[:100], NOISE[:200] + 60])


@pytest.mark.parametrize(
    ("said", "rows", "word"),
    [
        ("Any two tokens", rogue(12.1), YES),
        ("Any two tokens", rogue(30), PARTLY),
        ("Any two tokens", rogue(8), PARTLY),
        ("Any two tokens", NOISE, NO),
        ("The rows fill", NOISE * np.r_[np.ones(5), np.full(DIM - 5, 1e-3)], YES),
        ("The rows fill", NOISE * np.r_[np.ones(30), np.full(DIM - 30, 1e-3)], PARTLY),
        ("The rows fill", NOISE, NO),
        ("A few coordinates", rogue(12), YES),
        ("A few coordinates", NOISE + np.r_[np.full(40, 2.0), np.zeros(DIM - 40)], NO),
        ("A few coordinates", NOISE + 1, NO),
        ("A few coordinates", NOISE, NOT_HERE),
        ("Zeroing them", rogue(12), YES),
        ("Zeroing them", NOISE + 1, NO),
        ("Zeroing them", NOISE, NOT_HERE),
        ("Frequent tokens", shrinking(2, 0.3), YES),
        ("Frequent tokens", shrinking(0.3, 2), NO),
        ("Rare tokens have", shrinking(2, 0.3), YES),
        ("Rare tokens have", shrinking(2, 1.4), PARTLY),
        ("Rare tokens have", shrinking(0.3, 2), NO),
        ("Rare tokens stay", untrained(2), YES),
        ("Rare tokens stay", untrained(0.3), PARTLY),
        ("Rare tokens stay", untrained(0), NO),
        ("Rare tokens stay", NOISE, NOT_HERE),
        ("Related tokens", clustered((1, 1)), YES),
        ("Related tokens", clustered((-1, -1)), NO),
        ("A high cosine", clustered((1, 1)), YES),
        ("A high cosine", above(clustered((1, 1))), NO),
        ("A high cosine", NOISE, NOT_HERE),
        ("Subtracting", NOISE, NOT_HERE),
        ("Most modern", NOISE, NOT_HERE),
    ],
)
def test_each_verdict_on_tables_that_were_made_for_it(
    said: str, rows: Array, word: str, tmp_path: Path
) -> None:
    found = judged(said, tmp_path, rows)
    assert found.word == word, found.text


def test_loud_noise_is_what_whitening_helps_against(tmp_path: Path) -> None:
    rows = clustered((1, 1))
    rows[:, 50:52] *= 60
    found = claim("Subtracting").measure(shown(tabled(tmp_path, rows), changed=True))
    assert found.word == PARTLY and "whitened" in found.measured, found.text


@pytest.mark.parametrize(
    ("found", "word"),
    [
        (claims.helps(2.0, 2.5, 3.0), YES),
        (claims.helps(2.442, 1.904, 3.566), PARTLY),
        (claims.helps(3.556, 3.514, 3.343), NO),
        (claims.helps(2.0, 2.05, 2.05), NO),
        (claims.helps(-0.5, -0.3, -0.1), YES),
        (claims.helps(2.0, 1.0, None), NOT_HERE),
        (claims.helps(None, None, None), NOT_HERE),
        (claims.untied(True), NO),
        (claims.untied(False), YES),
        (claims.few_carry([0.2, 0.1, 0.05, *[0.01] * 200], 0.4), PARTLY),
        (claims.few_carry([0.9, 0.1, 0.0], 0.4), NOT_HERE),
        (claims.zeroing_opens(0.5, 0.3, 384), PARTLY),
        (claims.zeroing_opens(0.5, None, 384), NOT_HERE),
        (claims.zeroing_opens(0.5, 0.1, 6), NOT_HERE),
        (claims.frequent_longer(-0.2), PARTLY),
        (claims.frequent_longer(0.0), NO),
        (claims.related_closer(0.5, 0.1, 0.2, 0.5), PARTLY),
        (claims.related_closer(0.5, 0.1, 0.6, 2.0), NO),
        (claims.cosine_tells(0.6, 1.0, 0.4, "word start"), PARTLY),
        (claims.cosine_tells(0.6, 1.0, None, ""), NOT_HERE),
        (claims.cosine_tells(0.007, 0.15, 0.0, "word start"), NOT_HERE),
    ],
)
def test_verdicts_at_their_thresholds(found: Verdict, word: str) -> None:
    assert found.word == word, found.text


def test_numbers_are_in_the_words() -> None:
    assert claims.usual_cosine(0.018062, 0.091649, 49_152).text == "no: 0.018 ± 0.092"
    assert claims.frequent_longer(-0.3768).text == "yes: Spearman(norm, id) −0.377"
    assert claims.helps(-0.5, 0.1, 0.2).measured.startswith("effect size −0.50")
    assert "2.704" in claims.rare_short(3.4641, 2.7042).measured
    assert claims.few_directions(444, 576, 49_152).word == NO


def test_without_a_tokenizer_ids_say_nothing(tmp_path: Path) -> None:
    seen = shown(made.table(tmp_path, torch.from_numpy(shrinking(2, 0.3))))
    for said in ("Frequent tokens", "Rare tokens have", "Rare tokens stay"):
        assert claim(said).measure(seen).word == NOT_HERE


@pytest.mark.parametrize(
    "rows",
    [
        NOISE[:1],
        NOISE[:2],
        np.full((60, 5), 0.7),
        np.zeros((60, 5)),
        np.full((60, 5), 1e-21),
        NOISE[:60, :2],
        NOISE[:100],
        np.vstack([NOISE[:200], NOISE[:200]]),
        NOISE / np.linalg.norm(NOISE, axis=1, keepdims=True),
    ],
    ids=["one", "two", "same", "zero", "tiny", "d = 2", "V ≤ d", "twice", "constant norms"],
)
def test_no_table_gives_anything_but_the_four_words(rows: Array, tmp_path: Path) -> None:
    table = tabled(tmp_path, rows, reserved=0)
    ids = {"a": [0], "b": [1]} if len(rows) == 2 else {"a": [0]}
    seen = shown(table, ids if len(rows) < 60 else None, changed=True)
    found = [each.measure(seen) for each in CLAIMS]
    assert {verdict.word for verdict in found} <= WORDS
    assert not any("nan" in verdict.text or "inf" in verdict.text for verdict in found)


def test_without_groups_there_is_nothing_to_set_apart(tmp_path: Path) -> None:
    table = tabled(tmp_path, NOISE)
    for seen in (Shown(table, Population()), Shown(table, Population(), group_rows(table, []))):
        for said in ("Related tokens", "A high cosine", "Subtracting"):
            assert claim(said).measure(seen).word == NOT_HERE


def test_the_frame_has_a_line_for_each_claim_and_model() -> None:
    verdicts = [None, *[Verdict(NO, "0.1")] * (len(CLAIMS) - 1)]
    frame = claim_frame({"one": verdicts, "two": verdicts})
    assert list(frame) == ["model", "claim", "page", "verdict", "measured"]
    assert len(frame) == 2 * len(CLAIMS)
    assert frame["verdict"].tolist()[:2] == ["", NO]
