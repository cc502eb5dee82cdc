"""From a hub id to the files of one commit: on this machine already, or to be read by ranges."""

import json
from collections.abc import Iterable
from pathlib import Path

from embgeo.errors import SourceError
from embgeo.settings import settings
from embgeo.sources.files import Files, refuse_pickles
from embgeo.sources.folder import chosen_in
from embgeo.sources.hub import Repository, cached_snapshot, fetch_small, resolve, resolved
from embgeo.sources.listing import INDEX, weights_among
from embgeo.sources.source import TableSource

_CONFIGS = ("config.json", "tokenizer_config.json")
_TOKENIZER = "tokenizer.json"
_OTHER_TOKENIZERS = (
    "tokenizer.model", "spiece.model", "sentencepiece.bpe.model", "source.spm", "target.spm",
    "vocab.txt", "vocab.json", "merges.txt", "bpe.codes", "added_tokens.json",
    "special_tokens_map.json",
)  # fmt: skip


def hub_files(source: TableSource) -> Files:
    """The files of a hub source; what other tools have downloaded whole is not fetched again.

    Raises
    ------
    SourceError
        If there is no such repository or revision, it may not be read, the hub does not answer, or
        no file of it holds a table that embgeo reads.
    """
    hub_id, revision = source.hub_id, source.hub_revision
    if settings().allow_local and not resolved(hub_id, revision):
        found = _whole(source, cached_snapshot(hub_id, revision))
        if found is not None:
            return found
    repository = resolve(hub_id, revision)
    found = _whole(source, cached_snapshot(hub_id, repository.commit))
    return found or _remote(source, repository)


def tokenizer_files(files: Files) -> tuple[str, ...]:
    """Names of the files that a repository's tokenizer is built from."""
    assert files.repository is not None
    inside = files.weights.rpartition("/")[0]
    names = {
        each: f"{inside}/{each}" if inside else each for each in (_TOKENIZER, *_OTHER_TOKENIZERS)
    }
    there = {each: name for each, name in names.items() if name in files.repository.sizes}
    return (there[_TOKENIZER],) if _TOKENIZER in there else tuple(there.values())


def _remote(source: TableSource, repository: Repository) -> Files:
    names = list(repository.sizes)
    choice = weights_among(names, source.hub_id, hub=True, base=lambda: _base(repository))
    if choice.format == "pickle":
        refuse_pickles(choice.name)
    configs = (f"{choice.folder}/{name}".lstrip("/") for name in _CONFIGS)
    folder = _fetched(repository, (name for name in configs if name in repository.sizes))
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


def _whole(source: TableSource, snapshot: Path | None) -> Files | None:
    """The files of a snapshot that lacks nothing that is needed."""
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
