"""The field that adds a model: what it suggests, what it says of a text, and what it then does."""

import re
from pathlib import Path

import pytest
from opened import Opened, open_page
from stand_in import StandIn
from words import WORDS, checkpoint

from embgeo.sources import parse_source
from embgeo.sources.suggestions import note_recent
from embgeo.ui.choices import MOST_MODELS

pytestmark = [pytest.mark.app, pytest.mark.usefixtures("hub")]

SMALL = "random:41x4"
ID = "owner/name"


def page(*others: str) -> Opened:
    return open_page("norms", models=",".join([SMALL, *others]))


def suggested(opened: Opened) -> dict[str, str]:
    """The models that are suggested, in order, each with what is said of it."""
    inside = [each for each in opened.app.sidebar if each.type in {"button", "caption"}]
    texts = [re.sub(r"\\(.)", r"\1", getattr(each, "label", "") or each.value) for each in inside]
    return {
        text: note
        for each, text, note in zip(inside, texts, texts[1:], strict=False)
        if each.type == "button" and each.key.startswith("_add ") and each.key != "_add typed"
    }


def addable(opened: Opened) -> bool:
    """Whether the typed text itself can be added."""
    return "_add typed" in [each.key for each in opened.app.get("button")]


def test_packaged_models_come_first_before_anything_is_typed() -> None:
    found = suggested(page().works())
    assert list(found)[:2] == ["minilm", "smollm2"]
    assert found["minilm"] == "all-MiniLM-L6-v2, packaged"
    assert len(found) > 2


def test_typed_words_find_models_with_all_of_them_packaged_ones_first() -> None:
    found = suggested(page().type_model("smol").works())
    assert next(iter(found)) == "smollm2"
    assert "HuggingFaceTB/SmolLM2-135M" in found
    assert all("smol" in f"{text} {note}".lower() for text, note in found.items())
    two = suggested(page().type_model("llama 3.2").works())
    assert "meta-llama/Llama-3.2-1B" in two
    assert all("llama" in text.lower() and "3.2" in text for text in two)
    assert two["meta-llama/Llama-3.2-1B"] == "128,256 × 2,048, about 525 MB at 2 bytes a number"


def test_chosen_models_are_not_suggested() -> None:
    assert "minilm" not in suggested(page("minilm"))


def test_nothing_of_the_hub_is_suggested_where_it_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBGEO_ALLOW_HUB", "0")
    opened = page().type_model("llama").works()
    assert suggested(opened) == {}
    assert "hub" not in opened.control("text_input", "Model").proto.placeholder
    assert "the hub is switched off" in opened.type_model(ID).works().picker
    assert not addable(opened)


@pytest.mark.parametrize("variable", ["EMBGEO_ALLOW_LOCAL", "EMBGEO_ALLOW_HUB"])
def test_the_hubs_cache_is_suggested_where_paths_and_the_hub_are_allowed(
    variable: str, hub: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("models--owner--kept", "models--gpt2", "datasets--a--b", "version.txt"):
        (hub.cache / name).mkdir(parents=True)
    found = suggested(page().works())
    assert [text for text, note in found.items() if note == "in your hub cache"] == [
        "gpt2",
        "owner/kept",
    ]
    monkeypatch.setenv(variable, "0")
    assert "in your hub cache" not in suggested(page().works()).values()


def test_models_read_last_are_suggested_to_who_may_name_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [str(checkpoint(tmp_path / name, WORDS)) for name in ("first", "second")]
    opened = page()
    for folder in folders:
        assert opened.add_model(folder).works().models[-1] == folder
    note_recent(parse_source(ID))
    found = suggested(page().works())
    assert [text for text, note in found.items() if note == "recent"] == [ID, *folders[::-1]]
    assert list(found)[:2] == ["minilm", "smollm2"]
    monkeypatch.setenv("EMBGEO_ALLOW_LOCAL", "0")
    assert "recent" not in suggested(page().works()).values()


def test_models_that_cannot_be_named_here_are_not_suggested(
    hub: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = checkpoint(tmp_path / "gone", WORDS)
    for text in (str(gone), ID):
        note_recent(parse_source(text))
    for name in ("models--", "models--a--b--c", "models--..--x"):
        (hub.cache / name).mkdir(parents=True)
    assert {str(gone), ID} < set(suggested(page()))
    for path in gone.iterdir():
        path.unlink()
    gone.rmdir()
    monkeypatch.setenv("EMBGEO_ALLOW_HUB", "0")
    found = suggested(page().works())
    assert list(found) == ["minilm", "smollm2"]
    monkeypatch.delenv("EMBGEO_ALLOW_HUB")
    assert not {"", "a/b/c", "../x", str(gone)} & set(suggested(page().works()))


def test_what_a_typed_text_is_is_said_before_it_is_added(hub: StandIn, tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "own", WORDS)
    asked = f"From {hub.endpoint}: the exact bytes are said, and asked for"
    said = {
        "minilm": "all-MiniLM-L6-v2, packaged: on this machine already.",
        "random:30x5": "Generated: 30 × 5, normal with σ = 0.02",
        str(folder): "A folder on this machine.",
        str(folder / "model.safetensors"): "A file on this machine, ",
        f"{ID}@v1": asked,
        "meta-llama/Llama-3.2-1B": f"128,256 × 2,048, about 525 MB at 2 bytes a number. {asked}",
    }
    opened = page()
    for text, expected in said.items():
        assert expected in opened.type_model(text).works().picker
        assert addable(opened)
    assert hub.requests == ()


@pytest.mark.parametrize("text", ["/" + "long" * 100, "/nul\0l", "./gone", "a/b/c"])
def test_what_no_model_can_be_is_said_and_not_offered(text: str) -> None:
    opened = page().type_model(text).works()
    assert "does not exist" in opened.picker or "not a model that embgeo knows" in opened.picker
    assert not addable(opened)
    linked = page(text).works()
    assert len(linked.app.error) == 1


def test_adding_clears_the_field_and_changes_the_link() -> None:
    opened = page().add_model(" Random:30×5 ").works()
    assert opened.models == [SMALL, "random:30x5"]
    assert opened.query["models"] == f"{SMALL},random:30x5"
    assert opened.control("text_input", "Model").value == ""
    assert opened.add_model("random:30x5").models == [SMALL, "random:30x5"]


def test_a_suggestion_is_added_with_one_click() -> None:
    opened = page().type_model("mini")
    [button] = [each for each in opened.app.get("button") if each.key == "_add minilm"]
    button.click().run()
    assert opened.works().models == [SMALL, "minilm"]
    assert opened.control("text_input", "Model").value == ""
    assert any(alt.startswith("minilm") for alt in opened.charts)


def test_a_seventh_model_is_refused() -> None:
    six = [SMALL, *(f"random:{40 + at}x4" for at in range(2, MOST_MODELS + 1))]
    opened = open_page("norms", models=",".join(six)).add_model("random:50x4").works()
    assert f"{MOST_MODELS} models are chosen; remove one first." in opened.picker
    assert opened.models == six
    assert opened.control("text_input", "Model").value == "random:50x4"
    opened.set("multiselect", "Models", six[1:])
    assert "remove one first" not in opened.picker
    assert opened.add_model("random:50x4").works().models == [*six[1:], "random:50x4"]


def test_a_path_of_markup_is_text(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "**b** $x$ [a](b) <i> :red[c] #d, e", WORDS)
    opened = page().add_model(folder).works()
    assert opened.models == [SMALL, str(folder)]
    assert "\\*\\*b\\*\\* \\$x\\$ \\[a\\]\\(b\\) \\<i\\> \\:red\\[c\\] \\#d, e" in opened.said
    again = open_page("norms", **opened.query).works()
    assert again.models == [SMALL, str(folder)]
    label = next(each.label for each in page().app.get("button") if each.key == f"_add {folder}")
    assert r"\*\*b\*\* \$x\$" in label
    assert r"\*\*gone\*\*" in "".join(
        each.value for each in page().type_model("./**gone**").app.sidebar.caption
    )
