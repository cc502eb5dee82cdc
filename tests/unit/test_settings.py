"""What the environment decides."""

from pathlib import Path

import pytest

from embgeo.errors import EmbgeoError
from embgeo.settings import settings


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("DEVICE", "CACHE", "CACHE_GIB", "ALLOW_LOCAL"):
        monkeypatch.delenv(f"EMBGEO_{name}", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


def test_defaults(tmp_path: Path) -> None:
    found = settings()
    assert found.device is None
    assert found.cache_folder == tmp_path / ".cache" / "embgeo"
    assert found.cache_bytes == 20 * 2**30
    assert found.allow_local


def test_what_is_set_is_seen_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert settings().cache_folder == tmp_path / "xdg" / "embgeo"
    monkeypatch.setenv("EMBGEO_CACHE", "~/mine")
    assert settings().cache_folder == tmp_path / "mine"
    monkeypatch.setenv("EMBGEO_CACHE_GIB", "0.5")
    assert settings().cache_bytes == 2**29
    monkeypatch.setenv("EMBGEO_DEVICE", "cuda:1")
    assert settings().device == "cuda:1"


@pytest.mark.parametrize(
    ("text", "allowed"), [("0", False), ("false", False), ("No", False), ("1", True), ("yes", True)]
)
def test_local_paths_can_be_switched_off(
    text: str, allowed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBGEO_ALLOW_LOCAL", text)
    assert settings().allow_local is allowed


@pytest.mark.parametrize("text", ["0", "-1", "much", "nan", "inf", "1,5"])
def test_a_size_that_is_none_names_its_variable(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBGEO_CACHE_GIB", text)
    with pytest.raises(
        EmbgeoError, match=f"EMBGEO_CACHE_GIB must be a positive number, found '{text}'"
    ):
        settings()
