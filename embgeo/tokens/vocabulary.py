"""A tokenizer's vocabulary by id, and its encoding of a text; no model is needed for either."""

import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from embgeo.errors import VocabularyError
from embgeo.tokens.text import (
    SPECIAL,
    TEXTLESS,
    Spelling,
    exact_bytes,
    exact_text,
    token_class,
    visible,
)

if TYPE_CHECKING:
    from tokenizers import Tokenizer


# What an entry takes in memory, measured and rounded up: its string with its id in a dictionary,
# and its share of the tokenizer, which keeps it twice, with its merges.
_ENTRY_BYTES = 160
_ENCODER_BYTES = 300


class Encoder(Protocol):
    """What turns a text into ids, special tokens left out."""

    unknown: int | None

    def encode(self, text: str) -> list[int]: ...


@dataclass(frozen=True)
class Vocabulary:
    """Every token of a tokenizer, by id.

    Attributes
    ----------
    entries
        Id to vocabulary entry as the tokenizer spells it; ids without a token are absent.
    spelling
        How entries spell spaces and bytes.
    special
        Ids flagged as special, unused or byte, and what a list of words has for all others.
    literal
        Ids of tokens added to a byte-level vocabulary, which stand there as they are.
    encoder
        None where there is no tokenizer: the table still works by id.
    note
        What a person should know about where the tokens come from, or "".
    """

    entries: Mapping[int, str] = field(repr=False)
    spelling: Spelling
    special: frozenset[int] = field(default=frozenset(), repr=False)
    literal: frozenset[int] = field(default=frozenset(), repr=False)
    encoder: Encoder | None = field(default=None, repr=False, compare=False)
    note: str = ""

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def nbytes(self) -> int:
        """Estimate of the bytes it takes in memory; numbered tokens are made when asked for."""
        listed = 0 if isinstance(self.entries, _Numbered) else _ENTRY_BYTES
        encoder = _ENCODER_BYTES if isinstance(self.encoder, FastEncoder) else 0
        return len(self.entries) * (listed + encoder)

    @property
    def numbered(self) -> bool:
        """Whether its tokens are only the numbers of their rows."""
        return isinstance(self.entries, _Numbered)

    def text(self, token_id: int) -> str:
        """Exact text of a token; see `embgeo.tokens.exact_text`."""
        entry = self.entries.get(token_id)
        if entry is None:
            return ""
        as_it_is = token_id in self.special or token_id in self.literal
        return entry if as_it_is else exact_text(entry, self.spelling)

    def utf8(self, token_id: int) -> bytes:
        """The bytes that a token stands for; none where no token has this id."""
        entry = self.entries.get(token_id)
        if entry is None:
            return b""
        as_it_is = token_id in self.special or token_id in self.literal
        return (
            entry.encode("utf-8", "surrogatepass")
            if as_it_is
            else exact_bytes(entry, self.spelling)
        )

    def label(self, token_id: int) -> str:
        """Readable text of a token, "(no token)" for a row that no token has."""
        return visible(self.text(token_id)) if token_id in self.entries else "(no token)"

    def encode(self, text: str) -> list[int]:
        """The tokenizer's own ids of a text, without special tokens.

        Raises
        ------
        VocabularyError
            If there is no tokenizer.
        """
        if self.encoder is None:
            raise VocabularyError(self.note or "There is no tokenizer beside this table.")
        return self.encoder.encode(text)

    def classes(self, rows: int) -> np.ndarray[Any, np.dtype[np.int8]]:
        """Token class of each of the table's rows (see `CLASSES`), −1 for rows without a token."""
        classes = np.full(rows, -1, dtype=np.int8)
        if self.numbered:
            classes[: len(self)] = TEXTLESS
            return classes
        for token_id, entry in self.entries.items():
            if token_id < rows:
                flagged = token_id in self.special
                classes[token_id] = SPECIAL if flagged else token_class(entry, self.spelling)
        return classes


class FastEncoder:
    """The `tokenizers` library's encoder, with padding and truncation off.

    Both are switched on in some files (MiniLM's pads every text to 128), which would add rows that
    nobody typed.
    """

    def __init__(self, tokenizer: "Tokenizer") -> None:
        tokenizer.no_padding()
        tokenizer.no_truncation()
        self.tokenizer = tokenizer
        self.unknown = _unknown_id(tokenizer)

    def encode(self, text: str) -> list[int]:
        with _explained("the tokenizer cannot encode this"):
            return list(self.tokenizer.encode(text, add_special_tokens=False).ids)


class HashEncoder:
    """Gives any text a row of a table that has no tokenizer because its rows are random.

    At initialisation every token has a random row, so one row serves as well as another; a checksum
    of the text picks it, the same on every start.
    """

    unknown: int | None = None

    def __init__(self, rows: int) -> None:
        self.rows = rows

    def encode(self, text: str) -> list[int]:
        return [zlib.crc32(text.encode()) % self.rows] if text else []


def random_vocabulary(rows: int) -> Vocabulary:
    """The vocabulary of the generated table: a numbered token for each row."""
    note = "Random rows have no tokenizer: an entry gets the row that its checksum picks."
    entries = _Numbered(rows)
    return Vocabulary(entries, "plain", encoder=HashEncoder(rows), note=note)


def vocabulary_by_id(rows: int, note: str) -> Vocabulary:
    """The vocabulary of a table whose tokenizer is missing: each row is its number."""
    return Vocabulary(_Numbered(rows), "plain", note=note)


def vocabulary_from_file(path: Path) -> Vocabulary:
    """The vocabulary of a tokenizer.json.

    Raises
    ------
    VocabularyError
        If the file is not one that the `tokenizers` library reads.
    """
    from tokenizers import Tokenizer

    with _explained(f"{path.name} is not a tokenizer file that can be read"):
        return vocabulary_of(Tokenizer.from_file(str(path)))


def vocabulary_of(
    tokenizer: "Tokenizer", extra_special: frozenset[int] = frozenset()
) -> Vocabulary:
    """The vocabulary of a tokenizer object; `extra_special` are ids flagged elsewhere.

    Raises
    ------
    VocabularyError
        If it has no tokens.
    """
    entries = {
        token_id: entry for entry, token_id in tokenizer.get_vocab(with_added_tokens=True).items()
    }
    if not entries:
        raise VocabularyError("The tokenizer has no token in it.")
    added = tokenizer.get_added_tokens_decoder()
    special = frozenset(token_id for token_id, token in added.items() if token.special)
    spelling = _spelling(tokenizer, entries)
    encoder = FastEncoder(tokenizer)
    # A list of words need not flag what stands for those that are not in it.
    unknown = {encoder.unknown} if spelling == "words" and encoder.unknown is not None else set()
    return Vocabulary(
        entries,
        spelling,
        special | extra_special | unknown,
        frozenset(added) if spelling == "byte-level" else frozenset(),
        encoder,
    )


@contextmanager
def _explained(what: str) -> Iterator[None]:
    """Turns what the `tokenizers` library raises for any fault of a file into `VocabularyError`."""
    try:
        yield
    except VocabularyError:
        raise
    except BaseException as error:
        # Bare, or the panic of its Rust code, which is no Exception.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise VocabularyError(f"{what} ({error})") from error


class _Numbered(Mapping[int, str]):
    """Entries "#0", "#1", …, made when asked for."""

    def __init__(self, rows: int) -> None:
        self._ids = range(rows)

    def __getitem__(self, token_id: int) -> str:
        if token_id not in self._ids:
            raise KeyError(token_id)
        return f"#{token_id}"

    def __iter__(self) -> Any:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)


def _spelling(tokenizer: "Tokenizer", entries: Mapping[int, str]) -> Spelling:
    if type(tokenizer.model).__name__ == "WordPiece":
        return "wordpiece"
    if type(tokenizer.decoder).__name__ == "ByteLevel":
        return "byte-level"
    starts = Counter(entry[0] for entry in entries.values() if entry)
    marked = starts["▁"] + starts["Ġ"]
    if type(tokenizer.model).__name__ == "WordLevel" and marked < len(entries) / 2:
        return "words"
    if starts["▁"]:
        return "sentencepiece"
    return "byte-level" if starts["Ġ"] else "plain"


def _unknown_id(tokenizer: "Tokenizer") -> int | None:
    name = getattr(tokenizer.model, "unk_token", None)
    if name is not None:
        found: int | None = tokenizer.token_to_id(name)
        return found
    unknown: int | None = getattr(tokenizer.model, "unk_id", None)
    return unknown
