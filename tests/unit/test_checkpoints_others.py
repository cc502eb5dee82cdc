"""Other tables than the input table: what can be asked for, and what is known of it."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tiny
import torch
from tiny import DIM, ROWS

from embgeo.checkpoints import StoredTable, open_weight, read_facts
from embgeo.checkpoints.choosing import Checkpoint, candidates, table_of
from embgeo.checkpoints.stored import StoredTensor
from embgeo.checkpoints.tying import Rows
from embgeo.errors import CheckpointError
from embgeo.sources import Files

T, OTHER = tiny.table(), tiny.table(1)
INPUT, OUTPUT = "model.embed_tokens.weight", "lm_head.weight"
PER_LAYER = "model.embed_tokens_per_layer.weight"


def files_of(folder: Path, tensor: str = "") -> Files:
    path = folder if folder.is_file() else folder / "model.safetensors"
    kind: Any = "gguf" if path.suffix == ".gguf" else "safetensors"
    return Files(kind, path, path.parent, "1", "tiny", tensor=tensor)


def facts_of(folder: Path, tensor: str = "") -> StoredTable:
    return read_facts(files_of(folder, tensor))


def checkpoint_of(**rows: int) -> Checkpoint:
    tensors = {
        name.replace("__", "."): StoredTensor(name.replace("__", "."), "a", (count, DIM), "F32")
        for name, count in rows.items()
    }
    return Checkpoint("owner/name", tensors, None, None)


def test_each_table_can_be_asked_for(tmp_path: Path) -> None:
    tables = {INPUT: T, OUTPUT: OTHER, PER_LAYER: tiny.table(2, ROWS, 3 * DIM)}
    tiny.config(tmp_path, model_type="gemma3n", vocab_size=ROWS)
    tiny.safetensors(tmp_path, **tables, model__layers__0__mlp__weight=tiny.table(3))
    for wanted, table in tables.items():
        files = files_of(tmp_path, wanted)
        facts = read_facts(files)
        assert facts.tensor == wanted
        assert torch.equal(open_weight(files, facts), table)
        assert set(facts.others) == tables.keys() - {wanted}
        # The tie is the model's, whichever of its tables is looked at.
        assert (facts.output, facts.tied) == (OUTPUT, False)
        # What multiplies a looked-up row is no matter of the other tables.
        assert facts.scale == (2 if wanted == INPUT else 1)
        assert bool(facts.scale_reason) is (wanted == INPUT)
    assert facts_of(tmp_path).tensor == INPUT


def test_any_matrix_of_floats_can_be_asked_for(tmp_path: Path) -> None:
    tiny.safetensors(tmp_path, **{INPUT: T, "model.odd": OTHER})
    assert facts_of(tmp_path, "model.odd").tensor == "model.odd"
    assert facts_of(tmp_path).others == ()


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        ("lm_head", r"'lm_head' and holds none\. Its tables are: model.embed_tokens.weight, lm_h"),
        ("norm", r"'norm' and has norm, which is no table but 3\. Its tables"),
    ],
)
def test_what_is_not_there_is_refused_with_what_is(wanted: str, says: str, tmp_path: Path) -> None:
    tiny.safetensors(tmp_path, **{INPUT: T, OUTPUT: OTHER, "norm": torch.ones(3)})
    with pytest.raises(CheckpointError, match=says):
        facts_of(tmp_path, wanted)


def test_a_packed_tensor_is_refused_by_its_own_name(tmp_path: Path) -> None:
    tiny.safetensors(tmp_path, **{INPUT: T, OUTPUT: torch.zeros(ROWS, DIM, dtype=torch.int8)})
    with pytest.raises(CheckpointError, match=r"lm_head\.weight .*stored as I8"):
        facts_of(tmp_path, OUTPUT)


def test_of_several_candidates_one_can_be_chosen(tmp_path: Path) -> None:
    tiny.safetensors(tmp_path, a__wte__weight=T, b__wte__weight=OTHER)
    with pytest.raises(CheckpointError, match=r"several .*a\.wte\.weight, b\.wte\.weight.*#a\.wte"):
        facts_of(tmp_path)
    facts = facts_of(tmp_path, "b.wte.weight")
    assert (facts.tensor, facts.others, facts.tied) == ("b.wte.weight", ("a.wte.weight",), None)
    assert facts.tied_reason == "which table is the input table is not known"


def test_a_decoders_own_table_can_be_asked_for(tmp_path: Path) -> None:
    decoder = "model.decoder.embed_tokens.weight"
    tiny.config(tmp_path, architectures=["MarianMTModel"], vocab_size=ROWS)
    tiny.safetensors(tmp_path, **{"model.encoder.embed_tokens.weight": T, decoder: OTHER})
    assert facts_of(tmp_path).others == (decoder,)
    assert facts_of(tmp_path).output == decoder
    assert facts_of(tmp_path, decoder).others == ("model.encoder.embed_tokens.weight",)


def test_a_byte_models_table_is_read_when_it_is_asked_for(tmp_path: Path) -> None:
    tiny.config(tmp_path, model_type="t5", tokenizer_class="ByT5Tokenizer")
    tiny.safetensors(tmp_path, shared__weight=T)
    assert facts_of(tmp_path, "shared.weight").rows == ROWS


def test_gguf_tables_can_be_asked_for(tmp_path: Path) -> None:
    inner, output, aside = "token_embd.weight", "output.weight", "per_layer_token_embd.weight"
    tables = {inner: T, output: OTHER, aside: tiny.table(2, ROWS, 8)}
    path = tiny.gguf(tmp_path / "a.gguf", {**tables, "blk.0.attn_q.weight": T}, "gemma3n")
    for wanted, table in tables.items():
        files = files_of(path, wanted)
        facts = read_facts(files)
        assert torch.equal(open_weight(files, facts), table)
        assert (facts.output, facts.tied) == (output, False)
        assert set(facts.others) == tables.keys() - {wanted}
        assert facts.scale == (2 if wanted == inner else 1)
    with pytest.raises(CheckpointError, match=r"no table odd.*Its tables are: token_embd\.weight"):
        facts_of(path, "odd")


def test_candidates_are_all_that_can_be_a_table_or_a_piece_of_one() -> None:
    names = [
        "model.norm.weight",
        INPUT,
        "model.layers.0.mlp.qweight",
        "model.embed_tokens.scales",
        "output.weight",
        PER_LAYER,
        "wte.qweight",
    ]
    found = (INPUT, "model.embed_tokens.scales", "output.weight", PER_LAYER, "wte.qweight")
    assert candidates(iter(names)) == found


def reading(tables: dict[str, torch.Tensor], seen: list[int]) -> Callable[[StoredTensor], Rows]:
    def read(tensor: StoredTensor) -> Rows:
        def rows(start: int, stop: int) -> torch.Tensor:
            seen.append(stop - start)
            return tables[tensor.name][start:stop]

        return rows

    return read


@pytest.mark.parametrize("changed", [0, 500, 999])
def test_a_few_rows_are_compared_at_both_ends_and_in_the_middle(changed: int) -> None:
    table = tiny.table(rows=1000)
    head = table.clone()
    checkpoint = checkpoint_of(wte__weight=1000, lm_head__weight=1000)
    seen: list[int] = []
    read = reading({"wte.weight": table, "lm_head.weight": head}, seen)
    facts = table_of(checkpoint, read, rows_looked_at=96)
    says = "lm_head.weight holds the same numbers on the 96 rows compared"
    assert (facts.tied, facts.tied_reason, sum(seen)) == (True, says, 2 * 96)
    head[changed] += 1
    facts = table_of(checkpoint, read, rows_looked_at=96)
    assert (facts.tied, facts.tied_reason) == (False, "lm_head.weight holds other numbers")


@pytest.mark.parametrize("looked_at", [None, 12, 100])
def test_a_small_table_is_compared_whole(looked_at: int | None) -> None:
    checkpoint = checkpoint_of(wte__weight=ROWS, lm_head__weight=ROWS)
    facts = table_of(checkpoint, reading({"wte.weight": T, "lm_head.weight": T}, []), looked_at)
    assert facts.tied_reason == "lm_head.weight holds the same numbers"


@pytest.mark.parametrize("looked_at", [1, 2, 3, 10, 11])
def test_as_few_rows_as_were_asked_for(looked_at: int) -> None:
    checkpoint, seen = checkpoint_of(wte__weight=ROWS, lm_head__weight=ROWS), list[int]()
    table_of(checkpoint, reading({"wte.weight": T, "lm_head.weight": T}, seen), looked_at)
    assert 0 < sum(seen) <= 2 * max(3, looked_at)


def test_a_tied_llama_is_told_without_transformers(tmp_path: Path) -> None:
    settings = {"architectures": ["LlamaForCausalLM"], "model_type": "llama"}
    tiny.config(tmp_path, **settings, tie_word_embeddings=True, vocab_size=ROWS)
    tiny.safetensors(tmp_path, **{INPUT: T})
    code = (
        "import sys; from embgeo.checkpoints import read_facts;"
        "from embgeo.sources import locate, parse_source;"
        f"facts = read_facts(locate(parse_source({str(tmp_path)!r})));"
        "print(facts.tied, 'transformers' in sys.modules, 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False", "False"]
