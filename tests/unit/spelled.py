"""Makes tiny tokenizers of the three ways in which vocabularies spell text."""

from collections.abc import Iterable

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

WORDS = (
    "the",
    "and",
    "is",
    "was",
    "they",
    "from",
    "def",
    "return",
    "import",
    "class",
    "self",
    "None",
)
SIGNS = (".", ",", "!", "?", ";", ":")


def byte_level(words: Iterable[str] = (), extra: Iterable[str] = ()) -> Tokenizer:
    """GPT-2's way: each byte a printable character; `extra` entries are added without a merge."""
    entries = [*sorted(pre_tokenizers.ByteLevel.alphabet())]
    merges = _chains(entries, [word.replace(" ", "Ġ") for word in words])
    tokenizer = Tokenizer(models.BPE(vocab=_numbered([*entries, *extra]), merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def sentencepiece(words: Iterable[str] = (), *, prefix: bool = False) -> Tokenizer:
    """Llama's way: ▁ for a space, <0xE6> for a byte; `prefix` puts a space before every text."""
    entries = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    spelled = [word.replace(" ", "▁") for word in words]
    entries += sorted({character for word in spelled for character in word} | {"▁"})
    merges = _chains(entries, spelled)
    model = models.BPE(
        vocab=_numbered(entries),
        merges=merges,
        unk_token="<unk>",
        byte_fallback=True,
        fuse_unk=True,
    )
    tokenizer = Tokenizer(model)
    blanks = normalizers.Replace(" ", "▁")
    steps = [normalizers.Prepend("▁"), blanks] if prefix else [blanks]
    tokenizer.normalizer = normalizers.Sequence(steps)
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    )
    tokenizer.add_special_tokens(["<unk>", "<s>", "</s>"])
    return tokenizer


def wordpiece(words: Iterable[str] = ()) -> Tokenizer:
    """BERT's way: ## for a continuation, lower case, [UNK] for what it does not know."""
    entries = ["[PAD]", "[unused0]", "[UNK]", "[CLS]", "[SEP]", *dict.fromkeys(words)]
    tokenizer = Tokenizer(models.WordPiece(_numbered(entries), unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    return tokenizer


def _chains(entries: list[str], words: list[str]) -> list[tuple[str, str]]:
    """Merges that build each word from its left; longer entries are appended to `entries`."""
    merges: dict[tuple[str, str], None] = {}
    for word in words:
        for end in range(1, len(word)):
            merges[word[:end], word[end]] = None
    known = set(entries)
    for left, right in merges:
        if left + right not in known:
            known.add(left + right)
            entries.append(left + right)
    return list(merges)


def _numbered(entries: Iterable[str]) -> dict[str, int]:
    return {entry: number for number, entry in enumerate(entries)}
