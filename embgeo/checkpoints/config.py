"""The few settings of a config.json that say which tensor is the table."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from embgeo.checkpoints.damage import unreadable
from embgeo.errors import CheckpointError

_T = TypeVar("_T")
_TEXT_PARTS = (
    "text_config",
    "llm_config",
    "language_config",
    "thinker_config",
    "text_encoder",
    "encoder",
    "decoder",
)
"""Where composite models keep the settings of their text tower, most telling first."""


@dataclass(frozen=True)
class ModelConfig:
    """What a config.json says; None wherever it does not.

    Attributes
    ----------
    model_class
        The first of ``architectures``, such as "LlamaForCausalLM".
    model_type
        The family, such as "llama".
    vocab_size
        Entries of the vocabulary, from the text tower where the model has several.
    tie
        ``tie_word_embeddings``; the outer value wins over the text tower's.
    settings
        Everything, as it stands in the file.
    """

    model_class: str | None = None
    model_type: str | None = None
    vocab_size: int | None = None
    tie: bool | None = None
    settings: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def architecture(self) -> str | None:
        """The most exact name that the config has for the model."""
        return self.model_class or self.model_type

    def towers(self) -> Iterator[Mapping[str, Any]]:
        """The settings of the parts that may be the text tower, then of what they lie in."""
        yield from _towers(self.settings)


def named(families: str) -> frozenset[str]:
    """The values of ``model_type`` in a list with blanks between them.

    >>> sorted(named("llama gpt2"))
    ['gpt2', 'llama']
    """
    return frozenset(families.split())


def read_config(folder: Path) -> ModelConfig | None:
    """The settings of a folder's config.json; None where there is no such file.

    Raises
    ------
    CheckpointError
        If the file is not a JSON object or cannot be read.
    """
    path = folder / "config.json"
    if not path.is_file():
        return None
    found = read_json(path)
    classes = _typed(found.get("architectures"), list) or [None]
    return ModelConfig(
        model_class=_typed(classes[0], str),
        model_type=_typed(found.get("model_type"), str),
        vocab_size=_typed(_setting(found, "vocab_size"), int),
        tie=_typed(_setting(found, "tie_word_embeddings"), bool),
        settings=found,
    )


def read_json(path: Path) -> dict[str, Any]:
    """The object that a JSON file holds.

    Raises
    ------
    CheckpointError
        If the file cannot be read, or holds anything but a JSON object.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise unreadable(path, error) from error
    except (RecursionError, ValueError) as error:
        raise CheckpointError(f"{path.name} is not valid JSON ({error}); restore it.") from error
    if not isinstance(found, dict):
        raise CheckpointError(f"{path.name} holds no JSON object; restore it.")
    return found


def _setting(config: Mapping[str, Any], name: str) -> object:
    value = config.get(name)
    for part in _TEXT_PARTS:
        if value is None and isinstance(config.get(part), dict):
            value = _setting(config[part], name)
    return value


def _towers(config: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for part in _TEXT_PARTS:
        if isinstance(config.get(part), dict):
            yield from _towers(config[part])
    yield config


def _typed(value: object, kind: type[_T]) -> _T | None:
    return value if isinstance(value, kind) else None
