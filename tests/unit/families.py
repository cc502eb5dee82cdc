"""Builds a tiny model of every architecture with transformers: random weights, saved on disk."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import EllipsisType
from typing import Any

import torch

Settings = Mapping[str, Any]

VOCABULARY, WIDTH = 100, 16
_COMMON: Settings = {
    "vocab_size": VOCABULARY,
    "hidden_size": WIDTH,
    "intermediate_size": 32,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "use_cache": False,
}
_TWO_STACKS: Settings = {
    "d_ff": 32,
    "d_kv": 8,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 32,
    "decoder_ffn_dim": 32,
    "ffn_dim": 32,
    "decoder_start_token_id": 2,
    "num_encoder_layers": 1,
    "num_decoder_layers": 1,
    "num_encoder_attention_heads": 2,
    "num_decoder_attention_heads": 2,
}
_EXPERTS: Settings = {
    "num_experts": 2,
    "num_local_experts": 2,
    "n_routed_experts": 2,
    "num_experts_per_tok": 1,
    "moe_intermediate_size": 8,
    "shared_expert_intermediate_size": 8,
}
_VISION: Settings = {
    "hidden_size": WIDTH,
    "intermediate_size": 32,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "image_size": 32,
    "patch_size": 16,
}


@dataclass(frozen=True)
class Family:
    """How one model class is made tiny.

    Attributes
    ----------
    model
        The class.
    settings
        What its config needs beyond the common settings; an ellipsis leaves a common one out.
    base
        Further common settings.
    inner
        The part whose ``get_input_embeddings()`` is the table, where the whole has none.
    """

    model: str
    settings: Mapping[str, Any | EllipsisType] = field(default_factory=dict)
    base: Settings = field(default_factory=dict)
    inner: str = ""


@dataclass(frozen=True)
class Built:
    """A model that was saved: its input table (rows, dim), and whether its head shares it."""

    model: Any
    table: torch.Tensor
    tied: bool | None


def _text(**settings: Any) -> dict[str, Any]:
    return {**_COMMON, **settings}


def _several(names: str, base: Settings | None = None, **settings: Any) -> dict[str, Family]:
    return {name: Family(name, settings, base or {}) for name in names.split()}


FAMILIES: Mapping[str, Family] = {
    **_several(
        """BertModel BertForMaskedLM RobertaModel RobertaForMaskedLM DistilBertForMaskedLM
        DebertaV2ForMaskedLM DebertaForMaskedLM MPNetForMaskedLM EsmForMaskedLM
        ModernBertForMaskedLM CamembertForMaskedLM RoFormerForMaskedLM NomicBertForMaskedLM
        XLMRobertaForMaskedLM LongformerForMaskedLM Data2VecTextForMaskedLM ConvBertForMaskedLM
        IBertForMaskedLM LayoutLMForMaskedLM  NystromformerForMaskedLM
        YosoForMaskedLM MraForMaskedLM FNetForMaskedLM ErnieForMaskedLM
        MegatronBertForMaskedLM RemBertForMaskedLM LukeForMaskedLM XmodForMaskedLM
        XLMRobertaXLForMaskedLM BertLMHeadModel BertForPreTraining TapasForMaskedLM
        EuroBertForMaskedLM""",
        attention_window=[2],
        emb_layer_norm_before=False,
    ),
    **_several("SqueezeBertForMaskedLM", embedding_size=WIDTH),
    **_several(
        "MobileBertForMaskedLM", embedding_size=8, true_hidden_size=8, intra_bottleneck_size=8
    ),
    **_several("BigBirdForMaskedLM", attention_type="original_full"),
    **_several("AlbertModel AlbertForMaskedLM ElectraModel ElectraForMaskedLM", embedding_size=8),
    **_several("FunnelForMaskedLM", num_hidden_layers=..., block_sizes=[1], d_head=8, n_head=2),
    **_several(
        """GPT2Model GPT2LMHeadModel GPTJForCausalLM CodeGenForCausalLM GPTBigCodeForCausalLM
        OpenAIGPTLMHeadModel BloomModel BloomForCausalLM FalconForCausalLM MptForCausalLM
        GPTNeoXForCausalLM GPTNeoXJapaneseForCausalLM CTRLLMHeadModel""",
        rotary_dim=4,
        dff=32,
    ),
    **_several("GPTNeoForCausalLM", attention_types=[[["global"], 1]]),
    **_several(
        """LlamaModel LlamaForCausalLM MistralForCausalLM Qwen2Model Qwen2ForCausalLM
        Qwen3ForCausalLM PhiForCausalLM Phi3ForCausalLM CohereForCausalLM Cohere2ForCausalLM
        GraniteForCausalLM OlmoForCausalLM Olmo2ForCausalLM StableLmForCausalLM
        Starcoder2ForCausalLM NemotronForCausalLM PersimmonForCausalLM Ernie4_5ForCausalLM
        Exaone4ForCausalLM ArceeForCausalLM ApertusForCausalLM SeedOssForCausalLM
        BitNetForCausalLM HunYuanDenseV1ForCausalLM NanoChatForCausalLM DiffLlamaForCausalLM
        HyperCLOVAXForCausalLM GraniteSWAForCausalLM
        SmolLM3ForCausalLM GlmForCausalLM Glm4ForCausalLM HeliumForCausalLM""",
        head_dim=8,
    ),
    **_several(
        """GemmaModel GemmaForCausalLM Gemma2ForCausalLM Gemma3ForCausalLM VaultGemmaForCausalLM
        RecurrentGemmaForCausalLM""",
        head_dim=8,
        lru_width=16,
    ),
    **_several(
        """MixtralForCausalLM Qwen2MoeForCausalLM Qwen3MoeForCausalLM GptOssForCausalLM
        OlmoeForCausalLM PhimoeForCausalLM GraniteMoeForCausalLM
        GraniteMoeSharedForCausalLM JetMoeForCausalLM Qwen3NextForCausalLM AfmoeForCausalLM
        Ernie4_5_MoeForCausalLM Glm4MoeForCausalLM MiniMaxForCausalLM""",
        _EXPERTS,
        head_dim=8,
    ),
    **_several(
        "DeepseekV2ForCausalLM DeepseekV3ForCausalLM",
        _EXPERTS,
        q_lora_rank=8,
        kv_lora_rank=8,
        qk_rope_head_dim=4,
        qk_nope_head_dim=4,
        v_head_dim=4,
        n_group=1,
        topk_group=1,
        first_k_dense_replace=1,
    ),
    **_several("MiniCPM3ForCausalLM", q_lora_rank=8, kv_lora_rank=8, scale_emb=12),
    **_several("MambaForCausalLM FalconMambaForCausalLM", state_size=4),
    **_several("Mamba2ForCausalLM", state_size=4, num_heads=4, head_dim=8, n_groups=1),
    **_several("RwkvForCausalLM", attention_hidden_size=16, num_hidden_layers=2),
    **_several("FalconH1ForCausalLM", mamba_d_ssm=16, mamba_n_heads=2, mamba_d_state=4),
    **_several("BambaForCausalLM", mamba_n_heads=4, mamba_d_head=8, mamba_d_state=4),
    **_several("GraniteMoeHybridForCausalLM", _EXPERTS, mamba_n_heads=4, mamba_d_head=8),
    **_several(
        "Zamba2ForCausalLM",
        layer_types=["hybrid"],
        mamba_d_state=4,
        n_mamba_heads=4,
        mamba_headdim=8,
        mamba_ngroups=1,
    ),
    **_several("JambaForCausalLM", _EXPERTS, mamba_d_state=4),
    **_several("Lfm2ForCausalLM", layer_types=["full_attention"]),
    **_several("XLNetModel XLNetLMHeadModel", max_position_embeddings=..., d_inner=32, d_head=8),
    **_several("XLMWithLMHeadModel FlaubertWithLMHeadModel"),
    **_several("OPTModel OPTForCausalLM", _TWO_STACKS, word_embed_proj_dim=8),
    **_several("XGLMForCausalLM BioGptForCausalLM TrOCRForCausalLM BartForCausalLM", _TWO_STACKS),
    **_several(
        """BartModel BartForConditionalGeneration MBartForConditionalGeneration MarianMTModel
        PegasusForConditionalGeneration PegasusXForConditionalGeneration
        M2M100ForConditionalGeneration BlenderbotForConditionalGeneration
        BlenderbotSmallForConditionalGeneration MvpForConditionalGeneration
        PLBartForConditionalGeneration NllbMoeForConditionalGeneration""",
        {**_TWO_STACKS, **_EXPERTS},
    ),
    **_several("LEDForConditionalGeneration", _TWO_STACKS, attention_window=[2]),
    **_several("BigBirdPegasusForConditionalGeneration", _TWO_STACKS),
    **_several(
        "ProphetNetForConditionalGeneration",
        num_hidden_layers=...,
        num_encoder_layers=1,
        num_decoder_layers=1,
        num_encoder_attention_heads=2,
        num_decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        ngram=1,
    ),
    **_several(
        """T5Model T5EncoderModel T5ForConditionalGeneration MT5ForConditionalGeneration
        UMT5ForConditionalGeneration LongT5ForConditionalGeneration
        SwitchTransformersForConditionalGeneration""",
        {**_TWO_STACKS, **_EXPERTS},
    ),
    **_several(
        "WhisperForConditionalGeneration",
        _TWO_STACKS,
        num_mel_bins=8,
        max_source_positions=8,
        max_target_positions=8,
    ),
    **_several("CLIPTextModel SiglipTextModel", projection_dim=8),
    **_several(
        "FSMTForConditionalGeneration",
        _TWO_STACKS,
        langs=["en", "de"],
        src_vocab_size=100,
        tgt_vocab_size=80,
    ),
    **_several("Speech2TextForConditionalGeneration", _TWO_STACKS),
    **_several(
        "ReformerModelWithLMHead",
        is_decoder=True,
        axial_pos_embds_dim=[8, 8],
        axial_pos_shape=[8, 8],
        attn_layers=["local"],
    ),
    "Llama4ForCausalLM": Family(
        "Llama4ForCausalLM", {"head_dim": 8, "intermediate_size_mlp": 32}, _EXPERTS
    ),
    "T5GemmaForConditionalGeneration": Family(
        "T5GemmaForConditionalGeneration",
        {"encoder": _text(head_dim=8), "decoder": _text(head_dim=8)},
    ),
    "T5Gemma2ForConditionalGeneration": Family(
        "T5Gemma2ForConditionalGeneration",
        {
            "encoder": {"text_config": _text(head_dim=8), "vision_config": {**_VISION}},
            "decoder": _text(head_dim=8),
        },
    ),
    "Mistral3ForConditionalGeneration": Family(
        "Mistral3ForConditionalGeneration",
        {
            "text_config": _text(model_type="mistral"),
            "vision_config": {**_VISION, "model_type": "pixtral"},
        },
    ),
    "InternVLForConditionalGeneration": Family(
        "InternVLForConditionalGeneration",
        {
            "text_config": _text(model_type="qwen2"),
            "vision_config": {**_VISION, "image_size": [32, 32], "patch_size": [16, 16]},
        },
    ),
    "SmolVLMForConditionalGeneration": Family(
        "SmolVLMForConditionalGeneration",
        {"text_config": _text(model_type="llama"), "vision_config": {**_VISION}},
    ),
    "Qwen2_5_VLForConditionalGeneration": Family(
        "Qwen2_5_VLForConditionalGeneration",
        {
            "text_config": _text(),
            "vision_config": {
                "depth": 1,
                "hidden_size": 16,
                "out_hidden_size": 16,
                "num_heads": 2,
                "intermediate_size": 32,
            },
        },
    ),
    "Qwen3VLForConditionalGeneration": Family(
        "Qwen3VLForConditionalGeneration",
        {
            "text_config": _text(),
            "vision_config": {
                "depth": 1,
                "hidden_size": 16,
                "out_hidden_size": 16,
                "num_heads": 2,
                "intermediate_size": 32,
                "num_position_embeddings": 16,
                "deepstack_visual_indexes": [0],
            },
        },
    ),
    "Kosmos2ForConditionalGeneration": Family(
        "Kosmos2ForConditionalGeneration",
        {
            "text_config": _text(embed_dim=16, layers=1, ffn_dim=32, attention_heads=2),
            "vision_config": {**_VISION},
            "latent_query_num": 4,
        },
    ),
    "GitForCausalLM": Family("GitForCausalLM", {"vision_config": {**_VISION}}),
    "BlipForConditionalGeneration": Family(
        "BlipForConditionalGeneration",
        {"text_config": _text(encoder_hidden_size=16), "vision_config": {**_VISION}},
        inner="text_decoder",
    ),
    "Florence2ForConditionalGeneration": Family(
        "Florence2ForConditionalGeneration",
        {"text_config": {**_text(), **_TWO_STACKS, "model_type": "bart"}},
    ),
    "CLIPModel": Family(
        "CLIPModel", {"text_config": _text(), "vision_config": _VISION}, inner="text_model"
    ),
    "LlavaForConditionalGeneration": Family(
        "LlavaForConditionalGeneration",
        {
            "text_config": _text(model_type="llama"),
            "vision_config": {**_VISION, "model_type": "clip_vision_model"},
            "image_token_index": 3,
        },
    ),
    "PaliGemmaForConditionalGeneration": Family(
        "PaliGemmaForConditionalGeneration",
        {
            "text_config": _text(model_type="gemma", head_dim=8),
            "vision_config": {**_VISION, "model_type": "siglip_vision_model"},
        },
    ),
    "Gemma3ForConditionalGeneration": Family(
        "Gemma3ForConditionalGeneration",
        {"text_config": _text(head_dim=8), "vision_config": {**_VISION}},
    ),
    "Idefics3ForConditionalGeneration": Family(
        "Idefics3ForConditionalGeneration",
        {"text_config": _text(model_type="llama"), "vision_config": {**_VISION}},
    ),
    "Qwen2VLForConditionalGeneration": Family(
        "Qwen2VLForConditionalGeneration",
        {
            "text_config": _text(
                rope_parameters={"rope_type": "default", "mrope_section": [1, 1, 2]}
            ),
            "vision_config": {"depth": 1, "embed_dim": 16, "hidden_size": 16, "num_heads": 2},
        },
    ),
    "MllamaForConditionalGeneration": Family(
        "MllamaForConditionalGeneration",
        {
            "text_config": _text(cross_attention_layers=[0], num_hidden_layers=1),
            "vision_config": {**_VISION, "num_global_layers": 1, "attention_heads": 2},
        },
    ),
    "Blip2ForConditionalGeneration": Family(
        "Blip2ForConditionalGeneration",
        {
            "text_config": _text(model_type="opt", ffn_dim=32, word_embed_proj_dim=16),
            "vision_config": {**_VISION},
            "qformer_config": _text(vocab_size=50, encoder_hidden_size=16),
        },
    ),
    **_several(
        "Gemma3nForCausalLM",
        num_hidden_layers=2,
        num_kv_shared_layers=0,
        layer_types=["sliding_attention", "full_attention"],
        intermediate_size=[32, 32],
        activation_sparsity_pattern=[0.0, 0.0],
        hidden_size_per_layer_input=4,
        vocab_size_per_layer_input=100,
        laurel_rank=4,
        head_dim=8,
    ),
    **_several(
        "Gemma4ForCausalLM",
        num_kv_shared_layers=0,
        layer_types=["full_attention"],
        hidden_size_per_layer_input=4,
        vocab_size_per_layer_input=100,
        head_dim=8,
        global_head_dim=8,
    ),
}
"""Tiny models by class name."""


def build(name: str, folder: Path, **settings: Any) -> Built:
    """Saves a tiny model of a class in a folder; `settings` go into its config too."""
    model = made(name, **settings)
    model.save_pretrained(folder)
    part = getattr(model, FAMILIES[name].inner) if FAMILIES[name].inner else model
    table = part.get_input_embeddings().weight
    head = part.get_output_embeddings()
    tied = None if head is None else head.weight is table
    return Built(model, table.detach(), tied)


def made(name: str, **settings: Any) -> Any:
    """A tiny model of a class, the same numbers each time."""
    import transformers

    family = FAMILIES[name]
    known = {**_COMMON, **family.base, **family.settings, **settings}
    kept = {key: value for key, value in known.items() if value is not ...}
    model = getattr(transformers, family.model)
    torch.manual_seed(0)
    return model(model.config_class(**kept)).eval()
