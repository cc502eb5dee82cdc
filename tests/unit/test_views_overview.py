"""What a model's card says, the record the command line prints, and tables for a spreadsheet."""

import csv
import io
import json
import math
from pathlib import Path

import made
import numpy as np
import pandas as pd
import pytest
import spelled
import tiny
import torch
from made import random_rows

import embgeo
from embgeo.populations import Population
from embgeo.statistics import moments
from embgeo.tables import EmbeddingTable
from embgeo.views.export import csv_bytes, guarded, restored
from embgeo.views.numbers import number
from embgeo.views.overview import facts
from embgeo.views.provenance import provenance
from embgeo.views.records import info_record

RECORD = [
    "source", "rows", "tokens", "dim", "parameters", "dtype", "tied", "padding_rows", "zero_rows",
    "norm_mean", "norm_sd", "mean_cosine", "mean_cosine_sd", "mean_cosine_centred",
    "participation_ratio", "isoscore", "effective_rank",
]  # fmt: skip


def card(table: EmbeddingTable, population: Population = Population()) -> dict[str, str]:
    """A card's lines as "value · note"."""
    lines = facts(table, moments(table, population))
    return {line.label: f"{line.value} · {line.note}" for line in lines}


def test_a_card_of_a_table_with_padding_and_lost_rows(tmp_path: Path) -> None:
    rows = random_rows(300, 4).to(torch.bfloat16)
    rows[5] = 0
    table = made.table(tmp_path, rows, spelled.byte_level())
    said = card(table)
    assert said["Table"] == "300 × 4 · model.embed_tokens.weight in model.safetensors"
    assert said["Parameters"].startswith("1,200")
    assert said["Stored as"] == "BF16 · "
    assert said["Tokens"] == "256 · "
    assert said["Rows counted"] == (
        "255 of 300 · left out: 44 that no token has, 1 without a direction"
    )
    whole = card(table, Population(padding=True))["Rows counted"]
    assert whole == "299 of 300 · left out: 1 without a direction"
    words = card(table, Population(special=False))["Rows counted"]
    assert words.endswith("1 without a direction, special, unused and byte tokens")


def test_a_card_of_other_tables(tmp_path: Path) -> None:
    few = made.table(tmp_path / "few", random_rows(200, 4), spelled.byte_level())
    assert card(few)["Tokens"] == "256 · 56 tokens have no row in this table"
    drawn = card(embgeo.load("random:50x4"))
    assert drawn["Stored as"] == "F32 · generated: normal, σ = 0.02, seed 0"
    assert "Random rows have no tokenizer" in drawn["Tokens"]
    assert drawn["Output table"].startswith("none stored")
    file = tiny.gguf(tmp_path / "q.gguf", {"token_embd.weight:Q8_0": tiny.table(dim=32)})
    packed = card(embgeo.load(str(file)))
    assert packed["Stored as"].startswith("Q8_0 · quantised; dequantised to float32")
    assert packed["Output table"].startswith("tied: the same numbers")


def test_the_record_has_what_was_agreed_and_is_json(tmp_path: Path) -> None:
    for rows in (random_rows(9, 3), torch.zeros(3, 2), torch.full((2, 2), math.nan)):
        record = info_record(made.table(tmp_path / str(len(rows)), rows))
        assert list(record)[: len(RECORD)] == RECORD
        json.dumps(record, allow_nan=False)


def test_the_record_counts_what_the_population_says(tmp_path: Path) -> None:
    rows = random_rows(300, 4)
    table = made.table(tmp_path, rows, spelled.byte_level())
    default, whole = info_record(table), info_record(table, Population(padding=True))
    assert default["padding_rows"] == whole["padding_rows"] == 44
    assert default["norm_mean"] == pytest.approx(float(rows[:256].norm(dim=1).mean()))
    assert whole["norm_mean"] == pytest.approx(float(rows.norm(dim=1).mean()))
    assert whole["provenance"]["population"] == "all rows"


def test_provenance_travels_with_a_table_that_is_exported() -> None:
    about = provenance(embgeo.load("random:20x4"), Population())
    assert about.columns() == {
        "source": "random:20x4", "revision": "seed 0", "transform": "raw",
        "population": "rows that have a token",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("value", "found"), [(None, None), (math.nan, None), (-math.inf, None), (0.5, 0.5)]
)
def test_what_is_no_number_is_none(value: float | None, found: float | None) -> None:
    assert number(value) == found
    assert type(number(np.float64(2))) is float


HOSTILE = [
    "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "'quoted", "''twice", "'", "=", "-",
    'say "hi"', "a,b", "two\nlines", "two\r\nlines", "the", "", " the", "é", "\u200b=1", "שלום",
    "=cmd|' /C calc'!A0", "NULL", "nan", "1e5", "007",
]  # fmt: skip


def test_a_spreadsheet_takes_no_token_for_a_formula_and_every_token_comes_back() -> None:
    frame = pd.DataFrame({"token": HOSTILE, "id": range(len(HOSTILE)), "cosine": -0.5})
    content = csv_bytes(frame, {"source": "=minilm", "transform": "raw"})
    assert content.startswith(b"\xef\xbb\xbf")
    lines = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    assert lines[0] == ["token", "id", "cosine", "source", "transform"]
    assert [restored(line[0]) for line in lines[1:]] == HOSTILE
    assert [line[1] for line in lines[1:]] == [str(each) for each in range(len(HOSTILE))]
    assert {line[2] for line in lines[1:]} == {"-0.5"}  # a number stays one
    assert {line[3] for line in lines[1:]} == {"'=minilm"}
    assert not any(line[0].startswith(tuple("=+-@\t\r\n")) for line in lines[1:])


def test_gaps_and_repeated_labels_are_kept_and_the_frame_stays_as_it_was() -> None:
    frame = pd.DataFrame({"token": ["=a", "=a"], "mean": [None, 1.5], "kept": [True, False]})
    before = frame.copy()
    text = csv_bytes(frame).decode("utf-8-sig")
    assert text.splitlines() == ["token,mean,kept", "'=a,,True", "'=a,1.5,False"]
    pd.testing.assert_frame_equal(frame, before)
    assert csv_bytes(frame.iloc[:0]).decode("utf-8-sig").splitlines() == ["token,mean,kept"]


def test_a_guard_is_put_only_where_it_is_needed() -> None:
    for text in HOSTILE:
        assert (guarded(text) != text) == text.startswith(tuple("=+-@\t\r\n'"))
