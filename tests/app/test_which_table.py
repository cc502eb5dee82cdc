"""One checkpoint, several ways to read it: another of its tables, as fed, as it is by now."""

import json
from pathlib import Path

import pytest
import repositories
import torch
from opened import Opened, open_page
from repositories import Made
from stand_in import StandIn
from words import DIM, WORDS, checkpoint

import embgeo

pytestmark = pytest.mark.app

ID = "owner/name"
ROWS = 20_000
INPUT, OUTPUT = "model.embed_tokens.weight", "lm_head.weight"


@pytest.fixture
def untied(hub: StandIn, tmp_path: Path) -> Made:
    found = repositories.llama(tmp_path / "made", rows=ROWS, tied=False)
    hub.add(ID, found.folder)
    return found


def numbers(opened: Opened) -> dict[str, str]:
    """The headline numbers of the one card."""
    return {each.label: each.value for each in opened.app.metric}


def tokens(opened: Opened) -> list[float]:
    """The norm of every marked token, as it is drawn."""
    drawn = [
        frames["tokens"]
        for alt, frames in opened.frames.items()
        if "tokens" in frames and "reference" not in alt and "candidates" not in alt
    ]
    return [norm for frame in drawn for norm in frame["x"]]


def facts(opened: Opened) -> str:
    return "".join(opened.tables)


@pytest.mark.parametrize("link", [ID, f"{ID}@main"])
def test_the_output_table_is_fetched_only_when_a_person_turns_to_it(
    link: str, hub: StandIn, untied: Made
) -> None:
    opened = open_page("overview", models=link)
    opened.press(opened.offer).works()
    first = numbers(opened)
    box = opened.control("selectbox", "Compared table")
    assert (box.value, sorted(box.options)) == (INPUT, sorted([INPUT, OUTPUT]))
    assert f"{INPUT} in model.safetensors" in facts(opened)
    assert "untied: its own numbers" in facts(opened)
    hub.clear()
    opened.set("selectbox", "Compared table", OUTPUT).works()
    assert opened.query["models"] == f"{ID}%23{OUTPUT}"
    assert opened.offer == "Read 2.56 MB"
    assert hub.bytes_sent() < 1000  # a row of each, to see whether they differ
    hub.clear()
    opened.press(opened.offer).works()
    assert hub.bytes_sent() == untied.table_bytes
    assert f"{OUTPUT} in model.safetensors" in facts(opened)
    assert numbers(opened) != first
    hub.clear()
    opened.set("selectbox", "Compared table", INPUT).works()
    assert numbers(opened) == first
    assert opened.control("selectbox", "Compared table").value == INPUT
    assert opened.query["models"] == ID
    assert hub.requests == ()


def test_a_model_with_one_table_offers_no_choice() -> None:
    opened = open_page("overview", models="minilm").works()
    assert "Compared table" not in [each.label for each in opened.app.selectbox]


@pytest.mark.parametrize("spelling", ["{0}", "{0}/../{1}"])
def test_another_table_of_a_folder_takes_the_place_of_the_first(
    spelling: str, hub: StandIn, tmp_path: Path
) -> None:
    made = repositories.llama(tmp_path / "made", tied=False)
    opened = open_page("overview", models=f"minilm,{spelling.format(made.folder, 'made')}").works()
    before = opened.frames
    opened.set("selectbox", "Compared table", OUTPUT).works()
    assert opened.models == ["minilm", f"{made.folder}#{OUTPUT}"]
    alts = [alt for alt in opened.frames if alt.startswith("made")]
    assert alts
    assert not set(alts) & set(before)
    again = open_page("norms", **opened.query).works()
    assert again.models == opened.models
    assert any(alt.startswith(f"made#{OUTPUT}") for alt in again.charts)


def gemma(folder: Path) -> Path:
    checkpoint(folder, WORDS)
    config = {"model_type": "gemma", "vocab_size": len(WORDS) + 1, "hidden_size": DIM}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def test_as_fed_multiplies_lengths_by_the_models_factor_and_leaves_cosines(tmp_path: Path) -> None:
    folder = gemma(tmp_path / "gemma")
    opened = open_page("overview", models=str(folder)).works()
    stored, cells = numbers(opened), opened.frames
    norm = embgeo.load(folder.as_posix()).weight.to(torch.float64).norm(dim=1).mean().item()
    assert float(stored["Mean norm"]) == pytest.approx(norm, rel=0.01)
    assert "× 2, which these lengths are not" in facts(opened)
    assert f"gemma multiplies by √{DIM}" in facts(opened)
    opened.set("toggle", "As fed to the first layer", True).works()
    fed = numbers(opened)
    assert "× 2, which these lengths are<" in facts(opened)
    assert float(fed["Mean norm"]) == pytest.approx(2 * norm, rel=0.01)
    assert {**fed, "Mean norm": ""} == {**stored, "Mean norm": ""}
    [(alt, frames)] = opened.frames.items()
    assert frames["cells"]["mean"].tolist() == pytest.approx(cells[alt]["cells"]["mean"].tolist())
    again = open_page("overview", **opened.query)
    assert numbers(again) == fed
    assert numbers(opened.set("toggle", "As fed to the first layer", False)) == stored


def test_as_fed_doubles_every_length_of_the_norms_page(tmp_path: Path) -> None:
    opened = open_page("norms", models=str(gemma(tmp_path / "gemma")))
    opened.set("toggle", "In medians of each table", False)
    opened.set("toggle", "As fed to the first layer", False)
    before = tokens(opened)
    after = tokens(opened.set("toggle", "As fed to the first layer", True).works())
    assert len(before) == 2 * len(WORDS)  # under the distribution, and by id
    assert after == pytest.approx([2 * norm for norm in before])


def test_as_fed_changes_nothing_where_the_model_has_no_factor() -> None:
    opened = open_page("overview", models="minilm")
    before = numbers(opened)
    assert numbers(opened.set("toggle", "As fed to the first layer", True).works()) == before
    assert "Fed to the first layer" not in facts(opened)


def test_a_newer_commit_is_looked_for_when_a_person_asks(
    hub: StandIn, untied: Made, tmp_path: Path
) -> None:
    opened = open_page("overview", models=ID)
    opened.press(opened.offer).works()
    old = hub.commit(ID)
    opened.press("Look for a newer commit").works()
    assert "main is still at this commit" in opened.words
    hub.add(ID, repositories.llama(tmp_path / "newer", rows=ROWS, seed=9).folder)
    opened.app.run()
    assert old in facts(opened)
    with hub.unreachable():
        opened.press("Look for a newer commit").works()
        assert "cannot be reached" in opened.words
        assert old in facts(opened)
    opened.press("Look for a newer commit").works()
    assert f"at commit {hub.commit(ID)[:7]}" in opened.words
    opened.press(opened.offer).works()
    assert hub.commit(ID) in facts(opened)
    assert old not in facts(opened)


@pytest.mark.parametrize("tensor", [OUTPUT, "no.such.table"])
def test_a_table_that_is_not_read_leads_back_to_the_input_table(
    tensor: str, hub: StandIn, untied: Made
) -> None:
    opened = open_page("overview", models=f"{ID}#{tensor}")
    opened.press("Compare the input table instead").works()
    assert opened.models == [ID]
