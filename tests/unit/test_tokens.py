"""What an entry of a vocabulary stands for, and how it is shown."""

import pytest

from embgeo.tokens import exact_text, token_class, visible
from embgeo.tokens.text import CHARACTER, INSIDE, SPECIAL, START, Spelling


@pytest.mark.parametrize(
    ("entry", "spelling", "text"),
    [
        ("the", "byte-level", "the"),
        ("Ġthe", "byte-level", " the"),
        ("ĊĊ", "byte-level", "\n\n"),
        ("ĉ", "byte-level", "\t"),
        ("cafÃ©", "byte-level", "café"),
        ("Ã", "byte-level", "⟨C3⟩"),
        ("æĿ", "byte-level", "⟨E6⟩⟨9D⟩"),
        ("Ġæ", "byte-level", " ⟨E6⟩"),
        ("aÿb", "byte-level", "a⟨FF⟩b"),
        ("ðŁĺ", "byte-level", "⟨F0⟩⟨9F⟩⟨98⟩"),
        ("ðŁĺĢ", "byte-level", "😀"),
        ("×©", "byte-level", "ש"),
        ("Ń", "byte-level", "⟨AD⟩"),
        ("  two real spaces", "byte-level", "  two real spaces"),
        ("", "byte-level", ""),
        ("▁the", "sentencepiece", " the"),
        ("the", "sentencepiece", "the"),
        ("▁▁▁", "sentencepiece", "   "),
        ("<0xe6>", "sentencepiece", "⟨E6⟩"),
        ("<0xE6", "sentencepiece", "<0xE6"),
        ("Ġthe", "sentencepiece", "Ġthe"),
        ("##ing", "wordpiece", "##ing"),
        ("▁", "plain", "▁"),
    ],
)
def test_exact_text_is_read_off_the_entry(entry: str, spelling: Spelling, text: str) -> None:
    assert exact_text(entry, spelling) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", "∅"),
        (" the", "␣the"),
        ("\n", "⏎"),
        ("\r\n\t", "␍⏎⇥"),
        ("    ", "␣␣␣␣"),
        (" " * 128, "␣×128"),
        ("\n" * 7 + "x", "⏎×7x"),
        ("a\u200bb", "a⟨U+200B⟩b"),
        ("\ufeff", "⟨U+FEFF⟩"),
        ("\u00a0", "⍽"),
        ("\u3000", "⟨U+3000⟩"),
        ("\u00ad", "⟨U+00AD⟩"),
        ("\ufe0f", "⟨U+FE0F⟩"),
        ("\u3164", "⟨U+3164⟩"),
        ("\u2800", "⟨U+2800⟩"),
        ("\x00", "⟨U+0000⟩"),
        ("\ue000", "⟨U+E000⟩"),
        ("\u0301", "◌\u0301"),
        ("\u0902", "◌\u0902"),
        ("e\u0301", "e\u0301"),
        ("שלום", "\u2068שלום\u2069"),
        ("\u202eabc", "\u2068⟨U+202E⟩abc\u2069"),
        ("<script>", "<script>"),
    ],
)  # fmt: skip
def test_a_label_hides_nothing(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_no_character_has_an_empty_or_blank_label() -> None:
    blank = [point for point in range(0x11000) if not visible(chr(point)).strip("\u2068\u2069 ")]
    assert blank == []


@pytest.mark.parametrize(
    ("entry", "spelling", "kind"),
    [
        ("Ġthe", "byte-level", START),
        ("ing", "byte-level", INSIDE),
        ("Ġa", "byte-level", CHARACTER),
        ("a", "byte-level", CHARACTER),
        ("Ã©", "byte-level", CHARACTER),
        ("æĿ", "byte-level", SPECIAL),
        ("<|reserved_special_token_12|>", "byte-level", SPECIAL),
        ("⟨", "plain", CHARACTER),
        ("▁the", "sentencepiece", START),
        ("<0x0A>", "sentencepiece", SPECIAL),
        ("<unused7>", "sentencepiece", SPECIAL),
        ("<extra_id_99>", "sentencepiece", SPECIAL),
        ("the", "wordpiece", START),
        ("##ing", "wordpiece", INSIDE),
        ("##s", "wordpiece", CHARACTER),
        ("#", "wordpiece", CHARACTER),
        ("[unused99]", "wordpiece", SPECIAL),
        ("[PAD]", "wordpiece", SPECIAL),
        ("unused", "wordpiece", START),
    ],
)
def test_classes(entry: str, spelling: Spelling, kind: int) -> None:
    assert token_class(entry, spelling) == kind
