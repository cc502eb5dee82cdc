"""The table is found by name in every known layout, and read as stored."""

from pathlib import Path
from typing import Any

import pytest
import tiny
import torch
from tiny import DIM, ROWS

from embgeo.checkpoints import StoredTable, open_weight, read_facts
from embgeo.checkpoints.layouts import INPUTS, OUTPUTS, input_tables
from embgeo.sources import Files, TableSource, locate, parse_source

LAYOUTS = {
    "gpt2": "wte.weight",
    "gpt2 with head": "transformer.wte.weight",
    "bert": "bert.embeddings.word_embeddings.weight",
    "bert bare": "embeddings.word_embeddings.weight",
    "llama": "model.embed_tokens.weight",
    "llama as Meta stores it": "tok_embeddings.weight",
    "gemma3 multimodal": "model.language_model.embed_tokens.weight",
    "gemma3 multimodal, first names": "language_model.model.embed_tokens.weight",
    "t5": "shared.weight",
    "t5 encoder": "encoder.embed_tokens.weight",
    "bart": "model.shared.weight",
    "opt": "model.decoder.embed_tokens.weight",
    "neox": "gpt_neox.embed_in.weight",
    "bloom": "word_embeddings.weight",
    "falcon": "transformer.word_embeddings.weight",
    "mamba": "backbone.embeddings.weight",
    "mamba first": "backbone.embedding.weight",
    "rwkv first": "emb.weight",
    "modernbert": "model.embeddings.tok_embeddings.weight",
    "clip": "text_model.embeddings.token_embedding.weight",
    "openai-gpt": "transformer.tokens_embed.weight",
    "ctrl": "transformer.w.weight",
    "ctrl bare": "w.weight",
    "xlnet": "transformer.word_embedding.weight",
    "xlm": "transformer.embeddings.weight",
    "model2vec": "embeddings",
    "compiled": "_orig_mod.model.embed_tokens.weight",
    "compiled ctrl": "module._orig_mod.w.weight",
    "peft": "base_model.model.model.embed_tokens.weight",
}
LOOKALIKES = {
    "model.language_model.embed_tokens_per_layer.weight": 3 * ROWS,
    "model.decoder.embed_positions.weight": 2 * ROWS,
    "word_embeddings_layernorm.weight": 1,
    "embeddings.position_embeddings.weight": 2 * ROWS,
    "model.embed_vision.embedding.weight": 3,
    "model.layers.0.self_attn.q_proj.weight": DIM,
    "model.layers.9.weight": 100 * ROWS,
}


def located(path: Path) -> Files:
    return locate(TableSource("local", str(path)))


def facts_of(path: Path) -> StoredTable:
    return read_facts(located(path))


@pytest.mark.parametrize("name", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("has_config", [False, True])
def test_each_layout_is_found_among_its_lookalikes(
    name: str, has_config: bool, tmp_path: Path
) -> None:
    expected = tiny.table()
    others = {other: tiny.table(1, rows) for other, rows in LOOKALIKES.items()}
    tiny.safetensors(tmp_path, **{name: expected}, **others)
    if has_config:
        tiny.config(tmp_path, vocab_size=ROWS)
    files = located(tmp_path)
    facts = read_facts(files)
    assert (facts.tensor, facts.rows, facts.dim) == (name, ROWS, DIM)
    assert (facts.file, facts.dtype, facts.quantised) == ("model.safetensors", "F32", False)
    assert torch.equal(open_weight(files, facts), expected)


def test_layouts_are_named_once() -> None:
    for layouts in (INPUTS, OUTPUTS):
        assert len({layout.name for layout in layouts}) == len(layouts)


@pytest.mark.parametrize(
    ("tables", "vocab_size", "expected"),
    [
        # Multi-token prediction repeats the table inside a layer (deepseek).
        ({"model.layers.61.embed_tokens.weight": 9, "model.embed_tokens.weight": 9}, None, 1),
        # Of two towers the one whose rows fit the vocabulary (qwen omni).
        ({"talker.model.embed_tokens.weight": 99, "thinker.model.embed_tokens.weight": 9}, 9, 1),
        # Of two vocabularies the source's, as get_input_embeddings() says (fsmt).
        ({"model.decoder.embed_tokens.weight": 9, "model.encoder.embed_tokens.weight": 5}, None, 1),
        ({"decoder.embed_tokens.weight": 9, "shared.weight": 9}, 9, 1),
        # A telling name is believed against a stale config, a plain one is not.
        ({"wte.weight": 9}, 500, 0),
        ({"embedding.weight": 9}, 500, None),
        # Padding: a few rows more than the vocabulary.
        ({"qformer.embed_tokens.weight": 9000, "embed_tokens.weight": 1064}, 1000, 1),
    ],
)
def test_which_of_several_tables_is_meant(
    tables: dict[str, int], vocab_size: int | None, expected: int | None
) -> None:
    names = () if expected is None else (list(tables)[expected],)
    assert input_tables(tables, vocab_size) == names


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
def test_the_stored_dtype_stays(dtype: torch.dtype, tmp_path: Path) -> None:
    tiny.safetensors(tmp_path, wte__weight=tiny.table().to(dtype))
    files = located(tmp_path)
    assert open_weight(files, read_facts(files)).dtype == dtype


def test_the_width_is_the_tables_own(tmp_path: Path) -> None:
    tiny.config(tmp_path, architectures=["AlbertModel"], vocab_size=ROWS, hidden_size=768)
    tiny.safetensors(tmp_path, embeddings__word_embeddings__weight=tiny.table(dim=128))
    assert facts_of(tmp_path).dim == 128


def test_padding_rows_stay(tmp_path: Path) -> None:
    tiny.config(tmp_path, model_type="qwen2", vocab_size=ROWS)
    tiny.safetensors(tmp_path, model__embed_tokens__weight=tiny.table(rows=ROWS + 20))
    assert facts_of(tmp_path).rows == ROWS + 20


def test_a_text_tower_gives_the_vocabulary(tmp_path: Path) -> None:
    text = {"vocab_size": ROWS, "model_type": "gemma3_text"}
    tiny.config(tmp_path, model_type="gemma3", text_config=text)
    tables = {"a__embed_tokens__weight": tiny.table(), "b__embed_tokens__weight": tiny.table(1, 99)}
    tiny.safetensors(tmp_path, **tables)
    facts = facts_of(tmp_path)
    assert (facts.tensor, facts.architecture) == ("a.embed_tokens.weight", "gemma3")


def test_only_the_shard_with_the_table_is_opened_for_it(tmp_path: Path) -> None:
    expected = tiny.table()
    first = {"model.layers.0.mlp.weight": tiny.table(1, 5)}
    tiny.sharded(tmp_path, first, {"model.embed_tokens.weight": expected})
    files = located(tmp_path)
    facts = read_facts(files)
    assert facts.file == "model-00002-of-00002.safetensors"
    assert facts.parameters == 5 * DIM + ROWS * DIM
    (tmp_path / "model-00001-of-00002.safetensors").unlink()
    assert torch.equal(open_weight(files, facts), expected)


def test_a_shard_alone_knows_neither_size_nor_tie(tmp_path: Path) -> None:
    tiny.sharded(tmp_path, {"model.embed_tokens.weight": tiny.table()}, {"a": tiny.table()})
    (tmp_path / "model.safetensors.index.json").unlink()
    facts = facts_of(tmp_path / "model-00001-of-00002.safetensors")
    assert (facts.parameters, facts.tied, facts.rows) == (None, None, ROWS)


def test_parameters_count_floats_and_admit_packed_matrices(tmp_path: Path) -> None:
    mask = torch.zeros(1, 512, dtype=torch.int64)
    tiny.safetensors(tmp_path, wte__weight=tiny.table(), h__scale=torch.ones(3), position_ids=mask)
    assert facts_of(tmp_path).parameters == ROWS * DIM + 3
    packed = torch.zeros(8, 2, dtype=torch.int32)
    tiny.safetensors(tmp_path, wte__weight=tiny.table(), h__qweight=packed)
    assert facts_of(tmp_path).parameters is None


def test_a_lone_table_needs_no_known_name(tmp_path: Path) -> None:
    tiny.safetensors(tmp_path, vectors=tiny.table(), bias=torch.ones(3))
    assert facts_of(tmp_path / "model.safetensors").tensor == "vectors"


def test_transformers_knows_names_that_the_layouts_do_not(tmp_path: Path) -> None:
    # CPM-Ant calls its table input_embedding; other matrices of its size are around it.
    from transformers import CpmAntConfig, CpmAntModel

    config = CpmAntConfig(
        vocab_size=ROWS,
        hidden_size=8,
        num_attention_heads=2,
        dim_head=4,
        dim_ff=8,
        num_hidden_layers=1,
        prompt_types=2,
    )
    model: Any = CpmAntModel(config)
    model.save_pretrained(tmp_path)
    files = located(tmp_path)
    facts = read_facts(files)
    expected = model.get_input_embeddings().weight
    assert facts.tensor.endswith("input_embedding.weight")
    assert torch.equal(open_weight(files, facts), expected)


def test_a_random_table_is_the_same_twice_and_small() -> None:
    files = locate(parse_source("random:2000x8"))
    facts = read_facts(files)
    first, second = open_weight(files, facts), open_weight(files, facts)
    assert torch.equal(first, second)
    assert first.shape == (facts.rows, facts.dim) == (2000, 8)
    assert first.std().item() == pytest.approx(0.02, rel=0.03)
    assert (facts.tied, facts.tied_reason) == (None, "generated, no output table")


def test_the_packaged_models_are_read_as_they_are() -> None:
    facts = read_facts(locate(parse_source("minilm")))
    assert (facts.tensor, facts.rows, facts.dim) == (LAYOUTS["bert bare"], 30522, 384)
    assert (facts.dtype, facts.parameters, facts.tied) == ("F32", 22_713_216, None)
    facts = read_facts(locate(parse_source("smollm2")))
    assert (facts.tensor, facts.rows, facts.dim) == ("token_embd.weight", 49152, 576)
    assert (facts.dtype, facts.parameters, facts.tied) == ("Q8_0", 134_515_008, True)
