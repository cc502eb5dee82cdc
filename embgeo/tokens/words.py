"""The vocabulary of word vectors: a list of whole words, each looked up exactly as it is typed."""

from collections.abc import Mapping, Sequence

from embgeo.errors import VocabularyError
from embgeo.tokens.vocabulary import Vocabulary

_FLAGGED = ("</s>", "<s>", "<unk>", "<pad>", "<raw_unk>", "<UNK>", "<PAD>", "[UNK]", "[PAD]")
"""Entries that stand for no word."""


class WordEncoder:
    """Finds the row of a whole word; blanks around it are no part of it, capitals are."""

    unknown: int | None = None

    def __init__(self, rows: Mapping[str, int]) -> None:
        self.rows = rows

    def encode(self, text: str) -> list[int]:
        """The one row of a word.

        Raises
        ------
        VocabularyError
            If no row has it.
        """
        word = text.strip()
        # A list may hold what is nothing but a blank, such as a no-break space.
        row = self.rows.get(word, self.rows.get(text))
        if row is None:
            raise VocabularyError("no row for it: these vectors do not have this word")
        return [row]


def vocabulary_of_words(words: Sequence[str | None], note: str = "") -> Vocabulary:
    """The vocabulary of a list of words, one per row; None where a row has no word of its own.

    Examples
    --------
    >>> vocabulary_of_words(["the", "cat", None]).encode(" cat")
    [1]
    """
    entries = {row: word for row, word in enumerate(words) if word is not None}
    rows = {word: row for row, word in entries.items()}
    special = frozenset(rows[word] for word in _FLAGGED if word in rows)
    return Vocabulary(entries, "words", special, encoder=WordEncoder(rows), note=note)
