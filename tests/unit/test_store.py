"""The disk cache: whole entries or none, bounded, and never a reason to fail."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from embgeo import store as store_module
from embgeo.store import Store, default_store

ROOT = Path(__file__).parents[2]
ARRAYS = {"norms": np.arange(7.0), "used": np.array([True, False]), "empty": np.empty((0, 3))}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "cache", 10_000_000)


def only_file(store: Store) -> Path:
    (path,) = store.folder.iterdir()
    return path


def test_what_is_written_is_read_back(store: Store) -> None:
    facts = {"rows": 3, "name": "é", "tied": None}
    path = store.write("moments", "minilm", "1", arrays=ARRAYS, facts=facts)
    entry = store.read("moments", "minilm", "1")
    assert entry is not None
    assert entry.facts == facts
    assert set(entry.arrays) == set(ARRAYS)
    for name, array in ARRAYS.items():
        assert entry.arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(entry.arrays[name], array)
    assert path == store.file("moments", "minilm", "1") == only_file(store)
    assert store.problem is None


def test_every_part_of_a_key_counts(store: Store) -> None:
    store.write("moments", "ab", "c", arrays=ARRAYS)
    for key in (
        ("moments", "a", "bc"),
        ("moments", "ab"),
        ("moments", "ab", "c", ""),
        ("spectrum", "ab", "c"),
    ):
        assert store.read(*key) is None
        assert store.file(*key) is None
    assert store.read("moments", "ab", "c") is not None


def test_a_layout_that_is_not_contiguous_is_kept_as_it_looks(store: Store) -> None:
    array = np.arange(12.0).reshape(3, 4).T[::2]
    store.write("x", arrays={"a": array}, facts=1)
    entry = store.read("x")
    assert entry is not None
    np.testing.assert_array_equal(entry.arrays["a"], array)


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(content)


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _foreign(path: Path) -> None:
    from safetensors.numpy import save_file

    save_file({"a": np.zeros(3)}, path)


@pytest.mark.parametrize("damage", [_cut, _flip, _empty, _foreign])
def test_a_damaged_entry_is_none_and_makes_room(store: Store, damage: object) -> None:
    store.write("x", arrays=ARRAYS, facts=1)
    damage(only_file(store))  # type: ignore[operator]
    assert store.read("x") is None
    assert list(store.folder.iterdir()) == []
    assert store.write("x", arrays=ARRAYS, facts=2) is not None
    assert store.problem is None


def test_what_is_interrupted_leaves_the_old_entry_and_nothing_else(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write("x", arrays=ARRAYS, facts={"is": "old"})

    def interrupted(_: object, part: Path, **__: object) -> None:
        part.write_bytes(b"half an en")
        raise KeyboardInterrupt

    monkeypatch.setattr(store_module, "save_file", interrupted)
    with pytest.raises(KeyboardInterrupt):
        store.write("x", arrays=ARRAYS, facts={"is": "new"})
    entry = store.read("x")
    assert entry is not None
    assert entry.facts == {"is": "old"}
    only_file(store)


def test_a_writer_that_is_killed_leaves_no_entry(store: Store) -> None:
    script = """
import os, sys, pathlib, numpy
from embgeo import store
def killed(_, part, **__):
    part.write_bytes(b"half an en"); print("writing", flush=True); os.kill(os.getpid(), 9)
store.save_file = killed
store.Store(pathlib.Path(sys.argv[1]), 10**9).write("x", arrays={"a": numpy.zeros(3)})
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(store.folder)],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, "writing\n")
    assert store.read("x") is None
    assert store.write("x", arrays=ARRAYS, facts=1) is not None
    assert store.read("x") is not None
    (left,) = store.folder.glob("writing-*")  # another process may be writing still
    os.utime(left, (0, time.time() - 7200))
    store.write("y", arrays=ARRAYS)
    assert list(store.folder.glob("writing-*")) == []


def test_what_was_used_longest_ago_leaves_first(tmp_path: Path) -> None:
    store = Store(tmp_path, 3 * 9_000)
    block = {"a": np.zeros(1000)}
    for age, name in enumerate(("third", "second", "first")):
        path = store.write(name, arrays=block)
        assert path is not None
        os.utime(path, (0, time.time() - 100 + age * -100))
    store.read("first")  # used just now, so it stays
    store.write("new", arrays=block)
    kept = [name for name in ("first", "second", "third", "new") if store.read(name)]
    assert kept == ["first", "third", "new"]
    store.write("large", arrays={"a": np.zeros(3300)})
    assert [name for name in (*kept, "large") if store.read(name)] == ["large"]


def test_there_are_never_more_entries_than_can_be_looked_through(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "_MOST_ENTRIES", 3)
    for name in "abcdef":
        store.write(name, arrays={"a": np.zeros(2)})
    assert len(list(store.folder.iterdir())) == 3
    assert store.read("f") is not None


@pytest.mark.parametrize("place", ["a file", "a file above"])
def test_a_folder_that_cannot_be_used_is_said_and_never_raised(place: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("here already")
    folder = tmp_path / "file" if place == "a file" else tmp_path / "file" / "below"
    store = Store(folder, 1000)
    assert store.read("x") is None
    store.problem = None
    assert store.write("x", arrays=ARRAYS) is None
    assert store.file("x") is None
    assert store.problem is not None
    assert store.problem.startswith(f"The cache folder {folder} cannot be used (")
    assert "EMBGEO_CACHE" in store.problem


def test_the_store_is_one_object_for_a_folder(
    fresh_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert default_store() is default_store()
    assert default_store().folder == fresh_cache
    monkeypatch.setenv("EMBGEO_CACHE", str(tmp_path / "another"))
    assert default_store().folder == tmp_path / "another"
