"""An embedding table: its weight as it is stored, its tokens, and what is known about it."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from embgeo.checkpoints import StoredTable, open_weight, read_facts
from embgeo.errors import CheckpointError, ShapeError
from embgeo.jobs import Progress, silent
from embgeo.sources import Files, TableSource, locate, parse_source
from embgeo.store import Store, checksum, default_store
from embgeo.tokens import Vocabulary, load_vocabulary

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import torch

_Value = TypeVar("_Value")
_CHUNK_NUMBERS = 2**22  # 32 MB in float64: large enough for fast products, small beside any table
_REMEMBERED = 48
_HEAVY = {"fitted": 4}  # what may take d × d numbers each: fewer of these are remembered


@dataclass(frozen=True, eq=False)
class EmbeddingTable:
    """One model's table of token embeddings, read-only and shared.

    Attributes
    ----------
    source, revision
        Where it comes from, and which version of it.
    facts
        Shape, stored dtype, tensor name, tied or not: see `StoredTable`.
    vocabulary
        Its tokens by id.
    """

    source: TableSource
    revision: str
    facts: StoredTable
    vocabulary: Vocabulary
    files: Files = field(repr=False)
    store: Store = field(repr=False)
    _memory: OrderedDict[tuple[Hashable, ...], Any] = field(default_factory=OrderedDict, repr=False)
    _locks: dict[tuple[Hashable, ...], threading.Lock] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def name(self) -> str:
        """A short name for people."""
        return self.source.label

    @property
    def rows(self) -> int:
        return self.facts.rows

    @property
    def dim(self) -> int:
        return self.facts.dim

    @property
    def key(self) -> tuple[str, str, str]:
        """What identifies the table's numbers: source, revision, tensor."""
        return self.source.text, self.revision, self.facts.tensor

    @property
    def weight(self) -> "torch.Tensor":
        """The table (rows, dim) in its stored dtype, memory-mapped; never written to."""
        return self.remember(("weight",), lambda: _open(self.files, self.facts, self.store))

    @cached_property
    def classes(self) -> "np.ndarray[Any, np.dtype[np.int8]]":
        """(rows,) token class of every row, −1 where no token has it."""
        return self.vocabulary.classes(self.rows)

    def take(self, ids: Sequence[int]) -> "torch.Tensor":
        """The rows of these ids as float64 (n, dim) on the CPU.

        Raises
        ------
        ShapeError
            If an id has no row in this table.
        CheckpointError
            If the file was changed since it was opened.
        """
        import torch

        index = torch.as_tensor(list(ids), dtype=torch.long)
        if index.numel() and not 0 <= int(index.min()) <= int(index.max()) < self.rows:
            raise ShapeError(
                f"{self.name} has rows 0 to {self.rows - 1}; found id {int(index.max())}."
            )
        weight = self.weight
        self._still_the_same()
        return weight[index].to(torch.float64)

    def chunks(
        self, doing: str, progress: Progress = silent
    ) -> "Iterator[tuple[slice, torch.Tensor]]":
        """The table once through, as stored: consecutive slices of rows and the rows themselves."""
        step, weight = max(256, _CHUNK_NUMBERS // self.dim), self.weight
        for start in range(0, self.rows, step):
            progress(start / self.rows, f"{self.name}: {doing}, row {start:,} of {self.rows:,}")
            self._still_the_same()
            rows = slice(start, min(start + step, self.rows))
            yield rows, weight[rows]

    def _still_the_same(self) -> None:
        """Refuse to read on in a file that was changed: what is mapped there may be gone."""
        if self.source.kind == "local" and locate(self.source).revision != self.revision:
            raise CheckpointError(
                f"{self.name} was changed while it was read. Reload the page once it is complete."
            )
        kept = (
            self.store.file(*_table_key(self.files, self.facts)) if self.facts.quantised else None
        )
        if kept is not None and kept.stat().st_size < 4 * self.rows * self.dim:
            with self._lock:
                self._memory.pop(("weight",), None)
            raise CheckpointError(
                f"The cached table of {self.name} was cut short. Reload the page: it is made again."
            )

    def remember(self, key: tuple[Hashable, ...], compute: Callable[[], _Value]) -> _Value:
        """The value of `key` (its kind first), computed once however many threads ask for it.

        Each key has a lock of its own: a page that needs something quick does not wait for the
        long pass that runs beside it.
        """
        with self._lock:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            with self._lock:
                if key in self._memory:
                    self._memory.move_to_end(key)
                    known: _Value = self._memory[key]
                    return known
            value = compute()
            with self._lock:
                self._memory[key] = value
                self._forget(key)
            return value

    def _forget(self, newest: tuple[Hashable, ...]) -> None:
        """Let the least recently used values go, of the newest one's kind and of all."""
        kind = str(newest[0])
        alike = [key for key in self._memory if key[0] == kind]
        surplus = alike[: max(0, len(alike) - _HEAVY.get(kind, _REMEMBERED))]
        surplus += list(self._memory)[: max(0, len(self._memory) - _REMEMBERED)]
        for key in surplus:
            self._memory.pop(key, None)
            self._locks.pop(key, None)


def load(source: str | TableSource, progress: Progress = silent) -> EmbeddingTable:
    """The embedding table of a source; no model is loaded for it.

    Parameters
    ----------
    source
        A packaged name ("minilm"), "random:VxD", a folder, a .safetensors or a .gguf file.
    progress
        Told what is being done; see `embgeo.jobs`.

    Raises
    ------
    SourceError
        If the source cannot be found or is not allowed here.
    CheckpointError
        If no embedding table can be read from it.

    Examples
    --------
    >>> load("random:1000x64").weight.shape
    torch.Size([1000, 64])
    """
    if isinstance(source, str):
        source = parse_source(source)
    files = locate(source)
    store = default_store()
    progress(0.05, f"{source.label}: reading the headers")
    facts = _facts(source, files, store)
    progress(0.25, f"{source.label}: reading the tokens")
    vocabulary = load_vocabulary(files, facts.rows, store, progress)
    table = EmbeddingTable(source, files.revision, facts, vocabulary, files, store)
    if facts.quantised and store.file(*_table_key(files, facts)) is None:
        progress(0.75, f"{source.label}: dequantising the table")
        _ = table.weight
    return table


def _facts(source: TableSource, files: Files, store: Store) -> StoredTable:
    kept = store.read("facts", source.text, files.revision)
    if kept is not None:
        return StoredTable(**kept.facts)
    facts = read_facts(files)
    if files.format != "random":
        store.write("facts", source.text, files.revision, arrays={}, facts=asdict(facts))
    return facts


def _open(files: Files, facts: StoredTable, store: Store) -> "torch.Tensor":
    """The weight; a quantised one is dequantised once and then mapped from the store."""
    if not facts.quantised:
        return open_weight(files, facts)
    key = _table_key(files, facts)
    mapped = _mapped(store.file(*key))
    if mapped is not None:
        return mapped
    weight = open_weight(files, facts)
    mapped = _mapped(store.write(*key, arrays={"weight": weight.numpy()}))
    return weight if mapped is None else mapped


def _mapped(path: "Path | None") -> "torch.Tensor | None":
    """The weight that an entry of the store maps into memory; None where it is gone or damaged."""
    from safetensors import SafetensorError, safe_open

    if path is None:
        return None
    try:
        with safe_open(path, framework="pt") as file:
            weight: torch.Tensor = file.get_tensor("weight")
            whole = int(file.metadata()["crc"]) == checksum([weight.numpy()])
    except (SafetensorError, OSError):
        return None
    return weight if whole else None


def _table_key(files: Files, facts: StoredTable) -> tuple[str, ...]:
    return "table", str(files.path), files.revision, facts.tensor
