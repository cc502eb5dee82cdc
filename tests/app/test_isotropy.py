"""The isotropy page: what it says, its slider, and counts that a person brings."""

import pytest
from opened import Opened, open_page

from embgeo.ui.choices import Choices
from embgeo.ui.links import to_query

pytestmark = pytest.mark.app


def test_the_numbers_of_the_cone_are_on_the_page() -> None:
    opened = open_page("isotropy").works()
    figures = opened.tables[0]
    for number in ("0.018 ± 0.092", "0.442 ± 0.143", "0.155", "0.035", "0.665"):
        assert number in figures, number
    assert "you brought" not in figures
    assert "settle the third decimal" in opened.words
    assert "drawn with replacement" in opened.words


def effects(opened: Opened) -> str:
    [found] = [table for table in opened.tables if "r² with raw" in table]
    return found


def test_the_slider_says_what_zeroing_does() -> None:
    opened = open_page("isotropy", models="smollm2")
    assert "top 3 zeroed" in effects(opened) and "0.384" in effects(opened)
    opened.set("slider", "Top coordinates zeroed", 10).works()
    assert "top 10 zeroed" in effects(opened) and "0.315" in effects(opened)
    assert opened.query == to_query(Choices(models=("smollm2",), zeroed=10))
    steps = opened.frames[
        "smollm2: mean cosine as more and more of its top coordinates are zeroed."
    ]
    assert steps["steps"]["k"][steps["steps"]["chosen"]].tolist() == [10]


def test_counts_weigh_the_mean_cosine_and_stay_in_the_session() -> None:
    opened = open_page("isotropy", models="minilm")
    field = opened.control("file_uploader", "How often each token occurs")
    field.upload(
        "counts.csv", b"token,count\nthe,50\nof,30\ncat,2\nxyzzyx,1\n,\n", "text/csv"
    ).run()
    opened.works()
    assert "Mean cosine by the counts you brought" in opened.tables[0]
    assert "counts.csv: 4 tokens, matched by exact text." in opened.words
    assert "Left out: 1 line holds no token and count." in opened.words
    assert "minilm: rows for 3 of them." in opened.words
    assert opened.query == {"models": "minilm"}
    assert "you brought" in opened.go("norms").go("isotropy").tables[0]
    opened.press("Forget these counts").works()
    assert "you brought" not in opened.tables[0]


def test_a_file_that_holds_no_counts_is_refused_in_words() -> None:
    opened = open_page("isotropy", models="minilm")
    opened.control("file_uploader", "How often each token occurs").upload(
        "counts.csv", b"nothing here", "text/csv"
    ).run()
    opened.works()
    assert "No line of counts.csv holds a token and a count above 0." in opened.words


@pytest.mark.parametrize("source", ["random:2x4", "random:9x3", "random:400x1"])
def test_small_tables_are_drawn_or_said_to_have_nothing(source: str) -> None:
    open_page("isotropy", models=source).works()
