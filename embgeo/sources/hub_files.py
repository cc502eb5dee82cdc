"""From a hub id to the files of one commit: on this machine already, or to be read by ranges."""

import json
from collections.abc import Iterable
from pathlib import Path

from embgeo.errors import SourceError
from embgeo.settings import settings
from embgeo.sources.files import Files, refuse_pickles
from embgeo.sources.folder import chosen_in
from embgeo.sources.hub import Repository, cached_snapshot, fetch_small, resolve, resolved
from embgeo.sources.listing import INDEX, STATIC, weights_among
from embgeo.sources.source import TableSource

_CONFIGS = ("config.json", "tokenizer_config.json")
_TOKENIZER = "tokenizer.json"
_OTHER_TOKENIZERS = (
    "tokenizer.model", "spiece.model", "sentencepiece.bpe.model", "sentencepiece.model",
    "spm.model", "source.spm", "target.spm", "vocab.txt", "vocab.json", "merges.txt", "bpe.codes",
    "added_tokens.json", "special_tokens_map.json",
)  # fmt: skip


def hub_files(source: TableSource) -> Files:
    """The files of a hub source; what other tools have downloaded whole is not fetched again.

    Raises
    ------
    SourceError
        If there is no such repository or revision, it may not be read, the hub does not answer, or
        no file of it holds a table that embgeo reads.
    """
    from huggingface_hub import constants

    hub_id, revision = source.hub_id, source.hub_revision
    found = None
    if settings().allow_local and not resolved(hub_id, revision):
        found = _whole(source, cached_snapshot(hub_id, revision))
        if found is not None and _described(found):
            return found
    try:
        repository = resolve(hub_id, revision)
    except SourceError:
        if found is None:
            raise
        return found  # the table alone is better than nothing
    found = _whole(source, cached_snapshot(hub_id, repository.commit))
    if found is not None and (constants.HF_HUB_OFFLINE or _lacks_nothing(found, repository)):
        return found
    return _remote(source, repository)


def tokenizer_files(files: Files) -> tuple[str, ...]:
    """Names of the files that a repository's tokenizer is built from."""
    assert files.repository is not None
    return _tokenizer(files.repository, files.weights.rpartition("/")[0])


def _tokenizer(repository: Repository, inside: str) -> tuple[str, ...]:
    names = {
        each: f"{inside}/{each}" if inside else each for each in (_TOKENIZER, *_OTHER_TOKENIZERS)
    }
    there = {each: name for each, name in names.items() if name in repository.sizes}
    return (there[_TOKENIZER],) if _TOKENIZER in there else tuple(there.values())


def _remote(source: TableSource, repository: Repository) -> Files:
    names = list(repository.sizes)
    choice = weights_among(names, source.hub_id, hub=True, base=lambda: _base(repository))
    if choice.format == "pickle":
        refuse_pickles(choice.name)
    folder = _fetched(repository, _configs(repository, choice.folder))
    return Files(
        choice.format,
        None,
        folder,
        repository.commit,
        source.label,
        tensor=source.tensor,
        repository=repository,
        weights=choice.name,
    )


def _configs(repository: Repository, inside: str) -> tuple[str, ...]:
    names = (f"{inside}/{name}".lstrip("/") for name in _CONFIGS)
    return tuple(name for name in names if name in repository.sizes)


def _fetched(repository: Repository, names: Iterable[str]) -> Path | None:
    """The folder of the hub's cache that files were fetched into."""
    paths = [fetch_small(repository, name) for name in names]
    return paths[0].parent if paths else None


def _base(repository: Repository) -> str:
    """The base model that an adapter names, "" where it names none."""
    try:
        config = json.loads(fetch_small(repository, "adapter_config.json").read_text("utf-8"))
        return str(config["base_model_name_or_path"])
    except (SourceError, OSError, ValueError, KeyError, TypeError):
        return ""


def _described(files: Files) -> bool:
    """Whether a config and a tokenizer lie beside the weights, as with nearly every model."""
    assert files.folder is not None
    tokenizers = ((files.folder / name).is_file() for name in (_TOKENIZER, *_OTHER_TOKENIZERS))
    return (files.folder / _CONFIGS[0]).is_file() and any(tokenizers)


def _lacks_nothing(files: Files, repository: Repository) -> bool:
    """Whether of the repository's configs and tokenizer all lie beside the weights."""
    assert files.folder is not None
    inside = STATIC if files.folder.name == STATIC else ""
    names = (*_configs(repository, inside), *_tokenizer(repository, inside))
    return all((files.folder / name.rpartition("/")[2]).is_file() for name in names)


def _whole(source: TableSource, snapshot: Path | None) -> Files | None:
    """The files of a snapshot that holds all the weights."""
    if snapshot is None:
        return None
    try:
        choice = chosen_in(snapshot)
        path = snapshot / choice.name
        if path.name.endswith(INDEX):
            shards = set(json.loads(path.read_text("utf-8"))["weight_map"].values())
            if not all((snapshot / shard).is_file() for shard in shards):
                return None
    except (SourceError, OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    if choice.format not in {"safetensors", "pickle"}:
        return None
    if choice.format == "pickle":
        refuse_pickles(choice.name)
    revision = snapshot.name
    return Files(choice.format, path, path.parent, revision, source.label, tensor=source.tensor)
