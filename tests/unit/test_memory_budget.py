"""One budget of bytes for all that stays in memory: what counts, what leaves, who computes."""

import gc
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import made
import numpy as np
import pandas as pd
import pytest
import spelled
import tiny
import torch

import embgeo
from embgeo import memory as memory_module
from embgeo.devices import fits_on
from embgeo.errors import CheckpointError, ShapeError
from embgeo.memory import Memory, device_memory, host_memory, nbytes
from embgeo.statistics import moments
from embgeo.tables import EmbeddingTable
from embgeo.tokens.vocabulary import random_vocabulary, vocabulary_of
from embgeo.views.records import info_record

ROOT = Path(__file__).parents[2]
KB = 1024
META = torch.device("meta")
OPEN_WEIGHT = "embgeo.tables.weights.open_weight"


def kilobytes(count: int) -> Callable[[], Any]:
    return lambda: np.zeros(count * KB, dtype=np.uint8)


def computed_again(memory: Memory, *key: str) -> bool:
    """Whether a key was not remembered; it is not remembered afterwards either."""
    again: list[str] = []
    memory.remember(key, lambda: again.append("computed"))
    if again:
        memory.forget(key)
    return bool(again)


def test_what_was_used_longest_ago_leaves_first_whoever_it_belongs_to() -> None:
    memory = Memory(limit=40 * KB)
    memory.remember(("one", "norms"), kilobytes(20))
    memory.remember(("other", "norms"), kilobytes(15))
    memory.remember(("one", "norms"), kilobytes(20))  # used again
    memory.remember(("third", "norms"), kilobytes(10))
    assert memory.used == 30 * KB
    assert computed_again(memory, "other", "norms")
    assert not computed_again(memory, "one", "norms")
    assert not computed_again(memory, "third", "norms")


def test_the_newest_value_stays_even_where_it_is_larger_than_the_budget() -> None:
    memory = Memory(limit=10 * KB)
    memory.remember(("small",), kilobytes(5))
    memory.remember(("large",), kilobytes(50))
    assert memory.used == 50 * KB
    assert not computed_again(memory, "large")


def test_small_things_have_a_cost_too() -> None:
    memory = Memory(limit=100 * KB)
    for number in range(1000):
        memory.remember(("flag", number), lambda: True)
    assert memory.used == 100 * KB


def test_a_value_is_computed_once_for_all_threads_even_if_it_leaves_at_once() -> None:
    memory, computed, here = Memory(limit=0), [], threading.Barrier(8)

    def slow() -> int:
        time.sleep(0.05)
        computed.append(1)
        memory.remember(("something newer",), kilobytes(1))
        return 7

    def ask(_: int) -> int:
        here.wait()
        return memory.remember(("figure",), slow)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(8))) == [7] * 8
    assert len(computed) == 1


def test_a_computation_may_ask_for_other_keys_but_not_for_its_own() -> None:
    memory = Memory(limit=100 * KB)
    inner = lambda: memory.remember(("inner",), lambda: 2)  # noqa: E731
    assert memory.remember(("outer",), lambda: inner() + inner()) == 4

    def forever() -> int:
        return memory.remember(("itself",), forever)

    with pytest.raises(RecursionError):
        forever()


def test_an_error_is_remembered_by_nobody() -> None:
    memory, attempts = Memory(limit=100 * KB), []

    def failing() -> None:
        attempts.append(1)
        raise ValueError("damaged")

    for _ in range(2):
        with pytest.raises(ValueError, match="damaged"):
            memory.remember(("figure",), failing)
    assert len(attempts) == 2
    assert (memory.used, memory._flights) == (0, {})


def test_what_is_forgotten_while_it_is_computed_is_not_kept() -> None:
    memory = Memory(limit=100 * KB)
    memory.remember(("one", "a"), kilobytes(5))
    memory.remember(("other", "a"), kilobytes(5))

    def interrupted() -> int:
        memory.forget(("one",))
        return 1

    assert memory.remember(("one", "b"), interrupted) == 1
    assert memory.used == 5 * KB
    assert computed_again(memory, "one", "a")
    assert not computed_again(memory, "other", "a")


def test_forgetting_soon_does_not_wait_for_who_holds_the_memory() -> None:
    memory = Memory(limit=100 * KB)
    memory.remember(("one",), kilobytes(5))
    with memory._lock:  # as where a value's finalizer runs while another value is let go
        memory.forget_soon(("one",))
    assert computed_again(memory, "one")
    memory.remember(("one",), kilobytes(5))
    memory.forget_soon(("one",))
    assert memory.used == 0


@dataclass(frozen=True)
class Worked:
    rows: np.ndarray[Any, Any]

    @cached_property
    def squares(self) -> np.ndarray[Any, Any]:
        return self.rows**2


def test_what_a_value_works_out_later_is_counted_when_it_is_asked_for_again() -> None:
    memory = Memory(limit=100 * KB)
    value = memory.remember(("worked",), lambda: Worked(kilobytes(30)()))
    before = memory.used
    _ = value.squares
    assert memory.remember(("worked",), lambda: value) is value
    assert memory.used == pytest.approx(2 * before, rel=0.05)
    memory.forget(("worked",))
    assert memory.used == 0


def test_sizes_are_those_of_all_that_a_value_holds_each_once() -> None:
    array = np.zeros(1000)
    frame = pd.DataFrame({"token": ["a" * 10_000, "b" * 10_000], "id": [1, 2]})
    assert nbytes(array) == nbytes(torch.zeros(1000, dtype=torch.float64)) == 8000
    assert 20_000 < nbytes(frame) < 25_000
    assert 10_000 < nbytes(frame["token"].iloc[:1].to_frame()) < 15_000
    held = {"rows": Worked(array), "again": [array, (array,)]}
    assert 8000 < nbytes(held) < 9500
    assert 16_000 < nbytes([array, array.copy()]) < 16_200


def test_a_vocabulary_is_estimated_by_its_entries() -> None:
    listed = vocabulary_of(spelled.byte_level())
    assert 100 * len(listed) < listed.nbytes < 600 * len(listed)
    assert nbytes(listed) == listed.nbytes
    assert random_vocabulary(10**6).nbytes == 0


def weighed(table: EmbeddingTable) -> int:
    """What the table's weight adds to the memory of the host."""
    before = host_memory().used
    _ = table.weight
    return host_memory().used - before


def test_a_mapped_weight_takes_next_to_nothing_and_a_generated_one_its_bytes(
    tmp_path: Path, fresh_cache: Path
) -> None:
    mapped = made.table(tmp_path, made.random_rows(1000, 16))
    assert weighed(mapped) == KB
    assert weighed(embgeo.load("random:1000x16")) == 1000 * 16 * 4
    file = tiny.gguf(tmp_path / "q.gguf", {"token_embd.weight:Q8_0": tiny.table(dim=1024)})
    assert (
        weighed(embgeo.load(str(file))) <= KB
    )  # dequantised into the cache, and mapped from there


def test_what_is_remembered_for_a_table_goes_with_it() -> None:
    gc.collect()
    before = host_memory().used
    table = embgeo.load("random:1000x16")
    moments(table)
    assert host_memory().used > before + 1000 * 16 * 4
    del table
    host_memory().forget(("table",))
    gc.collect()
    assert host_memory().used <= before


def test_what_was_kept_for_a_table_leaves_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    host_memory().forget(())
    monkeypatch.setenv("EMBGEO_MEMORY_GIB", str(218_000 / 2**30))
    _ = embgeo.load("random:1000x16").weight
    host_memory().remember(("something newer",), kilobytes(150))  # the table is what is oldest
    assert host_memory().used == 150 * KB


def test_numbers_are_the_same_where_nothing_can_stay(
    monkeypatch: pytest.MonkeyPatch, fresh_cache: Path
) -> None:
    expected = info_record(embgeo.load("random:3000x24"))
    table = embgeo.load("random:3000x24")
    monkeypatch.setenv("EMBGEO_MEMORY_GIB", str(3000 * 24 * 4 / 2**30))
    monkeypatch.setenv("EMBGEO_CACHE", str(fresh_cache / "another"))
    first = table.take(range(3000))
    for _ in range(2):
        assert info_record(table) == expected
        moments(embgeo.load("random:3000x24"))
    assert host_memory().used < 2 * 3000 * 24 * 4
    assert torch.equal(table.take(range(3000)), first)


def test_a_generated_table_beyond_the_budget_is_refused_before_it_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("EMBGEO_MEMORY_GIB", "0.5")
    monkeypatch.setattr(OPEN_WEIGHT, lambda *_: pytest.fail("made all the same"))
    table = embgeo.load("random:400000x512")
    with pytest.raises(
        ShapeError, match=r"0\.763 GiB in memory; .* is 0\.5 GiB\. .* fewer rows.*EMBGEO_MEMORY_GIB"
    ):
        moments(table)


@pytest.mark.parametrize("usable", [True, False])
def test_a_dequantised_table_beyond_the_budget_needs_a_cache_to_lie_in(
    usable: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tiny.gguf(tmp_path / "tiny.gguf", {"token_embd.weight:Q8_0": tiny.table(dim=32)})
    place = tmp_path / "cache"
    if not usable:
        place.write_text("a file is in its place")
    monkeypatch.setenv("EMBGEO_CACHE", str(place))
    monkeypatch.setenv("EMBGEO_MEMORY_GIB", "1e-9")
    if usable:
        assert embgeo.load(str(file)).weight.shape[1] == 32
    else:
        monkeypatch.setattr(OPEN_WEIGHT, lambda *_: pytest.fail("made all the same"))
        with pytest.raises(CheckpointError, match=r"GiB in memory; .* Point EMBGEO_CACHE"):
            embgeo.load(str(file))


def test_a_mapped_table_beyond_the_budget_is_used_from_its_map(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = made.random_rows(500, 8)
    (tmp_path / "no-folder").write_text("a file is in its place")
    monkeypatch.setenv("EMBGEO_CACHE", str(tmp_path / "no-folder"))
    monkeypatch.setenv("EMBGEO_MEMORY_GIB", "1e-9")
    assert torch.equal(made.table(tmp_path / "model", rows).take(range(500)), rows)


def devices(table: EmbeddingTable) -> set[str]:
    return {rows.device.type for _, rows in table.chunks("a test", device=META)}


def test_a_weight_is_put_on_the_device_once_in_its_stored_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_module, "_memories", {})
    table = made.table(tmp_path, made.random_rows(600, 8).bfloat16())
    monkeypatch.setattr("embgeo.tables.table._CHUNK_NUMBERS", 1)
    told: list[str] = []
    parts = list(table.chunks("a test", lambda _, doing: told.append(doing), META))
    assert {(part.device, part.dtype) for _, part in parts} == {(META, torch.bfloat16)}
    assert [slot.stop for slot, _ in parts] == [256, 512, 600]
    assert device_memory(META).used == 600 * 8 * 2
    assert sum("copying to meta" in doing for doing in told) == 3
    list(table.chunks("a test", lambda _, doing: told.append(doing), META))
    assert sum("copying to meta" in doing for doing in told) == 3
    del table, parts
    host_memory().forget(("table",))
    gc.collect()
    assert device_memory(META).used == 0


def test_a_weight_beyond_the_devices_budget_is_read_from_its_map(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = made.table(tmp_path, made.random_rows(600, 8))
    monkeypatch.setenv("EMBGEO_MEMORY_GIB", str(600 * 8 * 8 / 2**30))
    assert devices(table) == {"meta"}
    monkeypatch.setenv("EMBGEO_MEMORY_GIB", str(600 * 8 * 8 / 2**30 - 1e-8))
    assert devices(table) == {"cpu"}


def test_a_device_that_is_full_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise torch.OutOfMemoryError

    monkeypatch.setattr(torch, "empty_like", full)
    assert devices(made.table(tmp_path, made.random_rows(600, 8))) == {"cpu"}


def test_the_budget_of_a_gpu_is_half_of_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass
    class Gpu:
        total_memory: int = 24 * 2**30

    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: Gpu())
    monkeypatch.setattr(torch.mps, "recommended_max_memory", lambda: 10 * 2**30)
    monkeypatch.setenv("EMBGEO_MEMORY_GIB", "100")
    assert device_memory(torch.device("cuda")).limit == 12 * 2**30
    assert device_memory(torch.device("mps")).limit == 5 * 2**30
    monkeypatch.setenv("EMBGEO_MEMORY_GIB", "1")
    assert device_memory(torch.device("cuda")).limit == 2**30


def test_float64_does_not_rest_on_a_device_that_lacks_it() -> None:
    weight = torch.zeros(4, 4, dtype=torch.float64)
    assert not fits_on(torch.device("mps"), weight, 10**6)
    assert fits_on(torch.device("mps"), weight.float(), 10**6)
    assert fits_on(torch.device("cuda"), weight, 10**6)


SWITCHES = """
import embgeo

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096

seen, sizes = [], []
for number in range(20):
    seen.append(embgeo.load(f"random:{160_000 + number}x64"))  # 41 MB; a session still has each
    seen[-1].take([0])
    sizes.append(resident())
print(max(sizes[14:]) / max(sizes[:6]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux how much is resident")
def test_twenty_switches_leave_memory_flat(
    fresh_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBGEO_MEMORY_GIB", "0.11")
    monkeypatch.setenv("EMBGEO_DEVICE", "cpu")
    run = subprocess.run(
        [sys.executable, "-c", SWITCHES], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert float(run.stdout) < 1.15
