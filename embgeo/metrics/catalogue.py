"""What each number is: its formula, range, ideal and source, read by pages and docs alike.

Imports no tensor library, so that a page can explain a number before any is loaded.
"""

from embgeo.metrics import (
    catalogue_isotropy,
    catalogue_lookup,
    catalogue_spectrum,
    catalogue_undertrained,
    catalogue_whitening,
)
from embgeo.metrics.catalogue_entry import (
    ALL,
    CENTRED,
    DIRECTIONS,
    GROUPS,
    LABELLED,
    PERMUTE_COLUMNS,
    ROTATE,
    TRANSFORMATIONS,
    Metric,
)

__all__ = ["CATALOGUE", "TRANSFORMATIONS", "Metric", "explain"]

_METRICS = (
    Metric(
        key="norm",
        label="Norm",
        formula="r = |x| = √Σₖxₖ²",
        range="0 or more; the unit is the table's own, so compare within a table",
        ideal="no fixed value; random rows of one scale all have nearly the same norm",
        invariances=frozenset({ROTATE, PERMUTE_COLUMNS}),
        population="all rows that have a token, degenerate ones included",
        cost="O(nd)",
        reference="as a sign of under-trained tokens: Land & Bartolo (2024), arXiv:2405.05417",
    ),
    Metric(
        key="mean_cosine",
        label="Mean cosine",
        formula="A = (|Σû|² − n) / (n(n − 1))",
        range="−1/(n − 1) (spread out evenly) to 1 (all rows point one way)",
        ideal="0 for random directions",
        invariances=DIRECTIONS,
        population=f"every pair of different rows, of {ALL}",
        cost="O(nd)",
        reference="Ethayarajh (2019), arXiv:1909.00512; exact over all pairs, not sampled",
    ),
    Metric(
        key="cosine_sd",
        label="Spread of the cosine",
        formula="sd = √((‖ÛᵀÛ‖² − n) / (n(n − 1)) − A²)",
        range="0 (all pairs alike) to 1",
        ideal="1/√d for random directions",
        invariances=DIRECTIONS,
        population=f"every pair of different rows, of {ALL}",
        cost="O(nd²)",
        reference="second moment of the same pairs as the mean cosine, exact",
    ),
    Metric(
        key="mean_cosine_centred",
        label="Mean cosine after centring",
        formula="A of the rows x − μ, where μ is the mean row",
        range="−1/(n − 1) to 1",
        ideal="0; what is left is not a shift of all rows",
        invariances=CENTRED,
        population=f"every pair of different rows, of {ALL}",
        cost="O(nd)",
        reference="Mu & Viswanath (2018), arXiv:1702.01417",
    ),
    Metric(
        key="participation_ratio",
        label="Participation ratio",
        formula="PR = (Σλ)² / Σλ²",
        range="1 (one direction) to d (all directions alike)",
        ideal="d for an isotropic cloud; it ignores the mean, so a narrow cone can reach it",
        invariances=CENTRED,
        population=ALL,
        cost="O(nd²)",
        reference="Gao et al. (2017), A theory of multineuronal dimensionality",
    ),
    Metric(
        key="isoscore",
        label="IsoScore",
        formula="(PR − 1) / (d − 1)",
        range="0 (one direction) to 1 (all directions alike)",
        ideal="1 for an isotropic cloud; it ignores the mean, so a narrow cone can reach it",
        invariances=CENTRED,
        population=ALL,
        cost="O(nd²)",
        reference="Rudman et al. (2022), arXiv:2108.07344, whose formula equals this one",
    ),
    Metric(
        key="effective_rank",
        label="Effective rank",
        formula="exp(−Σ p ln p), p = √λ / Σ√λ",
        range="1 (one direction) to d (all directions alike)",
        ideal="d for an isotropic cloud",
        invariances=CENTRED,
        population=ALL,
        cost="O(nd²) + O(d³)",
        reference="Roy & Vetterli (2007), The effective rank, EUSIPCO; on singular values",
    ),
    Metric(
        key="explained_variance",
        label="Explained variance",
        formula="(λ₁ + … + λₖ) / Σλ, largest first",
        range="above 0, rising to 1 at k = d",
        ideal="k/d for an isotropic cloud",
        invariances=CENTRED,
        population=ALL,
        cost="O(nd²) + O(d³)",
        reference="Jolliffe (2002), Principal Component Analysis",
    ),
    Metric(
        key="within",
        label="Within-group cosine",
        formula="W = Σ cos(xᵢ, xⱼ) / pairs, i ≠ j in one group",
        range="−1 to 1",
        ideal="its floor; for groups chosen at random, the between-group cosine",
        invariances=DIRECTIONS,
        population=f"pairs of different tokens of one group, of {GROUPS}",
        cost="O(n²d)",
        reference="as in analysis of similarities: Clarke (1993); mean over pairs, not groups",
    ),
    Metric(
        key="between",
        label="Between-group cosine",
        formula="B = Σ cos(xᵢ, xⱼ) / pairs, i and j in different groups",
        range="−1 to 1",
        ideal="its floor",
        invariances=DIRECTIONS,
        population=f"pairs of different tokens of different groups, of {GROUPS}",
        cost="O(n²d)",
        reference="as in analysis of similarities: Clarke (1993); mean over pairs, not groups",
    ),
    Metric(
        key="floor",
        label="Floor",
        formula="mean of M(sᵢ, sⱼ), M(s, t) = mean cosine of all pairs from strata s and t",
        range="−1 to 1",
        ideal="what unrelated tokens of the same class and id range give, by construction",
        invariances=DIRECTIONS,
        population="all pairs of rows in the strata of the group's tokens",
        cost="O(nd) once for a table, then O(n²) for the groups",
        reference="embgeo; that frequency alone moves rows: Gong et al. (2018), arXiv:1809.06858",
    ),
    Metric(
        key="difference",
        label="Within − between",
        formula="W − B",
        range="−2 to 2; above 0 where a group's tokens are more alike",
        ideal="0 for groups chosen at random",
        invariances=DIRECTIONS,
        population=f"pairs of different tokens, of {LABELLED}",
        cost="O(n²d)",
        reference="the unranked statistic of analysis of similarities: Clarke (1993)",
    ),
    Metric(
        key="effect_size",
        label="Effect size",
        formula="(W − B) / pooled sd of the two sets of pairs",
        range="any; descriptive only, since pairs share tokens",
        ideal="0 for groups chosen at random",
        invariances=DIRECTIONS,
        population=f"pairs of different tokens, of {LABELLED}",
        cost="O(n²d)",
        reference="Cohen (1988), d; each variance has ddof 0 and is weighted by its pairs",
    ),
    Metric(
        key="silhouette",
        label="Silhouette",
        formula="mean of (b − a) / max(a, b), on the distance 1 − cosine",
        range="−1 (tokens sit in other groups) to 1 (groups far apart); 0 for a group of one",
        ideal="0 or slightly below for groups chosen at random",
        invariances=DIRECTIONS,
        population=LABELLED,
        cost="O(n²(d + K))",
        reference="Rousseeuw (1987), Silhouettes; a, b: mean distance to own, to nearest other",
    ),
    Metric(
        key="own_group_neighbours",
        label="Nearest token in own group",
        formula="share of tokens whose most similar other token has their group",
        range="0 to 1",
        ideal="chance: Σ nₖ(nₖ − 1) / (n(n − 1))",
        invariances=DIRECTIONS,
        population=LABELLED,
        cost="O(n²d)",
        reference="leave-one-out nearest-neighbour rule: Cover & Hart (1967); ties by position",
    ),
    Metric(
        key="p_value",
        label="p-value",
        formula="share of relabellings with W − B at least as large",
        range="above 0 to 1; never below 1/(1 + R), or one over the distinct labellings",
        ideal="evenly spread over 0 to 1 for groups chosen at random",
        invariances=DIRECTIONS,
        population=f"{LABELLED}; at most 3000",
        cost="O(RKn²)",
        reference="Phipson & Smyth (2010), Permutation p-values should never be zero",
    ),
    *catalogue_isotropy.METRICS,
    *catalogue_lookup.METRICS,
    *catalogue_spectrum.METRICS,
    *catalogue_undertrained.METRICS,
    *catalogue_whitening.METRICS,
)

CATALOGUE: dict[str, Metric] = {metric.key: metric for metric in _METRICS}
"""Every number by its key, in the order of the docs."""


def explain(key: str) -> str:
    """One short Markdown paragraph that a page can show under a number.

    Parameters
    ----------
    key
        A key of ``CATALOGUE``.

    Raises
    ------
    KeyError
        If there is no such metric.
    """
    metric = CATALOGUE[key]
    return (
        f"**{metric.label}**: `{metric.formula}`. Range: {metric.range}. "
        f"Without structure: {metric.ideal}. Taken over {metric.population}. "
        f"Source: {metric.reference}."
    )
