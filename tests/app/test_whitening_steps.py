"""Steps of one's own as chips, what each did, and whether it helps, on the page."""

import pytest
from opened import Opened, open_page

from embgeo.ui.choices import Choices
from embgeo.ui.links import to_query

pytestmark = pytest.mark.app
CHIPS = ("multiselect", "Steps, in order")


def page(**chosen: object) -> Opened:
    return open_page("whitening", **to_query(Choices(models=("minilm",), **chosen)))  # type: ignore[arg-type]


def steps_table(opened: Opened) -> str:
    return next(table for table in opened.tables if ">IsoScore<" in table)


def test_a_quick_choice_shows_its_steps_and_steps_become_a_quick_choice() -> None:
    opened = page()
    assert opened.control(*CHIPS).value == ["centre", "whiten"]
    opened.set(*CHIPS, ["centre", "standardise"]).works()
    assert opened.control("button_group", "Transform").value == "standardised"
    assert ">standardised<" in steps_table(opened)
    opened.set(*CHIPS, []).works()
    assert opened.control("button_group", "Transform").value == "raw"
    assert steps_table(opened).count("<tr>") == 2


def test_own_steps_are_shown_in_order_and_kept_in_the_link() -> None:
    opened = page().set(*CHIPS, ["zipf-centre", "zipf-whiten"])
    opened.set("number_input", "Shrinkage, ρ (Zipf)", 0.1).works()
    opened.set("number_input", "Components kept, k (Zipf)", 100).works()
    again = open_page("whitening", **opened.query).works()
    for each in (opened, again):
        assert each.control("button_group", "Transform").value == "own"
        assert each.control(*CHIPS).value == ["zipf-centre", "zipf-whiten"]
        assert each.control("number_input", "Components kept, k (Zipf)").value == 100
        assert ">Zipf-whitened to 100 components (shrinkage 0.1)<" in steps_table(each)
        assert "a proxy" in each.words
    opened.set("button_group", "Transform", "centred").works()
    assert opened.control(*CHIPS).value == ["centre"]
    assert steps_table(opened).count("<tr>") == 3


def test_steps_that_mean_nothing_are_refused_in_words() -> None:
    opened = page(steps=("whiten", "rogue:1"))
    assert "before whitening" in opened.words
    assert len(opened.app.error) == 1


def test_k_of_the_nearest_is_a_choice() -> None:
    opened = page(transform="centred").set("slider", "Nearest tokens, k", 2).works()
    assert any(">Own group among the 2 nearest tokens<" in table for table in opened.tables)
    assert open_page("whitening", **opened.query).control("slider", "Nearest tokens, k").value == 2


def test_the_example_is_called_one_and_has_its_counts() -> None:
    opened = page(transform="centred")
    before = len(opened.tables)
    opened.set("toggle", "Try it with an example", True).works()
    assert "an example to try it, not a benchmark" in opened.words
    assert len(opened.tables) == before + 1
    assert any(">Pairs left out<" in table for table in opened.tables)


def test_six_models_stay_small() -> None:
    models = tuple(f"random:{rows}x200" for rows in range(1100, 1700, 100))
    steps = ("rogue:2", "centre", "standardise", "drop:1", "whiten~0.1")
    opened = open_page("whitening", **to_query(Choices(models=models, steps=steps))).works()
    assert sum(">IsoScore<" in table for table in opened.tables) == 6
    assert opened.payload < 500_000


def test_rogue_dimensions_are_dropped_first_wherever_their_chip_was_added() -> None:
    opened = page().set(*CHIPS, ["centre", "whiten", "rogue"]).works()
    assert opened.control(*CHIPS).value == ["rogue", "centre", "whiten"]
    assert not opened.app.error


def test_two_numbers_of_a_step_changed_at_once_are_both_kept() -> None:
    opened = open_page("whitening", models="minilm")
    opened.control("number_input", "Components kept, k").set_value(8)
    opened.set("number_input", "Shrinkage, ρ", 0.05).works()
    assert opened.control("number_input", "Components kept, k").value == 8
    assert opened.control("number_input", "Shrinkage, ρ").value == 0.05
