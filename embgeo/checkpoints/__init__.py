"""Where the embedding table lies in a checkpoint, and reading only those bytes."""

from embgeo.checkpoints.gguf_file import GgufVocabulary, gguf_vocabulary
from embgeo.checkpoints.gguf_reading import release_gguf
from embgeo.checkpoints.hub_fetch import fetch_table, fetch_whole
from embgeo.checkpoints.hub_file import pickle_name
from embgeo.checkpoints.stored import StoredTable
from embgeo.checkpoints.table import open_weight, read_facts
from embgeo.checkpoints.vectors_file import word_list
from embgeo.checkpoints.word_lists import WordList

__all__ = [
    "GgufVocabulary",
    "StoredTable",
    "WordList",
    "fetch_table",
    "fetch_whole",
    "gguf_vocabulary",
    "open_weight",
    "pickle_name",
    "read_facts",
    "release_gguf",
    "word_list",
]
