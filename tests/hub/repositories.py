"""Makes tiny repositories on disk, each with filler that only who reads too much would meet."""

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import spelled
import tiny
import torch

ROWS, DIM = 400, 64
FILLER = 4_194_304
"""Bytes of each filler tensor."""

_TYPES = {torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16"}
_WORDS = [*spelled.WORDS, *(f" {word}" for word in spelled.WORDS)]
_EMBED, _HEAD = "model.embed_tokens.weight", "lm_head.weight"


@dataclass(frozen=True)
class Made:
    """What a repository holds: its table, its own unembedding if any, and the file of the table."""

    folder: Path
    table: torch.Tensor
    unembedding: torch.Tensor | None
    file: Path

    @property
    def table_bytes(self) -> int:
        """Bytes of the table as stored."""
        return self.table.numel() * self.table.element_size()

    @property
    def small_bytes(self) -> int:
        """Bytes of everything beside weights: configuration, tokenizer, index."""
        return sum(each.stat().st_size for each in self.folder.glob("*.json"))


def llama(
    folder: Path,
    *,
    tied: bool = True,
    sharded: bool = False,
    dtype: torch.dtype = torch.bfloat16,
    tokenizer: bool = True,
    rows: int = ROWS,
    extra: Mapping[str, torch.Tensor] | None = None,
    seed: int = 0,
) -> Made:
    """Llama's layout with filler on both sides of the table; sharded, the table is in the second.

    `extra` tensors go behind the table.
    """
    table = tiny.table(seed, rows, DIM).to(dtype)
    head = None if tied else tiny.table(seed + 1, rows, DIM).to(dtype)
    fillers = [{f"model.layers.{at}.mlp.down_proj.weight": _filler(dtype)} for at in range(3)]
    shards = [
        fillers[0],
        {**fillers[1], _EMBED: table, **(extra or {}), "model.norm.weight": table[0]},
        {**fillers[2], **({} if head is None else {_HEAD: head})},
    ]
    _llama_config(folder, rows, tied, dtype)
    if tokenizer:
        spelled.byte_level(_WORDS).save(str(folder / "tokenizer.json"))
    return Made(folder, table, head, _shards(folder, shards, sharded))


def bert(folder: Path, *, tokenizer: bool = True) -> Made:
    """BERT's layout in float32: word, position and type tables, and the head's own bias."""
    table = tiny.table(2, ROWS, DIM)
    tiny.config(
        folder,
        model_type="bert",
        architectures=["BertForMaskedLM"],
        vocab_size=ROWS,
        hidden_size=DIM,
        num_hidden_layers=1,
        num_attention_heads=4,
        intermediate_size=DIM,
        max_position_embeddings=32,
    )
    if tokenizer:
        spelled.wordpiece(spelled.WORDS).save(str(folder / "tokenizer.json"))
    tensors = {
        "bert.encoder.layer.0.output.dense.weight": _filler(torch.float32),
        "bert.embeddings.position_embeddings.weight": tiny.table(3, 32, DIM),
        "bert.embeddings.token_type_embeddings.weight": tiny.table(4, 2, DIM),
        "bert.embeddings.word_embeddings.weight": table,
        "cls.predictions.bias": torch.zeros(ROWS),
    }
    return Made(folder, table, None, write(folder / "model.safetensors", tensors))


def bin_only(folder: Path) -> Made:
    """Llama's layout in nothing but a pytorch_model.bin."""
    made = llama(folder)
    made.file.unlink()
    file = folder / "pytorch_model.bin"
    torch.save({_EMBED: made.table, "model.norm.weight": made.table[0].clone()}, file)
    return Made(folder, made.table, None, file)


def gguf_only(folder: Path) -> Path:
    """Nothing but a quantised GGUF file."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {"token_embd.weight:Q8_0": tiny.table(5, 3, 32)}
    return tiny.gguf(folder / "model-Q8_0.gguf", tensors).parent


def adapter_only(folder: Path, base: str = "owner/base") -> Path:
    """A LoRA adapter without the model it belongs to."""
    folder.mkdir(parents=True, exist_ok=True)
    about = {"peft_type": "LORA", "base_model_name_or_path": base, "r": 4}
    (folder / "adapter_config.json").write_text(json.dumps(about))
    name = "base_model.model.model.layers.0.self_attn.q_proj"
    tensors = {f"{name}.lora_A.weight": tiny.table(6), f"{name}.lora_B.weight": tiny.table(7)}
    write(folder / "adapter_model.safetensors", tensors)
    return folder


def lfs_pointer(folder: Path) -> Path:
    """The text that stands for the weights where a clone was made without git LFS."""
    made = llama(folder)
    made.file.write_text(
        "version https://git-lfs.github.com/spec/v1\n"
        f"oid sha256:{'0' * 64}\nsize {made.file.stat().st_size}\n"
    )
    return folder


def truncated(folder: Path, keep: int = FILLER) -> Path:
    """Weights that end within the table or before it."""
    made = llama(folder)
    made.file.write_bytes(made.file.read_bytes()[:keep])
    return folder


def corrupt_header(folder: Path) -> Path:
    """Weights whose header has the right length and is no JSON."""
    made = llama(folder)
    contents = bytearray(made.file.read_bytes())
    contents[8:40] = b"\xff" * 32
    made.file.write_bytes(contents)
    return folder


def long_header(folder: Path, tensors: int = 3000) -> Made:
    """Weights whose header is longer than 200 kB."""
    many = {
        f"model.layers.{at}.input_layernorm.weight": torch.zeros(1, dtype=torch.bfloat16)
        for at in range(3, 3 + tensors)
    }
    return llama(folder, extra=many)


def no_table(folder: Path) -> Path:
    """A vision model: no row of anything belongs to a token."""
    tiny.config(folder, model_type="vit", architectures=["ViTModel"], hidden_size=DIM)
    tensors = {
        "embeddings.patch_embeddings.projection.weight": torch.zeros(DIM, 3, 4, 4),
        "embeddings.position_embeddings": torch.zeros(1, 17, DIM),
        "encoder.layer.0.output.dense.weight": torch.zeros(DIM, DIM),
    }
    write(folder / "model.safetensors", tensors)
    return folder


def write(path: Path, tensors: Mapping[str, torch.Tensor]) -> Path:
    """A safetensors file with its tensors in the order given, which the library would sort."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    at = 0
    for name, tensor in tensors.items():
        end = at + tensor.numel() * tensor.element_size()
        header[name] = {
            "dtype": _TYPES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [at, end],
        }
        at = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for tensor in tensors.values():
            file.write(tensor.contiguous().view(torch.uint8).numpy().tobytes())
    return path


def _shards(folder: Path, shards: list[dict[str, torch.Tensor]], sharded: bool) -> Path:
    """The file that holds the table."""
    if not sharded:
        together = {name: tensor for each in shards for name, tensor in each.items()}
        return write(folder / "model.safetensors", together)
    weight_map: dict[str, str] = {}
    for number, tensors in enumerate(shards, start=1):
        name = f"model-{number:05d}-of-{len(shards):05d}.safetensors"
        write(folder / name, tensors)
        weight_map |= dict.fromkeys(tensors, name)
    index = {"metadata": {}, "weight_map": weight_map}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    return folder / weight_map[_EMBED]


def _llama_config(folder: Path, rows: int, tied: bool, dtype: torch.dtype) -> None:
    tiny.config(
        folder,
        model_type="llama",
        architectures=["LlamaForCausalLM"],
        vocab_size=rows,
        hidden_size=DIM,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=4,
        intermediate_size=FILLER // (DIM * dtype.itemsize),
        tie_word_embeddings=tied,
        dtype=str(dtype).removeprefix("torch."),
    )


def _filler(dtype: torch.dtype) -> torch.Tensor:
    return torch.zeros(DIM, FILLER // (DIM * dtype.itemsize), dtype=dtype)
