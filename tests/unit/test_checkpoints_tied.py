"""Tied: decided by stored numbers, then by the architecture, never by a flag alone."""

from pathlib import Path
from typing import Any

import pytest
import tiny
import torch
from tiny import DIM, ROWS

from embgeo.checkpoints import StoredTable, read_facts
from embgeo.sources import TableSource, locate

T, OTHER = tiny.table(), tiny.table(1)
HEADS = {
    "llama": ("model.embed_tokens.weight", "lm_head.weight"),
    "gpt2": ("transformer.wte.weight", "lm_head.weight"),
    "neox": ("gpt_neox.embed_in.weight", "embed_out.weight"),
    "bert": ("bert.embeddings.word_embeddings.weight", "cls.predictions.decoder.weight"),
    "roberta": ("roberta.embeddings.word_embeddings.weight", "lm_head.decoder.weight"),
    "distilbert": ("distilbert.embeddings.word_embeddings.weight", "vocab_projector.weight"),
    "whisper": ("model.decoder.embed_tokens.weight", "proj_out.weight"),
    "modernbert": ("model.embeddings.tok_embeddings.weight", "decoder.weight"),
    "xlnet": ("transformer.word_embedding.weight", "lm_loss.weight"),
    "rwkv": ("emb.weight", "head.weight"),
    "t5": ("shared.weight", "lm_head.weight"),
    "meta": ("tok_embeddings.weight", "output.weight"),
}


def facts_of(folder: Path) -> StoredTable:
    return read_facts(locate(TableSource("local", str(folder))))


@pytest.mark.parametrize(("table", "head"), HEADS.values(), ids=HEADS)
@pytest.mark.parametrize("flag", [True, False, None])
def test_both_stored_are_compared_whatever_the_flag_says(
    table: str, head: str, flag: bool | None, tmp_path: Path
) -> None:
    if flag is not None:
        tiny.config(tmp_path, architectures=["LlamaForCausalLM"], tie_word_embeddings=flag)
    facts = facts_of(tiny.safetensors(tmp_path, **{table: T, head: T}))
    assert (facts.tied, facts.tied_reason) == (True, f"{head} holds the same numbers")
    late = T.clone()
    late[-1, -1] += 1
    facts = facts_of(tiny.safetensors(tmp_path, **{table: T, head: late}))
    assert (facts.tied, facts.tied_reason) == (False, f"{head} holds other numbers")


def test_a_late_difference_in_another_chunk_and_shard_is_found(tmp_path: Path) -> None:
    table = tiny.table(rows=9000)
    head = table.clone()
    head[8999, 0] += 1
    tiny.sharded(tmp_path, {"model.embed_tokens.weight": table}, {"lm_head.weight": head})
    assert facts_of(tmp_path).tied is False


def test_tables_of_other_shapes(tmp_path: Path) -> None:
    longer = torch.cat([T, OTHER[:3]])
    facts = facts_of(tiny.safetensors(tmp_path, wte__weight=longer, lm_head__weight=T))
    assert facts.tied is True and "on the 12 common rows" in facts.tied_reason
    wide = tiny.table(dim=2 * DIM)
    facts = facts_of(tiny.safetensors(tmp_path, wte__weight=T, lm_head__weight=wide))
    assert facts.tied is False and "8 wide" in facts.tied_reason


def test_a_classifier_is_no_output_table(tmp_path: Path) -> None:
    few = tiny.table(rows=200)
    facts = facts_of(tiny.safetensors(tmp_path, wte__weight=T, head__weight=few))
    assert facts.tied is None


@pytest.mark.parametrize(
    ("settings", "tied", "says"),
    [
        ({"architectures": ["LlamaForCausalLM"], "tie_word_embeddings": True}, True, "ties"),
        ({"architectures": ["LlamaForCausalLM"], "tie_word_embeddings": False}, None, "=false"),
        ({"architectures": ["LlamaForCausalLM"]}, None, "does not tie"),
        ({"architectures": ["GPT2LMHeadModel"]}, True, "ties"),
        ({"architectures": ["BertForMaskedLM"]}, True, "ties"),
        ({"architectures": ["T5ForConditionalGeneration"]}, True, "ties"),
        ({"architectures": ["MarianMTModel"]}, True, "ties"),
        (
            {
                "architectures": ["Gemma3ForConditionalGeneration"],
                "text_config": {"tie_word_embeddings": True},
            },
            True,
            "ties",
        ),
        ({"architectures": ["BertModel"], "tie_word_embeddings": True}, None, "=true"),
        ({"architectures": ["LlamaModel"]}, None, "LlamaModel; config leaves"),
        ({"architectures": ["BertForSequenceClassification"]}, None, "declares no tied head"),
        ({"architectures": ["NobodyForCausalLM"]}, None, "does not know NobodyForCausalLM"),
        ({"architectures": ["pipeline"], "tie_word_embeddings": True}, None, "does not know"),
        ({"model_type": "llama", "tie_word_embeddings": True}, None, "no architecture named"),
        (None, None, "no config.json"),
    ],
)
def test_only_the_input_table_is_stored(
    settings: dict[str, Any] | None, tied: bool | None, says: str, tmp_path: Path
) -> None:
    if settings is not None:
        tiny.config(tmp_path, **settings)
    facts = facts_of(tiny.safetensors(tmp_path, shared__weight=T))
    assert facts.tied is tied
    assert facts.tied_reason.startswith("no output table stored")
    assert says in facts.tied_reason


def test_a_head_that_shares_the_decoders_own_table_is_compared_with_that(tmp_path: Path) -> None:
    tiny.config(tmp_path, architectures=["MarianMTModel"], vocab_size=ROWS)
    decoder = {"model.decoder.embed_tokens.weight": OTHER}
    tiny.safetensors(tmp_path, **{"model.encoder.embed_tokens.weight": T}, **decoder)
    facts = facts_of(tmp_path)
    assert (facts.tensor, facts.tied) == ("model.encoder.embed_tokens.weight", False)


def test_tables_that_lack_the_same_numbers_are_the_same(tmp_path: Path) -> None:
    rows = tiny.table()
    rows[5, 2] = float("nan")
    tiny.safetensors(tmp_path, model__embed_tokens__weight=rows, lm_head__weight=rows)
    assert read_facts(locate(TableSource("local", str(tmp_path)))).tied
