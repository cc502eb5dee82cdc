"""What a model multiplies a row by before its first layer: knowledge as data.

The stored rows are raw; some models multiply each by √d when it is looked up, others by a factor of
their config. Positions, token types and norms that come after are no part of this.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from embgeo.checkpoints.config import ModelConfig, named
from embgeo.checkpoints.stored import StoredTensor


@dataclass(frozen=True)
class Scale:
    """A factor and the clause that says where it comes from; 1.0 and "" where there is none."""

    factor: float = 1.0
    reason: str = ""


@dataclass(frozen=True)
class Rule:
    """How the models of some families scale.

    Attributes
    ----------
    families
        Values of ``model_type``.
    switch
        The setting that must be true for √d to be applied; "" where it always is.
    factor
        The setting that is the factor itself; "" where the factor is √d.
    default
        What the switch or the factor is where config.json leaves it out.
    rounded
        Type that the factor is rounded to: "stored" for the table's own, "" for none.
    """

    families: frozenset[str]
    switch: str = ""
    factor: str = ""
    default: float | bool = True
    rounded: str = ""


RULES = (
    Rule(
        named(
            """gemma gemma2 gemma3 gemma3_text gemma3n gemma3n_text gemma4 gemma4_text
            gemma4_unified gemma4_unified_text embedding_gemma2 embedding_gemma2_text
            diffusion_gemma diffusion_gemma_text paligemma shieldgemma2 t5gemma t5_gemma_module
            t5gemma2 t5gemma2_encoder t5gemma2_decoder t5gemma2_text vaultgemma"""
        ),
        rounded="stored",
    ),
    Rule(named("recurrent_gemma"), rounded="BF16"),
    Rule(named("ctrl videoprism_text_model")),
    Rule(named("tipsv2_text_model"), switch="scale_sqrt_depth"),
    Rule(named("afmoe"), switch="mup_enabled", default=False),
    Rule(named("big_bird"), switch="rescale_embeddings", default=False),
    Rule(
        named("""bart mbart pegasus blenderbot blenderbot-small marian mvp speecht5 trocr"""),
        switch="scale_embedding",
        default=False,
    ),
    Rule(
        named(
            """bigbird_pegasus biogpt fsmt kosmos_2_text_model kosmos_2_5_text_model m2m_100
            nllb-moe pegasus_x plbart pp_formulanet_text seamless_m4t seamless_m4t_v2
            speech_to_text xglm"""
        ),
        switch="scale_embedding",
    ),
    Rule(
        named(
            """falcon_h1 granite granite4_vision_text granite_swa granitemoe
            granitemoe_swa granitemoehybrid granitemoeshared hyperclovax"""
        ),
        factor="embedding_multiplier",
        default=1.0,
    ),
    Rule(
        named("granite_docling_text"),
        factor="embedding_multiplier",
        default=12.0,
    ),
    Rule(named("hrm_text"), factor="embedding_scale", default=50.0),
    Rule(named("minicpm"), factor="scale_emb", default=1.0),
    Rule(named("minicpm3"), factor="scale_emb", default=12.0, rounded="stored"),
)
"""The families that scale; whatever is not named here does not."""

_LARGEST = 1e9
_GGUF_ROOT = named("gemma gemma2 gemma3 gemma3n gemma4 gemma-embedding afmoe")
_GGUF_FIXED = {"minicpm": 12.0, "minicpm3": 12.0}


def scale_of(config: ModelConfig | None, table: StoredTensor) -> Scale:
    """The factor of a model's input table (rows, dim); d is the table's own width.

    The text tower's family decides, then that of the model around it.
    """
    for tower in config.towers() if config else ():
        family = str(tower.get("model_type"))
        for rule in RULES:
            if family in rule.families:
                return _applied(rule, tower, table)
    return Scale()


def gguf_scale(architecture: str, stated: object, dim: int) -> Scale:
    """The factor in a GGUF model: what the file states, or √d where its family always has it."""
    if factor := _factor(stated):
        return Scale(factor, f"{architecture}.embedding_scale = {factor:g}")
    if architecture in _GGUF_FIXED:
        factor = _GGUF_FIXED[architecture]
        return Scale(factor, f"{architecture} multiplies by {factor:g}")
    if architecture in _GGUF_ROOT:
        return Scale(math.sqrt(dim), f"{architecture} multiplies by √{dim}")
    return Scale()


def _applied(rule: Rule, tower: Mapping[str, Any], table: StoredTensor) -> Scale:
    family, said = tower["model_type"], tower.get(rule.factor or rule.switch)
    if rule.factor:
        factor = _factor(said) or float(rule.default)
        clause = f"{family} multiplies by {rule.factor} = {factor:g}"
        return Scale(factor, clause) if factor != 1 else Scale()
    if not (said if isinstance(said, bool) else rule.default):
        return Scale()
    dtype = table.dtype if rule.rounded == "stored" else rule.rounded
    rounding = f" (rounded to {dtype})" if dtype in {"F16", "BF16"} else ""
    why = f", as {rule.switch} is on" if rule.switch else ""
    factor = _rounded(math.sqrt(table.shape[1]), dtype)
    return Scale(factor, f"{family} multiplies by √{table.shape[1]}{rounding}{why}")


def _factor(said: object) -> float | None:
    """What is said, where rows can be multiplied by it: a positive number, and no absurd one."""
    if isinstance(said, bool) or not isinstance(said, int | float):
        return None
    return float(said) if 0 < said < _LARGEST else None


def _rounded(factor: float, dtype: str) -> float:
    if dtype == "F16":
        return float(np.float16(factor))
    if dtype == "BF16":
        # bfloat16 is the upper half of float32, rounded to the nearest even.
        bits = int(np.float32(factor).view(np.uint32))
        kept = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16
        return float(np.uint32(kept).view(np.float32))
    return float(np.float32(factor)) if dtype else factor
