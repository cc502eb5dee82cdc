"""Pages wait until everything they show is known, so that no test has to."""

from collections.abc import Iterator

import pytest
from stand_in import StandIn

from embgeo.ui import work

_LONG = 80.0


@pytest.fixture(autouse=True)
def patient_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a page wait for its work as long as it takes; a test of progress sets this back."""
    monkeypatch.setattr(work, "PATIENCE", _LONG)


@pytest.fixture
def hub(hub: StandIn) -> Iterator[StandIn]:
    """The stand-in hub, for pages that know nothing of what earlier tests read from theirs."""
    work.pool.clear()
    yield hub
    work.pool.clear()
