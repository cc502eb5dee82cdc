"""The size page: tables counted, a table planned, a known model compared, what is said."""

import re

import pytest
from opened import Opened, open_page

from embgeo.errors import SourceError
from embgeo.ui import opening

pytestmark = pytest.mark.app


def _page(**query: str) -> Opened:
    return open_page("model_sizes", **query or {"models": "minilm"}).works()


def _figures(opened: Opened) -> dict[str, str]:
    return {each.label: each.value for each in opened.app.metric}


def _share(opened: Opened, name: str) -> float:
    [frames] = [frames for alt, frames in opened.frames.items() if "known models" in alt]
    return float(frames["known"].set_index("name").loc[name, "share"])


def test_switch_counts_the_output_tables_of_untied_models() -> None:
    opened = _page()
    assert _share(opened, "pythia-70m") == pytest.approx(0.366, abs=5e-4)
    opened.set("toggle", "Count every stored table", True).works()
    assert _share(opened, "pythia-70m") == pytest.approx(0.731, abs=5e-4)
    assert _share(opened, "gpt2") == pytest.approx(0.310, abs=5e-4)


def test_chosen_model_is_ringed_where_it_was_measured() -> None:
    [frames] = [frames for alt, frames in _page().frames.items() if "known models" in alt]
    [mine] = frames["measured"].to_dict("records")
    assert (mine["name"], mine["total_text"]) == ("minilm", "22,713,216")
    assert mine["share"] == pytest.approx(_share(_page(), "all-MiniLM-L6-v2"))


def test_generated_table_is_said_not_to_be_drawn() -> None:
    assert "only their table is known: random:9x2" in _page(models="minilm,random:9x2").words


def test_calculator_begins_with_a_real_model_and_answers_every_control() -> None:
    opened = _page()
    assert _figures(opened) == {
        "Numbers": "1,050,673,152",
        "Bytes": "2.10 GB",
        "Share of the model": "13.1 %",
        "1,000 more tokens": "16.4 MB",
    }
    opened.set("toggle", "Untied: an output table of the same shape", False)
    opened.set("number_input", "Vocabulary, V", 32_000)
    opened.set("number_input", "Width, d", 768).set("button_group", "Bytes a number", 4)
    opened.set("number_input", "Numbers in the whole model", 100_000_000).works()
    assert _figures(opened) == {
        "Numbers": "24,576,000",
        "Bytes": "98.3 MB",
        "Share of the model": "24.6 %",
        "1,000 more tokens": "3.07 MB",
    }
    again = _page(**opened.query)
    assert _figures(again) == _figures(opened)


@pytest.mark.parametrize(
    ("total", "said"), [(None, "no whole is given"), (1000, "no more than the table itself")]
)
def test_calculator_without_a_whole_has_no_share(total: int | None, said: str) -> None:
    opened = _page().set("number_input", "Numbers in the whole model", total).works()
    assert _figures(opened)["Share of the model"] == "–"
    assert said in opened.words


def test_known_model_joins_the_comparison(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(source: object) -> None:
        raise SourceError("Nothing is fetched in this test.")

    opened = _page()
    assert opened.control("button", "Add to the comparison").disabled
    opened.set("selectbox", "A known model", "openai-community/gpt2").works()
    assert re.search(r"Reads about 77\.2 MB .* openai-community/gpt2", opened.words)
    monkeypatch.setattr(opening, "locate", unreachable)
    opened.press("Add to the comparison").works()
    assert opened.models == ["minilm", "openai-community/gpt2"]
    opened.press("Add to the comparison").works()
    assert opened.models == ["minilm", "openai-community/gpt2"]


def test_known_models_cannot_be_added_where_the_hub_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBGEO_ALLOW_HUB", "0")
    opened = _page().set("selectbox", "A known model", "openai-community/gpt2").works()
    assert opened.control("button", "Add to the comparison").disabled
    assert "switched off" in opened.words


def test_claims_stand_on_the_page_beside_the_figures() -> None:
    tables = " ".join(_page().tables)
    assert "false as stated" in tables
    assert "28 tie and 9 do not" in tables
    assert "Llama-3.2-1B" in tables


def test_page_without_models_still_shows_the_known_ones() -> None:
    opened = open_page("model_sizes", models="").works()
    assert any("known models" in alt for alt in opened.charts)
    assert len(opened.app.dataframe[0].value) == 85


def test_page_of_generated_tables_only_rings_none() -> None:
    opened = _page(models="random:9x2")
    [frames] = [frames for alt, frames in opened.frames.items() if "known models" in alt]
    assert len(frames["measured"]) == 0
    assert len(frames["known"]) == 71
