"""What the whitening page's numbers are; see `embgeo.metrics.catalogue`."""

from embgeo.metrics.catalogue_entry import DIRECTIONS, LABELLED, Metric

METRICS = (
    Metric(
        key="precision_at_k",
        label="Own group among the k nearest",
        formula="mean over tokens of (own-group tokens among its k nearest others) / k",
        range="0 to the best possible, mean of min(1, (nₖ − 1) / k): small groups cannot fill k",
        ideal="chance: Σ nₖ(nₖ − 1) / (n(n − 1)), whatever k is",
        invariances=DIRECTIONS,
        population=LABELLED,
        cost="O(n²d)",
        reference="precision at k: Manning, Raghavan & Schütze (2008), chapter 8; ties by position",
    ),
    Metric(
        key="auc",
        label="Within above between (AUC)",
        formula="P(cos of a within pair > cos of a between pair) + ½ P(equal)",
        range="0 (every within pair below) to 1 (every within pair above)",
        ideal="0.5 for groups chosen at random",
        invariances=DIRECTIONS,
        population=f"all pairs of different tokens, of {LABELLED}",
        cost="O(n²(d + log n))",
        reference="Hanley & McNeil (1982), area under an ROC curve; it depends on ranks only",
    ),
    Metric(
        key="pair_spearman",
        label="Word pairs, Spearman",
        formula="ρ = correlation of the ranks of cosine and score over the word pairs",
        range="−1 (the reverse order) to 1 (the order of the scores)",
        ideal="0 for scores that know nothing of the table; about ±1/√pairs by chance",
        invariances=DIRECTIONS,
        population="the scored pairs of which both words have a row with a direction",
        cost="O(pairs · d)",
        reference="Spearman (1904); as in word-similarity benchmarks: Finkelstein et al. (2002)",
    ),
)
