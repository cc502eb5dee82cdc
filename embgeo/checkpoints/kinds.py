"""Models that have no table of tokens: what they are is told without opening a weight."""

from collections.abc import Mapping
from typing import Any

from embgeo.checkpoints.config import ModelConfig, named
from embgeo.errors import CheckpointError

_HASHED = frozenset({"canine"})
_BYTES = frozenset({"perceiver", "blt", "evabyte"})
_BYTE_TOKENIZERS = frozenset({"ByT5Tokenizer", "PerceiverTokenizer"})
_VISION = named(
    """beit bit clip_vision_model clipseg_vision_model conditional_detr convnext convnextv2 cvt
    dab-detr data2vec-vision deformable_detr deit depth_anything detr dinat dinov2
    dinov2_with_registers dinov3_convnext dinov3_vit donut-swin dpt efficientnet focalnet glpn hiera
    ijepa imagegpt levit mask2former maskformer mobilenet_v1 mobilenet_v2 mobilevit mobilevitv2
    poolformer pvt pvt_v2 regnet resnet rt_detr sam sam2 segformer siglip_vision_model
    superpoint swiftformer swin swin2sr swinv2 table-transformer timesformer timm_backbone
    timm_wrapper upernet videomae vit vit_mae vit_msn vitdet vivit vjepa2 yolos zoedepth"""
)
_AUDIO = named(
    """audio-spectrogram-transformer dac data2vec-audio encodec hubert mimi parakeet_ctc
    parakeet_encoder sew sew-d univnet unispeech unispeech-sat wav2vec2 wav2vec2-bert
    wav2vec2-conformer wavlm xcodec"""
)
_VISION_SETTINGS = ("image_size", "patch_size", "num_channels")
_TEXT_TOWERS = ("text_config", "llm_config", "language_config", "thinker_config")
_AUDIO_SETTINGS = ("feat_extract_norm", "num_mel_bins", "sampling_rate", "conv_stride")


def check_tokens(config: ModelConfig | None) -> None:
    """Nothing, where a model may have a table with a row for each token.

    Raises
    ------
    CheckpointError
        If it reads characters or bytes, or is a vision or audio model by its family.
    """
    if config is None:
        return
    family, tokenizer = config.model_type or "", str(config.settings.get("tokenizer_class"))
    if family in _HASHED:
        raise CheckpointError(
            f"{family} reads characters through several hash tables: no row belongs to one token. "
            "Choose a model with a vocabulary of tokens."
        )
    if family in _BYTES or tokenizer in _BYTE_TOKENIZERS:
        raise CheckpointError(
            f"{config.architecture or tokenizer} reads bytes: its table has a row for each byte, "
            "none for a token. Choose a model with a vocabulary of tokens."
        )
    if family in _VISION | _AUDIO:
        raise _without_table(config, "a vision" if family in _VISION else "an audio")


def foreign(config: ModelConfig | None) -> CheckpointError | None:
    """The error for a vision or audio model, told by its settings; None where they tell nothing.

    To be asked only where no table was found: models with a text tower have such settings too.
    """
    if config is None or any(name in config.settings for name in _TEXT_TOWERS):
        return None
    parts = [
        config.settings,
        *(part for part in config.settings.values() if isinstance(part, dict)),
    ]
    if _says(parts, _VISION_SETTINGS) and config.vocab_size is None:
        return _without_table(config, "a vision")
    if _says(parts, _AUDIO_SETTINGS):
        return _without_table(config, "an audio")
    return None


def _says(parts: list[Mapping[str, Any]], settings: tuple[str, ...]) -> bool:
    return any(name in part for part in parts for name in settings)


def _without_table(config: ModelConfig, kind: str) -> CheckpointError:
    return CheckpointError(
        f"{config.architecture or 'This'} is {kind} model; it has no token embedding table. "
        "Choose a language model, or one with a text tower."
    )
