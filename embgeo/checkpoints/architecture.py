"""What transformers' own model classes say of a checkpoint: the fallback where names do not tell.

Models are built on the meta device, from the configuration alone: no weights, no remote code.
Importing transformers takes seconds, so nothing here runs unless it is needed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from embgeo.checkpoints.layouts import names_output, unwrapped

_PARTS = re.compile("(layers?|labels|experts|depths?|stages|codebooks|blocks|groups|group_num)$")
_MOST_PARTS = 1024  # of one kind; real models have a few hundred layers or experts


def model_class(name: str) -> Any | None:
    """The transformers class of this name; None unless it is a model class."""
    try:
        import transformers

        found = getattr(transformers, name, None)
        is_model = isinstance(found, type) and issubclass(found, transformers.PreTrainedModel)
    except _cannot_tell():
        return None
    return found if is_model else None


def tied_source(model: Any) -> str | None:
    """The parameter that a model class ties its output head to; None if it declares none."""
    declared = getattr(model, "_tied_weights_keys", None)
    if not isinstance(declared, dict):
        return None
    return next((source for head, source in declared.items() if names_output(head)), None)


def default_tie(model: Any) -> bool | None:
    """What ``tie_word_embeddings`` is when a config of this class leaves it out."""
    try:
        config = model.config_class()
        text = config.get_text_config()
    except _cannot_tell():
        return None
    value = getattr(config, "tie_word_embeddings", getattr(text, "tie_word_embeddings", None))
    return value if isinstance(value, bool) else None


def resolved_input(folder: Path, names: Iterable[str]) -> str | None:
    """The tensor that transformers would load into ``get_input_embeddings()``; None if unknown."""
    try:
        from transformers.conversion_mapping import get_model_conversion_mapping
        from transformers.core_model_loading import WeightRenaming, rename_source_key

        model = _on_meta(folder)
        table = model.get_input_embeddings().weight
        known = model.named_parameters(remove_duplicate=False)
        wanted = {name for name, parameter in known if parameter is table}
        rules = [
            rule for rule in get_model_conversion_mapping(model) if isinstance(rule, WeightRenaming)
        ]
        prefix, state = model.base_model_prefix, model.state_dict()
        for name in names:
            if rename_source_key(unwrapped(name), rules, [], prefix, state)[0] in wanted:
                return name
    except _cannot_tell():
        return None
    return None


def shares_table(folder: Path) -> bool:
    """Whether transformers, given only the input table, would use it for the head as well."""
    try:
        model = _on_meta(folder)
        head = model.get_output_embeddings()
        return head is not None and head.weight is model.get_input_embeddings().weight
    except _cannot_tell():
        return False


def _cannot_tell() -> tuple[type[Exception], ...]:
    """What building a model from an odd configuration, or a change of internals, would raise.

    Each means "transformers cannot tell", never "stop".
    """
    from huggingface_hub.errors import StrictDataclassError

    builtin = (ArithmeticError, AttributeError, ImportError, LookupError, OSError)
    return (*builtin, RuntimeError, TypeError, ValueError, StrictDataclassError)


def _refuse_giants(said: object, name: str = "") -> None:
    """ValueError where a config asks for so many parts that building them would take for ever."""
    if isinstance(said, dict):
        for inner, value in said.items():
            _refuse_giants(value, inner)
    elif isinstance(said, list):
        for value in said:
            _refuse_giants(value, name)
    elif isinstance(said, int) and said > _MOST_PARTS and _PARTS.search(name):
        raise ValueError(f"{name} = {said}")


def _on_meta(folder: Path) -> Any:
    import torch
    from transformers import AutoConfig, AutoModel

    _refuse_giants(json.loads((folder / "config.json").read_text(encoding="utf-8")))
    config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    found = model_class((config.architectures or [""])[0])
    auto: Any = AutoModel
    with torch.device("meta"):
        return found(config) if found else auto.from_config(config, trust_remote_code=False)
