"""Every page found on disk: opens, shows both models, draws, and keeps what was chosen."""

import pytest
from opened import PAGES, open_page

from embgeo.groups import READY_MADE
from embgeo.ui.choices import Choices
from embgeo.ui.links import to_query

pytestmark = pytest.mark.app

LARGEST_PAGE = 500_000
MODELS = ["minilm", "smollm2"]


@pytest.mark.parametrize("page", PAGES)
def test_page_shows_both_models_with_charts_that_have_data(page: str) -> None:
    opened = open_page(page).works()
    assert opened.models == MODELS
    assert opened.groups == ["punctuation", "english", "code"]
    assert opened.query == {"models": "minilm,smollm2"}
    for model in MODELS:
        drawn = [alt for alt in opened.charts if alt.startswith(f"{model}:") or f"{model}," in alt]
        assert drawn, opened.charts.keys()
        assert all(len(frame) for alt in drawn for frame in opened.frames[alt].values())


@pytest.mark.parametrize("page", PAGES)
def test_page_with_the_default_choices_stays_small(page: str) -> None:
    assert open_page(page).payload < LARGEST_PAGE


@pytest.mark.parametrize("page", PAGES)
def test_every_chart_says_what_it_shows_to_those_who_do_not_see_it(page: str) -> None:
    charts = open_page(page).charts
    assert charts
    assert all(len(alt) > 15 for alt in charts)


def test_title_of_every_page_is_a_question_of_its_own() -> None:
    titles = [open_page(page, models="minilm").app.title[0].value for page in PAGES]
    assert all(title.endswith("?") for title in titles)
    assert len(set(titles)) == len(PAGES)


@pytest.mark.parametrize("page", PAGES)
def test_link_seeds_every_page(page: str) -> None:
    chosen = Choices(models=("smollm2",), groups=(READY_MADE["days"],), spacing="space")
    opened = open_page(page, **to_query(chosen)).works()
    assert opened.models == ["smollm2"]
    assert opened.groups == ["days"]
    assert opened.query == to_query(chosen)


def test_choices_of_every_page_survive_a_walk_over_all_pages() -> None:
    opened = open_page("group_similarity").set("toggle", "Show cosines above the floor", True)
    opened.go("norms").set("toggle", "In medians of each table", False)
    opened.go("whitening").set("button_group", "Transform", "centred")
    opened.set("multiselect", "Models", ["smollm2", "minilm"])
    opened.set("multiselect", "Token groups", ["days", "months"])
    link = opened.query
    for page in PAGES:
        opened.go(page).works()
        assert opened.models == ["smollm2", "minilm"]
        assert opened.groups == ["days", "months"]
        assert opened.query == link
    assert opened.go("norms").control("toggle", "In medians of each table").value is False
    assert opened.go("whitening").control("button_group", "Transform").value == "centred"
    opened.go("group_similarity")
    assert opened.control("toggle", "Show cosines above the floor").value is True


def test_link_in_the_sidebar_is_the_view() -> None:
    opened = open_page("norms", models="minilm").set("toggle", "In medians of each table", False)
    written = opened.app.sidebar.get("code")[0].value
    again = open_page("norms", **dict(part.split("=") for part in written.split("?")[1].split("&")))
    assert again.query == opened.query
    assert again.control("toggle", "In medians of each table").value is False


def test_models_are_columns_in_the_order_chosen() -> None:
    opened = open_page("norms", models="smollm2,minilm")
    assert [each.value for each in opened.app.subheader][:2] == ["smollm2", "minilm"]


@pytest.mark.parametrize("page", PAGES)
def test_numbers_are_defined_on_the_page(page: str) -> None:
    opened = open_page(page, models="minilm")
    assert "How to read this, and what each number is" in [x.label for x in opened.app.expander]
