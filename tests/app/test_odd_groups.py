"""Groups with nothing in them, with one token, with shared tokens; rows without a direction."""

from pathlib import Path

import pytest
import torch
from opened import PAGES, Opened, open_page
from safetensors.torch import save_file
from words import WORDS, checkpoint

from embgeo.groups import TokenGroup
from embgeo.ui.choices import Choices
from embgeo.ui.links import to_query

pytestmark = pytest.mark.app


def _open(page: str, *groups: TokenGroup, models: tuple[str, ...] = ("minilm",)) -> Opened:
    return open_page(page, **to_query(Choices(models=models, groups=groups))).works()


def _group(name: str, words: str) -> TokenGroup:
    return TokenGroup(name, tuple(words.split()))


@pytest.mark.parametrize("page", PAGES)
def test_without_groups_the_page_still_works(page: str) -> None:
    opened = _open(page)
    assert opened.groups == []
    asks = "Choose at least one token group" in opened.words
    assert asks or opened.charts or opened.app.metric


@pytest.mark.parametrize("page", PAGES)
def test_group_of_one_token_says_that_it_needs_two(page: str) -> None:
    opened = _open(page, _group("lonely", "the"), _group("pair", "dog cat"))
    assert opened.charts
    opened = _open(page, _group("lonely", "the"))
    assert not opened.app.error


def test_one_token_in_all_has_no_separation_and_no_pairs() -> None:
    opened = _open("group_similarity", _group("lonely", "the"))
    assert "needs two groups" in opened.words
    assert "Needs two tokens" in opened.words
    opened.set("selectbox", "Token pairs of", ("lonely", "lonely")).works()
    assert "No pair of different tokens" in opened.words


@pytest.mark.parametrize("page", PAGES)
def test_group_none_of_whose_entries_resolve_is_told_and_the_others_stay(page: str) -> None:
    opened = _open(page, _group("strange", "zzqqxxyy qqzzjjww"), _group("pair", "dog cat"))
    assert opened.charts
    assert "2 left out" in opened.words
    assert any("tokens: " in body for body in opened.tables)


@pytest.mark.parametrize("page", PAGES)
def test_only_groups_without_rows_break_nothing(page: str) -> None:
    opened = _open(page, _group("strange", "zzqqxxyy"), _group("odd", "qqzzjjww"))
    assert not opened.app.error


@pytest.mark.parametrize("page", ["overview", "group_similarity", "whitening"])
def test_where_no_entry_is_in_every_model_the_page_says_why_nothing_is_compared(
    page: str, tmp_path: Path
) -> None:
    other = str(checkpoint(tmp_path / "other", ["unheard", "unseen"]))
    said = "No entry of the groups has a row in every model"
    opened = _open(page, _group("pets", "cat dog"), models=("minilm", other))
    assert said in opened.words
    assert said not in _open(page, _group("pets", "cat dog")).words


def test_token_of_two_groups_is_named_as_left_out_of_separation() -> None:
    opened = _open("group_similarity", _group("pets", "cat dog cow"), _group("farm", "cow pig hen"))
    assert "several groups are left out (cow)" in opened.words


def test_two_equal_groups_of_different_names_have_no_separation() -> None:
    opened = _open("group_similarity", _group("a", "cat dog"), _group("b", "dog cat"))
    assert "needs two groups" in opened.words


@pytest.mark.parametrize("page", PAGES)
def test_zero_row_is_counted_and_no_number_is_missing_silently(page: str, tmp_path: Path) -> None:
    folder = str(checkpoint(tmp_path / "zero", WORDS, zero=(1, 7), padding=3))
    opened = open_page(page, models=folder).works()
    assert opened.charts
    told = {
        "group_similarity": "2 tokens without a direction",
        "norms": "2 without a direction",
    }
    assert told.get(page, "") in opened.words


@pytest.mark.parametrize("page", PAGES)
def test_table_of_zero_rows_only_breaks_nothing(page: str, tmp_path: Path) -> None:
    folder = str(checkpoint(tmp_path / "nothing", WORDS, zero=range(len(WORDS) + 1)))
    opened = open_page(page, models=f"minilm,{folder}").works()
    assert opened.charts


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("shape", ["1x1", "2x3", "5x64"])
def test_tiny_random_table_breaks_nothing_and_leaves_the_other_model(page: str, shape: str) -> None:
    opened = open_page(page, models=f"minilm,random:{shape}").works()
    assert any(alt.startswith("minilm") for alt in opened.charts)


@pytest.mark.parametrize("page", PAGES)
def test_generated_table_shows_its_random_tokens(page: str) -> None:
    groups = (TokenGroup("random tokens", drawn=24), TokenGroup("english", ("the", "and")))
    opened = _open(page, *groups, models=("random:1000x64",))
    assert opened.charts


@pytest.mark.parametrize("page", PAGES)
def test_generated_table_stands_beside_a_real_one(page: str) -> None:
    opened = open_page(page, models="minilm,random:1000x64").works()
    drawn = {"minilm"} if page == "model_sizes" else {"minilm", "random"}
    assert {alt.split(":")[0].split(",")[0] for alt in opened.charts} >= drawn
    if page == "model_sizes":  # no model is around it: there is no share to draw
        assert "no whole model is known" in " ".join(opened.tables)


@pytest.mark.parametrize("page", PAGES)
def test_six_models_stand_side_by_side(page: str, tmp_path: Path) -> None:
    names = [str(checkpoint(tmp_path / f"model{at}", WORDS, seed=at)) for at in range(5)]
    opened = open_page(page, models=",".join(["minilm", *names])).works()
    drawn = " ".join(opened.charts)
    assert all(f"model{at}" in drawn for at in range(5))
    opened.add_model("random:9x2")
    assert "6 models are chosen" in opened.app.sidebar.error[0].value


@pytest.mark.parametrize("page", PAGES)
def test_two_folders_of_one_name_are_told_apart(page: str, tmp_path: Path) -> None:
    first = checkpoint(tmp_path / "base" / "model", WORDS)
    second = checkpoint(tmp_path / "tuned" / "model", WORDS, seed=1)
    opened = open_page(page, models=f"{first},{second}").works()
    drawn = " ".join(opened.charts)
    assert "base/model" in drawn
    assert "tuned/model" in drawn


@pytest.mark.parametrize("page", PAGES)
def test_folders_alike_in_their_last_names_and_other_spellings_of_one(
    page: str, tmp_path: Path
) -> None:
    first = checkpoint(tmp_path / "a" / "foo" / "model", WORDS)
    second = checkpoint(tmp_path / "b" / "foo" / "model", WORDS, seed=1)
    respelled = f"{first},{first}/,{tmp_path}/b/../a/foo/model,random:300x32,random:300X32"
    opened = open_page(page, models=f"{respelled},{second}").works()
    drawn = " ".join(opened.charts)
    assert "a/foo/model" in drawn
    assert "b/foo/model" in drawn


def test_over_sixty_tokens_a_picture_stands_for_the_chart() -> None:
    few = _open("group_similarity", TokenGroup("random tokens", drawn=60))
    assert any("every token" in alt for alt in few.charts)
    assert not few.pictures
    many = _open("group_similarity", TokenGroup("random tokens", drawn=61))
    assert not any("every token" in alt for alt in many.charts)
    [picture] = many.pictures
    assert "data:image/png;base64," in picture
    assert "61" in picture
    assert many.payload < 500_000


@pytest.mark.parametrize("transform", ["raw", "whitened"])
def test_rows_that_are_all_the_same_break_nothing(transform: str, tmp_path: Path) -> None:
    same = checkpoint(tmp_path / "same", WORDS)
    tokens = len(WORDS) + 1
    save_file({"model.embed_tokens.weight": torch.ones(tokens, 4)}, same / "model.safetensors")
    query = to_query(Choices(models=(str(same), "minilm"), transform=transform))
    opened = open_page("whitening", **query).works()
    assert ("no spread" if transform == "raw" else "all the same") in opened.words
    assert any(alt.startswith("minilm") for alt in opened.charts)
