"""What can be done to a table before cosines are taken: a tuple of steps, fitted on all its rows.

Every step is affine, so a fitted transform is one subtraction and one product, x' = (x − offset) A,
whatever the steps; the eigenvalues of the transformed table come out on the way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from embgeo.errors import ShapeError
from embgeo.metrics.spectrum import numerical_rank

if TYPE_CHECKING:
    import torch

Array = np.ndarray[Any, np.dtype[Any]]

EIGENVALUE_FLOOR = 1e-10
"""Eigenvalues below this share of the largest count as zero (float64 products)."""


@dataclass(frozen=True)
class Centre:
    """Subtract the mean row."""


@dataclass(frozen=True)
class Standardise:
    """Divide each coordinate by its standard deviation over the table."""


@dataclass(frozen=True)
class DropTop:
    """Remove the `count` principal components of largest variance (all-but-the-top)."""

    count: int


@dataclass(frozen=True)
class Whiten:
    """Scale the first `k` principal components to unit variance and drop the rest (all: None)."""

    k: int | None = None


Step = Centre | Standardise | DropTop | Whiten
Transform = tuple[Step, ...]

RAW: Transform = ()
CENTRED: Transform = (Centre(),)
NAMES = ("raw", "centred", "standardised", "abtt", "whitened")


class Spread(Protocol):
    """What a transform is fitted on: mean and covariance (ddof 1) of the rows, as eigenpairs."""

    @property
    def count(self) -> int: ...
    @property
    def mean(self) -> Array: ...  # (d,)
    @property
    def eigenvalues(self) -> Array: ...  # (d,) descending
    @property
    def eigenvectors(self) -> Array: ...  # (d, d), one a column


@dataclass(frozen=True, eq=False)
class Fitted:
    """A transform ready to be applied.

    Attributes
    ----------
    offset
        (d,) what is subtracted, or None.
    matrix
        (d, m) what is multiplied by, or None.
    eigenvalues
        (m,) of the transformed table's covariance, descending.
    rank
        How many of the *original* eigenvalues are above the floor.
    note
        What a person should know about the fit, or "".
    """

    offset: Array | None
    matrix: Array | None
    eigenvalues: Array
    rank: int
    note: str = ""

    def apply(self, rows: torch.Tensor) -> torch.Tensor:
        """Rows (n, d) transformed to (n, m); dtype and device of `rows`, which stay as they are."""
        import torch

        if self.offset is not None:
            rows = rows - torch.from_numpy(self.offset).to(rows)
        return rows if self.matrix is None else rows @ torch.from_numpy(self.matrix).to(rows)

    def directions(self, rows: torch.Tensor) -> torch.Tensor:
        """As `apply`, with exact zeros for rows that lay where the map's zero is.

        What subtracting the mean leaves of them is rounding: it points nowhere.
        """
        import torch

        moved = self.apply(rows)
        smallest = 1e-6 * float(self.eigenvalues.sum()) ** 0.5
        short = torch.linalg.vector_norm(moved, dim=1, keepdim=True) < smallest
        return moved.masked_fill(short, 0.0)


def named(name: str, dim: int, parameter: int | None = None) -> Transform:
    """The steps of a transform by its name.

    Parameters
    ----------
    name
        "raw", "centred", "standardised", "abtt" (all-but-the-top) or "whitened".
    dim
        Width of the table; all-but-the-top removes max(1, round(dim / 100)) components.
    parameter
        Components to remove (abtt) or to keep (whitened) instead of the default.

    Raises
    ------
    ShapeError
        If the name is unknown or the parameter is outside 1 … dim.
    """
    if parameter is not None and not 1 <= parameter <= dim:
        raise ShapeError(f"Between 1 and {dim} components can be chosen here; found {parameter}.")
    match name:
        case "raw":
            return RAW
        case "centred":
            return CENTRED
        case "standardised":
            return (Centre(), Standardise())
        case "abtt":
            return (Centre(), DropTop(parameter or default_dropped(dim)))
        case "whitened":
            return (Centre(), Whiten(parameter))
    raise ShapeError(f"Unknown transform {name!r}; there are {', '.join(NAMES)}.")


def default_dropped(dim: int) -> int:
    """Components that all-but-the-top removes: about one in a hundred (Mu & Viswanath 2018).

    >>> default_dropped(384), default_dropped(576), default_dropped(20)
    (4, 6, 1)
    """
    return max(1, round(dim / 100))


def spelled(transform: Transform) -> str:
    """A transform as one readable word, the same for equal steps: "centre+whiten:128".

    >>> spelled((Centre(), DropTop(4))), spelled(RAW)
    ('centre+drop:4', 'raw')
    """
    words = {Centre: "centre", Standardise: "standardise", DropTop: "drop", Whiten: "whiten"}
    parts = []
    for step in transform:
        size = step.count if isinstance(step, DropTop) else getattr(step, "k", None)
        parts.append(words[type(step)] + (f":{size}" if size is not None else ""))
    return "+".join(parts) or "raw"


def described(transform: Transform) -> str:
    """A transform in a person's words.

    >>> described((Centre(), DropTop(4))), described(RAW)
    ('centred, top 4 components removed', 'raw')
    """
    parts = []
    for step in transform:
        match step:
            case Centre():
                parts.append("centred")
            case Standardise():
                parts.append("standardised")
            case DropTop(count):
                parts.append(f"top {count} components removed")
            case Whiten(k):
                parts.append("whitened" if k is None else f"whitened to {k} components")
    return ", ".join(parts) or "raw"


def fit(transform: Transform, spread: Spread) -> Fitted:
    """A transform fitted on a table's mean and covariance.

    Raises
    ------
    ShapeError
        If whitening would leave every pair of rows equally far apart (no more rows than dimensions
        plus one), or is asked for more components than the covariance has; if every component
        would be removed.
    """
    state = _State(spread)
    for step in transform:
        match step:
            case Centre():
                state.offset = np.asarray(spread.mean)
            case Standardise():
                state.standardise()
            case DropTop(count):
                state.drop(count)
            case Whiten(k):
                state.whiten(k)
    values = state.values if state.values is not None else state.eigenpairs()[0]
    return Fitted(state.offset, state.matrix, values, state.rank, " ".join(state.notes))


class _State:
    """The map so far, and its covariance as eigenpairs where they are already known."""

    def __init__(self, spread: Spread) -> None:
        self.count = spread.count
        self.known = np.asarray(spread.eigenvalues), np.asarray(spread.eigenvectors)
        self.offset: Array | None = None
        self.matrix: Array | None = None
        self.values: Array | None = self.known[0]
        self.rank = numerical_rank(self.known[0], EIGENVALUE_FLOOR)
        self.notes: list[str] = []

    def covariance(self) -> Array:
        values, vectors = self.known
        basis = (vectors * np.sqrt(values.clip(min=0))).T
        root = basis if self.matrix is None else basis @ self.matrix
        product: Array = root.T @ root
        return product

    def eigenpairs(self) -> tuple[Array, Array]:
        if self.matrix is None:
            return self.known
        values, vectors = np.linalg.eigh(self.covariance())
        return values[::-1].copy(), vectors[:, ::-1].copy()

    def then(self, matrix: Array) -> None:
        self.matrix = matrix if self.matrix is None else self.matrix @ matrix

    def standardise(self) -> None:
        variance = self.covariance().diagonal()
        # Variances, not deviations: the rounding of a product is a share of these.
        constant = variance <= variance.max() * EIGENVALUE_FLOOR
        if constant.any():
            self.notes.append(f"{int(constant.sum())} constant coordinates were set to zero.")
        scale = np.zeros_like(variance)
        scale[~constant] = variance[~constant] ** -0.5
        self.then(np.diag(scale))
        self.values = None

    def drop(self, count: int) -> None:
        values, vectors = self.eigenpairs()
        rank = numerical_rank(values, EIGENVALUE_FLOOR)
        if count >= rank:
            raise ShapeError(
                f"This table has {rank} components; removing {count} leaves nothing to compare."
            )
        top = vectors[:, :count]
        self.then(np.eye(len(vectors)) - top @ top.T)
        self.values = np.concatenate([values[count:], np.zeros(count)])

    def whiten(self, k: int | None) -> None:
        values, vectors = self.eigenpairs()
        rank, rows = numerical_rank(values, EIGENVALUE_FLOOR), self.count
        if rows <= len(values) + 1:
            raise ShapeError(
                f"Whitening n = {rows:,} rows in d = {len(values):,} dimensions would make every "
                f"pair of rows equally far apart (cosine −1/(n−1)): their rank is {rank:,} "
                f"(eigenvalues above {EIGENVALUE_FLOOR:.0e} of the largest). It needs at least "
                f"{len(values) + 2:,} rows; the other transforms still work."
            )
        if k is not None and k > rank:
            raise ShapeError(f"This table has {rank} components to whiten; found k = {k}.")
        if rank < len(values) and k is None:
            self.notes.append(f"Only the {rank} components above the eigenvalue floor are kept.")
        if rows < 5 * len(values):
            self.notes.append(f"With {rows:,} rows in {len(values):,} dimensions the fit is noisy.")
        kept = k or rank
        self.then(vectors[:, :kept] / np.sqrt(values[:kept]))
        self.values = np.ones(kept)
