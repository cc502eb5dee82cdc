"""Every architecture as transformers builds it: its table, its tie and its scale are read so."""

from pathlib import Path
from typing import Any

import families
import pytest
import torch
from families import FAMILIES, Built, build

from embgeo.checkpoints import StoredTable, open_weight, read_facts
from embgeo.checkpoints.architecture import default_tie, model_class, tied_source
from embgeo.checkpoints.heads import HEADS
from embgeo.checkpoints.scaling import RULES
from embgeo.sources import TableSource, locate

IDS = torch.tensor([[5, 6, 7, 8]])
# What these do between the lookup and their first layer is no product with the row (they join
# neighbours, or need an image or a sound to start), or transformers does not run them so small.
UNMEASURED = {
    "Blip2ForConditionalGeneration",
    "Kosmos2ForConditionalGeneration",
    "MobileBertForMaskedLM",
    "PegasusXForConditionalGeneration",
    "Qwen2_5_VLForConditionalGeneration",
    "Speech2TextForConditionalGeneration",
    "WhisperForConditionalGeneration",
    "XmodForMaskedLM",
    "Zamba2ForCausalLM",
}
SWITCHED = {
    "BartForConditionalGeneration": "scale_embedding",
    "MBartForConditionalGeneration": "scale_embedding",
    "PegasusForConditionalGeneration": "scale_embedding",
    "MarianMTModel": "scale_embedding",
    "BlenderbotForConditionalGeneration": "scale_embedding",
    "BlenderbotSmallForConditionalGeneration": "scale_embedding",
    "MvpForConditionalGeneration": "scale_embedding",
    "TrOCRForCausalLM": "scale_embedding",
    "M2M100ForConditionalGeneration": "scale_embedding",
    "XGLMForCausalLM": "scale_embedding",
    "BioGptForCausalLM": "scale_embedding",
    "PLBartForConditionalGeneration": "scale_embedding",
    "NllbMoeForConditionalGeneration": "scale_embedding",
    "FSMTForConditionalGeneration": "scale_embedding",
    "BigBirdPegasusForConditionalGeneration": "scale_embedding",
    "BigBirdForMaskedLM": "rescale_embeddings",
    "AfmoeForCausalLM": "mup_enabled",
}
MULTIPLIED = {
    "GraniteForCausalLM": "embedding_multiplier",
    "GraniteMoeForCausalLM": "embedding_multiplier",
    "GraniteMoeHybridForCausalLM": "embedding_multiplier",
    "GraniteMoeSharedForCausalLM": "embedding_multiplier",
    "GraniteSWAForCausalLM": "embedding_multiplier",
    "HyperCLOVAXForCausalLM": "embedding_multiplier",
    "FalconH1ForCausalLM": "embedding_multiplier",
    "MiniCPM3ForCausalLM": "scale_emb",
}
# Configurations with such a setting whose models do not use it when they look a token up.
UNUSED = {
    "audioflamingo3_encoder",
    "musicgen_decoder",
    "musicgen_melody_decoder",
    "qwen2_5_omni_audio_encoder",
    "qwen2_audio_encoder",
    "qwen3_asr_encoder",
    "qwen3_omni_moe_audio_encoder",
    "voxtral_encoder",
    "whisper",
}


class _Enough(Exception):
    """The first module after the lookup has been reached."""


def read(folder: Path) -> StoredTable:
    return read_facts(locate(TableSource("local", str(folder))))


def fed(part: Any) -> torch.Tensor:
    """What the first module after the lookup is given for IDS: (rows, dim)."""
    dim = part.get_input_embeddings().weight.shape[1]
    seen: list[torch.Tensor] = []

    def look(module: Any, args: tuple[Any, ...], named: dict[str, Any]) -> None:
        for value in (*args, *named.values()):
            is_rows = torch.is_tensor(value) and value.dim() == 3 and value.is_floating_point()
            if is_rows and value.shape[-1] == dim:
                seen.append(value.detach().clone().reshape(-1, dim))
                raise _Enough

    # A position table is handed the rows only to learn how many there are.
    leaves = [
        module
        for name, module in part.named_modules()
        if not ("position" in name or "rotary" in name or list(module.children()))
    ]
    hooks = [module.register_forward_pre_hook(look, with_kwargs=True) for module in leaves]
    try:
        with torch.no_grad():
            part(input_ids=IDS)
    except _Enough:
        pass
    finally:
        for hook in hooks:
            hook.remove()
    return seen[0]


def measured_scale(built: Built, name: str) -> torch.Tensor:
    """How much further the fed rows go when the table is doubled, in units of its rows."""
    part = getattr(built.model, FAMILIES[name].inner) if FAMILIES[name].inner else built.model
    weight = part.get_input_embeddings().weight
    rows = weight.detach()[IDS[0]].clone()
    first = fed(part)
    with torch.no_grad():
        weight.mul_(2)
        second = fed(part)
        weight.div_(2)
    return (second - first) / rows


@pytest.mark.parametrize("name", FAMILIES)
def test_each_architecture(name: str, tmp_path: Path) -> None:
    built = build(name, tmp_path)
    files = locate(TableSource("local", str(tmp_path)))
    facts = read_facts(files)
    weight = open_weight(files, facts)
    assert torch.equal(weight, built.table)
    assert weight.dtype == built.table.dtype
    assert (facts.rows, facts.dim) == tuple(built.table.shape)
    assert facts.tied is built.tied
    if name not in UNMEASURED:
        scale = measured_scale(built, name)
        assert torch.allclose(scale, torch.tensor(facts.scale), rtol=1e-3)
        assert bool(facts.scale_reason) is (facts.scale != 1)


def test_there_are_many() -> None:
    assert len({model_class(name).config_class for name in FAMILIES}) > 100
    assert FAMILIES.keys() > UNMEASURED
    bare = [name for name in FAMILIES if name.endswith("Model") and "Head" not in name]
    assert len(bare) >= 12


@pytest.mark.parametrize("on", [True, False])
@pytest.mark.parametrize(("name", "switch"), SWITCHED.items(), ids=SWITCHED)
def test_a_scale_that_is_switched(name: str, switch: str, on: bool, tmp_path: Path) -> None:
    built = build(name, tmp_path, **{switch: on})
    facts = read(tmp_path)
    assert facts.scale == pytest.approx(built.table.shape[1] ** 0.5 if on else 1)
    assert torch.allclose(measured_scale(built, name), torch.tensor(facts.scale), rtol=1e-3)


@pytest.mark.parametrize(("name", "factor"), MULTIPLIED.items(), ids=MULTIPLIED)
def test_a_scale_that_is_a_setting(name: str, factor: str, tmp_path: Path) -> None:
    built = build(name, tmp_path, **{factor: 7.5})
    facts = read(tmp_path)
    assert (facts.scale, facts.scale_reason) == (
        7.5,
        f"{built.model.config.model_type} multiplies by {factor} = 7.5",
    )
    assert torch.allclose(measured_scale(built, name), torch.tensor(7.5), rtol=1e-3)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_a_root_is_rounded_as_the_model_rounds_it(dtype: torch.dtype, tmp_path: Path) -> None:
    model = families.made("GemmaForCausalLM", hidden_size=46).to(dtype)
    model.save_pretrained(tmp_path)
    facts, embed = read(tmp_path), model.get_input_embeddings()
    assert torch.equal(embed(IDS), embed.weight[IDS] * torch.tensor(facts.scale, dtype=dtype))
    assert torch.tensor(facts.scale, dtype=dtype).item() == facts.scale
    short = {torch.bfloat16: "BF16", torch.float16: "F16"}.get(dtype)
    rounding = f" (rounded to {short})" if short else ""
    assert facts.scale_reason == f"gemma multiplies by √46{rounding}"


def test_recurrent_gemma_rounds_its_root_in_any_type(tmp_path: Path) -> None:
    built = build("RecurrentGemmaForCausalLM", tmp_path, hidden_size=46, lru_width=46)
    assert read(tmp_path).scale == built.model.model.normalizer.item() == 6.78125


def test_the_rules_for_scales_are_those_of_the_configurations() -> None:
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    for rule in RULES:
        setting = rule.switch or rule.factor
        for family in rule.families - {"minicpm"}:  # transformers has no MiniCPM before the third
            assert family in CONFIG_MAPPING
            if setting and family != "hrm_text":  # which derives its default
                assert getattr(CONFIG_MAPPING[family], setting) == rule.default, family
    assert CONFIG_MAPPING["hrm_text"]().embedding_scale == 50


def test_no_configuration_with_a_scale_was_missed() -> None:
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    settings = {rule.switch or rule.factor for rule in RULES} - {""}
    has = {family for family in CONFIG_MAPPING if settings & set(dir(CONFIG_MAPPING[family]))}
    known = frozenset[str]().union(*(rule.families for rule in RULES))
    assert has - known == UNUSED


@pytest.mark.parametrize("name", HEADS)
def test_what_is_known_of_heads_is_what_transformers_declares(name: str) -> None:
    found = model_class(name)
    assert tied_source(found) == HEADS[name].source
    assert default_tie(found) is HEADS[name].default
