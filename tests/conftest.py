"""What every test runs in: no network, and a cache folder of its own for the whole session.

The real models share that folder, since opening a GGUF file for the first time takes seconds; a
test that must start from nothing asks for `fresh_cache`.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

# Before any import: the hub's library reads this once, when it is first imported.
os.environ["HF_HUB_OFFLINE"] = "1"

pytest_plugins = ["hub_fixtures"]  # from tests/hub: pages are tested against that hub too

if TYPE_CHECKING:
    from embgeo.tables import EmbeddingTable


@pytest.fixture(scope="session", autouse=True)
def session_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The cache folder of the session; the person's own is neither read nor written."""
    folder = tmp_path_factory.mktemp("cache")
    patch = pytest.MonkeyPatch()
    for name in ("EMBGEO_ALLOW_LOCAL", "EMBGEO_CACHE_GIB", "EMBGEO_MEMORY_GIB"):
        patch.delenv(name, raising=False)
    patch.setenv("EMBGEO_CACHE", str(folder))
    yield folder
    patch.undo()
    shutil.rmtree(folder, ignore_errors=True)  # pytest would keep a dequantised table for days


@pytest.fixture
def fresh_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder for one test."""
    monkeypatch.setenv("EMBGEO_CACHE", str(tmp_path / "fresh-cache"))
    return tmp_path / "fresh-cache"


@pytest.fixture(scope="session")
def minilm(session_cache: Path) -> "EmbeddingTable":
    """all-MiniLM-L6-v2: safetensors, WordPiece, 30,522 × 384."""
    return _packaged("minilm")


@pytest.fixture(scope="session")
def smollm2(session_cache: Path) -> "EmbeddingTable":
    """SmolLM2-135M-Instruct: GGUF with a Q8_0 table, byte-level BPE, 49,152 × 576."""
    return _packaged("smollm2")


def _packaged(name: str) -> "EmbeddingTable":
    import embgeo
    from embgeo.errors import SourceError

    try:
        return embgeo.load(name)
    except SourceError as error:
        # A missing model is no reason to skip: the figures are what the project stands on.
        pytest.fail(f"The tests need the packaged models. {error}", pytrace=False)
