"""Makes tiny checkpoints on disk: the layouts of real models at a few rows each."""

import json
from pathlib import Path
from typing import Any

import torch
from gguf import GGMLQuantizationType, GGUFWriter
from gguf.quants import quantize
from safetensors.torch import save_file

ROWS, DIM = 12, 4


def table(seed: int = 0, rows: int = ROWS, dim: int = DIM) -> torch.Tensor:
    """A (rows, dim) float32 table, the same for the same seed."""
    return torch.randn(rows, dim, generator=torch.Generator().manual_seed(seed))


def config(folder: Path, **values: Any) -> Path:
    """Writes a config.json and gives the folder back."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(values))
    return folder


def safetensors(folder: Path, **tensors: torch.Tensor) -> Path:
    """Writes model.safetensors; ``__`` in a keyword stands for a dot in the tensor's name."""
    folder.mkdir(parents=True, exist_ok=True)
    named = {name.replace("__", "."): tensor.clone() for name, tensor in tensors.items()}
    save_file(named, folder / "model.safetensors")
    return folder


def sharded(folder: Path, *shards: dict[str, torch.Tensor]) -> Path:
    """Writes one file per shard, and the index that names them."""
    folder.mkdir(parents=True, exist_ok=True)
    weight_map: dict[str, str] = {}
    for number, tensors in enumerate(shards, start=1):
        name = f"model-{number:05d}-of-{len(shards):05d}.safetensors"
        save_file(tensors, folder / name)
        weight_map |= dict.fromkeys(tensors, name)
    index = {"metadata": {}, "weight_map": weight_map}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    return folder


def gguf(
    path: Path,
    tensors: dict[str, torch.Tensor],
    architecture: str = "llama",
    tokens: bool = True,
    scale: float | None = None,
) -> Path:
    """Writes a GGUF file with a vocabulary of three; "name:Q8_0" stores a tensor as Q8_0."""
    writer = GGUFWriter(path, architecture)
    writer.add_name("Tiny")
    if scale is not None:
        writer.add_embedding_scale(scale)
    if tokens:
        writer.add_tokenizer_model("llama")
        writer.add_token_list(["<s>", "▁cat", "<0x0A>"])
        writer.add_token_types([3, 1, 6])
    for key, tensor in tensors.items():
        name, _, kind = key.partition(":")
        dtype = GGMLQuantizationType[kind or "F32"]
        writer.add_tensor(name, quantize(tensor.numpy(), dtype), raw_dtype=dtype)
    return _written(writer, path)


def gguf_blocks(path: Path, tensors: dict[str, Any], kind: GGMLQuantizationType) -> Path:
    """Writes a GGUF file of tensors whose blocks, as bytes, are given."""
    writer = GGUFWriter(path, "llama")
    for name, blocks in tensors.items():
        writer.add_tensor(name, blocks, raw_dtype=kind)
    return _written(writer, path)


def _written(writer: GGUFWriter, path: Path) -> Path:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
