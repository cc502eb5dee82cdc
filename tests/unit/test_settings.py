"""What the environment decides."""

from pathlib import Path

import pytest

from embgeo.errors import EmbgeoError
from embgeo.settings import settings


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("DEVICE", "CACHE", "CACHE_GIB", "MEMORY_GIB", "ALLOW_LOCAL"):
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


def test_the_memory_budget_is_half_of_the_memory_unless_set(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("embgeo.settings._CONTAINER", (str(tmp_path / "none"),))
    pages = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 2**22}
    monkeypatch.setattr("os.sysconf", pages.__getitem__)
    assert settings().memory_bytes == 8 * 2**30
    monkeypatch.setenv("EMBGEO_MEMORY_GIB", "0.25")
    assert settings().memory_bytes == 2**28


@pytest.mark.parametrize(("text", "budget"), [("1073741824\n", 2**29), ("max\n", 8 * 2**30)])
def test_a_container_has_half_of_its_own_share(
    text: str, budget: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "memory.max").write_text(text)
    monkeypatch.setattr("embgeo.settings._CONTAINER", (str(tmp_path / "memory.max"),))
    monkeypatch.setattr("os.sysconf", {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 2**22}.__getitem__)
    assert settings().memory_bytes == budget


def test_a_machine_that_does_not_tell_its_memory_is_taken_to_be_small(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("embgeo.settings._CONTAINER", ())
    monkeypatch.delattr("os.sysconf")
    assert settings().memory_bytes == 4 * 2**30
