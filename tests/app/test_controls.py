"""What a control changes: pairs of a cell, groups edited in the page, rows counted, policies."""

import pytest
from opened import PAGES, Opened, open_page

pytestmark = pytest.mark.app


def _groups_page() -> Opened:
    return open_page("group_similarity", models="minilm")


def test_cell_lists_its_pairs_in_every_model_and_is_in_the_link() -> None:
    opened = open_page("group_similarity")
    before = len(opened.tables)
    opened.set("selectbox", "Token pairs of", ("english", "code")).works()
    assert len(opened.tables) == before + 2
    again = open_page("group_similarity", **opened.query)
    assert again.control("selectbox", "Token pairs of").value == ("english", "code")
    opened.set("selectbox", "Token pairs of", ()).works()
    assert len(opened.tables) == before


def test_floor_switch_centres_every_heatmap_on_zero() -> None:
    raw = open_page("group_similarity")
    above = open_page("group_similarity").set("toggle", "Show cosines above the floor", True)
    for alt, frames in above.frames.items():
        if "token groups" in alt:
            cells, before = frames["cells"], raw.frames[alt]["cells"]
            assert cells["value"].tolist() == pytest.approx(before["above_floor"].tolist())


def test_edited_group_takes_the_old_ones_place_and_reads_as_written() -> None:
    opened = _groups_page().write_group("marks", "!\n?\n\\s\n").works()
    assert opened.groups == ["marks", "english", "code"]
    assert open_page("norms", **opened.query).groups == ["marks", "english", "code"]


def test_group_is_edited_again_under_the_name_it_has_by_now() -> None:
    opened = _groups_page().write_group("marks", "!\n?")
    assert opened.control("selectbox", "Group").value == "marks"
    opened.write_group("marks", "!\n?\n.").works()
    assert opened.groups == ["marks", "english", "code"]
    opened.set("selectbox", "Group", "(new group)").write_group("more", "a\nb")
    opened.write_group("more", "a\nb\nc").works()
    assert opened.groups == ["marks", "english", "code", "more"]
    opened.set("selectbox", "Group", "(new group)")
    assert opened.control("text_area", "Entries, one a line").value == ""


def test_group_that_was_edited_can_be_taken_out_and_put_back() -> None:
    opened = _groups_page().write_group("marks", "!\n?")
    opened.set("multiselect", "Token groups", ["english"])
    opened.set("multiselect", "Token groups", ["english", "marks"]).works()
    assert opened.control("selectbox", "Group").options.count("marks") == 1
    assert opened.groups == ["english", "marks"]


@pytest.mark.parametrize(
    ("name", "entries", "said"),
    [
        ("", "a\nb", "needs a name"),
        ("empty", "\n\n", "at least one entry"),
        ("english", "a\nb", "another group called"),
        ("many", "\n".join(f"w{at}" for at in range(1001)), "at most 1,000"),
    ],
)
def test_group_that_cannot_be_is_refused_and_the_groups_stay(
    name: str, entries: str, said: str
) -> None:
    opened = _groups_page().write_group(name, entries)
    assert said in opened.app.sidebar.error[0].value
    assert opened.groups == ["punctuation", "english", "code"]


def test_entries_with_a_space_are_other_rows_than_typed_ones() -> None:
    typed = open_page("group_similarity", models="smollm2")
    spaced = open_page("group_similarity", models="smollm2")
    spaced.set("button_group", "Each entry is looked up", "space").works()
    alt = next(alt for alt in typed.frames if "token groups" in alt)
    assert (
        typed.frames[alt]["cells"]["mean"].tolist() != spaced.frames[alt]["cells"]["mean"].tolist()
    )


def test_both_spacings_of_many_groups_are_a_picture_rather_than_a_chart() -> None:
    opened = open_page("group_similarity", models="smollm2")
    opened.set("multiselect", "Token groups", ["punctuation", "english", "code", "days", "months"])
    opened.set("button_group", "Each entry is looked up", "both").works()
    assert opened.pictures


def test_special_tokens_can_be_left_out_of_the_rows_counted() -> None:
    opened = open_page("norms", models="minilm")
    counted = [text for text in opened.said if "30,522 of 30,522 rows" in text]
    assert counted
    opened.set("toggle", "Special, unused and byte tokens", False).works()
    assert "left out: special, unused and byte tokens" in opened.words


@pytest.mark.parametrize("transform", ["centred", "standardised", "abtt", "whitened", "raw"])
def test_every_transform_shows_before_and_after(transform: str) -> None:
    opened = open_page("whitening", models="minilm")
    opened.set("button_group", "Transform", transform).works()
    assert len([alt for alt in opened.charts if "mean cosines of groups" in alt]) == 2
    assert not opened.app.error


def test_number_of_components_removed_is_kept_in_the_link() -> None:
    opened = open_page("whitening", models="minilm").set("button_group", "Transform", "abtt")
    opened.set("number_input", "Components removed, D", 3).works()
    again = open_page("whitening", **opened.query)
    assert again.control("number_input", "Components removed, D").value == 3


def test_components_to_keep_are_not_taken_for_components_to_remove() -> None:
    opened = open_page("whitening", models="minilm")
    opened.set("number_input", "Components kept, k", 300).works()
    opened.set("button_group", "Transform", "abtt").works()
    assert opened.control("number_input", "Components removed, D").value is None


def test_more_components_than_dimensions_are_refused_with_the_bound() -> None:
    opened = open_page("whitening", models="minilm").set("button_group", "Transform", "abtt")
    opened.set("number_input", "Components removed, D", 5000).works()
    assert len(opened.app.error) == 1
    assert "384" in opened.words


KINDS = ("toggle", "selectbox", "multiselect", "segmented_control", "slider", "text_input")


@pytest.mark.parametrize("page", PAGES)
def test_no_run_sends_a_value_that_would_take_a_click_back(page: str) -> None:
    opened = open_page(page, models="minilm", spacing="both")
    for again in (opened, opened.go("norms" if page != "norms" else "overview").go(page)):
        widgets = [each for kind in KINDS for each in again.app.get(kind)]
        assert {"Models", "Each entry is looked up"} <= {each.label for each in widgets}
        assert [each.label for each in widgets if each.proto.set_value] == []


def test_what_somebody_changed_stays_and_what_it_brings_about_is_another_widget() -> None:
    opened = open_page("whitening", models="minilm")
    controls = (("segmented_control", "Transform"), ("multiselect", "Steps, in order"))

    def keys() -> list[str]:
        return [opened.control(*each).key for each in controls]

    first = keys()
    opened.set(*controls[0], "standardised")
    assert [now == then for now, then in zip(keys(), first, strict=True)] == [True, False]
    first = keys()
    opened.set(*controls[1], ["centre"])
    assert [now == then for now, then in zip(keys(), first, strict=True)] == [False, True]
    assert opened.control(*controls[0]).value == "centred"
    opened.set(*controls[1], ["centre", "rogue"])
    assert opened.control(*controls[1]).value == ["rogue", "centre"]
