"""What texts say about embedding tables, judged by numbers: figures in, a verdict in words out.

Every threshold stands here with what it is for. No verdict says that isotropic is better: "helps"
is only what sets the chosen groups apart. A figure that is None is undefined for the table.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

YES, NO, PARTLY, NOT_HERE = "yes", "no", "partly", "not measurable here"

SAID_COSINES = (0.45, 0.65)
"""Mean cosines that round to what is said to be usual, 0.5 or 0.6."""
ALSO_SAID = 0.3
"""From here on a mean cosine is within the wider range that is said to depend on the model."""
LEAST_ROWS = 100
"""Rows whose mean cosine says something of a vocabulary."""
NO_CONE = 0.02
"""Mean cosines smaller than this are no cone that anything could carry or remove."""
CARRIED = (0.5, 0.1)
"""Shares of the mean cosine from which on a few coordinates carry it: yes, partly."""
LEAST_WIDTH = 100
"""Coordinates of which three are few."""
LEFT = (0.5, 0.8)
"""Shares of the mean cosine at most left where zeroing made it far smaller: yes, partly."""
FEW = (0.1, 0.5)
"""Shares of the dimensions that are few: yes, partly."""
RELATED = (0.3, 0.1)
"""Rank correlations from which on norm goes with frequency: yes, partly."""
NEAR_ORIGIN, SHORTER = 0.5, 0.95
"""Shares of frequent tokens' length below which rare ones are near the origin, are shorter."""
TOGETHER = 0.5
"""Share of frequent tokens' distance that untrained rows may have at most to say where they are."""
WAY = (0.5, 0.1)
"""Shares of the way from frequent tokens' rows to untrained ones: stays there, partly."""
LARGE, SMALL = 0.8, 0.2
"""Effect sizes after Cohen (1988)."""
TELLS = 0.5
"""Share of related tokens' cosine that kinds of tokens may have at most if a cosine alone tells."""
RAISED = 1.05
"""How often larger an effect size must be to be called larger."""


@dataclass(frozen=True)
class Verdict:
    """What a table shows of a claim: one of the four words, and the figures behind it."""

    word: str
    measured: str

    @property
    def text(self) -> str:
        """As it stands in a cell: "no: 0.018 ± 0.092"."""
        return f"{self.word}: {self.measured}"


def usual_cosine(mean: float | None, sd: float | None, count: int) -> Verdict:
    """Whether random pairs have the mean cosine that is said to be usual."""
    if mean is None:
        return Verdict(NOT_HERE, "fewer than two rows have a direction")
    if count < LEAST_ROWS:
        return Verdict(NOT_HERE, f"{count} rows are too few to stand for a vocabulary")
    measured = _text(mean) if sd is None else f"{_text(mean)} ± {_text(sd)}"
    if SAID_COSINES[0] <= mean < SAID_COSINES[1]:
        return Verdict(YES, measured)
    if mean >= SAID_COSINES[1]:
        return Verdict(PARTLY, f"{measured}, a narrower cone still")
    return Verdict(PARTLY if mean >= ALSO_SAID else NO, measured)


def few_directions(components: int | None, dim: int, count: int) -> Verdict:
    """Whether 90 % of the variance lies in few components."""
    if components is None:
        return Verdict(NOT_HERE, "the rows have no spread")
    if count <= dim:
        return Verdict(NOT_HERE, f"{count:,} rows cannot fill {dim:,} dimensions")
    measured = f"90 % of the variance takes {components:,} of {dim:,} components"
    return Verdict(_at_most(components / dim, *FEW), measured)


def few_carry(shares: Sequence[float], mean: float | None) -> Verdict:
    """Whether the three coordinates that add most carry the mean cosine.

    Parameters
    ----------
    shares
        (d,) each coordinate's share of the mean cosine, the largest first.
    mean
        The mean cosine.
    """
    none = _no_cone(mean)
    if none:
        return none
    if len(shares) < LEAST_WIDTH:
        return Verdict(NOT_HERE, f"three of {len(shares):,} coordinates are not few")
    carried = sum(shares[:3])
    measured = f"the top 3 of {len(shares):,} coordinates add {100 * carried:.1f} % of it"
    return Verdict(_at_least(carried, *CARRIED), measured)


def zeroing_opens(before: float | None, after: float | None, dim: int) -> Verdict:
    """Whether the mean cosine is far smaller once its top three coordinates are zeroed."""
    none = _no_cone(before)
    if none:
        return none
    if dim < LEAST_WIDTH:
        return Verdict(NOT_HERE, f"three of {dim:,} coordinates are not few")
    if after is None:
        return Verdict(NOT_HERE, "too few rows have anything left")
    assert before is not None  # else there was no cone
    word = _at_most(after / before, *LEFT)
    return Verdict(word, f"mean cosine {_text(before)}, without the top 3 {_text(after)}")


def frequent_longer(correlation: float | None, numbered: bool = False) -> Verdict:
    """Whether norm falls with the id, by Spearman's ρ; the id stands in for a frequency rank."""
    if numbered or correlation is None:
        return _no_ids(numbered)
    word = _at_least(-correlation, *RELATED)
    more = ", frequent tokens are shorter" if correlation >= RELATED[1] else ""
    return Verdict(word, f"Spearman(norm, id) {_text(correlation)}{more}")


def rare_short(rare: float | None, frequent: float | None, numbered: bool = False) -> Verdict:
    """Whether rare tokens are short and near the origin, by median norms."""
    if numbered or rare is None or not frequent:
        return _no_ids(numbered)
    measured = f"median norm of the rarest quarter {rare:.4g}, of the most frequent {frequent:.4g}"
    return Verdict(_at_most(rare / frequent, NEAR_ORIGIN, SHORTER), measured)


def rare_untrained(
    rare: float | None, frequent: float | None, reserved: float | None, numbered: bool = False
) -> Verdict:
    """Whether rare tokens stay near rows that training never saw, by median cosine distance."""
    if numbered:
        return _no_ids(numbered)
    if rare is None or frequent is None or reserved is None:
        return Verdict(NOT_HERE, "too few rows are known that training never saw")
    if reserved > TOGETHER * frequent:
        return Verdict(NOT_HERE, "the rows that training never saw share no direction")
    measured = (
        f"distance to untrained rows {_text(rare)} for the rarest quarter, {_text(frequent)} for "
        f"the most frequent, {_text(reserved)} for themselves"
    )
    return Verdict(_at_least((frequent - rare) / (frequent - reserved), *WAY), measured)


def related_closer(
    within: float | None, between: float | None, floor: float | None, effect: float | None
) -> Verdict:
    """Whether tokens of one group are closer than tokens of two, and than their floor."""
    if within is None or between is None:
        return Verdict(NOT_HERE, "needs two groups with tokens, one of them with two")
    under = "" if floor is None else f", floor {_text(floor)}"
    measured = f"within {_text(within)}, between {_text(between)}{under}"
    if within <= between or (floor is not None and within <= floor):
        return Verdict(NO, measured)
    return Verdict(PARTLY if effect is None else _at_least(effect, LARGE, SMALL), measured)


def cosine_tells(
    within: float | None, effect: float | None, by_chance: float | None, kind: str
) -> Verdict:
    """Whether a cosine alone tells related tokens from any two tokens of one kind.

    Parameters
    ----------
    within, effect
        Mean cosine of related tokens, and how far it is above that of others.
    by_chance, kind
        Mean cosine of any two tokens of the kind for which it is largest, and which kind that is.
    """
    if within is None:
        return Verdict(NOT_HERE, "needs a group of two tokens")
    if effect is None or effect < SMALL:
        return Verdict(NOT_HERE, "the tokens of these groups are not more alike than others")
    if by_chance is None:
        return Verdict(NOT_HERE, "no kind of token is common enough")
    measured = f"any two of “{kind}” {_text(by_chance)}, related tokens {_text(within)}"
    if by_chance >= within:
        return Verdict(NO, measured)
    return Verdict(YES if by_chance <= TELLS * within else PARTLY, measured)


def helps(raw: float | None, centred: float | None, whitened: float | None) -> Verdict:
    """Whether subtracting the mean and whitening set the chosen groups further apart."""
    if raw is None:
        return Verdict(NOT_HERE, "needs two groups with tokens, one of them with two")
    if centred is None or whitened is None:
        return Verdict(NOT_HERE, "this table is too small, or too much alike, to be whitened")
    measured = f"effect size {raw:.2f}, centred {centred:.2f}, whitened {whitened:.2f}"
    better = sum(after > raw * (RAISED if raw > 0 else 1) for after in (centred, whitened))
    return Verdict((NO, PARTLY, YES)[better], _signed(measured))


def untied(tied: bool | None) -> Verdict:
    """Whether input and output table are two."""
    if tied is None:
        return Verdict(NOT_HERE, "no output table is stored")
    return Verdict(NO, "tied, one table for both") if tied else Verdict(YES, "untied, two tables")


def _no_cone(mean: float | None) -> Verdict | None:
    if mean is None:
        return Verdict(NOT_HERE, "fewer than two rows have a direction")
    if mean < NO_CONE:
        return Verdict(NOT_HERE, f"mean cosine {_text(mean)}, there is no cone")
    return None


def _no_ids(numbered: bool) -> Verdict:
    if numbered:
        return Verdict(NOT_HERE, "without a tokenizer, ids say nothing of frequency")
    return Verdict(NOT_HERE, "too few tokens, or all of one length")


def _at_least(value: float, yes: float, partly: float) -> str:
    return YES if value >= yes else PARTLY if value >= partly else NO


def _at_most(value: float, yes: float, partly: float) -> str:
    return YES if value <= yes else PARTLY if value <= partly else NO


def _text(cosine: float) -> str:
    return _signed(f"{cosine:z.3f}")


def _signed(text: str) -> str:
    """With a real minus sign before every negative number."""
    return re.sub(r"-(?=\d)", "\N{MINUS SIGN}", text)
