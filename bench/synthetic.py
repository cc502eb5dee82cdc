"""A checkpoint of the size of a real model, in Llama's layout, made in seconds."""

import json
from pathlib import Path

import torch
from safetensors.torch import save_file

_DTYPE = torch.bfloat16


def llama(folder: Path, rows: int, dim: int, layers: int) -> Path:
    """Two shards in bfloat16: input table and half the layers, then the rest and an lm_head.

    The input table is random, every row another; all other weights repeat one random block. The
    proportions are those of Llama-3.2-1B, with an unembedding of its own.

    Parameters
    ----------
    rows, dim, layers
        `dim` a multiple of 64.
    """
    folder.mkdir(parents=True, exist_ok=True)
    block = torch.randn(2**22, generator=torch.Generator().manual_seed(0)).mul_(0.02).to(_DTYPE)
    _config(folder, rows, dim, layers)
    half = layers // 2
    shards = [
        {"model.embed_tokens.weight": _table(rows, dim), **_layers(block, dim, range(half))},
        {
            **_layers(block, dim, range(half, layers)),
            "model.norm.weight": torch.ones(dim, dtype=_DTYPE),
            "lm_head.weight": _repeated(block, (rows, dim)),
        },
    ]
    weight_map: dict[str, str] = {}
    for number in range(len(shards)):
        name = f"model-{number + 1:05d}-of-{len(shards):05d}.safetensors"
        weight_map |= dict.fromkeys(shards[number], name)
        save_file(shards[number], folder / name, metadata={"format": "pt"})
        shards[number] = {}
    index = {"metadata": {}, "weight_map": weight_map}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    return folder


def _config(folder: Path, rows: int, dim: int, layers: int) -> None:
    config = {
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "vocab_size": rows,
        "hidden_size": dim,
        "intermediate_size": 4 * dim,
        "num_hidden_layers": layers,
        "num_attention_heads": dim // 64,
        "num_key_value_heads": dim // 64,
        "tie_word_embeddings": False,
        "dtype": "bfloat16",
    }
    (folder / "config.json").write_text(json.dumps(config))


def _table(rows: int, dim: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(1)
    table = torch.empty(rows, dim, dtype=_DTYPE)
    for start in range(0, rows, 4096):
        chunk = table[start : start + 4096]
        # A common direction, so that the cosines have a mean to agree on.
        chunk.copy_(torch.randn(chunk.shape, generator=generator).add_(0.5))
    return table


def _layers(block: torch.Tensor, dim: int, numbers: range) -> dict[str, torch.Tensor]:
    shapes = {
        **{f"self_attn.{name}_proj": (dim, dim) for name in "qkvo"},
        "mlp.gate_proj": (4 * dim, dim),
        "mlp.up_proj": (4 * dim, dim),
        "mlp.down_proj": (dim, 4 * dim),
        "input_layernorm": (dim,),
        "post_attention_layernorm": (dim,),
    }
    return {
        f"model.layers.{number}.{name}.weight": _repeated(block, shape)
        for number in numbers
        for name, shape in shapes.items()
    }


def _repeated(block: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor:
    count = torch.Size(shape).numel()
    return block.repeat(-(-count // len(block)))[:count].clone().view(shape)
