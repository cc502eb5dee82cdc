"""Word vectors: the same numbers out of every format, and a faulty file said plainly."""

import gzip
import json
import pickle
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
import wordy
from safetensors.numpy import save_file

import embgeo
from embgeo.checkpoints import vectors_file
from embgeo.errors import CheckpointError, EmbgeoError, SourceError
from embgeo.groups import DEFAULT, Member, Policy, ResolvedGroup, TokenGroup, resolve
from embgeo.sources import TableSource, locate
from embgeo.tables import EmbeddingTable
from embgeo.tokens.text import CHARACTER, SPECIAL, START
from embgeo.views.group_rows import group_rows

ROWS = wordy.rows()


def npy(folder: Path, values: object = ROWS, name: str = "vectors.npy") -> Path:
    np.save(folder / name, values)
    (folder / "vocab.txt").write_text("".join(f"{word}\n" for word in wordy.WORDS))
    return folder / name


def npz(folder: Path, **arrays: object) -> Path:
    np.savez(folder / "vectors.npz", **arrays)
    return folder / "vectors.npz"


FORMATS: dict[str, Callable[[Path], Path]] = {
    "word2vec text": lambda at: wordy.text(at / "w2v.txt"),
    "fastText": lambda at: wordy.text(at / "cc.en.5.vec"),
    "gzipped text": lambda at: wordy.text(at / "w2v.txt.gz"),
    "trailing blanks": lambda at: wordy.text(at / "w.txt", header="{rows}\t{dim} \r\n"),
    "GloVe": lambda at: wordy.text(at / "glove.6B.5d.txt", header=None),
    "gzipped GloVe": lambda at: wordy.text(at / "glove.gz", header=None),
    "binary": lambda at: wordy.binary(at / "w2v.bin"),
    "binary without ends": lambda at: wordy.binary(at / "w2v.bin", end=b""),
    "gzipped binary": lambda at: wordy.binary(at / "GoogleNews.bin.gz"),
    "npy": npy,
    "Fortran npy": lambda at: npy(at, np.asfortranarray(ROWS)),
    "big-endian npy": lambda at: npy(at, ROWS.astype(">f4")),
    "npz": lambda at: npz(at, vectors=ROWS, vocab=np.array(wordy.WORDS)),
    "npz of bytes": lambda at: npz(at, wv=ROWS, words=np.array([w.encode() for w in wordy.WORDS])),
}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.usefixtures("fresh_cache")
def test_every_format_has_the_same_numbers_words_and_groups(name: str, tmp_path: Path) -> None:
    path = FORMATS[name](tmp_path)
    for _ in range(2):  # the second time from the cache
        table = embgeo.load(str(path))
        assert table.files.format == "vectors"
        assert table.weight.dtype == torch.float32
        assert np.array_equal(table.weight.numpy(), ROWS)
        assert [table.vocabulary.text(row) for row in range(table.rows)] == list(wordy.WORDS)
        found = resolve(DEFAULT, [table], Policy())[0]
        ids = [[member.ids[0] for member in group.members] for group in found]
        assert ids == [[*range(12, 18)], [*range(6)], [*range(6, 12)]]


def cosines(table: EmbeddingTable, words: tuple[str, ...]) -> np.ndarray:
    """Cosines of a group of words, the whole way from the file."""
    return group_rows(table, resolve([TokenGroup("g", words)], [table])[0]).cosines


@pytest.mark.parametrize("name", FORMATS)
def test_cosines_are_the_same_as_from_safetensors(name: str, tmp_path: Path) -> None:
    save_file({"embeddings": ROWS}, tmp_path / "model.safetensors")
    table = embgeo.load(str(tmp_path))
    groups = [ResolvedGroup("g", tuple(Member((row,), str(row)) for row in range(6)), ())]
    expected = group_rows(table, groups).cosines
    found = cosines(embgeo.load(str(FORMATS[name](tmp_path))), wordy.WORDS[:6])
    assert np.array_equal(found, expected)


def test_the_facts_say_what_kind_of_vectors_they_are(tmp_path: Path) -> None:
    kinds = {
        "w2v.txt": "word2vec text",
        "w2v.bin": "word2vec binary",
        "glove.txt": "GloVe text",
        "vectors.npy": "NumPy array",
    }
    wordy.text(tmp_path / "w2v.txt")
    wordy.binary(tmp_path / "w2v.bin")
    wordy.text(tmp_path / "glove.txt", header=None)
    npy(tmp_path)
    for name, kind in kinds.items():
        facts = embgeo.load(str(tmp_path / name)).facts
        assert (facts.architecture, facts.rows, facts.dim, facts.dtype) == (kind, 18, 5, "F32")
        assert (facts.parameters, facts.tied) == (90, None)
        assert facts.tied_reason == "word vectors have no output table"
        assert facts.mapped is (name == "vectors.npy")


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_an_array_keeps_its_stored_type(dtype: str, tmp_path: Path) -> None:
    values = wordy.rows(4).astype(dtype)
    words = np.array(["a", "b", "c", "d"])
    for path in (npy(tmp_path, values, "mapped.npy"), npz(tmp_path, weight=values, vocab=words)):
        table = embgeo.load(str(path))
        assert str(table.weight.dtype) == f"torch.{dtype}"
        assert np.array_equal(table.weight.numpy(), values)
        assert table.take([3]).shape == (1, 5)


def test_an_array_is_mapped_and_stays_as_it_is(tmp_path: Path) -> None:
    path = npy(tmp_path)
    before = path.read_bytes()
    embgeo.load(str(path)).weight[0, 0] = 7
    assert path.read_bytes() == before


def test_words_are_looked_up_whole_and_exactly(tmp_path: Path) -> None:
    words = ["New_York", "new york", "york", "1", "é", "</s>", "\u00a0"]
    table = embgeo.load(str(wordy.text(tmp_path / "w.txt", words)))
    vocabulary = table.vocabulary
    assert [vocabulary.encode(word)[0] for word in words] == list(range(7))
    assert vocabulary.encode(" york ") == [2]
    assert table.classes.tolist() == [START, START, START, CHARACTER, CHARACTER, SPECIAL, CHARACTER]
    both = resolve([TokenGroup("g", ("york", "York"))], [table], Policy("both"))[0][0]
    assert [member.ids for member in both.members] == [(2,)]
    assert both.left_out == {"York": "no row for it: these vectors do not have this word"}


def test_glove_words_may_have_blanks_in_them(tmp_path: Path) -> None:
    words = ["at name@domain.com", ". . .", "Windows 10", "the", ""]
    table = embgeo.load(str(wordy.text(tmp_path / "g.txt", words, header=None)))
    assert [table.vocabulary.text(row) for row in range(5)] == words
    assert np.array_equal(table.weight.numpy(), wordy.rows(5))


def test_a_text_may_be_separated_by_tabs_and_end_in_empty_lines(tmp_path: Path) -> None:
    path = wordy.text(tmp_path / "w.txt")
    path.write_bytes(path.read_bytes().replace(b" ", b"\t").replace(b"\n", b" \r\n") + b"\n\n")
    assert np.array_equal(embgeo.load(str(path)).weight.numpy(), ROWS)


def test_of_repeated_words_the_first_counts(tmp_path: Path) -> None:
    table = embgeo.load(str(wordy.text(tmp_path / "w.txt", ["a", "b", "a", "a"])))
    assert table.vocabulary.encode("a") == [0]
    assert "2 rows repeat the word of an earlier row" in table.vocabulary.note
    assert table.classes.tolist() == [CHARACTER, CHARACTER, -1, -1]


def test_words_that_are_not_utf_8_are_counted(tmp_path: Path) -> None:
    table = embgeo.load(str(wordy.text(tmp_path / "w.txt", ["a", b"caf\xe9", "c"])))
    assert table.vocabulary.text(1) == "caf\ufffd"
    assert "1 words are not UTF-8" in table.vocabulary.note


def mended(path: Path, old: bytes, new: bytes) -> Path:
    content = path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new))
    return path


ABC = np.array([[0.5, 1, 2], [3, 4, 5], [6, 7.25, 8]], dtype=np.float32)


@pytest.mark.parametrize(
    ("header", "old", "new", "says"),
    [
        (None, b"b 3 4 5", b"b 3 4", "line 2: expected a word and 3 values, found 2"),
        (None, b"b 3 4 5", b"b 3 4 5 0.5 6", "line 2: expected a word and 3 values, found 5"),
        (None, b"b 3 4 5", b"new york 4 5", "line 2: expected a word and 3 values, found 2"),
        ("{rows} {dim}\n", b"b 3 4 5", b"b 3 x 5", "line 3: expected a word and 3 values, found 1"),
        (None, b"b 3 4 5", b"b 3  5", "line 2: expected a word and 3 values, found 2"),
        (None, b"b 3 4 5\n", b"\n", "line 2: expected a word and 3 values, found 0"),
        ("4 3\n", b"b", b"b", r"says it holds 4 words, but 3 whole ones.*incomplete download"),
        ("2 3\n", b"b", b"b", r"says it holds 2 words, but 3 whole ones"),
        ("3 4\n", b"b", b"b", r"line 2: expected a word and 4 values, found 3"),
        ("3 99999999\n", b"b", b"b", r"each word has 99,999,999 values"),
    ],
)
def test_a_wrong_line_is_named(
    header: str | None, old: bytes, new: bytes, says: str, tmp_path: Path
) -> None:
    path = mended(wordy.text(tmp_path / "w.txt", list("abc"), ABC, header), old, new)
    for _ in range(2):
        with pytest.raises(CheckpointError, match=says):
            embgeo.load(str(path))


def test_lines_that_are_all_wrong_alike_are_named_too(tmp_path: Path) -> None:
    path = tmp_path / "w.txt"
    path.write_bytes(b"2 3\na 0.5  1\nb 0.5  2\n")
    with pytest.raises(CheckpointError, match="line 2: expected a word and 3 values, found 2"):
        embgeo.load(str(path))


def test_progress_says_how_many_words_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors_file, "_BATCH", 20)
    told: list[tuple[float, str]] = []
    embgeo.load(str(wordy.text(tmp_path / "w.txt")), lambda part, what: told.append((part, what)))
    assert (0.6 + 0.4 * 8 / 18, "w.txt: word 8 of 18") in told


@pytest.mark.parametrize("name", ["w.bin", "w.bin.gz"])
def test_a_binary_that_is_cut_short_is_refused(name: str, tmp_path: Path) -> None:
    path = wordy.binary(tmp_path / name)
    whole = path.read_bytes()
    for keep in (len(whole) - 9, len(whole) // 2):
        path.write_bytes(whole[:keep])
        with pytest.raises(EmbgeoError, match=r"incomplete download|cut short"):
            embgeo.load(str(path))


def test_a_binary_that_goes_on_after_its_last_word_is_refused(tmp_path: Path) -> None:
    path = wordy.binary(tmp_path / "w.bin")
    path.write_bytes(path.read_bytes().replace(b"18 5", b"17 5", 1))
    with pytest.raises(CheckpointError, match="goes on after the 17 words"):
        embgeo.load(str(path))


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("cc.bin", b"\xba\x16\x4f\x2f" + bytes(40), r"fastText model.*\.vec file"),
        ("glove.6B.zip", b"PK\x03\x04" + bytes(40), "zip archive; unpack it"),
        ("x.kv", b"\x80\x04\x95\x1a\x00\x8c\x18gensim.models.keyedvectors", "save_word2vec_format"),
        ("notes.txt", b"These are notes.\n", "no file of weights"),
        ("numbers.txt", b"0.5 0.25 1.5\n0.5 1 2\n", "no file of weights"),
        ("x.npy.gz", None, "gzipped array"),
        ("x.txt.gz", b"\x1f\x8b\x08\x00junk", "gzip file"),
    ],
)
def test_what_is_taken_for_word_vectors_is_refused_with_a_way_out(
    name: str, content: bytes | None, says: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    if content is None:
        content = gzip.compress(npy(tmp_path).read_bytes())
    path.write_bytes(content)
    with pytest.raises(SourceError, match=says):
        embgeo.load(str(path))


def test_the_array_beside_a_pickle_of_gensims_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "my.kv.vectors.npy", ROWS)
    (tmp_path / "my.kv").write_bytes(b"\x80\x04")
    with pytest.raises(SourceError, match=r"in my\.kv, a pickle.*save_word2vec_format"):
        embgeo.load(str(tmp_path / "my.kv.vectors.npy"))


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (np.array([["a", 1]], dtype=object), "array of Python objects.*can run code"),
        (np.arange(6).reshape(2, 3), "stored as int64; expected floating-point"),
        (np.ones(3, dtype=np.float32), r"shape \(3,\); expected two dimensions"),
        (np.ones((0, 3), dtype=np.float32), "no number in it"),
    ],
)
def test_an_array_that_is_no_table_is_refused(values: object, says: str, tmp_path: Path) -> None:
    for path in (npy(tmp_path, values), npz(tmp_path, vectors=values)):
        with pytest.raises(CheckpointError, match=says):
            embgeo.load(str(path))


def test_an_array_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    for path in (npy(tmp_path), npz(tmp_path, vectors=ROWS)):
        path.write_bytes(path.read_bytes()[:-30])
        with pytest.raises(CheckpointError, match="incomplete download"):
            embgeo.load(str(path))


def test_several_arrays_are_told_apart_by_name(tmp_path: Path) -> None:
    path = npz(tmp_path, first=ROWS, second=ROWS[:, :3])
    with pytest.raises(CheckpointError, match=r"several arrays.*first, second.*after a #"):
        embgeo.load(str(path))
    table = embgeo.load(f"{path}#second")
    assert (table.dim, table.facts.others) == (3, ("first",))
    with pytest.raises(CheckpointError, match="expected third; found first, second"):
        embgeo.load(f"{path}#third")
    with pytest.raises(CheckpointError, match="leave out #lm_head"):
        embgeo.load(f"{wordy.text(tmp_path / 'w.txt')}#lm_head")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("v.vocab", "a 12\nb 7\n"),
        ("v.vocab", "a\nb\n"),
        ("v.txt", "a\r\nb"),
        ("words.txt", "a\nb\n"),
        ("vocab.json", json.dumps(["a", "b"])),
        ("vocab.json", json.dumps({"b": 1, "a": 0})),
    ],
)
def test_the_words_of_an_array_may_lie_beside_it(name: str, content: str, tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", wordy.rows(2))
    (tmp_path / name).write_text(content, newline="")
    vocabulary = embgeo.load(str(tmp_path / "v.npy")).vocabulary
    assert (vocabulary.entries, vocabulary.note) == ({0: "a", 1: "b"}, "")


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("", "", "comes without words; put them beside it as vocab.txt"),
        ("vocab.txt", "a\nb\nc\n", "lists 3 words, but v.npy has 2 rows"),
        ("vocab.json", '{"a": 2}', "gives 'a' the row 2, but the rows go from 0 to 1"),
        ("vocab.json", "[1, 2]", "neither a list of words"),
        ("vocab.json", "[", "not valid JSON"),
    ],
)
def test_without_words_that_fit_rows_go_by_number(
    name: str, content: str, says: str, tmp_path: Path
) -> None:
    np.save(tmp_path / "v.npy", wordy.rows(2))
    if name:
        (tmp_path / name).write_text(content)
    vocabulary = embgeo.load(str(tmp_path / "v.npy")).vocabulary
    assert vocabulary.text(1) == "#1"
    assert says in vocabulary.note and "still works by token id" in vocabulary.note


def test_words_that_are_python_objects_are_not_opened(tmp_path: Path) -> None:
    path = npz(tmp_path, vectors=wordy.rows(2), vocab=np.array(["a", "b"], dtype=object))
    assert "array of Python objects" in embgeo.load(str(path)).vocabulary.note


def test_the_same_vectors_as_text_are_no_list_of_words(tmp_path: Path) -> None:
    path = npy(tmp_path)
    wordy.text(tmp_path / "vectors.txt")
    assert embgeo.load(str(path)).vocabulary.text(0) == "the"


def test_the_revision_follows_the_list_of_words(tmp_path: Path) -> None:
    path = npy(tmp_path)
    first = locate(TableSource("local", str(path))).revision
    (tmp_path / "vocab.txt").write_text("changed\n")
    assert locate(TableSource("local", str(path))).revision != first


def test_pickled_objects_in_an_array_run_nothing(tmp_path: Path) -> None:
    class Bad:
        def __reduce__(self) -> tuple[object, ...]:
            return (Path.touch, (tmp_path / "ran",))

    np.save(tmp_path / "v.npy", np.array([Bad()], dtype=object))
    np.savez(tmp_path / "v.npz", vectors=wordy.rows(1), vocab=np.array([Bad()], dtype=object))
    (tmp_path / "v.kv").write_bytes(pickle.dumps(Bad()))
    for name in ("v.npy", "v.kv"):
        with pytest.raises(EmbgeoError):
            embgeo.load(str(tmp_path / name))
    embgeo.load(str(tmp_path / "v.npz"))
    assert not (tmp_path / "ran").exists()


def test_parsing_takes_little_more_memory_than_the_table(tmp_path: Path) -> None:
    count, dim = 12_000, 300
    line = " ".join(f"{value:.4f}" for value in np.linspace(-1, 1, dim))
    (tmp_path / "w.txt").write_text("".join(f"w{row} {line}\n" for row in range(count)))
    code = (
        "import sys, tracemalloc; from pathlib import Path; import torch\n"
        "from embgeo.checkpoints import vectors_file as v\n"
        "path = Path(sys.argv[1]); facts = v.facts(path); tracemalloc.start()\n"
        "v.weight(path, facts); print(tracemalloc.get_traced_memory()[1])"
    )
    run = [sys.executable, "-c", code, str(tmp_path / "w.txt")]
    peak = int(subprocess.run(run, check=True, capture_output=True, text=True).stdout)
    # The table, and batches of about a million numbers, of which each is text of 7 bytes here.
    assert peak < 4 * count * dim + 40 * 2**20


NPY = b"\x93NUMPY\x01\x00"
SHAPE = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2)}"
ODD_HEADERS = {
    "unclosed": "(" * 200,
    "open text": "'" * 3,
    "indents": " \n  a\n b",
    "list for a key": "{[]: 1}",
    "truth for a length": SHAPE.replace("(3, 2)", "(True, 2)"),
    "negative": SHAPE.replace("(3, 2)", "(-3, -2)"),
    "absurd": SHAPE.replace("(3, 2)", "(99999999999999999999, 2)"),
}


@pytest.mark.parametrize("header", ODD_HEADERS.values(), ids=ODD_HEADERS)
def test_an_odd_array_header_is_refused(header: str, tmp_path: Path) -> None:
    path = tmp_path / "vectors.npy"
    path.write_bytes(NPY + len(header).to_bytes(2, "little") + header.encode() + bytes(24))
    with pytest.raises(CheckpointError, match=r"vectors.npy .* incomplete download"):
        _ = embgeo.load(str(path)).weight


def test_an_archive_that_cannot_be_unpacked_is_refused(tmp_path: Path) -> None:
    path = npz(tmp_path, vectors=ROWS)
    plain = path.read_bytes()
    members = {"local": plain.index(b"PK\x03\x04"), "central": plain.index(b"PK\x01\x02")}
    encrypted, unknown = bytearray(plain), bytearray(plain)
    encrypted[members["local"] + 6] |= 1
    encrypted[members["central"] + 8] |= 1
    unknown[members["local"] + 8] = unknown[members["central"] + 10] = 99
    for contents in (encrypted, unknown):
        path.write_bytes(contents)
        with pytest.raises(CheckpointError, match=r"vectors.npz .* incomplete download"):
            embgeo.load(str(path))


def test_an_array_larger_than_any_memory_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "vectors.npz"
    header = SHAPE.replace("(3, 2)", f"({10**9}, {10**7})").encode()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("vectors.npy", NPY + len(header).to_bytes(2, "little") + header)
    with pytest.raises(CheckpointError, match=r"vectors.npz .* incomplete download"):
        _ = embgeo.load(str(path)).weight


def test_a_line_or_a_word_without_end_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("embgeo.checkpoints.vectors_stream._LONGEST_LINE", 1000)
    monkeypatch.setattr("embgeo.checkpoints.vectors_stream._LONGEST_WORD", 1000)
    (tmp_path / "text.txt").write_bytes(b"2 2\na 1 2\n" + b"b" * 9000)
    words = b"2 2\na " + ROWS[0, :2].tobytes() + b"b" * 9000
    (tmp_path / "words.bin").write_bytes(words)
    for name in ("text.txt", "words.bin"):
        with pytest.raises(CheckpointError, match=f"{name} .* incomplete download"):
            embgeo.load(str(tmp_path / name))


def test_a_binary_word_with_a_blank_is_not_read_as_numbers(tmp_path: Path) -> None:
    entries = [b"a b " + ROWS[0].tobytes() + b"\n", b"c " + ROWS[1].tobytes() + b"\n"]
    path = tmp_path / "words.bin"
    path.write_bytes(f"2 {ROWS.shape[1]}\n".encode() + b"".join(entries))
    with pytest.raises(CheckpointError, match="do not end where they should"):
        embgeo.load(str(path))


def test_a_list_of_words_holds_what_can_be_shown(tmp_path: Path) -> None:
    path = npy(tmp_path)
    (tmp_path / "vocab.txt").unlink()
    words = list(wordy.WORDS)
    words[0] = "\ud800"
    (tmp_path / "vocab.json").write_text(json.dumps(words))
    assert embgeo.load(str(path)).vocabulary.entries[0] == "?"
    (tmp_path / "vocab.json").write_text("[" * 100_000)
    assert "is not valid JSON" in embgeo.load(str(path)).vocabulary.note
