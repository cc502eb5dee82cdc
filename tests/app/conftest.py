"""Pages wait until everything they show is known, so that no test has to."""

import pytest

from embgeo.ui import work

_LONG = 80.0


@pytest.fixture(autouse=True)
def patient_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a page wait for its work as long as it takes; a test of progress sets this back."""
    monkeypatch.setattr(work, "PATIENCE", _LONG)
