"""Where the embedding table lies in a checkpoint, and reading only those bytes."""

from embgeo.checkpoints.gguf_file import GgufVocabulary, gguf_vocabulary
from embgeo.checkpoints.gguf_reading import release_gguf
from embgeo.checkpoints.stored import StoredTable
from embgeo.checkpoints.table import open_weight, read_facts

__all__ = [
    "GgufVocabulary",
    "StoredTable",
    "gguf_vocabulary",
    "open_weight",
    "read_facts",
    "release_gguf",
]
