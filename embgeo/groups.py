"""Token groups, and what each of their entries is in each model under a stated policy."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from embgeo.errors import VocabularyError
from embgeo.tables import EmbeddingTable
from embgeo.tokens.text import INSIDE, START

Spacing = Literal["typed", "space", "both"]
Pieces = Literal["skip", "mean", "first"]
SPACINGS: tuple[Spacing, ...] = ("typed", "space", "both")
PIECES: tuple[Pieces, ...] = ("skip", "mean", "first")


LONGEST_NAME = 40


def printable_name(text: str) -> str:
    r"""A group name that reads as it is: one line, nothing hidden, not too long.

    >>> printable_name(" my\u202e group\n"), len(printable_name("x" * 300))
    ('my group', 40)
    """
    return "".join(filter(str.isprintable, text)).strip()[:LONGEST_NAME]


@dataclass(frozen=True)
class TokenGroup:
    """A named group of texts to look up; `drawn` adds so many random tokens of each model."""

    name: str
    entries: tuple[str, ...] = ()
    drawn: int = 0


@dataclass(frozen=True)
class Policy:
    """How entries become rows.

    Attributes
    ----------
    spacing
        "typed": the entry as it is; "space": with one space before it; "both": two members.
    pieces
        Entries of several tokens: "skip" leaves them out, "mean" takes the mean of the raw rows of
        their pieces, "first" the first piece.
    shared
        Whether only entries that resolve in every compared model are kept, so that pictures side
        by side hold the same things.
    """

    spacing: Spacing = "typed"
    pieces: Pieces = "skip"
    shared: bool = True


@dataclass(frozen=True)
class Member:
    """One row of a group: a token, or the mean of several (`ids` then has all of them)."""

    ids: tuple[int, ...]
    label: str

    @property
    def key(self) -> str:
        """Identifies the row within one model."""
        return "+".join(map(str, self.ids))


@dataclass(frozen=True)
class Resolution:
    """What became of one entry in one model, as typed or with a space before it.

    `unshared` is one that has a row here, but not in another compared model.
    """

    group: str
    entry: str
    spaced: bool
    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    member: Member | None
    reason: str = ""
    unshared: bool = False


@dataclass(frozen=True)
class ResolvedGroup:
    """A group's rows in one model (equal ones once), and what happened to every entry."""

    name: str
    members: tuple[Member, ...]
    resolutions: tuple[Resolution, ...]

    @property
    def left_out(self) -> dict[str, str]:
        """Entry to the reason it has no row; an entry with any row is not left out."""
        kept = {found.entry for found in self.resolutions if found.member}
        return {found.entry: found.reason for found in self.resolutions if found.entry not in kept}


def resolve(
    groups: Sequence[TokenGroup], tables: Sequence[EmbeddingTable], policy: Policy = Policy()
) -> list[list[ResolvedGroup]]:
    """For each table in order, its groups in order, each with the rows of its entries.

    Raises
    ------
    VocabularyError
        If two groups have the same name.
    """
    names = [group.name for group in groups]
    if len(set(names)) < len(names):
        raise VocabularyError("Two groups have the same name; give each group its own.")
    found = [[_look_up(group, table, policy) for group in groups] for table in tables]
    if policy.shared and len(tables) > 1:
        found = _only_shared(found, tables)
    return [
        [_collect(group, each) for group, each in zip(groups, row, strict=True)] for row in found
    ]


def _look_up(group: TokenGroup, table: EmbeddingTable, policy: Policy) -> list[Resolution]:
    spaced = {"typed": (False,), "space": (True,), "both": (False, True)}[policy.spacing]
    entries = dict.fromkeys(group.entries)  # an entry listed twice is one entry
    found = [
        _look_up_entry(group.name, entry, space, table, policy.pieces)
        for entry in entries
        for space in spaced
    ]
    return found + [_drawn(group.name, token_id, table) for token_id in _draw(group, table)]


def _look_up_entry(
    group: str, entry: str, spaced: bool, table: EmbeddingTable, pieces: Pieces
) -> Resolution:
    vocabulary = table.vocabulary
    try:
        ids = tuple(vocabulary.encode(f" {entry}" if spaced else entry))
    except VocabularyError as error:
        return Resolution(group, entry, spaced, (), (), None, str(error))
    tokens = tuple(vocabulary.label(token_id) for token_id in ids)
    reason = _reason(ids, tokens, table, pieces)
    if reason:
        return Resolution(group, entry, spaced, ids, tokens, None, reason)
    chosen = ids if pieces == "mean" else ids[:1]
    label = tokens[0] if len(chosen) == 1 else "·".join(tokens)
    return Resolution(group, entry, spaced, ids, tokens, Member(chosen, label))


def _reason(
    ids: tuple[int, ...], tokens: tuple[str, ...], table: EmbeddingTable, pieces: Pieces
) -> str:
    """Why these ids are no member, or ""."""
    encoder = table.vocabulary.encoder
    if not ids:
        return "no token: the tokenizer drops this text"
    if encoder is not None and encoder.unknown in ids:
        return f"unknown to this tokenizer ({table.vocabulary.label(encoder.unknown or 0)})"
    if len(ids) > 1 and pieces == "skip":
        return f"{len(ids)} tokens: {' · '.join(tokens)}"
    highest = max(ids[:1] if pieces == "first" else ids)
    if highest >= table.rows:
        return f"no row in this model (id {highest:,}, the table has {table.rows:,} rows)"
    return ""


def _draw(group: TokenGroup, table: EmbeddingTable) -> list[int]:
    """Seeded random word tokens (starts and continuations; any token where there are none)."""
    if not group.drawn:
        return []
    classes = table.classes
    words = np.flatnonzero((classes == START) | (classes == INSIDE))
    among = words if len(words) else np.flatnonzero(classes >= 0)
    generator = np.random.default_rng(0)
    size = min(group.drawn, len(among))
    return sorted(int(token_id) for token_id in generator.choice(among, size, replace=False))


def _drawn(group: str, token_id: int, table: EmbeddingTable) -> Resolution:
    label = table.vocabulary.label(token_id)
    return Resolution(
        group, f"#{token_id}", False, (token_id,), (label,), Member((token_id,), label), ""
    )


def _only_shared(
    found: list[list[list[Resolution]]], tables: Sequence[EmbeddingTable]
) -> list[list[list[Resolution]]]:
    """Drop from every table what another cannot resolve; random tokens are each table's own.

    A table without a tokenizer resolves nothing at all: it is not asked, or nothing would be left.
    """
    lacking: dict[tuple[str, str, bool], str] = {}
    for table, groups in zip(tables, found, strict=True):
        if table.vocabulary.encoder is None:
            continue
        for each in (one for group in groups for one in group if not one.member):
            lacking.setdefault((each.group, each.entry, each.spaced), table.name)

    def keep(each: Resolution) -> Resolution:
        where = lacking.get((each.group, each.entry, each.spaced))
        if each.member is None or where is None:
            return each
        reason = f"left out because {where} has no row for it"
        return replace(each, member=None, reason=reason, unshared=True)

    return [[[keep(each) for each in group] for group in table] for table in found]


def _collect(group: TokenGroup, found: list[Resolution]) -> ResolvedGroup:
    members = dict.fromkeys(each.member for each in found if each.member)
    return ResolvedGroup(group.name, tuple(members), tuple(found))


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


READY_MADE: dict[str, TokenGroup] = {
    group.name: group
    for group in (
        TokenGroup("punctuation", _words(". , ! ? ; :")),
        TokenGroup("english", _words("the and is was they from")),
        TokenGroup("code", _words("def return import class self None")),
        TokenGroup(
            "twelve diverse", _words("the cat dog Python def return . , ! 1234 Obama quantum")
        ),
        TokenGroup("days", _words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")),
        TokenGroup(
            "months",
            _words(
                "January February March April May June July August September October November "
                "December"
            ),
        ),
        TokenGroup("numbers", _words("one two three four five six seven eight nine ten")),
        TokenGroup(
            "countries", _words("France Germany Spain Italy China Japan India Brazil Canada Egypt")
        ),
        TokenGroup("colours", _words("red blue green yellow black white orange purple pink brown")),
        TokenGroup("animals", _words("cat dog horse cow pig sheep lion tiger bear wolf")),
        TokenGroup("verbs", _words("go run make take give find think see know want")),
        TokenGroup(
            "first names", _words("John Mary David Sarah Michael Anna James Emma Peter Laura")
        ),
        TokenGroup("whitespace", ("\n", "\n\n", "\t", " ", "  ", "    ", "        ")),
        TokenGroup("random tokens", drawn=24),
    )
}
"""The groups that need no typing; the first three are the default."""

DEFAULT = tuple(READY_MADE.values())[:3]
