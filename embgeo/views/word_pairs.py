"""Word pairs that people have scored: reading them, and how well cosines order them."""

import csv
import io
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from embgeo.errors import SourceError
from embgeo.groups import Member, Resolution, ResolvedGroup, TokenGroup
from embgeo.metrics.rank_correlation import spearman
from embgeo.statistics.scored_pairs import Cosines
from embgeo.views.numbers import number

MOST_PAIRS = 5_000
MOST_BYTES = 2 * 2**20
_LONGEST = 100


@dataclass(frozen=True)
class ScoredPair:
    """Two words and how alike somebody found them."""

    left: str
    right: str
    score: float


@dataclass(frozen=True, eq=False)
class FoundPairs:
    """The scored pairs of which both words have a row, and why the others have none.

    Attributes
    ----------
    rows
        (pairs,) the ids of each pair's two members.
    scores
        (pairs,) the scores given.
    left_out
        Reason to the number of pairs.
    """

    rows: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
    scores: tuple[float, ...]
    left_out: Mapping[str, int]


def read_pairs(data: bytes) -> tuple[ScoredPair, ...]:
    r"""The pairs of a CSV or TSV file (word, word, score), a header allowed.

    Raises
    ------
    SourceError
        If it is too large, no text in UTF-8, or a line is not two words and a finite number.

    Examples
    --------
    >>> read_pairs(b"a,b,score\ncat,dog,8.5\n")
    (ScoredPair(left='cat', right='dog', score=8.5),)
    """
    if len(data) > MOST_BYTES:
        raise SourceError("The file of word pairs is larger than 2 MiB; give fewer pairs.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceError("The file of word pairs is not UTF-8 text; save it as UTF-8.") from error
    first = text.split("\n", 1)[0]
    separator = next((each for each in "\t;" if each in first), ",")
    try:
        lines = [
            [part.strip() for part in line]
            for line in csv.reader(io.StringIO(text), delimiter=separator, strict=True)
        ]
    except csv.Error as error:
        raise SourceError(
            f"The file of word pairs cannot be read as CSV or TSV: {error}."
        ) from error
    if lines and len(lines[0]) == 3 and _score(lines[0][2]) is None:
        lines[0] = []
    pairs = [_pair(line, at) for at, line in enumerate(lines, start=1) if any(line)]
    if not pairs or len(pairs) > MOST_PAIRS:
        raise SourceError(f"Expected 1 to {MOST_PAIRS:,} scored word pairs; found {len(pairs):,}.")
    return tuple(pairs)


def _pair(line: list[str], at: int) -> ScoredPair:
    score = _score(line[2]) if len(line) == 3 else None
    if score is None or not all(0 < len(word) <= _LONGEST for word in line[:2]):
        raise SourceError(
            f"Line {at} of the word pairs is not word, word, score (a number): "
            f"{' | '.join(line)[:80]}"
        )
    return ScoredPair(line[0], line[1], score)


def _score(text: str) -> float | None:
    try:
        score = float(text)
    except ValueError:
        return None
    return score if math.isfinite(score) else None


def word_group(pairs: Sequence[ScoredPair]) -> TokenGroup:
    """The words of the pairs as one group, to be looked up as any other."""
    words = dict.fromkeys(word for pair in pairs for word in (pair.left, pair.right))
    return TokenGroup("scored word pairs", tuple(words))


def found_pairs(pairs: Sequence[ScoredPair], words: ResolvedGroup) -> FoundPairs:
    """Which pairs can be compared in one model, and how many cannot, by reason."""
    members: dict[str, Member] = {}
    reasons: dict[str, str] = {}
    for each in words.resolutions:
        if each.member is not None:
            members.setdefault(each.entry, each.member)  # of both spacings, the first: as typed
        else:
            reasons.setdefault(each.entry, _short(each))
    kept = [pair for pair in pairs if pair.left in members and pair.right in members]
    lost = [
        reasons[pair.left if pair.left not in members else pair.right]
        for pair in pairs
        if not (pair.left in members and pair.right in members)
    ]
    rows = tuple((members[pair.left].ids, members[pair.right].ids) for pair in kept)
    return FoundPairs(rows, tuple(pair.score for pair in kept), Counter(lost))


def _short(lost: Resolution) -> str:
    """A reason without the word it is about, so that equal ones can be counted."""
    if lost.unshared:
        return "not in another compared model"
    return "several tokens" if len(lost.ids) > 1 else "no row for a word"


def pair_frame(compared: Mapping[str, Cosines], found: Mapping[str, FoundPairs]) -> pd.DataFrame:
    """Spearman of cosine with score and the pairs behind it, for each thing compared.

    Columns: measure, label, compared (the name given), value (missing where undefined: fewer than
    three pairs, or all scores or all cosines alike).
    """
    records = []
    for name, cosines in compared.items():
        scores = np.array(found[name].scores)
        known = np.isfinite(cosines)
        rho = spearman(cosines[known].round(12), scores[known])
        lost = sum(found[name].left_out.values()) + int((~known).sum())
        for measure, label, value in (
            ("pair_spearman", "Spearman of cosine and score", rho),
            ("pairs", "Pairs used", int(known.sum())),
            ("left_out", "Pairs left out", lost),
        ):
            records.append(
                {"measure": measure, "label": label, "compared": name, "value": number(value)}
            )
    return pd.DataFrame(records, columns=["measure", "label", "compared", "value"])


def undefined_notes(frame: pd.DataFrame) -> list[str]:
    """Why a correlation of `pair_frame` is missing, where one is."""
    rho = frame[frame["measure"] == "pair_spearman"]
    names = rho.loc[rho["value"].isna(), "compared"].tolist()
    if not names:
        return []
    whose = ", ".join(names)
    return [f"{whose}: Spearman needs three pairs of different scores and different cosines."]


def left_out_note(found: FoundPairs) -> str:
    """Why pairs were left out, with counts: "4 several tokens, 1 no row for a word"."""
    return ", ".join(f"{count:,} {reason}" for reason, count in sorted(found.left_out.items()))


EXAMPLE = tuple(
    ScoredPair(left, right, score)
    for left, right, score in (
        ("cat", "dog", 7.5),
        ("car", "truck", 8.0),
        ("king", "queen", 8.0),
        ("happy", "sad", 5.5),
        ("big", "large", 9.5),
        ("red", "blue", 6.5),
        ("house", "home", 9.0),
        ("doctor", "nurse", 7.5),
        ("river", "water", 7.0),
        ("father", "mother", 7.5),
        ("money", "bank", 7.0),
        ("book", "paper", 6.5),
        ("music", "song", 8.0),
        ("tree", "school", 1.5),
        ("cat", "money", 0.5),
        ("king", "paper", 1.0),
        ("water", "doctor", 1.5),
        ("blue", "truck", 1.0),
        ("song", "river", 1.5),
        ("nurse", "stone", 0.5),
    )
)
"""Twenty pairs with scores of our own: an example to try it, not a benchmark."""
