"""How big tables are: arithmetic by hand, known and opened tables, what the catalogue bears out."""

import math
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from embgeo.sources.known import known_models
from embgeo.tables import EmbeddingTable, load
from embgeo.views.size_claims import BORDER, claim_frame, falling_families, tie_frame
from embgeo.views.sizes import (
    TIES,
    TableSize,
    known_frame,
    measured_frame,
    measured_size,
    slice_frame,
)


def table(
    folder: Path, rows: int, dim: int, *, untied: bool = False, rest: int = 0
) -> EmbeddingTable:
    folder.mkdir()
    tensors = {"model.embed_tokens.weight": torch.ones(rows, dim)}
    if untied:
        tensors["lm_head.weight"] = torch.zeros(rows, dim)
    if rest:
        tensors["model.norm.weight"] = torch.ones(rest)
    save_file(tensors, folder / "model.safetensors")
    return load(str(folder))


@pytest.mark.parametrize(
    ("size", "parameters", "in_bytes", "share"),
    [
        (TableSize(10, 4), 40, 80, None),
        (TableSize(10, 4, tables=2, total=400, number_bytes=4), 80, 320, 0.2),
        (TableSize(10, 4, total=41, number_bytes=1), 40, 40, 40 / 41),
        (TableSize(10, 4, total=40), 40, 80, None),
        (TableSize(10, 4, total=7), 40, 80, None),
        (TableSize(128_256, 4_096, 2, 8_030_261_248), 1_050_673_152, 2_101_346_304, 0.1308392),
    ],
)
def test_size_is_arithmetic(
    size: TableSize, parameters: int, in_bytes: int, share: float | None
) -> None:
    assert (size.parameters, size.bytes) == (parameters, in_bytes)
    assert size.share == (None if share is None else pytest.approx(share, rel=1e-6))


def test_more_tokens_cost_their_rows_in_every_table() -> None:
    size = TableSize(128_256, 4_096, tables=2, total=8_030_261_248, number_bytes=4)
    more = size.grown(1000)
    assert more.parameters == 8_192_000
    assert more.bytes == 32_768_000
    assert more.share is None
    assert TableSize(129_256, 4_096, 2).parameters == size.parameters + more.parameters


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (TableSize(1, 1), "2 bytes (0.0 MiB)"),
        (TableSize(30_522, 384), "23.4 MB (22.4 MiB)"),
        (TableSize(50_304, 768), "77.3 MB (73.7 MiB)"),
        (TableSize(250_880, 14_336), "7.19 GB (6,860 MiB)"),
    ],
)
def test_bytes_are_told_in_decimal_and_binary(size: TableSize, text: str) -> None:
    assert size.bytes_text == text


def test_known_models_are_one_row_each() -> None:
    frame = known_frame()
    assert frame["name"].tolist() == [model.name for model in known_models()]
    assert set(frame["tied"]) == set(TIES)
    assert set(frame["tables"]) == {1}
    unknown = frame["total"].isna()
    assert unknown.sum() == 14
    assert (frame["share"].isna() == unknown).all()
    assert frame["share"].dropna().between(0.002, 0.52).all()


def test_untied_models_count_twice_when_every_table_does() -> None:
    one, every = known_frame().set_index("name"), known_frame(every_table=True).set_index("name")
    factor = every["parameters"] / one["parameters"]
    assert factor.groupby(one["tied"]).unique().map(list).to_dict() == {
        "none, or not known": [1], "tied": [1], "untied": [2],
    }  # fmt: skip
    assert every.loc["pythia-70m", "share"] == pytest.approx(0.731, abs=5e-4)
    assert every["share"].max() == every.loc["pythia-70m", "share"]


def test_opened_tables_have_the_same_columns_and_their_own_totals(tmp_path: Path) -> None:
    tables = {
        "tied": table(tmp_path / "tied", 10, 4, rest=60),
        "untied": table(tmp_path / "untied", 10, 4, untied=True, rest=20),
        "alone": table(tmp_path / "alone", 10, 4),
        "random": load("random:10x4"),
    }
    frame = measured_frame(tables).set_index("name")
    assert frame["share"].tolist()[:2] == [0.4, 0.4]
    assert math.isnan(frame.loc["alone", "share"])
    assert math.isnan(frame.loc["random", "share"])
    every = measured_frame(tables, every_table=True).set_index("name")
    assert every["share"].tolist()[:2] == [0.4, 0.8]
    assert frame.loc["untied", "evidence"].startswith("measured: model.embed_tokens.weight in")
    assert list(measured_frame({}).columns) == list(measured_frame(tables).columns)
    assert set(frame.reset_index()) == set(known_frame())


def test_slices_of_a_checkpoint_cover_it(tmp_path: Path) -> None:
    untied = slice_frame(table(tmp_path / "untied", 10, 4, untied=True, rest=20))
    assert untied["part"].tolist() == ["input table", "output table", "everything else"]
    assert untied["start"].tolist() == pytest.approx([0, 0.4, 0.8])
    assert untied["end"].tolist() == pytest.approx([0.4, 0.8, 1])
    tied = slice_frame(table(tmp_path / "tied", 10, 4, rest=60))
    assert dict(zip(tied["part"], tied["parameters"], strict=True)) == {
        "input table": 40,
        "everything else": 60,
    }


def test_slice_of_a_table_without_a_model_is_the_whole_bar() -> None:
    alone = slice_frame(load("random:10x4"))
    assert alone.to_dict("records") == [
        {"part": "input table", "parameters": 40, "start": 0.0, "end": 1.0}
    ]


@pytest.mark.real
def test_packaged_models_are_as_large_as_the_catalogue_says() -> None:
    known = known_frame().set_index("name")
    for source, name in (("minilm", "all-MiniLM-L6-v2"), ("smollm2", "SmolLM2-135M")):
        size = measured_size(load(source))
        assert (size.parameters, size.total) == tuple(known.loc[name, ["parameters", "total"]])


def test_small_models_tie_and_large_ones_do_not() -> None:
    small, large = tie_frame().to_dict("records")
    assert (small["tied"], small["untied"]) == (28, 9)
    assert (large["tied"], large["untied"]) == (8, 24)
    assert (small["assumed"], large["assumed"]) == (8, 6)
    counted = sum(row[kind] for row in (small, large) for kind in ("tied", "untied", "unknown"))
    assert counted == 71


def test_border_lies_where_no_model_does() -> None:
    totals = [model.parameters for model in known_models() if model.parameters]
    assert not [total for total in totals if 4.1e9 < total < BORDER]
    assert not [total for total in totals if BORDER <= total < 6.05e9]


def test_share_falls_within_families_whose_vocabulary_stays() -> None:
    falling = falling_families()
    assert set(falling.index[~falling]) == {"BERT", "Mistral"}
    assert {"GPT-2", "Pythia", "Llama 2", "Llama 3", "Qwen2.5", "Qwen3"} <= set(falling.index)
    for family in falling.index[~falling]:
        assert len({model.rows for model in known_models() if model.family == family}) > 1


def test_claims_stand_beside_figures_that_bear_them_out_or_not() -> None:
    frame = claim_frame()
    assert list(frame) == ["claim", "verdict", "measured"]
    said = dict(zip(frame["verdict"], frame["measured"], strict=False))
    untied = said["false as stated"]
    assert "28 tie and 9 do not" in untied
    assert all(name in untied for name in ("Llama-3.2-1B", "Qwen2.5-0.5B", "Qwen3-4B"))
    assert "gpt2" not in untied
    assert said["right, for one table"].startswith("525,336,576, 6.5 %")
    words = " ".join(frame["measured"])
    assert "51.6 % (all-MiniLM-L6-v2) to 0.3 % (Mixtral-8x7B-v0.1)" in words
    assert "131,072,000, 1.9 %" in words
