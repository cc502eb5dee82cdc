"""From a source to the files that hold its table; nothing but names, sizes and dates is read."""

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from embgeo.errors import SourceError
from embgeo.sources.packaged import PACKAGED
from embgeo.sources.source import TableSource

_OTHER_WEIGHTS = (".bin", ".pt", ".pth", ".ckpt", ".h5", ".msgpack", ".onnx", ".npz")
INDEX_SUFFIX = ".safetensors.index.json"

_SHARD = re.compile(r"-[0-9]{5}-of-[0-9]{5}\.safetensors$")
_ADVICE = (
    "Point at a .safetensors or .gguf file; pickles (.bin, .pt) are not read, since opening one "
    "can run code: convert it to safetensors with transformers' save_pretrained."
)


@dataclass(frozen=True)
class Files:
    """The files of one checkpoint.

    Attributes
    ----------
    format
        "safetensors", "gguf", or "random" (generated, no file).
    path
        The weight file, or the index of a sharded checkpoint; None for a random table.
    folder
        Where config.json and the tokenizer live, if there are any; None where there is no folder
        to look in: a random table, or a GGUF file, which carries its own.
    revision
        What changes when the contents do: package and version, a hash of sizes and dates, or the
        seed.
    title
        A name for people.
    shape
        Rows and dim of a random table, else None.
    """

    format: Literal["safetensors", "gguf", "random"]
    path: Path | None
    folder: Path | None
    revision: str
    title: str
    shape: tuple[int, int] | None = None


def locate(source: TableSource) -> Files:
    """The files of a source.

    Raises
    ------
    SourceError
        If the package is not installed, the path does not exist, or a folder holds no weights
        that embgeo reads, or several candidates.
    """
    if source.kind == "random":
        return Files("random", None, None, "seed 0", source.text, source.shape)
    if source.kind == "packaged":
        model = PACKAGED[source.text]
        revision = f"{model.distribution} {model.installed_version()}"
        return _files(model.weights(), revision, model.title)
    path = _weights(Path(source.text))
    return _files(path, _fingerprint(path), source.label)


def _files(path: Path, revision: str, title: str) -> Files:
    if path.suffix == ".gguf":
        return Files("gguf", path, None, revision, title)
    return Files("safetensors", path, path.parent, revision, title)


def _weights(path: Path) -> Path:
    if not os.path.exists(path):
        raise SourceError(
            f"{path} does not exist. Give a folder, a .safetensors or a .gguf file on this "
            "machine; hub ids are not read yet."
        )
    return _in_folder(path) if path.is_dir() else _file(path)


def _file(path: Path) -> Path:
    if path.name.endswith(INDEX_SUFFIX) or path.suffix == ".gguf":
        return path
    if path.suffix != ".safetensors":
        raise SourceError(f"{path.name} is not a .safetensors or .gguf file. {_ADVICE}")
    index = path.with_name(_SHARD.sub(INDEX_SUFFIX, path.name))
    # A shard on its own is only part of a model: where its index is at hand, that is what is meant.
    return index if index != path and index.is_file() else path


def _in_folder(folder: Path) -> Path:
    names = _names(folder)
    for name in ("model.safetensors", "model" + INDEX_SUFFIX):
        if name in names:
            return folder / name
    for suffix in (".safetensors", ".gguf"):
        weights = [name for name in names if name.endswith(suffix)]
        if len(weights) == 1:
            return folder / weights[0]
        if weights:
            raise SourceError(
                f"{folder} holds several weight files: {_listed(weights)}. Point at one of them."
            )
    # Other files are nobody's business: a page may show this to strangers.
    meant = [name for name in names if name.endswith(_OTHER_WEIGHTS)]
    found = f", only {_listed(meant)}" if meant else ""
    raise SourceError(f"{folder} holds no weights that embgeo reads{found}. {_ADVICE}")


def _names(folder: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in folder.iterdir())
    except OSError as error:
        raise SourceError(f"{folder} cannot be read: {error.strerror}.") from error


def _listed(names: list[str], most: int = 8) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _fingerprint(path: Path) -> str:
    """A hash of names, sizes and dates: contents of many GB are not read to name them."""
    parts = [path, path.with_name("config.json"), path.with_name("tokenizer.json")]
    if path.name.endswith(INDEX_SUFFIX):
        parts += sorted(path.parent.glob("*.safetensors"))
    digest = hashlib.sha256()
    for part in filter(os.path.exists, parts):
        status = part.stat()
        # The date of change too: a copy may keep the date of writing, and the size.
        dates = f"{status.st_mtime_ns}|{status.st_ctime_ns}"
        digest.update(f"{part.resolve()}|{status.st_size}|{dates}\n".encode())
    return digest.hexdigest()[:16]
