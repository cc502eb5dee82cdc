"""Which of the files of a folder or a repository holds the table, from their names alone."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from embgeo.errors import SourceError
from embgeo.sources.formats import PICKLES, Format

INDEX = ".index.json"
STATIC = "0_StaticEmbedding"
"""Where sentence-transformers puts a static table and its tokenizer."""

PART = re.compile(r"-[0-9]{5}-of-[0-9]{5}(?=\.(?:safetensors|bin|gguf)$)")
"""What tells the files apart that one checkpoint is split into."""

_FIRST: tuple[tuple[str, Format], ...] = (
    ("model.safetensors", "safetensors"),
    ("model.safetensors.index.json", "safetensors"),
)
_THEN: tuple[tuple[str, Format], ...] = (
    (f"{STATIC}/model.safetensors", "safetensors"),
    ("pytorch_model.bin", "pickle"),
    ("pytorch_model.bin.index.json", "pickle"),
)
_VECTORS = (".vec", ".vec.gz", ".npy", ".npz")
_NOT_READ = (".h5", ".msgpack", ".onnx", ".ckpt", *PICKLES, *_VECTORS)
_WANTED = (
    "embgeo looks for model.safetensors, model.safetensors.index.json or one other .safetensors "
    "file, then for pytorch_model.bin"
)


@dataclass(frozen=True)
class Choice:
    """The file to open: its name with "/" between folders, and its format."""

    name: str
    format: Format

    @property
    def folder(self) -> str:
        """The folder where its config and tokenizer lie, "" for the root.

        >>> Choice("0_StaticEmbedding/model.safetensors", "safetensors").folder
        '0_StaticEmbedding'
        """
        return self.name.rpartition("/")[0]


def weights_among(
    names: Sequence[str],
    where: str = "The repository",
    hub: bool = False,
    base: Callable[[], str] = str,
) -> Choice:
    """The weight file among the names of a folder or of a repository.

    Parameters
    ----------
    names
        All file names, with "/" between folders.
    where
        What holds them, for messages.
    hub
        Whether it is a repository on the hub, whose GGUF files and word vectors are not fetched.
    base
        Asked only for an adapter: the base model that its config names, or "".

    Raises
    ------
    SourceError
        If there are several candidates, only an adapter, only formats that are not read, or none.

    Examples
    --------
    >>> weights_among(["config.json", "pytorch_model.bin", "model.safetensors"])
    Choice(name='model.safetensors', format='safetensors')
    """
    there = set(names)
    root = sorted(name for name in there if "/" not in name)
    for name, kind in _FIRST:
        if name in there:
            return Choice(name, kind)
    if found := _only(_other_safetensors(root), where, hub):
        return Choice(found, "safetensors")
    for name, kind in _THEN:
        if name in there:
            return Choice(name, kind)
    if not hub and (choice := _local(root, where)):
        return choice
    raise _nothing(root, where, hub, base)


def _other_safetensors(root: Sequence[str]) -> list[str]:
    """Whole models under a name of their own; Mistral's second copy only where it is the only."""
    index = [name for name in root if name.endswith(f".safetensors{INDEX}")]
    files = [name for name in root if name.endswith(".safetensors")]
    files = [name for name in files if not name.startswith("adapter_model")]
    whole = index + [
        name for name in files if f"{PART.sub('', name)}{INDEX}" not in index or not _part(name)
    ]
    return [name for name in whole if not name.startswith("consolidated")] or whole


def _local(root: Sequence[str], where: str) -> Choice | None:
    split = {PART.sub("", name): name for name in reversed(root) if name.endswith(".gguf")}
    if found := _only(sorted(split.values()), where, False):
        return Choice(found, "gguf")
    if found := _only([name for name in root if name.endswith(_VECTORS)], where, False):
        return Choice(found, "vectors")
    return None


def _only(found: Sequence[str], where: str, hub: bool) -> str | None:
    if len(found) < 2:
        return found[0] if found else None
    if all(map(_part, found)):
        raise SourceError(
            f"{where} holds parts of a model ({listed(found)}) without the index that names them "
            f"({PART.sub('', found[0])}{INDEX}): an incomplete download. Fetch the index too."
        )
    do = "Download the one you mean and give its path." if hub else "Point at one of them."
    raise SourceError(f"{where} holds several weight files: {listed(found)}. {do}")


def _nothing(root: Sequence[str], where: str, hub: bool, base: Callable[[], str]) -> SourceError:
    """Why nothing was found, with the way out."""
    if any(name == "adapter_config.json" or name.startswith("adapter_model.") for name in root):
        named = base()
        use = f": {named}" if named else " (base_model_name_or_path in adapter_config.json)"
        return SourceError(
            f"{where} is an adapter; it has no table of its own. Use its base model{use}."
        )
    gguf = [name for name in root if name.endswith(".gguf")]
    if gguf:
        return SourceError(
            f"{where} holds only GGUF files: {listed(gguf)}. Download one and give its path, or "
            "name the repository that they were made from."
        )
    # Other files are nobody's business: a page may show this to strangers.
    meant = [name for name in root if name.endswith(_NOT_READ)]
    found = f", only {listed(meant)}" if meant else ""
    do = "Name another repository" if hub else "Point at a file, or convert the model"
    return SourceError(
        f"{where} holds no weights that embgeo reads{found}. {_WANTED}. {do} (transformers' "
        "save_pretrained writes model.safetensors)."
    )


def _part(name: str) -> bool:
    return PART.search(name) is not None


def listed(names: Sequence[str], most: int = 8) -> str:
    """Some names for a message, at most eight.

    >>> listed(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
