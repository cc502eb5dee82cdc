"""Models that are none of the packaged ones work the same way, unprepared."""

from pathlib import Path

import made
import pytest
import spelled
import tiny
import torch
from gguf import GGMLQuantizationType, GGUFWriter
from gguf.quants import quantize
from tokenizers import Tokenizer

import embgeo
from embgeo.groups import DEFAULT, Policy, resolve
from embgeo.tables import EmbeddingTable
from embgeo.tokens.text import SPECIAL
from embgeo.transforms import named
from embgeo.views.group_rows import group_rows
from embgeo.views.records import groups_record, info_record

SPACED = [f" {word}" for word in spelled.WORDS]


def llama(folder: Path, tokenizer: Tokenizer, padding: int = 3) -> Path:
    """A Hugging Face folder of a tiny Llama whose table has a few rows more than tokens."""
    rows = tokenizer.get_vocab_size() + padding
    tiny.config(
        folder, model_type="llama", architectures=["LlamaForCausalLM"], vocab_size=rows,
        hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32,
        tie_word_embeddings=True,
    )  # fmt: skip
    made.table(folder, made.random_rows(rows, 16).to(torch.bfloat16), tokenizer)
    return folder


def text_of_groups(table: EmbeddingTable, spacing: str) -> dict[str, list[str]]:
    groups = resolve(DEFAULT, [table], Policy(spacing))[0]  # type: ignore[arg-type]
    record = groups_record(groups, group_rows(table, groups, named("whitened", table.dim)))
    assert all(value is not None for value in record["within"].values() if value)
    return {
        name: [table.vocabulary.text(each) for each in ids] for name, ids in record["ids"].items()
    }


@pytest.mark.parametrize(
    ("tokenizer", "spacing"),
    [
        (spelled.byte_level([*SPACED, *spelled.WORDS]), "space"),
        (spelled.sentencepiece([*SPACED, *spelled.SIGNS]), "space"),
        (spelled.sentencepiece([*SPACED, *spelled.SIGNS], prefix=True), "typed"),
    ],
    ids=["byte-level", "SentencePiece", "SentencePiece with a prefix"],
)
def test_a_folder_of_another_family(tokenizer: Tokenizer, spacing: str, tmp_path: Path) -> None:
    table = embgeo.load(str(llama(tmp_path / "other", tokenizer)))
    record = info_record(table)
    assert (record["dtype"], record["tied"], record["padding_rows"]) == ("BF16", True, 3)
    assert record["tokens"] == record["rows"] - 3 == tokenizer.get_vocab_size()
    assert None not in record.values()
    found = text_of_groups(table, spacing)
    assert found["english"] == [f" {word}" for word in DEFAULT[1].entries]
    assert found["code"] == [f" {word}" for word in DEFAULT[2].entries]


def test_two_spellings_are_compared_on_what_both_have(tmp_path: Path) -> None:
    few = [" the", " and", " class"]
    tables = [
        embgeo.load(str(llama(tmp_path / "many", spelled.byte_level(SPACED)))),
        embgeo.load(str(llama(tmp_path / "few", spelled.sentencepiece(few)))),
    ]
    for groups in resolve(DEFAULT, tables, Policy("space")):
        kept = {group.name: [member.label for member in group.members] for group in groups}
        assert kept == {"punctuation": [], "english": ["␣the", "␣and"], "code": ["␣class"]}
    lost = resolve(DEFAULT, tables, Policy("space"))[0][2].left_out
    assert lost["import"] == "left out because few has no row for it"


def gguf(path: Path, architecture: str, words: list[str]) -> Path:
    """A GGUF file with a SentencePiece vocabulary and a quantised table."""
    entries = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    entries += sorted({sign for word in words for sign in word} - set(entries))
    starts = dict.fromkeys(word[:end] for word in words for end in range(2, len(word) + 1))
    entries += [entry for entry in starts if entry not in entries]
    types = [2, 3, 3, *[6] * 256, *[1] * (len(entries) - 259)]
    writer = GGUFWriter(path, architecture)
    writer.add_name("Other")
    for name, value in (("block_count", 1), ("context_length", 64), ("embedding_length", 32)):
        writer.add_uint32(f"{architecture}.{name}", value)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(entries)
    writer.add_token_scores([-float(at) for at in range(len(entries))])
    writer.add_token_types(types)
    for name, token_id in (("unknown", 0), ("bos", 1), ("eos", 2)):
        writer.add_uint32(f"tokenizer.ggml.{name}_token_id", token_id)
    rows = made.random_rows(len(entries), 32).float()
    kind = GGMLQuantizationType.Q8_0
    writer.add_tensor("token_embd.weight", quantize(rows.numpy(), kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.mark.parametrize("architecture", ["llama", "gemma3"])
def test_a_gguf_file_of_another_family(architecture: str, tmp_path: Path) -> None:
    words = [f"▁{word}" for word in spelled.WORDS]
    table = embgeo.load(str(gguf(tmp_path / "other.gguf", architecture, words)))
    record = info_record(table)
    assert (record["dtype"], record["tied"], record["padding_rows"]) == ("Q8_0", True, 0)
    assert None not in record.values()
    assert table.vocabulary.text(3 + 0x0A) == "⟨0A⟩"
    assert table.classes[:259].tolist() == [SPECIAL] * 259
    assert table.vocabulary.note == ""
    spacing = "typed" if len(table.vocabulary.encode("the")) == 1 else "space"
    assert text_of_groups(table, spacing)["english"] == [f" {word}" for word in DEFAULT[1].entries]
