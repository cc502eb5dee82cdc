"""A transform fitted on a table's mean and covariance: one subtraction and one product."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from embgeo.errors import ShapeError
from embgeo.metrics.contributions import largest
from embgeo.metrics.spectrum import numerical_rank
from embgeo.transforms.steps import (
    Centre,
    DropRogue,
    DropTop,
    Standardise,
    Transform,
    Whiten,
    uses_weights,
)

if TYPE_CHECKING:
    import torch

Array = np.ndarray[Any, np.dtype[Any]]

EIGENVALUE_FLOOR = 1e-10
"""Eigenvalues below this share of the largest count as zero (float64 products)."""
_NAMED = 10


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
        (d, m) what is multiplied by, (d,) where each coordinate is only scaled, or None.
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
        if self.matrix is None:
            return rows
        matrix = torch.from_numpy(self.matrix).to(rows)
        return rows * matrix if matrix.ndim == 1 else rows @ matrix

    def directions(self, rows: torch.Tensor) -> torch.Tensor:
        """As `apply`, with exact zeros for rows that lay where the map's zero is.

        What subtracting the mean leaves of them is rounding: it points nowhere.
        """
        import torch

        moved = self.apply(rows)
        smallest = 1e-6 * float(self.eigenvalues.sum()) ** 0.5
        short = torch.linalg.vector_norm(moved, dim=1, keepdim=True) < smallest
        return moved.masked_fill(short, 0.0)


def fit(
    transform: Transform,
    spread: Spread,
    weighted: Spread | None = None,
    contributions: Array | None = None,
) -> Fitted:
    """A transform fitted on a table's mean and covariance, each step on what the last one left.

    Parameters
    ----------
    spread
        Of the rows, each counting once.
    weighted
        Of the rows weighted by frequency; only weighted steps need it.
    contributions
        (d,) what each coordinate contributes to the raw mean cosine; only `DropRogue` needs it.

    Raises
    ------
    ShapeError
        If whitening would leave every pair of rows equally far apart (no more rows than dimensions
        plus one, and no shrinkage), or is asked for more components than the covariance has; if
        nothing would be left; if a step comes where it means nothing, or lacks what it needs.
    """
    if uses_weights(transform) and weighted is None:
        raise ShapeError("A Zipf-weighted step needs the weighted mean and covariance.")
    state = _State(spread, weighted or spread)
    for step in transform:
        match step:
            case DropRogue(count):
                state.drop_rogue(count, contributions)
            case Centre():
                state.centre(step)
            case Standardise():
                state.standardise()
            case DropTop(count):
                state.drop(count)
            case Whiten():
                state.whiten(step)
    if uses_weights(transform):
        state.notes.append("Zipf weights are a proxy: p ∝ 1/(rank of the id + 10), not counts.")
    values = state.values if state.values is not None else state.eigenpairs(spread)[0]
    return Fitted(state.offset, state.matrix, values, state.rank, " ".join(state.notes))


class _State:
    """The map so far, and the covariance of what it gives as eigenvalues where they are known."""

    def __init__(self, spread: Spread, weighted: Spread) -> None:
        self.spread, self.weighted = spread, weighted
        self.offset: Array | None = None
        self.matrix: Array | None = None
        self.values: Array | None = np.asarray(spread.eigenvalues)
        self.rank = numerical_rank(self.values, EIGENVALUE_FLOOR)
        self.zeroed, self.whitened = 0, False
        self.notes: list[str] = []

    def covariance(self, spread: Spread) -> Array:
        root = (spread.eigenvectors * np.sqrt(spread.eigenvalues.clip(min=0))).T
        mapped = root if self.matrix is None else _product(root, self.matrix)
        product: Array = mapped.T @ mapped
        return product

    def eigenpairs(self, spread: Spread) -> tuple[Array, Array]:
        if self.matrix is None:
            return np.asarray(spread.eigenvalues), np.asarray(spread.eigenvectors)
        values, vectors = np.linalg.eigh(self.covariance(spread))
        return values[::-1].clip(min=0), vectors[:, ::-1].copy()

    def then(self, matrix: Array) -> None:
        self.matrix = matrix if self.matrix is None else _product(self.matrix, matrix)
        self.values = None

    def drop_rogue(self, count: int, contributions: Array | None) -> None:
        if contributions is None:
            raise ShapeError("Dropping rogue dimensions needs each one's contribution.")
        if self.whitened:
            raise ShapeError(
                "Rogue dimensions are coordinates of the table as it is stored, and whitening "
                "makes new ones. Put dropping rogue dimensions before whitening."
            )
        top = largest(contributions, count)
        left = np.ones(len(contributions))
        left[top] = 0.0
        variance = self.covariance(self.spread).diagonal()
        if not (variance * left).sum() > EIGENVALUE_FLOOR * variance.sum():
            raise ShapeError(
                f"This table has {len(left)} dimensions; without {count} of them nothing is left "
                "to compare. Drop fewer."
            )
        self.then(left)
        self.zeroed = count
        listed = ", ".join(map(str, top[:_NAMED])) + (" …" if count > _NAMED else "")
        self.notes.append(f"Dimensions set to zero: {listed}.")

    def centre(self, step: Centre) -> None:
        # The mean of the mapped rows is the mapped mean: the last centring is the one that counts.
        self.offset = np.asarray((self.weighted if step.weighted else self.spread).mean)

    def standardise(self) -> None:
        variance = self.covariance(self.spread).diagonal()
        # Variances, not deviations: the rounding of a product is a share of these.
        constant = variance <= variance.max() * EIGENVALUE_FLOOR
        if constant.sum() > self.zeroed:
            many = int(constant.sum()) - self.zeroed
            self.notes.append(f"{many} constant coordinates were set to zero.")
        scale = np.zeros_like(variance)
        scale[~constant] = variance[~constant] ** -0.5
        self.then(scale)

    def drop(self, count: int) -> None:
        values, vectors = self.eigenpairs(self.spread)
        rank = numerical_rank(values, EIGENVALUE_FLOOR)
        if count >= rank:
            raise ShapeError(
                f"This table has {rank} components; removing {count} leaves nothing to compare."
            )
        top = vectors[:, :count]
        self.then(np.eye(len(vectors)) - top @ top.T)
        self.values = np.concatenate([values[count:], np.zeros(count)])

    def whiten(self, step: Whiten) -> None:
        values, vectors = self.eigenpairs(self.weighted if step.weighted else self.spread)
        rank = self._whitened_rank(values, step)
        shrunk = (1 - step.shrinkage) * values + step.shrinkage * values.mean()
        kept = step.k or rank
        self.then(vectors[:, :kept] / np.sqrt(shrunk[:kept]))
        self.zeroed, self.whitened = 0, True
        if not step.weighted:
            self.values = values[:kept] / shrunk[:kept]

    def _whitened_rank(self, values: Array, step: Whiten) -> int:
        """How many components can be scaled to unit variance."""
        rank, rows = numerical_rank(values, EIGENVALUE_FLOOR), self.spread.count
        if step.shrinkage == 0 and rows <= len(values) + 1:
            raise ShapeError(
                f"Whitening n = {rows:,} rows in d = {len(values):,} dimensions would make every "
                f"pair of rows equally far apart (cosine −1/(n−1)): their rank is {rank:,} "
                f"(eigenvalues above {EIGENVALUE_FLOOR:.0e} of the largest). It needs at least "
                f"{len(values) + 2:,} rows or some shrinkage; the other transforms still work."
            )
        if step.k is not None and step.k > rank:
            raise ShapeError(f"This table has {rank} components to whiten; found k = {step.k}.")
        if rank < len(values) and step.k is None:
            self.notes.append(f"Only the {rank} components above the eigenvalue floor are kept.")
        if rows < 5 * len(values):
            self.notes.append(f"With {rows:,} rows in {len(values):,} dimensions the fit is noisy.")
        return rank


def _product(left: Array, right: Array) -> Array:
    """One map after another; a map that only scales coordinates is a vector, and cheap."""
    if right.ndim == 1:
        return np.asarray(left * right)
    return np.asarray(left @ right if left.ndim == 2 else left[:, None] * right)
