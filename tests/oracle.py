"""Every metric again, slow and obvious, in numpy float64 and straight from the definitions.

Never imports embgeo. Takes (n, d) arrays without zero rows; labels are (n,) ints.
"""

from itertools import combinations, permutations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def agree(found: object, expected: object, tolerance: float = 1e-10) -> None:
    """Raise unless both are None, or alike in shape and NaNs and within ``tolerance``."""
    if found is None or expected is None:
        assert found is expected, f"found {found}, expected {expected}"
        return
    np.testing.assert_allclose(
        np.asarray(found, dtype=float),
        np.asarray(expected, dtype=float),
        rtol=0,
        atol=tolerance,
        strict=True,
    )


def cosine(u: Array, v: Array) -> float:
    return float(u @ v / (np.sqrt(u @ u) * np.sqrt(v @ v)))


def pair_cosines(rows: ArrayLike) -> Array:
    table = np.asarray(rows, dtype=np.float64)
    return np.array([cosine(u, v) for u, v in combinations(table, 2)])


def mean_cosine(rows: ArrayLike) -> float:
    return float(pair_cosines(rows).mean())


def cosine_sd(rows: ArrayLike) -> float:
    return float(pair_cosines(rows).std())


def block(rows: ArrayLike, a: list[int], b: list[int]) -> Array:
    """Cosines of the pairs of one block; a row never pairs with itself."""
    table = np.asarray(rows, dtype=np.float64)
    pairs = combinations(a, 2) if a == b else [(i, j) for i in a for j in b if i != j]
    return np.array([cosine(table[i], table[j]) for i, j in pairs])


def labelled_pairs(rows: ArrayLike, labels: ArrayLike, *, same: bool) -> Array:
    """Cosines of the pairs of rows whose labels are the same, or are not."""
    chosen = [(i == j) is same for i, j in combinations(np.asarray(labels).tolist(), 2)]
    return np.asarray(pair_cosines(rows)[chosen])


def within(rows: ArrayLike, labels: ArrayLike) -> float:
    return float(labelled_pairs(rows, labels, same=True).mean())


def between(rows: ArrayLike, labels: ArrayLike) -> float:
    return float(labelled_pairs(rows, labels, same=False).mean())


def effect_size(rows: ArrayLike, labels: ArrayLike) -> float:
    inside = labelled_pairs(rows, labels, same=True)
    across = labelled_pairs(rows, labels, same=False)
    spread = np.concatenate([inside - inside.mean(), across - across.mean()])
    return float((inside.mean() - across.mean()) / np.sqrt((spread**2).mean()))


def silhouette(rows: ArrayLike, labels: ArrayLike) -> float:
    table, names = np.asarray(rows, dtype=np.float64), np.asarray(labels)
    values = []
    for i, name in enumerate(names):
        distances = {
            other: [
                1 - cosine(table[i], table[j]) for j in np.flatnonzero(names == other) if j != i
            ]
            for other in np.unique(names)
        }
        own = distances.pop(name)
        if not own:
            values.append(0.0)
            continue
        a, b = float(np.mean(own)), min(float(np.mean(others)) for others in distances.values())
        values.append((b - a) / max(a, b))
    return float(np.mean(values))


def own_group_neighbours(rows: ArrayLike, labels: ArrayLike) -> float:
    table, names = np.asarray(rows, dtype=np.float64), np.asarray(labels)
    hits = []
    for i in range(len(table)):
        others = [j for j in range(len(table)) if j != i]
        nearest = max(others, key=lambda j: cosine(table[i], table[j]))
        hits.append(names[nearest] == names[i])
    return float(np.mean(hits))


def permutation_p(rows: ArrayLike, labels: ArrayLike) -> float:
    """Over all n! orders of the labels: each distinct labelling comes up equally often."""
    observed = within(rows, labels) - between(rows, labels)
    orders = list(permutations(np.asarray(labels).tolist()))
    tried = [within(rows, order) - between(rows, order) for order in orders]
    return float(np.mean([value >= observed - 1e-12 for value in tried]))


def stratum_cosine(rows: ArrayLike, strata: ArrayLike, s: int, t: int) -> float:
    """Mean cosine over all pairs of different rows from stratum s and stratum t."""
    names = np.asarray(strata)
    a, b = np.flatnonzero(names == s).tolist(), np.flatnonzero(names == t).tolist()
    return float(block(rows, a, b).mean())


def floor(rows: ArrayLike, strata: ArrayLike, a: list[int], b: list[int]) -> float:
    """Mean over the pairs of block (a, b) of the mean cosine of their two strata."""
    names = np.asarray(strata)
    pairs = combinations(a, 2) if a == b else [(i, j) for i in a for j in b if i != j]
    return float(np.mean([stratum_cosine(rows, names, names[i], names[j]) for i, j in pairs]))


def covariance(rows: ArrayLike) -> Array:
    """(d, d) with ddof 1."""
    return np.asarray(np.atleast_2d(np.cov(np.asarray(rows, dtype=np.float64), rowvar=False)))


def eigenvalues(rows: ArrayLike) -> Array:
    """(d,) of the covariance, largest first."""
    return np.asarray(np.linalg.eigvalsh(covariance(rows))[::-1])


def participation_ratio(rows: ArrayLike) -> float:
    """Without eigenvalues: tr(Σ)² / ‖Σ‖²."""
    sigma = covariance(rows)
    return float(np.trace(sigma) ** 2 / (sigma**2).sum())


def isoscore(rows: ArrayLike) -> float:
    """As published: the isotropy defect δ, then the share of dimensions used, rescaled."""
    spectrum = eigenvalues(rows)
    d = len(spectrum)
    normalised = np.sqrt(d) * spectrum / np.linalg.norm(spectrum)
    defect = np.linalg.norm(normalised - 1) / np.sqrt(2 * (d - np.sqrt(d)))
    share = (d - defect**2 * (d - np.sqrt(d))) ** 2 / d**2
    return float((d * share - 1) / (d - 1))


def effective_rank(rows: ArrayLike) -> float:
    """On the singular values of the centred rows themselves."""
    values = np.linalg.svd(centre(rows), compute_uv=False)
    shares = values / values.sum()
    return float(np.exp(-sum(p * np.log(p) for p in shares if p > 0)))


def explained_variance(rows: ArrayLike) -> Array:
    """Variance of the first k principal component scores, over that of the rows."""
    values = np.linalg.svd(centre(rows), compute_uv=False) ** 2
    return np.array([values[: k + 1].sum() / values.sum() for k in range(len(values))])


def centre(rows: ArrayLike) -> Array:
    table = np.asarray(rows, dtype=np.float64)
    return np.asarray(table - table.mean(axis=0))


def standardise(rows: ArrayLike) -> Array:
    """Each column to mean 0 and population sd 1."""
    return np.asarray(centre(rows) / np.asarray(rows, dtype=np.float64).std(axis=0))


def all_but_the_top(rows: ArrayLike, components: int) -> Array:
    """Centred rows without their first principal components."""
    centred = centre(rows)
    top = np.linalg.svd(centred, full_matrices=False)[2][:components]
    return np.asarray(centred - centred @ top.T @ top)


def whiten(rows: ArrayLike, method: str = "zca") -> Array:
    """Centred rows whose covariance (ddof 1) is the identity: pca, zca, cholesky or zca-cor."""
    sigma = covariance(rows)
    values, vectors = np.linalg.eigh(sigma)
    scales = np.sqrt(np.diag(sigma))
    cor_values, cor_vectors = np.linalg.eigh(sigma / np.outer(scales, scales))
    matrices = {
        "pca": np.diag(values**-0.5) @ vectors.T,
        "zca": vectors @ np.diag(values**-0.5) @ vectors.T,
        "cholesky": np.linalg.cholesky(np.linalg.inv(sigma)).T,
        "zca-cor": cor_vectors @ np.diag(cor_values**-0.5) @ cor_vectors.T @ np.diag(1 / scales),
    }
    return np.asarray(centre(rows) @ matrices[method].T)
