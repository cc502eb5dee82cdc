"""Definitions of the numbers that the isotropy page adds."""

from embgeo.metrics.catalogue_entry import (
    ALL,
    DIRECTIONS,
    PERMUTE_COLUMNS,
    RESCALE_ROWS,
    SCALE,
    TRANSLATE,
    Metric,
)

# What is said of single coordinates changes when the space is turned.
_COORDINATES = frozenset({SCALE, RESCALE_ROWS, PERMUTE_COLUMNS})
_PAIRS = f"every pair of different rows, of {ALL}"
_TIMKEY = "Timkey & van Schijndel (2021), arXiv:2109.04404"

METRICS = (
    Metric(
        key="mean_cosine_sampled",
        label="Mean cosine of sampled pairs",
        formula="mean of cos(xᵢ, xⱼ) over 1,000 pairs, each row drawn at random",
        range="−1 to 1; standard error: sd of all n² cosines / √1000",
        ideal="A + (1 − A) / n, since a pair can be a row with itself, once in n draws",
        invariances=DIRECTIONS,
        population=ALL,
        cost="O(1000 d)",
        reference="as texts and Ethayarajh (2019), arXiv:1909.00512, estimate the mean cosine",
    ),
    Metric(
        key="cone_length",
        label="Length of the mean unit row",
        formula="L = |Σû| / n",
        range="0 (directions cancel) to 1 (all rows point one way); A = (nL² − 1) / (n − 1)",
        ideal="about 1/√n for random directions",
        invariances=DIRECTIONS,
        population=ALL,
        cost="O(nd)",
        reference="mean resultant length: Mardia & Jupp (2000), Directional Statistics, ch. 9",
    ),
    Metric(
        key="mean_cosine_by_id",
        label="Mean cosine by token id",
        formula="A of the rows whose ids lie in one range",
        range="−1/(n − 1) to 1",
        ideal="0 for random directions; A of the table if frequency did not matter",
        invariances=DIRECTIONS,
        population="every pair of different rows within a range of ids",
        cost="O(nd)",
        reference="embgeo; that frequency alone moves rows: Gong et al. (2018), arXiv:1809.06858",
    ),
    Metric(
        key="mean_cosine_weighted",
        label="Mean cosine by frequency",
        formula="A_p = (|Σpû|² − Σp²) / (1 − Σp²)",
        range="−1 to 1; equal p give the mean cosine",
        ideal="0 for random directions",
        invariances=DIRECTIONS,
        population=(
            "pairs of different tokens, each as often as it occurs: by counts that a person "
            "brought, or p ∝ 1/(rank of the id + 10), a proxy"
        ),
        cost="O(nd)",
        reference="the weighting of Yokoi et al. (2024), Zipfian whitening, arXiv:2411.00680",
    ),
    Metric(
        key="contribution",
        label="Contribution of a coordinate",
        formula="CCₖ = (sₖ² − Σûₖ²) / (n(n − 1)), s = Σû",
        range="−1/(n − 1) to 1; the contributions of all coordinates add up to the mean cosine",
        ideal="0 for random directions; A/d if all coordinates did alike",
        invariances=_COORDINATES,
        population=_PAIRS,
        cost="O(nd)",
        reference=f"{_TIMKEY}; exact over all pairs, not sampled",
    ),
    Metric(
        key="column_mean_z",
        label="Column mean, in standard deviations",
        formula="zₖ = (μₖ − mean μ) / sd μ, over the coordinates of the mean row",
        range="any; a coordinate beyond −3 or 3 is called rogue here",
        ideal="normal: 3 of 1,000 coordinates beyond 3",
        invariances=frozenset({SCALE, PERMUTE_COLUMNS}),
        population=ALL,
        cost="O(nd)",
        reference=f"rogue dimensions: {_TIMKEY}; the rule of 3 sd is a convention",
    ),
    Metric(
        key="mean_cosine_zeroed",
        label="Mean cosine without the top coordinates",
        formula="A of the rows with the k coordinates of largest CC set to 0",
        range="−1/(n − 1) to 1",
        ideal="falls fast where a few coordinates carry the cone, hardly where all do",
        invariances=_COORDINATES,
        population=_PAIRS,
        cost="O(nd(k + 1))",
        reference=f"{_TIMKEY}; exact over all pairs, for every k from one pass",
    ),
    Metric(
        key="mean_cosine_standardised",
        label="Mean cosine after standardising",
        formula="A of the rows (x − μ) / σ, coordinate by coordinate",
        range="−1/(n − 1) to 1",
        ideal="0; what is left is no shift of all rows",
        invariances=frozenset({SCALE, TRANSLATE, PERMUTE_COLUMNS}),
        population=_PAIRS,
        cost="O(nd²)",
        reference=_TIMKEY,
    ),
    Metric(
        key="informativity",
        label="Informativity, r²",
        formula="squared correlation of the cosines of the same pairs before and after",
        range="0 (nothing of them is left) to 1 (the same but for shift and scale)",
        ideal="near 1 if what was zeroed told no pair from another",
        invariances=_COORDINATES,
        population="a seeded sample of 10,000 pairs of different rows",
        cost="O(10,000 d)",
        reference=_TIMKEY,
    ),
)
