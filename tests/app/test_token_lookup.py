"""The token lookup: choosing a token, rotating the space, the calculator, ids instead of text."""

from pathlib import Path

import pytest
import torch
from opened import Opened, open_page
from safetensors.torch import save_file

from embgeo.ui.choices import Choices
from embgeo.ui.links import to_query

pytestmark = pytest.mark.app


def _open(**chosen: object) -> Opened:
    models = chosen.pop("models", ("minilm",))
    return open_page("token_lookup", **to_query(Choices(models=models, **chosen))).works()  # type: ignore[arg-type]


def _strip(opened: Opened) -> list[float]:
    [frames] = [frames for alt, frames in opened.frames.items() if "numbers of the row" in alt]
    return frames["cells"]["value"].tolist()


def test_sentence_becomes_tokens_and_the_chosen_one_a_row() -> None:
    opened = _open()
    assert len(_strip(opened)) == 384
    assert any("banking" in body for body in opened.tables)
    ninth = opened.control("selectbox", "Token").options[8]
    opened.set("selectbox", "Token", ninth).works()
    assert any("kitten" in body for body in opened.tables)
    again = open_page("token_lookup", **opened.query)
    assert again.control("selectbox", "Token").value == ninth


def test_one_row_per_token_is_said_of_both_sentences() -> None:
    opened = _open()
    [body] = [body for body in opened.tables if "Looked up each time" in body]
    assert body.count("the same row") == 2
    assert "equal" in opened.words
    opened.set("text_input", "Another sentence", "nothing here").works()
    opened.set("text_input", "A sentence, or ids such as #123 #5", "a dog").works()
    assert "No token stands twice" in opened.words


def test_rotation_changes_the_strip_and_neither_neighbours_nor_calculator() -> None:
    plain = _open()
    before, near = _strip(plain), [body for body in plain.tables if "banking" in body]
    plain.set("toggle", "Rotate the space", True).works()
    after = _strip(plain)
    assert sum(abs(a - b) > 1e-4 for a, b in zip(before, after, strict=True)) > 370
    assert [body for body in plain.tables if "banking" in body] == near
    assert "rounding" in plain.words
    [body] = [body for body in plain.tables if "At the floor" in body]
    assert "Rotated" in body
    assert open_page("token_lookup", **plain.query).control("toggle", "Rotate the space").value


def test_ids_are_read_as_ids_and_a_table_without_tokenizer_asks_for_them(tmp_path: Path) -> None:
    save_file({"model.embed_tokens.weight": torch.randn(9, 4)}, tmp_path / "model.safetensors")
    opened = _open(models=(str(tmp_path), "minilm"))
    assert "Write ids instead, such as #123 #5." in opened.words
    assert any(alt.startswith("minilm") for alt in opened.charts)
    opened.set("text_input", "A sentence, or ids such as #123 #5", "#3 #5 #3").works()
    assert len(opened.charts) == 2
    assert opened.words.count("Read as ids.") == 2


@pytest.mark.parametrize("text", ["", "   ", "#999999", "\u200b", "é" * 2000])
def test_text_that_makes_no_row_is_told(text: str) -> None:
    opened = _open(sentence=text, other_sentence=text)
    assert opened.charts or opened.app.info


def test_calculator_says_which_text_is_no_token() -> None:
    opened = _open(pair=("cat", "unbelievably so"))
    assert "tokens here" in opened.words
    opened = _open(pair=("#4937", "#3899"))
    assert "cat #4937" in opened.words
    [body] = [body for body in opened.tables if "At the floor" in body]
    assert "0.424" in body


def test_coordinate_is_chosen_and_too_large_a_one_is_the_last() -> None:
    opened = _open(coordinate=5)
    assert "**Coordinate 5** of 0 to 383" in opened.words
    opened.set("number_input", "Coordinate", 5000).works()
    assert "**Coordinate 383** of 0 to 383; there is no 5,000, this is the last" in opened.words


def test_long_sentence_stays_small_and_is_cut_at_sixty() -> None:
    opened = _open(models=("minilm", "smollm2"), sentence="bank river " * 180)
    assert opened.words.count("the first 60 are shown") == 2
    assert opened.payload < 500_000


def test_row_that_is_not_finite_leaves_the_rest(tmp_path: Path) -> None:
    rows = torch.randn(9, 4)
    rows[3] = torch.inf
    save_file({"model.embed_tokens.weight": rows}, tmp_path / "model.safetensors")
    opened = _open(models=(str(tmp_path),), sentence="#3 #4", places=(0,), pair=("#3", "#4"))
    assert "0 × ∞" in opened.words
    assert "not finite" in opened.words


def test_each_model_has_a_token_of_its_own_however_it_is_spelled() -> None:
    opened = _open(models=("random:40X4", "minilm"))
    boxes = [each for each in opened.app.get("selectbox") if each.label == "Token"]
    second = boxes[1].value
    boxes[0].set_value(boxes[0].options[3]).run()
    opened.works()
    boxes = [each for each in opened.app.get("selectbox") if each.label == "Token"]
    assert [each.value for each in boxes] == [boxes[0].options[3], second]
    for box in boxes:  # both before the page has answered
        box.set_value(box.options[2])
    opened.app.run()
    boxes = [each for each in opened.app.get("selectbox") if each.label == "Token"]
    assert [each.value for each in boxes] == [each.options[2] for each in boxes]
