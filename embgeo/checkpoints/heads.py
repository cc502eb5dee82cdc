"""Which model classes share their head's weight with their input table: knowledge as data.

transformers declares it, but importing transformers takes seconds; this table answers for the
classes that people mostly meet, and a test holds it against the installed transformers.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class DeclaredHead:
    """What one model class declares.

    Attributes
    ----------
    source
        The parameter that the head shares where it is tied.
    default
        Whether it is tied where config.json leaves ``tie_word_embeddings`` out.
    """

    source: str
    default: bool


@dataclass(frozen=True)
class _Group:
    source: str
    default: bool
    classes: str


_GROUPS = (
    _Group(
        "model.embed_tokens.weight",
        False,
        """ApertusForCausalLM ArceeForCausalLM BambaForCausalLM BitNetForCausalLM
        ChameleonForConditionalGeneration DeepseekV2ForCausalLM DeepseekV3ForCausalLM
        Exaone4ForCausalLM FalconH1ForCausalLM Glm4ForCausalLM Glm4MoeForCausalLM GlmForCausalLM
        GptOssForCausalLM GraniteForCausalLM GraniteMoeForCausalLM GraniteMoeHybridForCausalLM
        GraniteMoeSharedForCausalLM HeliumForCausalLM JambaForCausalLM Llama4ForCausalLM
        LlamaForCausalLM MiniMaxForCausalLM MinistralForCausalLM MistralForCausalLM
        MixtralForCausalLM NemotronForCausalLM Olmo2ForCausalLM Olmo3ForCausalLM OlmoForCausalLM
        OlmoeForCausalLM PersimmonForCausalLM Phi3ForCausalLM Phi4MultimodalForCausalLM
        PhiForCausalLM PhimoeForCausalLM Qwen2ForCausalLM Qwen2MoeForCausalLM Qwen3ForCausalLM
        Qwen3MoeForCausalLM Qwen3NextForCausalLM SeedOssForCausalLM StableLmForCausalLM""",
    ),
    _Group(
        "model.embed_tokens.weight",
        True,
        """Cohere2ForCausalLM CohereForCausalLM Ernie4_5ForCausalLM Gemma2ForCausalLM
        Gemma3ForCausalLM Gemma3nForCausalLM Gemma4ForCausalLM GemmaForCausalLM JetMoeForCausalLM
        Lfm2ForCausalLM MiniCPM3ForCausalLM RecurrentGemmaForCausalLM SmolLM3ForCausalLM
        Starcoder2ForCausalLM VaultGemmaForCausalLM XGLMForCausalLM Zamba2ForCausalLM
        ZambaForCausalLM""",
    ),
    _Group(
        "model.language_model.embed_tokens.weight",
        False,
        """AriaForConditionalGeneration FuyuForCausalLM LlavaForConditionalGeneration
        LlavaNextForConditionalGeneration LlavaOnevisionForConditionalGeneration
        Qwen2VLForConditionalGeneration Qwen2_5_VLForConditionalGeneration
        Qwen3VLForConditionalGeneration Qwen3VLMoeForConditionalGeneration
        Qwen3_5ForConditionalGeneration Qwen3_5MoeForConditionalGeneration""",
    ),
    _Group(
        "model.language_model.embed_tokens.weight",
        True,
        """Gemma3ForConditionalGeneration Gemma3nForConditionalGeneration
        Gemma4ForConditionalGeneration InternVLForConditionalGeneration
        Mistral3ForConditionalGeneration PaliGemmaForConditionalGeneration""",
    ),
    _Group(
        "model.text_model.embed_tokens.weight",
        False,
        """Idefics2ForConditionalGeneration Idefics3ForConditionalGeneration
        SmolVLMForConditionalGeneration""",
    ),
    _Group(
        "model.decoder.embed_tokens.weight",
        True,
        """BartForCausalLM MBartForCausalLM MarianMTModel OPTForCausalLM TrOCRForCausalLM
        WhisperForConditionalGeneration T5GemmaForConditionalGeneration""",
    ),
    _Group(
        "model.shared.weight",
        True,
        """BartForConditionalGeneration BlenderbotForConditionalGeneration
        BlenderbotSmallForConditionalGeneration M2M100ForConditionalGeneration
        MBartForConditionalGeneration MvpForConditionalGeneration NllbMoeForConditionalGeneration
        PLBartForConditionalGeneration PegasusForConditionalGeneration
        PegasusXForConditionalGeneration""",
    ),
    _Group(
        "shared.weight",
        True,
        """LongT5ForConditionalGeneration MT5ForConditionalGeneration
        SwitchTransformersForConditionalGeneration T5ForConditionalGeneration
        UMT5ForConditionalGeneration""",
    ),
    _Group("led.shared.weight", True, "LEDForConditionalGeneration"),
    _Group(
        "transformer.wte.weight",
        True,
        "GPT2LMHeadModel GPTBigCodeForCausalLM GPTNeoForCausalLM MptForCausalLM",
    ),
    _Group("transformer.wte.weight", False, "CodeGenForCausalLM DbrxForCausalLM GPTJForCausalLM"),
    _Group("transformer.word_embeddings.weight", True, "BloomForCausalLM FalconForCausalLM"),
    _Group("transformer.tokens_embed.weight", True, "OpenAIGPTLMHeadModel"),
    _Group("transformer.w.weight", True, "CTRLLMHeadModel"),
    _Group("transformer.word_embedding.weight", True, "XLNetLMHeadModel"),
    _Group("transformer.embeddings.weight", True, "FlaubertWithLMHeadModel XLMWithLMHeadModel"),
    _Group("gpt_neox.embed_in.weight", False, "GPTNeoXForCausalLM"),
    _Group("backbone.embeddings.weight", True, "FalconMambaForCausalLM MambaForCausalLM"),
    _Group("backbone.embeddings.weight", False, "Mamba2ForCausalLM"),
    _Group("rwkv.embeddings.weight", False, "RwkvForCausalLM"),
    _Group("biogpt.embed_tokens.weight", True, "BioGptForCausalLM"),
    _Group(
        "bert.embeddings.word_embeddings.weight",
        True,
        """BertForMaskedLM BertForPreTraining BertLMHeadModel BigBirdForMaskedLM
        BigBirdForPreTraining""",
    ),
    _Group(
        "roberta.embeddings.word_embeddings.weight",
        True,
        """CamembertForMaskedLM RobertaForCausalLM RobertaForMaskedLM XLMRobertaForMaskedLM
        XLMRobertaXLForMaskedLM XmodForMaskedLM""",
    ),
    _Group("distilbert.embeddings.word_embeddings.weight", True, "DistilBertForMaskedLM"),
    _Group(
        "albert.embeddings.word_embeddings.weight", True, "AlbertForMaskedLM AlbertForPreTraining"
    ),
    _Group(
        "electra.embeddings.word_embeddings.weight", True, "ElectraForCausalLM ElectraForMaskedLM"
    ),
    _Group(
        "deberta.embeddings.word_embeddings.weight", True, "DebertaForMaskedLM DebertaV2ForMaskedLM"
    ),
    _Group("longformer.embeddings.word_embeddings.weight", True, "LongformerForMaskedLM"),
    _Group("mpnet.embeddings.word_embeddings.weight", True, "MPNetForMaskedLM"),
    _Group("funnel.embeddings.word_embeddings.weight", True, "FunnelForMaskedLM"),
    _Group("model.embeddings.tok_embeddings.weight", True, "ModernBertForMaskedLM"),
)

HEADS: Mapping[str, DeclaredHead] = {
    name: DeclaredHead(group.source, group.default)
    for group in _GROUPS
    for name in group.classes.split()
}
"""What is declared by the class of each name."""
