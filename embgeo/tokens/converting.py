"""Building a tokenizer that is stored in another way than as tokenizer.json, through transformers.

Its settings may name files, and transformers opens what they name: on a server where strangers
choose the models, any file of the server. So the tokenizer is built from a copy of its files, with
settings that name none.
"""

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from embgeo.errors import VocabularyError

VOCABULARIES = (
    "tokenizer.model",
    "spiece.model",
    "sentencepiece.bpe.model",
    "sentencepiece.model",
    "spm.model",
    "vocab.txt",
    "vocab.json",
)
"""Files that a tokenizer can be built from; any other of its files is of no use alone."""

_OTHERS = (
    "config.json",
    "added_tokens.json",
    "merges.txt",
    "bpe.codes",
    "source.spm",
    "target.spm",
)
_SETTINGS = ("tokenizer_config.json", "special_tokens_map.json")
_TEXTS = frozenset({"tokenizer_class", "src_lang", "tgt_lang", "errors", "never_split"})
_LISTS = ("_token", "_tokens", "_tokens_decoder")


def converted(folder: Path) -> str:
    """The tokenizer of a folder as the text of a tokenizer.json.

    Raises
    ------
    VocabularyError
        If it cannot be built.
    """
    with _without_paths(folder) as copy:
        return _built(copy)


def converted_gguf(path: Path) -> str:
    """The tokenizer inside a GGUF file as the text of a tokenizer.json.

    Raises
    ------
    VocabularyError
        If it cannot be built.
    """
    return _built(path.parent, gguf_file=path.name)


def _built(folder: Path, **where: str) -> str:
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(
            str(folder), local_files_only=True, trust_remote_code=False, **where
        )
        spelled: str = tokenizer.backend_tokenizer.to_str()
    except Exception as error:  # transformers raises whatever its converters meet
        reason = str(error).strip().splitlines() or [type(error).__name__]
        said = reason[0].replace(str(folder), "the folder")[:200]
        raise VocabularyError(f"The tokenizer could not be built ({said}).") from error
    return spelled


@contextmanager
def _without_paths(folder: Path) -> Iterator[Path]:
    """A copy of a tokenizer's files, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="embgeo-") as place:
        copy = Path(place)
        for name in (*VOCABULARIES, *_OTHERS):
            if (folder / name).is_file():
                shutil.copyfile(folder / name, copy / name)
        for name in _SETTINGS:
            if (folder / name).is_file():
                kept = _harmless(_object(folder / name))
                (copy / name).write_text(json.dumps(kept), encoding="utf-8")
        yield copy


def _object(path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, RecursionError, ValueError) as error:
        raise VocabularyError(f"{path.name} is not valid JSON.") from error
    return found if isinstance(found, dict) else {}


def _harmless(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that name no file: numbers and switches, tokens, a few known texts."""
    return {
        name: value
        for name, value in settings.items()
        if value is None
        or isinstance(value, bool | int | float)
        or name in _TEXTS
        or name.endswith(_LISTS)
    }
