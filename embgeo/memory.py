"""What stays in memory between two looks: counted in bytes, under one budget for all tables.

Everything that is computed from any table goes through one `Memory` for the host, and weights that
were put on a GPU through one for that GPU. Where the sum exceeds the budget, what was used longest
ago leaves first; whoever holds a value keeps it, the next who asks has it computed again.
"""

import sys
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, is_dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from embgeo.settings import settings

if TYPE_CHECKING:
    import torch

Key = tuple[Hashable, ...]
_Value = TypeVar("_Value")

_LEAST = 1024  # what keeping anything costs: keys, locks, and what no size counts


class Memory:
    """Values by key within a budget of bytes; safe for threads.

    Parameters
    ----------
    limit
        Bytes above which the least recently used values leave; the newest one never does.

    Examples
    --------
    >>> import numpy as np
    >>> memory = Memory(limit=5000)
    >>> for name in ("first", "second", "third"):
    ...     _ = memory.remember((name,), lambda: np.zeros(300))
    >>> memory.used, memory.remember(("first",), lambda: "computed again")
    (4800, 'computed again')
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.used = 0
        self._kept: OrderedDict[Key, _Kept] = OrderedDict()
        self._flights: dict[Key, _Flight] = {}
        self._gone: deque[Key] = deque()
        self._lock = threading.Lock()

    def remember(
        self, key: Key, compute: Callable[[], _Value], size: "Callable[[Any], int] | None" = None
    ) -> _Value:
        """The value of `key`, computed once however many threads ask for it.

        Each key has a lock of its own: something quick does not wait for a long pass beside it, and
        `compute` may ask for other keys. An error in it is remembered by nobody.

        Parameters
        ----------
        size
            Bytes of a value; `nbytes` where nothing else is known.
        """
        measure = size or nbytes
        with self._lock:
            self._sweep()
            kept = self._kept.get(key)
            if kept is None:
                flight = self._flights.setdefault(key, _Flight())
                flight.wanted += 1
            else:
                self._kept.move_to_end(key)
        if kept is None:
            kept = self._land(key, flight, compute, measure)
        elif kept.parts != _parts(kept.value):
            self._measure_again(key, kept, measure)
        value: _Value = kept.value
        return value

    def forget(self, prefix: Key) -> None:
        """Let go of every value whose key begins with `prefix`, also where it is being computed."""
        with self._lock:
            self._drop(prefix)
            self._sweep()

    def forget_soon(self, prefix: Key) -> None:
        """As `forget`, without ever waiting: for finalizers, which run wherever a value dies."""
        self._gone.append(prefix)
        if self._lock.acquire(blocking=False):
            try:
                self._sweep()
            finally:
                self._lock.release()

    def _land(
        self,
        key: Key,
        flight: "_Flight",
        compute: Callable[[], Any],
        size: Callable[[Any], int],
    ) -> "_Kept":
        try:
            with flight.lock:
                if flight.landed is None:
                    flight.landed = _kept(compute(), size)
                    self._keep(key, flight, flight.landed)
                return flight.landed
        finally:
            with self._lock:
                flight.wanted -= 1
                if not flight.wanted and self._flights.get(key) is flight:
                    del self._flights[key]

    def _keep(self, key: Key, flight: "_Flight", kept: "_Kept") -> None:
        with self._lock:
            if self._flights.get(key) is flight:  # else forgotten while it was computed
                self._kept[key] = kept
                self.used += kept.size
                self._make_room()

    def _measure_again(self, key: Key, kept: "_Kept", size: Callable[[Any], int]) -> None:
        """Count what a value has worked out of itself since it was kept: its cached properties."""
        now = _kept(kept.value, size)
        with self._lock:
            if self._kept.get(key) is kept:
                self.used += now.size - kept.size
                self._kept[key] = now
                self._make_room()

    def _make_room(self) -> None:
        while self.used > self.limit and len(self._kept) > 1:
            self.used -= self._kept.popitem(last=False)[1].size
            self._sweep()  # with a table goes what was kept for it

    def _sweep(self) -> None:
        while self._gone:  # what is dropped here may end in further finalizers
            self._drop(self._gone.popleft())

    def _drop(self, prefix: Key) -> None:
        for found in (self._kept, self._flights):
            for key in [key for key in found if key[: len(prefix)] == prefix]:
                dropped = found.pop(key)
                self.used -= dropped.size if isinstance(dropped, _Kept) else 0


@dataclass(frozen=True, eq=False)
class _Kept:
    value: Any
    size: int
    parts: int


class _Flight:
    """A computation under way: who else wants its value waits at the lock."""

    def __init__(self) -> None:
        self.lock = threading.RLock()  # a value that asks for itself recurses loudly, not hangs
        self.wanted = 0
        self.landed: _Kept | None = None


def _kept(value: Any, size: Callable[[Any], int]) -> _Kept:
    parts = _parts(value)
    return _Kept(value, max(_LEAST, size(value)), parts)


def _parts(value: object) -> int:
    return len(getattr(value, "__dict__", ()))


def nbytes(value: object) -> int:
    """Bytes of a value and of all it holds, each object once.

    What says so itself (arrays, tensors, frames, a vocabulary) is believed; containers and
    dataclasses are the sum of their parts. A tensor that is a view of a mapped file
    cannot be told from another: whoever opened it gives its size.

    >>> import numpy as np
    >>> nbytes(np.zeros(1000)), nbytes({"a": np.zeros(1000)}) > 8000
    (8000, True)
    """
    return _counted(value, set())


def _counted(value: Any, seen: set[int]) -> int:
    if id(value) in seen:
        return 0
    seen.add(id(value))
    own = getattr(value, "nbytes", None)
    if isinstance(own, int):
        return own
    return sys.getsizeof(value) + sum(_counted(part, seen) for part in _inside(value))


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return [*value.keys(), *value.values()]
    if isinstance(value, tuple | list | set | frozenset):
        return value
    return vars(value).values() if is_dataclass(value) and hasattr(value, "__dict__") else ()


_memories: dict[str, Memory] = {}


def host_memory() -> Memory:
    """The one memory of this process, with the budget that the settings name now."""
    return _memory("host", settings().memory_bytes)


def device_memory(device: "torch.device") -> Memory:
    """The memory of a device: half of what a GPU has, and no more than the host's budget."""
    import torch

    budget = settings().memory_bytes
    if device.type == "cuda":
        budget = min(budget, torch.cuda.get_device_properties(device).total_memory // 2)
    elif device.type == "mps":
        budget = min(budget, torch.mps.recommended_max_memory() // 2)
    return _memory(str(device), budget)


def forget_owner(owner: Hashable) -> None:
    """Let every memory forget what is kept under an owner that is gone."""
    for memory in tuple(_memories.values()):
        memory.forget_soon((owner,))


def _memory(name: str, limit: int) -> Memory:
    memory = _memories.setdefault(name, Memory(limit))
    memory.limit = limit
    return memory
