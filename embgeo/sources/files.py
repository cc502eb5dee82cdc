"""From a source to the files that hold its table, by names, sizes, dates and how a file begins."""

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from embgeo.errors import SourceError
from embgeo.settings import settings
from embgeo.sources.folder import cached_id, chosen_in, snapshot_of
from embgeo.sources.formats import PICKLES, Format, format_of, holds_vectors, vectors_kind
from embgeo.sources.hub import Repository
from embgeo.sources.listing import INDEX, PART
from embgeo.sources.packaged import PACKAGED
from embgeo.sources.source import TableSource

_NUMBER = re.compile(r"-[0-9]{5}(?=-of-[0-9]{5}\.gguf$)")
_SHARD = re.compile(r"-[0-9]{5}-of-[0-9]{5}(\.safetensors|\.bin)$")
_VOCABULARIES = ("vocab.txt", "words.txt", "vocab.json")


@dataclass(frozen=True)
class Files:
    """The files of one checkpoint.

    Attributes
    ----------
    format
        "safetensors", "gguf", "pickle" (PyTorch's own), "vectors" (words with a row each), or
        "random" (generated, no file).
    path
        The weight file, or the index of a sharded checkpoint; None for a random table.
    folder
        Where config.json and the tokenizer live, if there are any; None where there is no folder
        to look in: a random table, or a file that carries its own (GGUF, word vectors).
    revision
        What changes when the contents do: package and version, a hash of sizes and dates, or the
        seed.
    title
        A name for people.
    shape
        Rows and dim of a random table, else None.
    tensor
        The tensor that was asked for; "" for the model's input table.
    repository, weights
        Where the weights are not on this machine: the repository on the hub, and the name of the
        weight file or index there; path is None.
    """

    format: Format
    path: Path | None
    folder: Path | None
    revision: str
    title: str
    shape: tuple[int, int] | None = None
    tensor: str = ""
    repository: Repository | None = None
    weights: str = ""


def locate(source: TableSource) -> Files:
    """The files of a source.

    Raises
    ------
    SourceError
        If the package is not installed, the path does not exist, or a folder holds no weights
        that embgeo reads, or several candidates, or a pickle where they are switched off.
    """
    if source.kind == "random":
        return Files("random", None, None, "seed 0", source.text, source.shape)
    if source.kind == "packaged":
        model = PACKAGED[source.place]
        path = model.weights()
        revision = f"{model.distribution} {model.installed_version()}"
        return _files(path, format_of(path), revision, model.title, source.tensor)
    if source.kind == "hub":
        from embgeo.sources.hub_files import hub_files

        return hub_files(source)
    return _local(source)


def vocabulary_beside(path: Path) -> Path | None:
    """The list of words that belongs to an array of word vectors, None where there is none.

    Looked for: the array's name with .vocab or .txt, then vocab.txt, words.txt, vocab.json.
    """
    if not vectors_kind(path).startswith("NumPy"):
        return None
    named = (path.with_suffix(".vocab"), path.with_suffix(".txt"))
    beside = (*named, *(path.with_name(name) for name in _VOCABULARIES))
    # The same vectors as text may well lie beside the array.
    lists = (each for each in beside if each.is_file() and not holds_vectors(each))
    return next(lists, None)


def refuse_pickles(name: str) -> None:
    """Refuse a file of PyTorch's own where they are switched off.

    Raises
    ------
    SourceError
        If they are; the text names the setting and the way round it.
    """
    if not settings().allow_pickle:
        raise SourceError(
            f"{name} is a pickle, and pickles are switched off on this server "
            "(EMBGEO_ALLOW_PICKLE). Save the model again with transformers' save_pretrained, "
            "which writes model.safetensors."
        )


def _local(source: TableSource) -> Files:
    path = Path(source.place)
    if not os.path.exists(path):
        raise SourceError(
            f"{path} does not exist. Give a folder or a file of weights on this machine, or a hub "
            "id (owner/name)."
        )
    title = source.label
    if path.is_dir():
        title = cached_id(path) or title
        folder = snapshot_of(path)
        choice = chosen_in(folder)
        path, kind = folder / choice.name, choice.format
    elif path.is_file():
        path, kind = _whole(path)
    else:  # a pipe or a device may never end, or never begin
        raise SourceError(f"{path} is neither a folder nor a file. Give a file of weights.")
    if kind == "pickle":
        refuse_pickles(path.name)
    return _files(path, kind, _fingerprint(path, kind), title, source.tensor)


def _whole(path: Path) -> tuple[Path, Format]:
    """A file and its format; of a shard its index, since on its own it is only part of a model."""
    if path.name.endswith(INDEX):
        suffix = Path(path.name.removesuffix(INDEX)).suffix
        if suffix in {".safetensors", *PICKLES}:
            return path, "safetensors" if suffix == ".safetensors" else "pickle"
    index = path.with_name(_SHARD.sub(rf"\1{INDEX}", path.name))
    if index != path and index.is_file():
        return _whole(index)
    kind = format_of(path)
    if kind == "vectors":
        _refuse_gensim(path)
    if kind == "gguf":  # the first part of a split model has its tokens
        first = path.with_name(_NUMBER.sub("-00001", path.name))
        path = first if first.is_file() else path
    return path, kind


def _refuse_gensim(path: Path) -> None:
    """Refuse the array that gensim lays beside a pickle in which the words are."""
    owner, found, _ = path.name.rpartition(".vectors.npy")
    owner = owner.removesuffix(".wv")
    if found and path.with_name(owner).is_file() and vocabulary_beside(path) is None:
        raise SourceError(
            f"The words of {path.name} are in {owner}, a pickle, which is not opened since that "
            "can run code. In gensim, write them with save_word2vec_format(…, binary=True) and "
            "give that file."
        )


def _files(path: Path, kind: Format, revision: str, title: str, tensor: str) -> Files:
    folder = None if kind in {"gguf", "vectors"} else path.parent
    return Files(kind, path, folder, revision, title, tensor=tensor)


def _fingerprint(path: Path, kind: Format) -> str:
    """A hash of names, sizes and dates: contents of many GB are not read to name them."""
    digest = hashlib.sha256()
    for part in filter(os.path.exists, _parts(path, kind)):
        status = part.stat()
        # The date of change too: a copy may keep the date of writing, and the size.
        dates = f"{status.st_mtime_ns}|{status.st_ctime_ns}"
        digest.update(f"{part.resolve()}|{status.st_size}|{dates}\n".encode())
    return digest.hexdigest()[:16]


def _parts(path: Path, kind: Format) -> Iterator[Path]:
    """Everything that the table or its tokens depend on."""
    yield path
    if kind == "vectors":
        beside = vocabulary_beside(path)
        yield from (beside,) if beside else ()
        return
    yield from (path.with_name("config.json"), path.with_name("tokenizer.json"))
    if path.name.endswith(INDEX) or PART.search(path.name):
        suffix = Path(path.name.removesuffix(INDEX)).suffix
        yield from sorted(each for each in path.parent.iterdir() if each.suffix == suffix)
