"""A tokenizer's vocabulary by id, and its own encoding of a text."""

import json
from pathlib import Path
from typing import Any

import made
import pytest
import spelled
import tiny
import torch
from tokenizers import AddedToken, Tokenizer, models

import embgeo
from embgeo.errors import VocabularyError
from embgeo.tokens import (
    Vocabulary,
    random_vocabulary,
    vocabulary_by_id,
    vocabulary_from_file,
    vocabulary_of,
)
from embgeo.tokens.text import CHARACTER, SPECIAL, START, TEXTLESS


def test_classes_by_row_know_special_ids_and_rows_without_a_token() -> None:
    vocabulary = Vocabulary(
        {0: "Ġtoo", 1: "Ġthe", 4: "x", 9: "beyond"}, "byte-level", frozenset({0})
    )
    assert vocabulary.classes(6).tolist() == [SPECIAL, START, -1, -1, CHARACTER, -1]


def test_text_and_labels_by_id() -> None:
    vocabulary = Vocabulary({0: "Ġ", 1: "Ġthe"}, "byte-level", frozenset({0}))
    assert [vocabulary.text(each) for each in (0, 1, 2)] == ["Ġ", " the", ""]
    assert [vocabulary.label(each) for each in (0, 1, 2)] == ["Ġ", "␣the", "(no token)"]


@pytest.mark.parametrize(
    ("tokenizer", "spelling"),
    [
        (spelled.byte_level([" the"]), "byte-level"),
        (spelled.sentencepiece([" the"]), "sentencepiece"),
        (spelled.wordpiece(["the"]), "wordpiece"),
    ],
)
def test_the_spelling_is_found_from_the_tokenizer(tokenizer: Tokenizer, spelling: str) -> None:
    assert vocabulary_of(tokenizer).spelling == spelling


def test_padding_and_truncation_of_the_file_are_off(tmp_path: Path) -> None:
    tokenizer = spelled.wordpiece(["the"])
    tokenizer.enable_padding(length=128)
    tokenizer.enable_truncation(max_length=3)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    vocabulary = vocabulary_from_file(tmp_path / "tokenizer.json")
    the = tokenizer.token_to_id("the")
    assert vocabulary.encode("the") == [the]
    assert vocabulary.encode("the " * 9) == [the] * 9


def test_special_tokens_are_not_added_and_added_ones_are_counted() -> None:
    tokenizer = spelled.byte_level([" the"])
    size = tokenizer.get_vocab_size()
    tokenizer.add_tokens([AddedToken("<tool>", special=False)])
    tokenizer.add_special_tokens(["<|end|>"])
    vocabulary = vocabulary_of(tokenizer, extra_special=frozenset({3}))
    assert len(vocabulary) == size + 2
    assert vocabulary.special == {3, size + 1}
    assert vocabulary.encode(" the<tool>")[-1] == size


@pytest.mark.parametrize("text", ['{"broken', '{"version": "1.0"}', "[]", "\ufeff"])
def test_a_file_that_is_no_tokenizer_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(VocabularyError, match=r"tokenizer\.json is not a tokenizer file"):
        vocabulary_from_file(path)


def test_without_a_tokenizer_a_table_works_by_id() -> None:
    vocabulary = vocabulary_by_id(3, "There is no tokenizer.")
    assert [vocabulary.label(each) for each in range(4)] == ["#0", "#1", "#2", "(no token)"]
    assert vocabulary.classes(3).tolist() == [TEXTLESS] * 3
    with pytest.raises(VocabularyError, match="There is no tokenizer"):
        vocabulary.encode("the")


def test_a_random_table_gives_each_text_the_same_row_every_time() -> None:
    vocabulary = random_vocabulary(1000)
    found = [vocabulary.encode(word) for word in spelled.WORDS]
    assert found == [random_vocabulary(1000).encode(word) for word in spelled.WORDS]
    assert all(0 <= ids[0] < 1000 for ids in found)
    assert vocabulary.encode("") == []


@pytest.mark.parametrize("broken", ["tokenizer.json", "vocab.json", None])
def test_a_missing_or_broken_tokenizer_never_takes_the_table_down(
    broken: str | None, tmp_path: Path
) -> None:
    if broken:
        (tmp_path / broken).write_text("{")
    table = made.table(tmp_path, torch.ones(4, 2))
    assert (table.rows, len(table.vocabulary)) == (4, 4)
    assert "still works by token id" in table.vocabulary.note


@pytest.mark.parametrize("file", ["tokenizer_config.json", "special_tokens_map.json"])
@pytest.mark.parametrize("setting", ["vocab", "vocab_file", "tokenizer_file", "gguf_file"])
@pytest.mark.usefixtures("fresh_cache")
def test_a_tokenizer_names_no_file_elsewhere(setting: str, file: str, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("[UNK]\nthe password\n")
    model = tiny.config(tmp_path / "model", model_type="bert", vocab_size=tiny.ROWS)
    tiny.safetensors(model, embeddings__word_embeddings__weight=tiny.table())
    (model / "vocab.txt").write_text("[UNK]\nharmless\n[PAD]\n[CLS]\n[SEP]\n[MASK]\n")
    kept = {"tokenizer_class": "BertTokenizer", "do_lower_case": False}
    (model / "tokenizer_config.json").write_text(json.dumps(kept))
    named = {setting: str(tmp_path / "secret.txt"), **kept}
    (model / file).write_text(json.dumps(named))
    vocabulary = embgeo.load(str(model)).vocabulary
    assert vocabulary.entries[1] == "harmless"
    assert "the password" not in {*vocabulary.entries.values(), vocabulary.note}


PANICS = {"type": "Precompiled", "precompiled_charsmap": "AAAA"}


@pytest.mark.parametrize(
    ("changed", "said"),
    [({"normalizer": PANICS}, "Cannot parse"), ({"model": {"vocab": {}}}, "has no token in it")],
)
def test_a_tokenizer_that_is_broken_inside(
    changed: dict[str, Any], said: str, tmp_path: Path
) -> None:
    tokenizer = json.loads(spelled.wordpiece(["the"]).to_str())
    tokenizer["added_tokens"] = []
    for part, values in changed.items():
        tokenizer[part] = {**(tokenizer[part] or {}), **values}
    (tmp_path / "tokenizer.json").write_text(json.dumps(tokenizer))
    with pytest.raises(VocabularyError, match=said):
        vocabulary_from_file(tmp_path / "tokenizer.json")


def test_a_tokenizer_that_panics_over_a_text_is_told(tmp_path: Path) -> None:
    tokenizer = json.loads(spelled.wordpiece(["the"]).to_str())
    tokenizer["pre_tokenizer"] = {"type": "FixedLength", "length": 0}
    (tmp_path / "tokenizer.json").write_text(json.dumps(tokenizer))
    vocabulary = vocabulary_from_file(tmp_path / "tokenizer.json")
    with pytest.raises(VocabularyError, match="cannot encode this"):
        vocabulary.encode("the")


def test_an_added_token_of_a_byte_level_vocabulary_stands_as_it_is() -> None:
    vocabulary = Vocabulary({0: "é", 1: "Ã©"}, "byte-level", literal=frozenset({0}))
    assert (vocabulary.text(0), vocabulary.text(1)) == ("é", "é")


def test_a_text_that_the_tokenizer_cannot_encode_is_told_not_raised_bare() -> None:
    without_unknown = Tokenizer(models.WordPiece({"a": 0}, unk_token="[UNK]"))
    vocabulary = vocabulary_of(without_unknown)
    assert vocabulary.encode("a") == [0]
    with pytest.raises(VocabularyError, match="cannot encode"):
        vocabulary.encode("b")


def test_entries_of_a_list_of_words_are_words() -> None:
    model = models.WordLevel({"<unk>": 0, "cat": 1, "I": 2}, unk_token="<unk>")
    vocabulary = vocabulary_of(Tokenizer(model))
    assert vocabulary.classes(4).tolist() == [SPECIAL, START, CHARACTER, -1]
    few = models.WordLevel({"<unk>": 0, "the": 1, "of": 2, "▁x": 3}, unk_token="<unk>")
    assert vocabulary_of(Tokenizer(few)).classes(3).tolist() == [SPECIAL, START, START]
