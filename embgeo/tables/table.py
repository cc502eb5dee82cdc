"""An embedding table: its weight as it is stored, its tokens, and what is known about it."""

import weakref
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from embgeo.checkpoints import StoredTable
from embgeo.devices import fits_on, working_dtype
from embgeo.errors import CheckpointError, ShapeError
from embgeo.jobs import Progress, silent
from embgeo.memory import device_memory, forget_owner, host_memory, nbytes
from embgeo.sources import Files, TableSource, locate
from embgeo.store import Store
from embgeo.tables.weights import kept_bytes, kept_file, opened
from embgeo.tokens import Vocabulary

if TYPE_CHECKING:
    import numpy as np
    import torch

_Value = TypeVar("_Value")
_CHUNK_NUMBERS = 2**21  # 16 MB in float64: large enough for fast products, small beside a table
_GIB = 2**30


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
    factor
        What every row is multiplied by as it is read; 1.0 for the rows as stored.
    """

    source: TableSource
    revision: str
    facts: StoredTable
    vocabulary: Vocabulary = field(repr=False)
    files: Files = field(repr=False)
    store: Store = field(repr=False)
    factor: float = 1.0
    _owner: object = field(default_factory=object, init=False, repr=False)

    def __post_init__(self) -> None:
        # Two tables of one key may differ in their files, so neither uses what the other remembers;
        # what is remembered for a table goes with it.
        weakref.finalize(self, forget_owner, self._owner).atexit = False

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
        times = "" if self.factor == 1.0 else f" × {self.factor!r}"
        return self.source.text, self.revision, self.facts.tensor + times

    @property
    def as_fed(self) -> "EmbeddingTable":
        """The table as the model's first layer gets it: times the model's own factor, if any."""
        return self if self.facts.scale == self.factor else self._scaled

    @cached_property
    def _scaled(self) -> "EmbeddingTable":
        return replace(self, factor=self.facts.scale)

    @property
    def unembedding(self) -> "EmbeddingTable | None":
        """The output table: this one where they are tied, None where none is known.

        Of a hub model it is fetched now, by a byte range of its own.
        """
        if self.facts.tied or not self.facts.output:
            return self if self.facts.tied else None
        from embgeo.tables.loading import load

        return load(f"{self.source.place}#{self.facts.output}")

    @property
    def weight(self) -> "torch.Tensor":
        """The table (rows, dim) as stored, in its own dtype, memory-mapped; never written to.

        Raises
        ------
        ShapeError, CheckpointError
            If it cannot be mapped and is larger than the memory budget.
        """
        return self.read()

    def read(self, progress: Progress = silent) -> "torch.Tensor":
        """As `weight`, saying how far it is where it must be fetched or parsed first."""

        def found() -> "torch.Tensor":
            if not self._in_file():
                self._refuse_beyond(host_memory().limit)
            return opened(self.files, self.facts, self.store, progress)

        # What is mapped belongs to the system, which takes its pages back when it needs them.
        return host_memory().remember(
            (self._owner, "weight"), found, lambda weight: 0 if self._in_file() else nbytes(weight)
        )

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
        return weight[index].to(torch.float64) * self.factor

    def chunks(
        self,
        doing: str,
        progress: Progress = silent,
        device: "torch.device | None" = None,
    ) -> "Iterator[tuple[slice, torch.Tensor]]":
        """The table once through: consecutive slices of rows and the rows themselves.

        Where a `device` has room for the whole table, it is put there once for this and the
        following passes; else the rows come from the host's memory.
        """
        weight = self._placed(device, progress)
        for rows in self._slices(doing, progress):
            yield rows, self._times(weight[rows])

    def _slices(self, doing: str, progress: Progress) -> Iterator[slice]:
        """Slices of rows, each told and each safe to read in the file."""
        step = max(256, _CHUNK_NUMBERS // self.dim)
        for start in range(0, self.rows, step):
            progress(start / self.rows, f"{self.name}: {doing}, row {start:,} of {self.rows:,}")
            self._still_the_same()
            yield slice(start, min(start + step, self.rows))

    def _times(self, rows: "torch.Tensor") -> "torch.Tensor":
        if self.factor == 1.0:
            return rows
        return rows.to(working_dtype(rows.device)) * self.factor

    def _placed(self, device: "torch.device | None", progress: Progress) -> "torch.Tensor":
        """The weight on the device if it fits there, else where it is."""
        import torch

        weight = self.weight
        if device is None or device.type == "cpu":
            return weight
        memory = device_memory(device)
        if not fits_on(device, weight, memory.limit):
            return weight

        def copied() -> torch.Tensor:
            whole = torch.empty_like(weight, device=device)
            for rows in self._slices(f"copying to {device.type}", progress):
                whole[rows] = weight[rows]
            return whole

        try:
            return memory.remember((self._owner, "weight"), copied)
        except torch.OutOfMemoryError:  # others use the device too
            return weight

    def _still_the_same(self) -> None:
        """Refuse to read on in a file that was changed: what is mapped there may be gone."""
        if self.source.kind == "local" and locate(self.source).revision != self.revision:
            raise CheckpointError(
                f"{self.name} was changed while it was read. Reload the page once it is complete."
            )
        kept = kept_file(self.files, self.facts, self.store)
        if kept is not None and kept.stat().st_size < kept_bytes(self.facts):
            host_memory().forget((self._owner, "weight"))
            raise CheckpointError(
                f"The cached table of {self.name} was cut short. Reload the page: it is made again."
            )

    def _in_file(self) -> bool:
        """Whether the weight is mapped from a file, so that it takes no memory of its own."""
        if self.source.kind == "random":
            return False
        return self.facts.mapped or kept_file(self.files, self.facts, self.store) is not None

    def _refuse_beyond(self, budget: int) -> None:
        """Refuse what would take more memory than all tables may, and can be in no file."""
        size = kept_bytes(self.facts)
        if size <= budget or not (self.source.kind == "random" or self.store.problem):
            return
        takes = (
            f"{self.name} takes {size / _GIB:.3g} GiB in memory; the budget for all tables is "
            f"{budget / _GIB:.3g} GiB."
        )
        if self.source.kind == "random":
            raise ShapeError(f"{takes} Ask for fewer rows, or set EMBGEO_MEMORY_GIB to more.")
        raise CheckpointError(
            f"{takes} Point EMBGEO_CACHE at a folder that can be written, where the dequantised "
            "table then lies instead, or set EMBGEO_MEMORY_GIB to more."
        )

    def remember(self, key: tuple[Hashable, ...], compute: Callable[[], _Value]) -> _Value:
        """The value of `key`, computed once however many threads ask; see `embgeo.memory`."""
        return host_memory().remember((self._owner, *key), compute)
