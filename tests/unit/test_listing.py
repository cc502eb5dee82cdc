"""Which file of a folder or a repository is opened, from the names alone."""

import json
from pathlib import Path

import pytest

from embgeo.errors import SourceError
from embgeo.sources import TableSource, locate
from embgeo.sources.listing import weights_among

SAFE, INDEX = "model.safetensors", "model.safetensors.index.json"
SHARDS = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]
STATIC = "0_StaticEmbedding/model.safetensors"
BIN, BIN_INDEX = "pytorch_model.bin", "pytorch_model.bin.index.json"


@pytest.mark.parametrize("hub", [False, True])
@pytest.mark.parametrize(
    ("names", "chosen", "kind"),
    [
        ([BIN, SAFE, INDEX, "b.safetensors", "x.gguf"], SAFE, "safetensors"),
        ([BIN, INDEX, *SHARDS, "consolidated.safetensors"], INDEX, "safetensors"),
        (["consolidated.safetensors", "params.json"], "consolidated.safetensors", "safetensors"),
        (["consolidated.safetensors", "own.safetensors"], "own.safetensors", "safetensors"),
        (["own.safetensors", "adapter_model.safetensors", BIN], "own.safetensors", "safetensors"),
        (
            ["own.safetensors.index.json", "own-00001-of-00001.safetensors"],
            "own.safetensors.index.json",
            "safetensors",
        ),
        (["model-00001-of-00001.safetensors"], "model-00001-of-00001.safetensors", "safetensors"),
        (["modules.json", STATIC, "2_Dense/model.safetensors", BIN], STATIC, "safetensors"),
        (["1_Pooling/config.json", "modules.json", SAFE], SAFE, "safetensors"),
        (["config.json", BIN, "optimizer.pt", "tf_model.h5"], BIN, "pickle"),
        ([BIN_INDEX, "pytorch_model-00001-of-00001.bin", "x.gguf"], BIN_INDEX, "pickle"),
    ],
)
def test_one_file_is_chosen(names: list[str], chosen: str, kind: str, hub: bool) -> None:
    for order in (names, names[::-1]):
        choice = weights_among(order, hub=hub)
        assert (choice.name, choice.format) == (chosen, kind)
        assert choice.folder == chosen.rpartition("/")[0]


@pytest.mark.parametrize(
    ("names", "chosen", "kind"),
    [
        (["a.gguf", "README.md"], "a.gguf", "gguf"),
        (["a-00002-of-00002.gguf", "a-00001-of-00002.gguf"], "a-00001-of-00002.gguf", "gguf"),
        (["vectors.npy", "vocab.txt"], "vectors.npy", "vectors"),
        (["wiki.vec.gz"], "wiki.vec.gz", "vectors"),
    ],
)
def test_a_folder_may_hold_what_a_repository_may_not(
    names: list[str], chosen: str, kind: str
) -> None:
    choice = weights_among(names)
    assert (choice.name, choice.format) == (chosen, kind)
    with pytest.raises(SourceError, match=r"holds only GGUF files|holds no weights"):
        weights_among(names, hub=True)


@pytest.mark.parametrize(
    ("names", "says"),
    [
        ([], r"^here holds no weights that embgeo reads\. embgeo looks for model\.safetensors"),
        (["notes.txt", "secret.key"], r"^here holds no weights that embgeo reads\. embgeo"),
        (
            ["tf_model.h5", "flax_model.msgpack", "m.onnx", "m.ckpt"],
            "only flax_model.msgpack, m.ck",
        ),
        (["a.safetensors", "b.safetensors"], "several weight files: a.safetensors, b.safetensors"),
        (
            [*SHARDS, "config.json"],
            r"without the index.*model\.safetensors\.index\.json.*incomplete",
        ),
        (["adapter_config.json", "adapter_model.safetensors"], "is an adapter; it has no table of"),
        (
            ["adapter_config.json", "adapter_model.bin", "x.gguf"],
            "adapter.*Use its base model: own",
        ),
        (["onnx/model.onnx", "unet/model.safetensors"], r"reads\. embgeo looks for"),
    ],
)
@pytest.mark.parametrize("hub", [False, True])
def test_what_cannot_be_chosen_says_what_is_there(names: list[str], says: str, hub: bool) -> None:
    if "x.gguf" in names and not hub:
        assert weights_among(names).format == "gguf"
        return
    with pytest.raises(SourceError, match=says):
        weights_among(names, "here", hub, lambda: "owner/base")


def test_several_gguf_files_are_listed() -> None:
    with pytest.raises(SourceError, match=r"several weight files: a\.gguf, b-00001-of-00002\.gguf"):
        weights_among(["b-00001-of-00002.gguf", "b-00002-of-00002.gguf", "a.gguf"])
    with pytest.raises(SourceError, match=r"only GGUF files: a\.gguf, b\.gguf\. Download one"):
        weights_among(["b.gguf", "a.gguf", "README.md"], hub=True)


def test_a_base_model_is_asked_for_only_when_it_is_needed() -> None:
    def unwanted() -> str:
        raise AssertionError

    assert weights_among(["adapter_config.json", SAFE], base=unwanted).name == SAFE


@pytest.mark.parametrize(
    ("config", "says"),
    [
        (json.dumps({"base_model_name_or_path": "owner/base"}), "Use its base model: owner/base"),
        ("{}", r"Use its base model \(base_model_name_or_path"),
        ("not json", r"Use its base model \(base_model_name_or_path"),
    ],
)
def test_an_adapter_in_a_folder_names_its_base(config: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "adapter_config.json").write_text(config)
    with pytest.raises(SourceError, match=says):
        locate(TableSource("local", str(tmp_path)))


def test_other_files_are_not_told(tmp_path: Path) -> None:
    (tmp_path / "secret.key").touch()
    with pytest.raises(SourceError) as caught:
        locate(TableSource("local", str(tmp_path)))
    assert "secret" not in str(caught.value)
