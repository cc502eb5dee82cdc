"""Pages where nothing stays in memory: every value has left before the next one is asked for."""

import pytest
from opened import open_page

pytestmark = pytest.mark.app


@pytest.mark.parametrize("page", ["group_similarity", "norms", "overview", "whitening"])
def test_page_is_the_same_where_nothing_can_stay(
    page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = open_page(page, models="minilm").works()
    assert usual.charts
    monkeypatch.setenv("EMBGEO_MEMORY_GIB", "1e-6")
    opened = open_page(page, models="minilm").works()
    assert opened.charts == usual.charts
    assert [metric.value for metric in opened.app.metric] == [
        metric.value for metric in usual.app.metric
    ]
