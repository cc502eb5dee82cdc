"""Static sentence embeddings, of model2vec and of sentence-transformers, from folder to groups."""

import json
from pathlib import Path

import made
import pytest
import spelled
import tiny
import torch

import embgeo
from embgeo.errors import CheckpointError
from embgeo.groups import TokenGroup, resolve
from embgeo.views.group_rows import group_rows

WORDS = ("the", "cat", "dog")
TOKENIZER = spelled.wordpiece(WORDS)
ROWS = made.random_rows(TOKENIZER.get_vocab_size(), 4).float()


def model2vec(folder: Path, **tensors: torch.Tensor) -> Path:
    tiny.config(folder, model_type="model2vec", architectures=["StaticModel"], normalize=True)
    TOKENIZER.save(str(folder / "tokenizer.json"))
    return tiny.safetensors(folder, **tensors)


def sentence_transformers(folder: Path) -> Path:
    inside = tiny.safetensors(folder / "0_StaticEmbedding", embedding__weight=ROWS)
    TOKENIZER.save(str(inside / "tokenizer.json"))
    (folder / "modules.json").write_text(json.dumps([{"path": "0_StaticEmbedding"}]))
    return folder


@pytest.mark.parametrize("kind", ["model2vec", "sentence-transformers"])
def test_a_static_folder_works_end_to_end(kind: str, tmp_path: Path) -> None:
    folder = (
        model2vec(tmp_path, embeddings=ROWS)
        if kind == "model2vec"
        else sentence_transformers(tmp_path)
    )
    table = embgeo.load(str(folder))
    assert table.facts.tensor == {"model2vec": "embeddings"}.get(kind, "embedding.weight")
    assert torch.equal(table.weight, ROWS)
    found = resolve([TokenGroup("words", WORDS)], [table])[0]
    ids = [member.ids[0] for member in found[0].members]
    assert ids == [TOKENIZER.token_to_id(word) for word in WORDS]
    unit = torch.nn.functional.normalize(ROWS[ids].double())
    expected = torch.as_tensor(group_rows(table, found).cosines)
    assert torch.allclose(unit @ unit.T, expected, atol=1e-12)


def test_a_quantised_vocabulary_is_refused(tmp_path: Path) -> None:
    folder = model2vec(
        tmp_path,
        embeddings=ROWS[:5],
        weights=torch.ones(len(ROWS)),
        mapping=torch.arange(len(ROWS)) % 5,
    )
    with pytest.raises(CheckpointError, match=rf"{len(ROWS)} tokens share 5 rows"):
        embgeo.load(str(folder))


def test_weights_of_tokens_leave_the_rows_as_they_are(tmp_path: Path) -> None:
    folder = model2vec(tmp_path, embeddings=ROWS, weights=torch.ones(len(ROWS)))
    assert torch.equal(embgeo.load(str(folder)).weight, ROWS)


def test_integers_are_refused(tmp_path: Path) -> None:
    folder = model2vec(tmp_path, embeddings=(ROWS * 10).to(torch.int8))
    with pytest.raises(CheckpointError, match="I8"):
        embgeo.load(str(folder))
