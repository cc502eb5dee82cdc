"""Definitions of what the norm page says about frequency and under-trained tokens."""

from embgeo.metrics.catalogue_entry import (
    ALL,
    DIRECTIONS,
    PERMUTE_COLUMNS,
    ROTATE,
    SCALE,
    Metric,
)

_PAPER = "Land & Bartolo (2024), arXiv:2405.05417"

METRICS = (
    Metric(
        key="norm_id_spearman",
        label="Spearman of norm and id",
        formula="ρ = Pearson's r of the ranks of |x| and of the token id, equal values averaged",
        range="−1 (rows get shorter with the id) to 1 (longer); the id is a proxy of frequency",
        ideal="0 where norm has nothing to do with frequency",
        invariances=frozenset({ROTATE, SCALE, PERMUTE_COLUMNS}),
        population=f"{ALL}, and each token class of them",
        cost="O(nd) + O(n log n)",
        reference="Spearman (1904); that norms differ by frequency: Gong et al. (2018)",
    ),
    Metric(
        key="reference_distance",
        label="Distance to the reserved rows",
        formula="1 − cos(x, m), m the mean row of tokens that no text contains",
        range="0 (as untrained rows point: suspicious) to 2",
        ideal="1 for rows unrelated to them; the reserved rows' own distance is the lower end",
        invariances=frozenset({ROTATE, SCALE, PERMUTE_COLUMNS}),
        population="all rows with a direction; candidates are the lowest 2 % of ordinary tokens",
        cost="O(nd)",
        reference=f"{_PAPER}, for tied tables; norm, small, is their sign for untied ones",
    ),
    Metric(
        key="nearest_reserved",
        label="Distance to the nearest reserved row",
        formula="min over reserved rows m of 1 − cos(x, m)",
        range="0 (equal to an untrained row) to 2",
        ideal="near 1 for rows unrelated to them",
        invariances=DIRECTIONS,
        population="the candidates, against every reserved row",
        cost="O(cmd) for c candidates, m reserved rows",
        reference=f"embgeo, beside the mean of {_PAPER}",
    ),
)
