"""From the files of a source to its vocabulary; what was slow to build is kept in the store.

A tokenizer that is missing or cannot be read never takes the table down: its rows then go by number
and the vocabulary's note says what happened.
"""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from embgeo.checkpoints import gguf_vocabulary, word_list
from embgeo.errors import VocabularyError
from embgeo.jobs import Progress, silent
from embgeo.sources import Files
from embgeo.store import Store
from embgeo.tokens.converting import VOCABULARIES, converted, converted_gguf
from embgeo.tokens.text import Spelling
from embgeo.tokens.vocabulary import (
    Vocabulary,
    random_vocabulary,
    vocabulary_by_id,
    vocabulary_from_file,
    vocabulary_of,
)
from embgeo.tokens.words import vocabulary_of_words

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_NOT_TEXT = {2, 3, 5}  # GGUF token types: unknown, control, unused; a byte has an exact text
_GGUF_SPELLING: dict[str, Spelling] = {
    "gpt2": "byte-level",
    "llama": "sentencepiece",
    "t5": "sentencepiece",
    "bert": "sentencepiece",
}


def load_vocabulary(
    files: Files, rows: int, store: Store, progress: Progress = silent
) -> Vocabulary:
    """The vocabulary that belongs to these files, or one by row number with a note saying why."""
    if files.format == "random":
        return random_vocabulary(rows)
    try:
        if files.format == "gguf":
            return _from_gguf(files, store, progress)
        if files.format == "vectors":
            return _from_words(files, rows, store)
        return _from_folder(files, store)
    except VocabularyError as error:
        return vocabulary_by_id(rows, f"{error} The table still works by token id.")


def _from_folder(files: Files, store: Store) -> Vocabulary:
    folder = files.folder
    if folder is not None and (folder / "tokenizer.json").is_file():
        return vocabulary_from_file(folder / "tokenizer.json")
    if folder is None or not any((folder / name).is_file() for name in VOCABULARIES):
        raise VocabularyError("There is no tokenizer beside the weights (no tokenizer.json).")
    return vocabulary_of(_built(files, store, lambda: converted(folder)))


def _from_gguf(files: Files, store: Store, progress: Progress) -> Vocabulary:
    path = files.path
    assert path is not None
    kept = store.read("gguf-tokens", str(path), files.revision)
    if kept is None:
        progress(0.3, f"{files.title}: reading the tokens")
        listed = gguf_vocabulary(path)
        entries, types, model = list(listed.tokens), list(listed.types), listed.model
        store.write(
            "gguf-tokens",
            str(path),
            files.revision,
            arrays={"entries": _packed(json.dumps(entries)), "types": np.array(types, np.int32)},
            facts={"model": model},
        )
    else:
        entries = json.loads(kept.arrays["entries"].tobytes())
        types, model = kept.arrays["types"].tolist(), kept.facts["model"]
    special = frozenset(token_id for token_id, kind in enumerate(types) if kind in _NOT_TEXT)
    progress(0.5, f"{files.title}: building the tokenizer (kept for the next start)")
    try:
        built = _built(files, store, lambda: converted_gguf(path))
    except VocabularyError as error:
        spelling = _GGUF_SPELLING.get(str(model), "plain")
        note = f"{error} Tokens are shown as the file spells them, but words cannot be encoded."
        return Vocabulary(dict(enumerate(entries)), spelling, special, note=note)
    return vocabulary_of(built, special)


def _from_words(files: Files, rows: int, store: Store) -> Vocabulary:
    path = files.path
    assert path is not None
    key = ("words", str(path), files.revision)
    kept = store.read(*key)
    if kept is not None:
        return vocabulary_of_words(
            json.loads(kept.arrays["entries"].tobytes()), str(kept.facts["note"])
        )
    found = word_list(path, rows)
    store.write(
        *key, arrays={"entries": _packed(json.dumps(found.words))}, facts={"note": found.note}
    )
    return vocabulary_of_words(found.words, found.note)


def _built(files: Files, store: Store, convert: Callable[[], str]) -> "Tokenizer":
    """The tokenizer that `convert` spells out, which the store remembers."""
    from tokenizers import Tokenizer

    key = ("tokenizer", str(files.path), files.revision)
    kept = store.read(*key)
    spelled = kept.arrays["json"].tobytes().decode() if kept else convert()
    if kept is None:
        store.write(*key, arrays={"json": _packed(spelled)})
    return Tokenizer.from_str(spelled)


def _packed(text: str) -> "np.ndarray[tuple[int], np.dtype[np.uint8]]":
    return np.frombuffer(text.encode(), dtype=np.uint8)
