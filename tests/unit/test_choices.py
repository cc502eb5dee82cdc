"""What a person chose, as a link, and what is made of a link that is none."""

import base64
import json
import random
import zlib
from dataclasses import fields, replace
from typing import Any

import pytest

from embgeo.groups import DEFAULT, READY_MADE, TokenGroup
from embgeo.ui.choices import MOST_GROUPS, MOST_MODELS, Choices
from embgeo.ui.links import from_query, to_query

OTHER: dict[str, Any] = {
    "models": ("smollm2", "random:1000x64", "/a b/100%,ü&=+#?.gguf"),
    "groups": (READY_MADE["days"], TokenGroup("mine, <b>", ("\n", " a", "'", "ü\u200b", ""), 3)),
    "spacing": "both",
    "pieces": "mean",
    "shared": False,
    "padding": True,
    "special": False,
    "minus_floor": True,
    "cell": ("code", "english"),
    "relative": False,
    "transform": "abtt",
    "components": 7,
    "as_fed": True,
    "every_table": True,
    "vocabulary": 32_000,
    "width": 768,
    "number_bytes": 4,
    "total": None,
    "untied": False,
    "sentence": "ü #1 \n$",
    "other_sentence": "",
    "places": (3, 0),
    "coordinate": 322,
    "rotated": True,
    "pair": ("#5", "\u200b"),
    "zeroed": 7,
    "steps": ("rogue:2", "zipf-centre", "whiten:64~0.1"),
    "nearest": 3,
    "example_pairs": True,
}
CUT = "could not be read"
UNKNOWN = "does not know"


def link(view: object, version: str = "1") -> dict[str, str]:
    packed = zlib.compress(json.dumps(view).encode())
    return {"view": f"{version}.{base64.urlsafe_b64encode(packed).decode().rstrip('=')}"}


def test_a_link_holds_every_choice() -> None:
    assert set(OTHER) == {each.name for each in fields(Choices)}
    everything = Choices(**OTHER)
    for choices in (
        Choices(),
        everything,
        *(replace(Choices(), **{k: v}) for k, v in OTHER.items()),
    ):
        read = from_query(to_query(choices))
        assert (read.choices, read.notices) == (choices, [])


def test_defaults_make_a_short_readable_link() -> None:
    assert to_query(Choices()) == {"models": "minilm,smollm2"}
    assert to_query(Choices(models=())) == {"models": ""}
    assert from_query({}).choices == Choices()
    assert from_query({"models": ""}).choices.models == ()


def test_edited_groups_make_a_link_that_can_be_sent() -> None:
    groups = tuple(
        TokenGroup(f"group {n}", tuple(f"entry {n} {m}" for m in range(50))) for n in range(6)
    )
    query = to_query(Choices(groups=groups))
    assert len(query["view"]) < 1500
    assert query["view"].replace("-", "").replace("_", "").replace(".", "").isalnum()


def test_a_ready_made_group_that_was_changed_is_another() -> None:
    mine = replace(DEFAULT[0], entries=("…",))
    assert from_query(to_query(Choices(groups=(mine,)))).choices.groups == (mine,)


@pytest.mark.parametrize(
    "view",
    [
        "1", "1.", "1.x", "1.AAAA", "1.é", "x", ".", "2.AAAA", "1.eJw=", "1. ",
        link({"padding": True}, version="0")["view"],
        link({"padding": True}, version="11")["view"],
        link({"groups": ["days"]})["view"][:-6],
        link([])["view"], link(None)["view"], link("text")["view"],
        "1." + base64.urlsafe_b64encode(zlib.compress(b"[" * 100_000)).decode(),
        "1." + base64.urlsafe_b64encode(zlib.compress(b"\xff\xfe\xfd")).decode(),
        "1." + base64.urlsafe_b64encode(zlib.compress(b'{"a":' + b"9" * 5000 + b"}")).decode(),
    ],
)  # fmt: skip
def test_a_broken_link_gives_the_defaults_and_a_notice(view: str) -> None:
    read = from_query({"models": "smollm2", "view": view})
    assert read.choices == Choices(models=("smollm2",))
    assert [CUT in notice for notice in read.notices] == [True]


def test_a_link_that_unfolds_without_end_is_not_unfolded() -> None:
    bomb = link({"groups": [["bomb", ["x" * 50_000_000]]]})
    assert len(bomb["view"]) < 100_000
    read = from_query(bomb)
    assert (read.choices, len(read.notices)) == (Choices(), 1)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("spacing", "wide"), ("spacing", ["typed"]), ("spacing", None), ("pieces", 3),
        ("transform", "zca"), ("transform", {}), ("shared", 1), ("padding", "yes"),
        ("special", None), ("cell", "ab"), ("cell", ["a"]), ("cell", ["a", 1]), ("cell", 3),
        ("components", 0), ("components", -4), ("components", 1.5), ("components", True),
        ("components", 10**9), ("vocabulary", 0), ("vocabulary", None), ("width", 10**9),
        ("width", "768"), ("number_bytes", 3), ("number_bytes", [4]), ("number_bytes", 2.0),
        ("total", -1), ("total", 10**16), ("untied", None), ("every_table", 1),
        ("groups", "days"), ("groups", ["no such group"]), ("groups", [3]),
        ("groups", [["name"]]), ("groups", [["name", "entries"]]), ("groups", [["n", [1]]]),
        ("groups", [[1, ["a"]]]), ("groups", [["n", ["a"], -1]]), ("groups", [["n", [], 10**6]]),
        ("groups", [["n", [], True]]), ("groups", [{"n": []}]), ("groups", None),
        ("groups", [None]), ("groups", [["n", ["\ud800"]]]), ("cell", ["\udfff", "a"]),
        ("sentence", 3), ("sentence", "x" * 2001), ("other_sentence", ["a"]),
        ("other_sentence", "\ud800"), ("places", 1), ("places", [-1]), ("places", [True]),
        ("places", [0] * 7), ("coordinate", -1), ("coordinate", 1.0), ("coordinate", 10**7),
        ("rotated", 1), ("pair", ["a"]), ("pair", "ab"), ("pair", ["a", "x" * 201]),
        ("steps", "centre"), ("steps", ["zca"]), ("steps", ["drop:1", "drop:2"]), ("steps", [1]),
        ("nearest", 0), ("nearest", 11), ("nearest", True), ("example_pairs", 1),
        ("of another version", 1), ("models", ["minilm"]), ("__class__", "x"), ("policy", 1),
    ],
)  # fmt: skip
def test_a_choice_that_is_none_costs_itself_only(name: str, value: object) -> None:
    read = from_query(link({name: value, "minus_floor": True}))
    assert read.choices == Choices(minus_floor=True)
    assert [UNKNOWN in notice and name in notice for notice in read.notices] == [True]


def test_noise_never_raises_and_what_is_read_can_be_written() -> None:
    noise = random.Random(0)
    good = to_query(Choices(**OTHER))["view"]
    for _ in range(400):
        spoiled = list(good)
        for _ in range(noise.randint(1, 4)):
            spoiled[noise.randrange(len(spoiled))] = chr(noise.randint(32, 382))
        packed = zlib.compress(noise.randbytes(noise.randint(0, 40)))
        for view in ("".join(spoiled), "1." + base64.urlsafe_b64encode(packed).decode()):
            read = from_query({"models": view, "view": view})
            assert from_query(to_query(read.choices)).choices == read.choices


def test_more_than_a_page_can_show_is_cut() -> None:
    models = from_query({"models": ",".join(f"random:{n}x8" for n in range(1, 10))})
    assert len(models.choices.models) == MOST_MODELS
    assert models.notices == ["The link names 9 models; the first 6 are shown."]
    assert from_query({"models": "minilm,,minilm"}).choices.models == ("minilm",)
    groups = from_query(link({"groups": [[f"g{n}", ["a"]] for n in range(30)]})).choices.groups
    assert len(groups) == MOST_GROUPS
    same = from_query(link({"groups": [["g", ["a"]], ["g", ["b"]]]})).choices.groups
    assert same == (TokenGroup("g", ("b",)),)
