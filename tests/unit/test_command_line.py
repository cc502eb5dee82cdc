"""The command line: one record for each source in order, and one line for what went wrong."""

import json
from pathlib import Path
from typing import Any

import made
import pytest
import spelled
import torch
from made import random_rows

from embgeo.__main__ import main
from embgeo.groups import DEFAULT


class Ran:
    """What a command printed."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err.splitlines()

    @property
    def records(self) -> list[dict[str, Any]]:
        return list(json.loads(self.out, parse_constant=pytest.fail))


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    def command(*arguments: object) -> Ran:
        code = main([str(each) for each in arguments])
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return command


@pytest.fixture
def words(tmp_path: Path) -> Path:
    tokenizer = spelled.byte_level([*(f" {word}" for word in spelled.WORDS), *spelled.WORDS])
    made.table(tmp_path / "words", random_rows(tokenizer.get_vocab_size(), 6), tokenizer)
    return tmp_path / "words"


def test_info_prints_a_record_for_each_source_in_order(run: Any, words: Path) -> None:
    done = run("info", "random:300x8", words, "random:20x4", "--json")
    assert (done.code, done.err) == (0, [])
    assert [record["source"] for record in done.records] == [
        "random:300x8",
        str(words),
        "random:20x4",
    ]
    assert [record["dim"] for record in done.records] == [8, 6, 4]


def test_info_as_text_has_a_line_for_each_figure(run: Any) -> None:
    done = run("info", "random:300x8")
    assert done.code == 0
    lines = dict(line.split(maxsplit=1) for line in done.out.splitlines())
    assert (lines["rows"], lines["tied"], lines["source"]) == ("300", "null", '"random:300x8"')


def test_groups_by_default_are_those_of_the_texts_as_typed(run: Any, words: Path) -> None:
    (record,) = run("groups", words, "--json").records
    assert list(record["within"]) == [group.name for group in DEFAULT]
    assert list(record["between"]) == ["punctuation|english", "punctuation|code", "english|code"]
    assert all(len(ids) == 6 for ids in record["ids"].values())
    assert record["left_out"] == {"punctuation": {}, "english": {}, "code": {}}
    assert record["separation"].keys() == {
        "difference", "effect_size", "silhouette", "p_value", "permutations", "seed",
    }  # fmt: skip
    assert record["provenance"]["transform"] == "raw"


@pytest.mark.parametrize("transform", ["raw", "centred", "standardised", "abtt", "whitened"])
def test_groups_of_a_file_under_a_policy(
    transform: str, run: Any, words: Path, tmp_path: Path
) -> None:
    file = tmp_path / "groups.json"
    file.write_text(json.dumps({"one": ["the", "dog"], "two": ["class", "é"]}), encoding="utf-8")
    (record,) = run(
        "groups", words, "--groups", file, "--spacing", "both", "--pieces", "mean",
        "--transform", transform, "--json",
    ).records  # fmt: skip
    assert [len(ids) for ids in record["ids"].values()] == [4, 4]
    assert [type(each) for each in record["ids"]["one"]] == [int, int, list, list]
    assert record["within"]["one"] is not None
    (record,) = run("groups", words, "--groups", file, "--json").records
    assert record["left_out"]["two"] == {"é": "2 tokens: ⟨C3⟩ · ⟨A9⟩"}


def test_entries_are_shared_between_sources_unless_asked(
    run: Any, words: Path, tmp_path: Path
) -> None:
    made.table(tmp_path / "few", random_rows(300, 6), spelled.byte_level([" the", "the"]))
    shared = run("groups", words, tmp_path / "few", "--json").records
    assert [len(record["ids"]["english"]) for record in shared] == [1, 1]
    every = run("groups", words, tmp_path / "few", "--entries", "all", "--json").records
    assert [len(record["ids"]["english"]) for record in every] == [6, 1]


def test_undefined_figures_are_null(run: Any, tmp_path: Path) -> None:
    made.table(tmp_path / "same", torch.full((300, 4), 0.7), spelled.byte_level())
    done = run("info", tmp_path / "same", "--json")
    assert done.records[0]["isoscore"] is None
    done = run("groups", tmp_path / "same", "--json")
    assert (done.code, done.records[0]["within"]["english"]) == (0, None)
    assert done.records[0]["separation"]["effect_size"] is None


@pytest.mark.parametrize("command", ["info", "groups"])
def test_one_bad_source_costs_its_own_record_only(command: str, run: Any) -> None:
    done = run(command, "random:50x4", "./no-such-model", "random:60x4", "--json")
    assert done.code == 1
    assert len(done.err) == 1
    assert "no-such-model does not exist. Give a folder or a file" in done.err[0]
    first, bad, last = done.records
    assert ("error" in first, "error" in last) == (False, False)
    assert bad == {"source": "./no-such-model", "error": done.err[0].removeprefix("embgeo: ")}


def test_a_transform_that_cannot_be_fitted_is_one_line(run: Any) -> None:
    done = run("groups", "random:8x8", "--transform", "whitened", "--json")
    assert done.code == 1
    assert len(done.err) == 1
    assert "Whitening n = 8 rows in d = 8 dimensions" in done.err[0]


def test_a_transform_may_be_spelled_as_provenance_does(run: Any) -> None:
    spelled = "rogue:2+centre+whiten:4~0.1"
    (record,) = run("groups", "random:300x8", "--transform", spelled, "--json").records
    assert record["provenance"]["transform"] == spelled
    done = run("groups", "random:300x8", "--transform", "centre+turn", "--json")
    assert (done.code, done.out, len(done.err)) == (1, "", 1)
    assert "Unknown step 'turn'; steps are rogue, centre" in done.err[0]
    assert "or name one of raw, centred" in done.err[0]


@pytest.mark.parametrize(
    "content", [None, "", "{", "[]", "{}", "3", '{"a": "the"}', '{"a": [1]}', '{"a": ["\\ud800"]}']
)
def test_a_file_that_holds_no_groups_says_what_it_must_hold(
    content: str | None, run: Any, tmp_path: Path
) -> None:
    file = tmp_path / "groups.json"
    if content is not None:
        file.write_text(content)
    done = run("groups", "random:50x4", "--groups", file, "--json")
    assert (done.code, done.out) == (1, "")
    assert len(done.err) == 1
    assert f'{file} must hold JSON like {{"name": ["entry", …]}}' in done.err[0]


def test_a_broken_setting_is_one_line(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBGEO_CACHE_GIB", "plenty")
    done = run("info", "random:50x4", "--json")
    assert done.code == 1
    assert done.err == ["embgeo: EMBGEO_CACHE_GIB must be a positive number, found 'plenty'."]


@pytest.mark.parametrize(
    "arguments", [[], ["info"], ["groups", "random:9x2", "--spacing", "wide"], ["paint", "minilm"]]
)
def test_what_is_no_command_shows_how_to_call_it(arguments: list[str], run: Any) -> None:
    with pytest.raises(SystemExit) as stopped:
        run(*arguments)
    assert stopped.value.code == 2
