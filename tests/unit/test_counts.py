"""Counts that a person brings: every way a file may be wrong, and what its tokens match."""

import json
from pathlib import Path

import made
import pytest
import spelled
from made import random_rows

from embgeo.errors import SourceError
from embgeo.views.counts import LARGEST, matched, read_counts


def test_csv_tsv_and_json_are_read_alike() -> None:
    expected = {" the": 12.0, "a,b": 3.0, "x": 1.5}
    texts = {
        "c.csv": 'token,count\r\n the,10\r\n"a,b",3\r\nx,1.5\r\n the,2\r\n',
        "c.tsv": " the\t12\na,b\t3\nx\t1.5\n",
        "c.txt": "\ufeff the\t12\na,b\t3\n\nx\t1.5",
        "object.json": json.dumps(expected),
        "pairs.json": json.dumps([[" the", 12], ["a,b", 3], ["x", "1.5"]]),
    }
    for name, text in texts.items():
        found = read_counts(name, text.encode())
        assert (found.of, found.by_id, found.bad_lines) == (expected, False, 0), name


def test_bad_lines_are_counted_and_left_out() -> None:
    found = read_counts("c.csv", b"the,2\nthe\n,\nof,many\nto,-1\nin,inf\nat,1,2\nis,3\n")
    assert found.of == {"the": 2.0, "is": 3.0}
    assert found.bad_lines == 6
    assert read_counts("c.json", b'{"a": 1, "b": null, "c": [2]}').bad_lines == 2


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("c.csv", b"", "holds a token and a count"),
        ("c.csv", b"the,0\n", "holds a token and a count"),
        ("c.csv", b"\xff\xfe\x00", "not UTF-8"),
        ("c.csv", bytes(LARGEST + 1), "20,000,001 bytes; a file of counts may have 20,000,000"),
        ("c.json", b"{", "not JSON"),
        ("c.json", b"3", "holds no counts"),
        ("c.json", b"[" * 100_000, "not JSON"),
    ],
)
def test_what_is_no_file_of_counts_is_refused(name: str, data: bytes, said: str) -> None:
    with pytest.raises(SourceError, match=said):
        read_counts(name, data)


def test_tokens_are_matched_by_exact_text_or_as_spelled(tmp_path: Path) -> None:
    tokenizer = spelled.byte_level([" the", "the"])
    rows = tokenizer.get_vocab_size()
    table = made.table(tmp_path, random_rows(rows, 3), tokenizer)
    with_space, bare = tokenizer.token_to_id("Ġthe"), tokenizer.token_to_id("the")
    found = matched(table, read_counts("c.csv", b" the,5\nthe,7\nnowhere,9\n\xc4\xa0the,1\n"))
    assert (found.counts[with_space], found.counts[bare]) == (6, 7)
    assert (found.matched, found.of, found.counts.sum()) == (3, 4, 13)


def test_ids_are_matched_where_every_token_is_one(tmp_path: Path) -> None:
    table = made.table(tmp_path, random_rows(20, 3))
    found = matched(
        table, read_counts("c.csv", b"id,count\n3,5\n19,1\n20,4\n" + b"9" * 40 + b",1\n")
    )
    assert (found.counts[3], found.counts[19], found.counts.sum()) == (5, 1, 6)
    assert (found.matched, found.of) == (2, 4)


def test_counts_that_no_number_holds_are_bad() -> None:
    huge = '{"of": 2, "the": 1' + "0" * 400 + "}"
    assert read_counts("c.json", huge.encode()).bad_lines == 1
    with pytest.raises(SourceError, match="too large to be added up"):
        read_counts("c.csv", b"the,1e308\nthe,1e308\n")


def test_only_a_first_line_without_a_number_is_one_of_headings() -> None:
    for first, bad in (("token,count", 0), ("the,nan", 1), ("the,-1", 1), ("the," + "9" * 400, 1)):
        assert read_counts("c.csv", f"{first}\nof,2\n".encode()).bad_lines == bad, first


def test_semicolons_separate_where_no_comma_does() -> None:
    assert read_counts("c.csv", b"the;5\n,;2\n").of == {"the": 5.0, ",": 2.0}
    assert read_counts("c.csv", b";,5\nthe,2\n").of == {";": 5.0, "the": 2.0}


def test_a_file_that_can_be_read_two_ways_is_refused() -> None:
    with pytest.raises(SourceError, match="with a comma and with a semicolon"):
        read_counts("c.csv", b"the;22,5\nof;3,5\n")
    assert read_counts("c.csv", b",;22038\nthe;5\n").of == {",": 22038.0, "the": 5.0}
