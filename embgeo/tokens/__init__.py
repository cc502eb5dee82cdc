"""Exact token text, token classes, and a tokenizer's own encoding of what a person typed."""

from embgeo.tokens.loading import load_vocabulary
from embgeo.tokens.text import CLASSES, exact_text, token_class, visible
from embgeo.tokens.vocabulary import (
    Encoder,
    Vocabulary,
    random_vocabulary,
    vocabulary_by_id,
    vocabulary_from_file,
    vocabulary_of,
)

__all__ = [
    "CLASSES",
    "Encoder",
    "Vocabulary",
    "exact_text",
    "load_vocabulary",
    "random_vocabulary",
    "token_class",
    "visible",
    "vocabulary_by_id",
    "vocabulary_from_file",
    "vocabulary_of",
]
