"""The rows of resolved groups in one table, transformed, with their cosines and floors."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from embgeo.errors import ShapeError
from embgeo.groups import Member, ResolvedGroup
from embgeo.metrics.cosine import LARGEST_MATRIX, cosine_matrix
from embgeo.metrics.floor import floor_of_pairs
from embgeo.metrics.retrieval import Retrieval, retrieval
from embgeo.metrics.similarity import Blocks, Separation, block_means, separation
from embgeo.populations import Population, stratum_name
from embgeo.statistics import chosen_rows, moments, raw_rows, transformed
from embgeo.tables import EmbeddingTable
from embgeo.transforms import RAW, Transform
from embgeo.views.provenance import Provenance, provenance

Array = np.ndarray[Any, np.dtype[Any]]

MANY_TOKENS = 300


@dataclass(frozen=True, eq=False)
class Labelled:
    """Rows (n, n) by their cosines, NaN where one has no direction, and the group (n,) of each."""

    cosines: Array
    labels: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class GroupRows:
    """Groups of one table as numbers; everything the group pages show follows from it.

    Attributes
    ----------
    names
        The groups' names, in order.
    members
        Every row once, in group order.
    positions
        For each group, where its rows are in `members`.
    norms
        (n,) raw Euclidean norms.
    cosines
        (n, n) after the transform; NaN where a row has no direction.
    strata
        (n,) stratum of each row, −1 for a row that is the mean of several pieces.
    kinds
        (n,) the same in words: which tokens each row's floor is taken over.
    floors
        (STRATA, STRATA) mean cosine of all pairs of two strata after the transform.
    degenerate
        (n,) bool: rows too short to have a direction; they are in no pair.
    """

    names: tuple[str, ...]
    members: tuple[Member, ...]
    positions: tuple[tuple[int, ...], ...]
    norms: Array
    cosines: Array
    strata: Array
    kinds: tuple[str, ...]
    floors: Array
    degenerate: Array
    about: Provenance

    @cached_property
    def blocks(self) -> Blocks:
        """Mean, sd and number of pairs for each pair of groups."""
        return block_means(self.cosines, self.positions)

    @cached_property
    def block_floors(self) -> Array:
        """(K, K): the floor of each pair of groups."""
        return floor_of_pairs(self.floors, self._usable_strata, self.positions)

    @cached_property
    def pair_floors(self) -> Array:
        """(n, n): the floor of each pair of rows, NaN where one of them has no stratum."""
        bordered = np.pad(self.floors, (0, 1), constant_values=np.nan)
        floors: Array = bordered[np.ix_(self.strata, self.strata)]
        return floors

    @cached_property
    def _usable_strata(self) -> Array:
        """A row that is in no pair is under no floor either."""
        return np.where(self.degenerate, -1, self.strata)

    @cached_property
    def shared(self) -> tuple[int, ...]:
        """Positions of rows that stand in more than one group."""
        times = np.bincount(
            [position for group in self.positions for position in group],
            minlength=len(self.members),
        )
        return tuple(int(position) for position in np.flatnonzero(times > 1))

    @cached_property
    def labelled(self) -> "Labelled":
        """The rows that are in one group only, which a label can say."""
        label = {
            position: index for index, group in enumerate(self.positions) for position in group
        }
        alone = [position for position in sorted(label) if position not in self.shared]
        return Labelled(
            self.cosines[np.ix_(alone, alone)], tuple(label[position] for position in alone)
        )

    @cached_property
    def separation(self) -> Separation:
        """How well the groups stand apart, rows of several groups left out."""
        cosines, labels = self.labelled.cosines, self.labelled.labels
        # Each shuffle costs the square of the tokens; the number done is shown beside the p-value.
        permutations = 9999 if len(labels) <= MANY_TOKENS else 999
        return separation(cosines, labels, permutations=permutations)

    @cached_property
    def unshuffled(self) -> Separation:
        """As `separation`, without the shuffles that only its p-value needs."""
        return separation(self.labelled.cosines, self.labelled.labels, permutations=0)

    @cached_property
    def retrieval(self) -> Retrieval:
        """How well tokens find their own group, rows of several groups left out."""
        return retrieval(self.labelled.cosines, self.labelled.labels)


def group_rows(
    table: EmbeddingTable,
    groups: Sequence[ResolvedGroup],
    transform: Transform = RAW,
    population: Population = Population(),
) -> GroupRows:
    """The groups' rows of a table after a transform fitted on the whole table.

    Raises
    ------
    ShapeError
        If the transform cannot be fitted, or the groups hold more rows than a picture can take.
    """
    members, positions = _members(groups)
    found = chosen_rows(table, [member.ids for member in members], transform, population)
    stratum = moments(table, population).stratum
    strata = [int(stratum[each.ids[0]]) if len(each.ids) == 1 else -1 for each in members]
    return GroupRows(
        names=tuple(group.name for group in groups),
        members=members,
        positions=positions,
        norms=found.norms,
        cosines=found.cosines,
        strata=np.array(strata, dtype=np.int64),
        kinds=tuple(
            "mean of several pieces" if each < 0 else stratum_name(each, table.rows)
            for each in strata
        ),
        floors=transformed(table, transform, population).floors,
        degenerate=found.degenerate,
        about=provenance(table, population, transform),
    )


def within_between(table: EmbeddingTable, groups: Sequence[ResolvedGroup]) -> Blocks:
    """Mean cosine within and between groups from their rows alone; no other row is read.

    The quick half of `group_rows`: the same raw cosines, without what takes a pass over the whole
    table, the floors. A row of zeros, or one that is not finite, is in no pair.

    Raises
    ------
    ShapeError
        If the groups hold more rows than can be compared pair by pair, or an id has no row.
    """
    members, positions = _members(groups)
    rows = raw_rows(table, [member.ids for member in members])
    return block_means(cosine_matrix(rows).numpy(), positions)


def _members(
    groups: Sequence[ResolvedGroup],
) -> tuple[tuple[Member, ...], tuple[tuple[int, ...], ...]]:
    """Every member once, in group order, and where each group's are among them."""
    members = tuple(dict.fromkeys(member for group in groups for member in group.members))
    if len(members) > LARGEST_MATRIX:
        raise ShapeError(
            f"The groups hold {len(members):,} tokens; at most {LARGEST_MATRIX:,} can be compared "
            "pair by pair. Choose fewer or smaller groups."
        )
    index = {member: position for position, member in enumerate(members)}
    return members, tuple(tuple(index[member] for member in group.members) for group in groups)
