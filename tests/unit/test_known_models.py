"""The catalogue of known models against figures that were printed apart from this project."""

import csv
import json
from collections import Counter
from pathlib import Path

import pytest
from huggingface_hub.utils import validate_repo_id

from embgeo.sources import parse_source
from embgeo.sources.known import KnownModel, known_models

ROOT = Path(__file__).parents[2]
PRINTED = json.loads((ROOT / "tests/fixtures/printed_sizes.json").read_text(encoding="utf-8"))
BY_NAME = {model.name: model for model in known_models()}
EVERY = pytest.mark.parametrize("model", known_models(), ids=lambda model: model.name)


def test_every_name_and_every_id_is_there_once() -> None:
    assert len(BY_NAME) == len(known_models()) == 85
    ids = Counter(model.hub_id for model in known_models() if model.hub_id)
    assert set(ids.values()) == {1}
    assert set(PRINTED) <= set(BY_NAME)


@pytest.mark.parametrize("name", PRINTED)
def test_printed_figures_are_reproduced(name: str) -> None:
    model, printed = BY_NAME[name], PRINTED[name]
    assert model.parameters is not None
    size = model.table_parameters
    assert f"{size:,}" == printed["table"]
    assert f"{100 * size / model.parameters:.1f}%" == printed["one"]
    assert f"{100 * model.tables * size / model.parameters:.1f}%" == printed["stored"]
    assert float(printed["mib"].removesuffix(" MiB").replace(",", "")) == pytest.approx(
        2 * size / 2**20, abs=0.51
    )


@pytest.mark.parametrize(
    ("name", "total"),
    [
        ("gpt2", 124_439_808),
        ("Llama-2-7b-hf", 6_738_415_616),
        ("Llama-3-8B", 8_030_261_248),
        ("Qwen2.5-0.5B", 494_032_768),
        ("Llama-3.2-1B", 1_235_814_400),
        ("all-MiniLM-L6-v2", 22_713_216),
        ("SmolLM2-135M", 134_515_008),
    ],
)
def test_totals_are_those_of_the_checkpoints(name: str, total: int) -> None:
    assert BY_NAME[name].parameters == total


@EVERY
def test_id_is_one_that_the_hub_and_embgeo_take(model: KnownModel) -> None:
    if model.hub_id:
        validate_repo_id(model.hub_id)
        assert "/" in model.hub_id
        source = parse_source(model.hub_id)
        assert (source.kind, source.text) == ("hub", model.hub_id)


@EVERY
def test_figures_are_possible_and_say_what_they_rest_on(model: KnownModel) -> None:
    assert model.rows > model.dim > 0
    assert model.parameters is None or model.parameters > model.tables * model.table_parameters
    assert model.family
    assert model.evidence
    assert ("class default, not read" in model.note) == model.tie_assumed
    assert not (model.tie_assumed and model.tied is None)


def test_weights_that_are_not_public_have_no_id() -> None:
    assert {model.name for model in known_models() if not model.hub_id} == {
        "GPT-3 175B",
        "llama-7b",
    }


def test_tables_without_a_flag_count_once() -> None:
    counted = {(model.tied, model.tables) for model in known_models()}
    assert counted == {(True, 1), (False, 2), (None, 1)}


def test_list_has_no_blanks_that_a_reader_would_trip_over() -> None:
    file = ROOT / "embgeo/sources/known_models.csv"
    with file.open(encoding="utf-8", newline="") as lines:
        cells = [cell for row in csv.reader(lines) for cell in row]
    assert all(cell == cell.strip() for cell in cells)
