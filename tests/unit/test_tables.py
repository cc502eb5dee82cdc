"""A table as it is stored, read once however many ask, with or without a usable cache."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import made
import pytest
import spelled
import tiny
import torch

import embgeo
from embgeo.errors import CheckpointError, ShapeError, SourceError
from embgeo.memory import host_memory
from embgeo.store import default_store
from embgeo.tables import EmbeddingTable
from embgeo.views.records import info_record

OPEN_WEIGHT = "embgeo.tables.weights.open_weight"


def test_a_random_table_is_an_initialisation_and_always_the_same() -> None:
    table = embgeo.load("random:2000x64")
    assert (table.rows, table.dim, table.name) == (2000, 64, "random:2000x64")
    assert float(table.weight.std()) == pytest.approx(0.02, rel=0.01)
    assert torch.equal(table.weight, embgeo.load("random:2000x64").weight)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_a_table_rests_in_its_stored_type_and_is_taken_in_float64(
    dtype: torch.dtype, tmp_path: Path
) -> None:
    rows = made.random_rows(5, 3).to(dtype)
    table = made.table(tmp_path, rows)
    assert table.weight.dtype == dtype
    assert torch.equal(table.take([3, 0, 3]), rows[[3, 0, 3]].double())
    assert table.take([]).shape == (0, 3)


@pytest.mark.parametrize("ids", [[5], [0, 99], [-1]])
def test_an_id_without_a_row_is_refused(ids: list[int], tmp_path: Path) -> None:
    table = made.table(tmp_path, made.random_rows(5, 3))
    with pytest.raises(ShapeError, match=rf"has rows 0 to 4; found id {ids[-1]}"):
        table.take(ids)


def test_chunks_are_every_row_once_in_order_and_say_how_far(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("embgeo.tables.table._CHUNK_NUMBERS", 1)
    rows = made.random_rows(600, 3)
    table = made.table(tmp_path, rows)
    told: list[tuple[float, str]] = []
    parts = list(table.chunks("counting", lambda fraction, doing: told.append((fraction, doing))))
    assert torch.equal(torch.cat([part for _, part in parts]), rows)
    assert [slot for slot, _ in parts] == [slice(0, 256), slice(256, 512), slice(512, 600)]
    assert [round(fraction, 2) for fraction, _ in told] == [0, 0.43, 0.85]
    assert told[1][1] == f"{table.name}: counting, row 256 of 600"


def test_what_is_remembered_is_computed_once_for_all_threads() -> None:
    table, computed = embgeo.load("random:4x2"), []

    def slow() -> int:
        time.sleep(0.05)
        computed.append(1)
        return 7

    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(table.remember, ("figure",), slow) for _ in range(8)]
        assert [each.result() for each in asked] == [7] * 8
    assert len(computed) == 1


def test_something_quick_does_not_wait_for_something_slow() -> None:
    table, go_on = embgeo.load("random:4x2"), threading.Event()
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(table.remember, ("slow",), lambda: go_on.wait(5))
        assert table.remember(("quick",), lambda: 1) == 1
        assert not slow.done()
        go_on.set()
        assert slow.result() is True


def test_what_failed_is_tried_again() -> None:
    table = replace(embgeo.load("random:4x2"))
    with pytest.raises(ZeroDivisionError):
        table.remember(("figure",), lambda: 1 // 0)
    assert table.remember(("figure",), lambda: 2) == 2


def test_tables_of_one_key_do_not_use_what_the_other_remembers() -> None:
    one = replace(embgeo.load("random:4x2"))
    other = replace(one)
    assert one.key == other.key
    assert one.remember(("figure",), lambda: 1) == 1
    assert other.remember(("figure",), lambda: 2) == 2


def test_a_changed_file_is_another_revision(tmp_path: Path) -> None:
    first = made.table(tmp_path, made.random_rows(5, 3))
    info_record(first)
    second = made.table(tmp_path, made.random_rows(7, 3))
    assert first.revision != second.revision
    assert info_record(second)["rows"] == 7


def anew(file: Path) -> EmbeddingTable:
    """The table as after another start: nothing of it is at hand."""
    host_memory().forget(("table",))
    return embgeo.load(str(file))


def quantised(folder: Path) -> Path:
    return tiny.gguf(folder / "tiny.gguf", {"token_embd.weight:Q8_0": tiny.table(dim=32)})


def test_a_quantised_table_is_dequantised_once(
    fresh_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = quantised(tmp_path)
    first = embgeo.load(str(file)).weight
    assert first.dtype == torch.float32
    monkeypatch.setattr(OPEN_WEIGHT, lambda *_: pytest.fail("dequantised again"))
    assert torch.equal(anew(file).weight, first)


@pytest.mark.parametrize("left", [0, 5, 100])
def test_a_damaged_cached_table_is_made_again(left: int, fresh_cache: Path, tmp_path: Path) -> None:
    file = quantised(tmp_path)
    first = embgeo.load(str(file)).weight.clone()
    (cached,) = fresh_cache.glob("table-*")
    cached.write_bytes(cached.read_bytes()[:left])
    again = anew(file)
    assert torch.equal(again.take(range(again.rows)), first.to(torch.float64))


def test_a_cached_table_with_other_bytes_is_made_again(fresh_cache: Path, tmp_path: Path) -> None:
    file = quantised(tmp_path)
    first = embgeo.load(str(file)).weight.clone()
    (cached,) = fresh_cache.glob("table-*")
    content = bytearray(cached.read_bytes())
    content[-1] ^= 1
    cached.write_bytes(content)
    assert torch.equal(anew(file).weight, first)


def test_a_cached_table_cut_short_while_open_is_not_read_on(
    fresh_cache: Path, tmp_path: Path
) -> None:
    table = embgeo.load(str(quantised(tmp_path)))
    first = table.take([0, 1])
    (cached,) = fresh_cache.glob("table-*")
    cached.write_bytes(cached.read_bytes()[:100])
    with pytest.raises(CheckpointError, match="cut short"):
        table.take([0, 1])
    assert torch.equal(table.take([0, 1]), first)


def test_everything_works_without_a_usable_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "no-folder").write_text("a file is in its place")
    file = quantised(tmp_path)
    expected = info_record(embgeo.load(str(file)))
    monkeypatch.setenv("EMBGEO_CACHE", str(tmp_path / "no-folder"))
    assert info_record(embgeo.load(str(file))) == expected
    assert "cannot be used" in (default_store().problem or "")


def test_a_truncated_file_is_refused_and_the_next_one_opens(tmp_path: Path) -> None:
    good = made.table(tmp_path / "good", made.random_rows(5, 3))
    path = (
        tiny.safetensors(tmp_path / "bad", model__embed_tokens__weight=tiny.table())
        / "model.safetensors"
    )
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(CheckpointError, match=r"model\.safetensors"):
        embgeo.load(str(path.parent))
    assert embgeo.load(good.source).rows == 5


def test_a_source_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="does not exist"):
        embgeo.load(str(tmp_path / "nothing"))


def test_a_tokenizer_with_more_tokens_than_rows_is_no_error(tmp_path: Path) -> None:
    table = made.table(tmp_path, made.random_rows(4, 3), spelled.byte_level())
    assert len(table.vocabulary) == 256
    assert table.classes.shape == (4,)
    assert info_record(table)["padding_rows"] == 0


def test_a_file_that_changes_under_the_table_is_not_read_on(tmp_path: Path) -> None:
    table = made.table(tmp_path, made.random_rows(40, 4))
    table.take([0])
    path = tmp_path / "model.safetensors"
    path.write_bytes(path.read_bytes())
    with pytest.raises(CheckpointError, match="changed while it was read"):
        table.take([0])
    with pytest.raises(CheckpointError, match="changed while it was read"):
        next(table.chunks("a test"))
