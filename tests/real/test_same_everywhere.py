"""A number is the same on the command line and in a notebook, fresh or stored, whole or parts."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import embgeo
from embgeo.groups import DEFAULT, Policy, resolve
from embgeo.memory import host_memory
from embgeo.metrics import cosine
from embgeo.metrics.cosine import cosine_matrix
from embgeo.statistics import moments, spectrum
from embgeo.tables import EmbeddingTable
from embgeo.transforms import named
from embgeo.views.group_rows import group_rows
from embgeo.views.records import groups_record, info_record

pytestmark = pytest.mark.real
ROOT = Path(__file__).parents[2]


def command_line(*arguments: str) -> Any:
    """What `python -m embgeo … --json` prints; NaN would be no JSON and is refused."""
    done = subprocess.run(
        [sys.executable, "-m", "embgeo", *arguments, "--json"],
        cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=120, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout, parse_constant=pytest.fail)


def test_info_on_the_command_line(minilm: EmbeddingTable, smollm2: EmbeddingTable) -> None:
    printed = command_line("info", "smollm2", "minilm")
    assert printed == [info_record(smollm2), info_record(minilm)]


def test_groups_on_the_command_line(
    minilm: EmbeddingTable, smollm2: EmbeddingTable, tmp_path: Path
) -> None:
    wanted = {group.name: list(group.entries) for group in DEFAULT}
    file = tmp_path / "groups.json"
    file.write_text(json.dumps(wanted))
    printed = command_line(
        "groups", "minilm", "smollm2", "--groups", str(file),
        "--spacing", "space", "--pieces", "mean", "--transform", "whitened",
    )  # fmt: skip
    both = [minilm, smollm2]
    expected = []
    for table, groups in zip(both, resolve(DEFAULT, both, Policy("space", "mean")), strict=True):
        rows = group_rows(table, groups, named("whitened", table.dim))
        expected.append(groups_record(groups, rows))
    assert printed == expected
    assert [record["provenance"]["transform"] for record in printed] == ["centre+whiten"] * 2


def test_a_stored_result_is_the_fresh_one(
    fresh_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = info_record(embgeo.load("minilm"))
    assert list(fresh_cache.glob("*.safetensors"))

    def again(*_: object) -> None:
        pytest.fail("computed again, although it is in the store")

    host_memory().forget(("table",))  # as in a new process
    monkeypatch.setattr("embgeo.tables.loading.read_facts", again)
    monkeypatch.setattr(EmbeddingTable, "chunks", again)  # what every pass goes through
    assert info_record(embgeo.load("minilm")) == fresh


def test_a_dequantised_table_is_mapped_from_the_store(
    smollm2: EmbeddingTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    def again(*_: object) -> None:
        pytest.fail("the GGUF file was opened again")

    host_memory().forget(("table",))
    for name in ("loading.read_facts", "weights.open_weight"):
        monkeypatch.setattr(f"embgeo.tables.{name}", again)
    second = embgeo.load("smollm2")
    assert second.weight.dtype == torch.float32
    assert torch.equal(second.weight[::5000], smollm2.weight[::5000])


def test_sums_over_chunks_are_those_of_the_whole(minilm: EmbeddingTable) -> None:
    assert sum(1 for _ in minilm.chunks("counting")) > 1
    assert moments(minilm).mean_cosine == pytest.approx(
        cosine.mean_cosine(minilm.weight), abs=1e-12
    )
    whole = np.cov(minilm.weight.numpy(), rowvar=False, dtype=np.float64)
    assert np.asarray(spectrum(minilm).eigenvalues) == pytest.approx(
        np.linalg.eigvalsh(whole)[::-1], rel=1e-9
    )


def test_rows_that_quantising_made_equal_have_cosine_one(smollm2: EmbeddingTable) -> None:
    for ids in ([12, 14], [8, 10, 13, 15, 16, 36744, 48047], [7, 45175], [5, 9, 11, 36743]):
        assert cosine_matrix(smollm2.take(ids)).min() >= 1 - 1e-12


def test_a_table_is_read_only_to_whoever_has_it(minilm: EmbeddingTable) -> None:
    """It stays what it was after every view of it."""
    before = minilm.weight[:64].clone()
    groups = resolve(DEFAULT, [minilm])[0]
    group_rows(minilm, groups, named("whitened", minilm.dim))
    spectrum(minilm)
    assert torch.equal(minilm.weight[:64], before)
    assert minilm.weight.dtype == torch.float32
