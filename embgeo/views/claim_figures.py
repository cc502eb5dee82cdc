"""Each claim of the texts beside what a table shows, and the page that shows more of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from embgeo.metrics.similarity import Separation
from embgeo.metrics.singular_values import components_for
from embgeo.populations import ID_BINS, STRATA, Population, stratum_name
from embgeo.statistics import moments, spectrum
from embgeo.statistics.undertrained import ranked_rows, undertrained
from embgeo.statistics.zeroed import zeroed
from embgeo.tables import EmbeddingTable
from embgeo.tokens.text import SPECIAL
from embgeo.views import claims
from embgeo.views.claims import Verdict
from embgeo.views.group_rows import GroupRows
from embgeo.views.norm_kinds import rank_correlations
from embgeo.views.numbers import number
from embgeo.views.rogue import dimension_frame

Array = np.ndarray[Any, np.dtype[Any]]

MOMENTS, GROUPS, SPECTRUM = "moments", "groups", "spectrum"
COORDINATES, UNTRAINED, CHANGED = "coordinates", "untrained", "changed"
LEAST_TOKENS = 40
"""Tokens of which a quarter has a median worth naming."""
LEAST_RESERVED = 10
"""Untrained rows whose mean is more than a few of themselves."""
LEAST_OF_A_KIND = 100
"""Tokens that a kind must have for its mean cosine to say what chance gives."""


@dataclass(frozen=True)
class Shown:
    """A table, and the rows of its groups as they are, centred and whitened, where known."""

    table: EmbeddingTable
    population: Population
    raw: GroupRows | None = None
    centred: GroupRows | None = None
    whitened: GroupRows | None = None


@dataclass(frozen=True)
class Claim:
    """What is said, on which page it is looked at, which statistic it needs, and its measure."""

    said: str
    page: str
    needs: str
    measure: Callable[[Shown], Verdict]


def claim_frame(verdicts: Mapping[str, Sequence[Verdict | None]]) -> pd.DataFrame:
    """The claims in order, a verdict for each model.

    Parameters
    ----------
    verdicts
        Those of `CLAIMS`, in order, by model; None where one is not known yet.

    Returns
    -------
    pandas.DataFrame
        Columns model, claim, page, verdict and measured, both "" where not known yet.
    """
    records = [
        {
            "model": model,
            "claim": claim.said,
            "page": claim.page,
            "verdict": verdict.word if verdict else "",
            "measured": verdict.measured if verdict else "",
        }
        for model, each in verdicts.items()
        for claim, verdict in zip(CLAIMS, each, strict=True)
    ]
    return pd.DataFrame(records, columns=["model", "claim", "page", "verdict", "measured"])


def _usual_cosine(shown: Shown) -> Verdict:
    first = moments(shown.table, shown.population)
    sd = spectrum(shown.table, shown.population).cosine_sd
    return claims.usual_cosine(first.mean_cosine, sd, first.count)


def _few_directions(shown: Shown) -> Verdict:
    spread = spectrum(shown.table, shown.population)
    return claims.few_directions(components_for(spread.eigenvalues), shown.table.dim, spread.count)


def _few_carry(shown: Shown) -> Verdict:
    mean = moments(shown.table, shown.population).mean_cosine
    shares = dimension_frame(shown.table, shown.population)["share"]
    return claims.few_carry(shares.tolist(), mean)


def _zeroing_opens(shown: Shown) -> Verdict:
    means = zeroed(shown.table, shown.population).mean_cosines
    after = number(means[3]) if len(means) > 3 else None
    return claims.zeroing_opens(number(means[0]), after, shown.table.dim)


def _frequent_longer(shown: Shown) -> Verdict:
    first = moments(shown.table, shown.population)
    found = rank_correlations(shown.table, first)["spearman"]
    whole = number(found.iloc[0]) if first.count >= LEAST_TOKENS else None
    return claims.frequent_longer(whole, shown.table.vocabulary.numbered)


def _rare_short(shown: Shown) -> Verdict:
    frequent, rare = _medians(shown, moments(shown.table, shown.population).norms)
    return claims.rare_short(rare, frequent, shown.table.vocabulary.numbered)


def _rare_untrained(shown: Shown) -> Verdict:
    found = undertrained(shown.table, shown.population)
    frequent, rare = _medians(shown, found.distances)
    untrained = found.distances[found.references]
    enough = len(untrained) >= LEAST_RESERVED
    reserved = number(float(np.median(untrained))) if enough else None
    return claims.rare_untrained(rare, frequent, reserved, shown.table.vocabulary.numbered)


def _medians(shown: Shown, values: Array) -> tuple[float | None, float | None]:
    """Medians of the quarter of ordinary tokens with the lowest ids, and with the highest."""
    first = moments(shown.table, shown.population)
    ids = np.flatnonzero(ranked_rows(first) & first.used)
    if len(ids) < LEAST_TOKENS:
        return None, None
    quarter = len(ids) // 4
    frequent, rare = values[ids[:quarter]], values[ids[-quarter:]]
    return number(float(np.median(frequent))), number(float(np.median(rare)))


def _related_closer(shown: Shown) -> Verdict:
    found = _separation(shown.raw)
    floor = None if shown.raw is None else _floor_within(shown.raw)
    return claims.related_closer(found.within, found.between, floor, found.effect_size)


def _cosine_tells(shown: Shown) -> Verdict:
    first, found = moments(shown.table, shown.population), _separation(shown.raw)
    ordinary = np.arange(STRATA) // len(ID_BINS) != SPECIAL
    common = ordinary & (first.counts >= LEAST_OF_A_KIND)
    means = np.where(common, np.diag(first.floors), -np.inf)
    top = int(means.argmax())
    by_chance = float(means[top]) if common.any() else None
    kind = stratum_name(top, shown.table.rows)
    return claims.cosine_tells(found.within, found.effect_size, by_chance, kind)


def _helps(shown: Shown) -> Verdict:
    each = (shown.raw, shown.centred, shown.whitened)
    return claims.helps(*(_separation(rows).effect_size for rows in each))


def _untied(shown: Shown) -> Verdict:
    return claims.untied(shown.table.facts.tied)


def _separation(rows: GroupRows | None) -> Separation:
    return Separation(seed=0) if rows is None else rows.unshuffled


def _floor_within(rows: GroupRows) -> float | None:
    """What any tokens of the kinds of the groups' pairs have, weighted by the groups' pairs."""
    floors, pairs = np.diag(rows.block_floors), np.diag(rows.blocks.pairs)
    known = np.isfinite(floors) & (pairs > 0)
    return number(float(np.average(floors[known], weights=pairs[known]))) if known.any() else None


CLAIMS = (
    Claim("Any two tokens have a mean cosine of 0.5 or 0.6", "isotropy", SPECTRUM, _usual_cosine),
    Claim("The rows fill only a few of their dimensions", "spectrum", SPECTRUM, _few_directions),
    Claim("A few coordinates carry the narrow cone", "isotropy", COORDINATES, _few_carry),
    Claim("Zeroing them makes it far wider", "isotropy", COORDINATES, _zeroing_opens),
    Claim("Frequent tokens have longer rows", "norms", MOMENTS, _frequent_longer),
    Claim("Rare tokens have short rows, near the origin", "norms", MOMENTS, _rare_short),
    Claim("Rare tokens stay near their initialisation", "norms", UNTRAINED, _rare_untrained),
    Claim(
        "Related tokens are closer than unrelated ones", "group_similarity", GROUPS, _related_closer
    ),
    Claim("A high cosine alone means similar tokens", "group_similarity", GROUPS, _cosine_tells),
    Claim("Subtracting the mean, or whitening, helps", "whitening", CHANGED, _helps),
    Claim("Most modern models have two tables, untied", "model_sizes", MOMENTS, _untied),
)
"""In the order of the table."""
