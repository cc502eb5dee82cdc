"""The hub client of this process talks to a stand-in on loopback, with a home of its own."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from stand_in import StandIn

from embgeo.sources import hub as sources_hub


@pytest.fixture
def hub(tmp_path: Path, fresh_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    """A hub without repositories, nobody logged in, and nothing in any cache."""
    from huggingface_hub import close_session

    stand_in = StandIn(tmp_path / "hf-home")
    close_session()  # it may keep a proxy, or a connection to another stand-in
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_OIDC_RESOURCE", "HF_HUB_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in stand_in.environment().items():
        monkeypatch.setenv(name, value)
    _point_at(stand_in, monkeypatch)
    sources_hub._known.clear()  # another stand-in may have had the same port
    yield stand_in
    close_session()
    stand_in.off()


@pytest.fixture
def go_offline(hub: StandIn, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Lets the rest of the test run as with HF_HUB_OFFLINE=1; the stand-in stays up."""
    from huggingface_hub import constants

    def switch() -> None:
        monkeypatch.setenv("HF_HUB_OFFLINE", "1")
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)

    return switch


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that the hub client would have waited before it tried again; it does not wait."""
    from huggingface_hub import file_download
    from huggingface_hub.utils import _http

    waited: list[float] = []
    for module in (file_download, _http):
        monkeypatch.setattr(module, "time", _Clock(waited.append))
    return waited


class _Clock:
    """The module `time`, as far as the hub client uses it, that never sleeps."""

    def __init__(self, sleep: Callable[[float], None]) -> None:
        self.sleep = sleep

    def __getattr__(self, name: str) -> object:
        import time

        return getattr(time, name)


def _point_at(hub: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    """Does what the environment would have done before the client was imported."""
    from huggingface_hub import constants, hf_api
    from huggingface_hub.utils import _cache_manager, _detect_agent

    home = hub.home
    values = {
        "ENDPOINT": hub.endpoint,
        "HUGGINGFACE_CO_URL_TEMPLATE": hub.endpoint + "/{repo_id}/resolve/{revision}/{filename}",
        "HF_HUB_OFFLINE": False,
        "HF_HOME": str(home),
        "HF_HUB_CACHE": str(hub.cache),
        "HUGGINGFACE_HUB_CACHE": str(hub.cache),
        "HF_ASSETS_CACHE": str(home / "assets"),
        "HF_XET_CACHE": str(home / "xet"),
        "HF_TOKEN_PATH": str(home / "token"),
        "HF_STORED_TOKENS_PATH": str(home / "stored_tokens"),
        "AGENT_HARNESSES_PATH": str(home / ".agent_harnesses.json"),
    }
    for name, value in values.items():
        monkeypatch.setattr(constants, name, value)
    # These copied their value when they were imported.
    monkeypatch.setattr(_cache_manager, "HF_HUB_CACHE", str(hub.cache))
    monkeypatch.setattr(hf_api.api, "endpoint", hub.endpoint)
    # Else the first request of the process is one for a list of coding agents.
    monkeypatch.setattr(_detect_agent, "_registry", {"standardEnvVars": [], "harnesses": {}})
