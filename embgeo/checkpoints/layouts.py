"""What the input and output tables are called in the checkpoints of the world: knowledge as data.

Names are matched by whole components from the right, so that any prefix (``model.``,
``transformer.``, ``language_model.``, ``_orig_mod.``) is accepted, while look-alikes such as
``embed_tokens_per_layer`` or ``word_embeddings_layernorm`` are not.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_WRAPPERS = re.compile(r"^(?:(?:module|_orig_mod|base_model\.model)\.)+")


@dataclass(frozen=True)
class Layout:
    """One name of a table.

    Attributes
    ----------
    name
        The last components of the tensor's name.
    seen_in
        Models that call it so.
    whole
        Whether the name is too plain to be trusted behind an unknown prefix: then it must be the
        tensor's whole name.
    """

    name: str
    seen_in: str
    whole: bool = False

    def matches(self, tensor: str) -> bool:
        """Whether a tensor is called so."""
        bare = unwrapped(tensor)
        return bare == self.name or (not self.whole and bare.endswith(f".{self.name}"))


INPUTS = (
    Layout("shared.weight", "t5, bart, m2m100, pegasus, marian, led"),
    Layout("encoder.embed_tokens.weight", "fsmt, t5gemma, marian with two vocabularies"),
    Layout("decoder.embed_tokens.weight", "opt, whisper"),
    Layout("embed_tokens.weight", "llama, mistral, qwen, gemma, phi, biogpt, xglm, llava"),
    Layout("wte.weight", "gpt2, gptj, codegen, mpt, starcoder, olmo"),
    Layout("embeddings.word_embeddings.weight", "bert, roberta, distilbert, albert, electra"),
    Layout("word_embeddings.weight", "bloom, falcon, chatglm"),
    Layout("embed_in.weight", "gpt_neox, pythia"),
    Layout("tok_embeddings.weight", "modernbert, internlm2, llama as Meta stores it"),
    Layout("token_embd.weight", "gguf"),
    Layout("token_embedding.weight", "clip and siglip text towers"),
    Layout("tokens_embed.weight", "openai-gpt"),
    Layout("word_embedding.weight", "xlnet"),
    Layout("backbone.embedding.weight", "mamba as first published"),
    Layout("embeddings.weight", "mamba, rwkv, xlm, flaubert"),
    Layout("transformer.w.weight", "ctrl", whole=True),
    Layout("w.weight", "ctrl without its head", whole=True),
    Layout("emb.weight", "rwkv as first published", whole=True),
    Layout("embed.weight", "deepseek as first published", whole=True),
    Layout("embedding.weight", "static sentence embeddings", whole=True),
    Layout("embeddings", "model2vec", whole=True),
    Layout("embedding", "a bare table", whole=True),
    Layout("weight", "a bare table", whole=True),
)
"""Names of the table that ``get_input_embeddings()`` means, the most telling first."""

OUTPUTS = (
    Layout("lm_head.weight", "most decoders"),
    Layout("embed_out.weight", "gpt_neox, pythia"),
    Layout("cls.predictions.decoder.weight", "bert"),
    Layout("lm_head.decoder.weight", "roberta"),
    Layout("lm_head.out_proj.weight", "t5gemma"),
    Layout("vocab_projector.weight", "distilbert"),
    Layout("predictions.decoder.weight", "albert"),
    Layout("generator_lm_head.weight", "electra"),
    Layout("proj_out.weight", "whisper"),
    Layout("lm_loss.weight", "xlnet"),
    Layout("output_projection.weight", "biogpt, fsmt"),
    Layout("pred_layer.proj.weight", "xlm, flaubert"),
    Layout("output_layer.weight", "chatglm"),
    Layout("transformer.ff_out.weight", "olmo as first published"),
    Layout("output.weight", "gguf, internlm2, llama as Meta stores it", whole=True),
    Layout("head.weight", "rwkv, deepseek as first published", whole=True),
    Layout("decoder.weight", "modernbert", whole=True),
)
"""Names of the unembedding, the most telling first."""

ASIDE = (
    Layout("embed_tokens_per_layer.weight", "gemma3n, gemma4"),
    Layout("per_layer_token_embd.weight", "gguf of gemma3n"),
)
"""Names of tables that are looked up by token id too, beside the input table."""


def unwrapped(tensor: str) -> str:
    """A tensor's name without what training wrappers put before it.

    >>> unwrapped("module._orig_mod.wte.weight")
    'wte.weight'
    """
    return _WRAPPERS.sub("", tensor)


def input_tables(tables: Mapping[str, int], vocab_size: int | None) -> tuple[str, ...]:
    """Names of the tensors that can be the input table: one when it is clear, none, or several.

    A name whose rows fit the vocabulary wins over an earlier one whose rows do not; a plain name
    must fit. Among equal names the least nested wins (``model.embed_tokens`` over
    ``model.layers.61.embed_tokens``), never the largest.

    Parameters
    ----------
    tables
        Rows of each 2-D tensor, by name.
    vocab_size
        What the config says, or None: then every number of rows fits.
    """
    fitting = {name for name, rows in tables.items() if _fits(rows, vocab_size)}
    telling = tuple(layout for layout in INPUTS if not layout.whole)
    for layouts, names in ((INPUTS, fitting), (telling, set(tables))):
        for layout in layouts:
            if found := _least_nested(filter(layout.matches, names)):
                return found
    return ()


def telling_tables(names: Iterable[str]) -> tuple[str, ...]:
    """Those of the names that some layout gives to a table, plain names left out, in their order.

    >>> telling_tables(["lm_head.weight", "model.norm.weight", "wte.weight"])
    ('lm_head.weight', 'wte.weight')
    """
    telling = [layout for layout in (*INPUTS, *OUTPUTS, *ASIDE) if not layout.whole]
    return tuple(name for name in names if any(layout.matches(name) for layout in telling))


def named_tables(names: Iterable[str]) -> tuple[str, ...]:
    """Those of the names that any layout can mean, plain names too, in their order.

    >>> named_tables(["output.weight", "model.norm.weight", "wte.weight"])
    ('output.weight', 'wte.weight')
    """
    layouts = (*INPUTS, *OUTPUTS, *ASIDE)
    return tuple(name for name in names if any(layout.matches(name) for layout in layouts))


def output_table(tables: Mapping[str, int], rows: int) -> str | None:
    """Name of the unembedding stored beside an input table of so many rows, if there is one."""
    near = [name for name, found in tables.items() if _fits(max(rows, found), min(rows, found))]
    for layout in OUTPUTS:
        if found := _least_nested(filter(layout.matches, near)):
            return found[0]
    return None


def names_output(parameter: str) -> bool:
    """Whether a parameter of a model class is called like an unembedding."""
    return any(layout.matches(parameter) for layout in OUTPUTS)


def _fits(rows: int, vocab_size: int | None) -> bool:
    # Tables are padded to round numbers, or grown by a few added tokens; never shrunk.
    return vocab_size is None or vocab_size <= rows <= vocab_size + max(64, vocab_size // 16)


def _least_nested(names: Iterable[str]) -> tuple[str, ...]:
    found = sorted(names, key=lambda name: (name.count("."), name))
    return tuple(name for name in found if name.count(".") == found[0].count("."))
