"""What a vocabulary entry stands for: its exact text, a label a person can read, its class.

Vocabularies spell text in three ways: byte-level BPE writes each byte as a printable character
(`Ġ` is a space), SentencePiece writes a space as `▁` and single bytes as `<0xE6>`, WordPiece
marks a continuation with `##`; a list of words spells nothing. Decoding loses what these tell
apart, so text is read off the entry itself.
"""

import codecs
import re
import unicodedata
from functools import cache
from typing import Literal

Spelling = Literal["byte-level", "sentencepiece", "wordpiece", "words", "plain"]

#: Token classes, in the order of their numbers (see `token_class`).
CLASSES = (
    "special, unused or byte",
    "single character",
    "word start",
    "continuation",
    "text not known",
)
SPECIAL, CHARACTER, START, INSIDE, TEXTLESS = range(5)

_BYTE_TOKEN = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_UNUSED = re.compile(
    r"[\[<]\|?_?(unused|reserved|extra_id|pad|dummy)[ _a-z]*[-_ ]?\d*_?\|?[\]>]", re.IGNORECASE
)
# Characters of categories that are drawn, which no typeface draws: joiners, fillers, selectors.
_BLANK = frozenset(
    map(
        chr,
        [
            0x34F,
            0x115F,
            0x1160,
            0x17B4,
            0x17B5,
            *range(0x180B, 0x1810),
            0x2800,
            0x3164,
            0xFFA0,
            *range(0xFE00, 0xFE10),
            *range(0xE0100, 0xE01F0),
        ],
    )
)
_GLYPHS = {" ": "␣", "\n": "⏎", "\t": "⇥", "\r": "␍", "\u00a0": "⍽"}


def exact_text(entry: str, spelling: Spelling) -> str:
    """The text that the entry stands for, bytes that are no whole character as ⟨E6⟩.

    >>> exact_text("Ġcaf", "byte-level"), exact_text("▁the", "sentencepiece")
    (' caf', ' the')
    >>> exact_text("æĿ", "byte-level"), exact_text("##ing", "wordpiece")
    ('⟨E6⟩⟨9D⟩', '##ing')
    """
    if spelling == "byte-level":
        bytes_of = _byte_of_character()
        if all(character in bytes_of for character in entry):
            return bytes(bytes_of[character] for character in entry).decode("utf-8", "embgeo-bytes")
        return entry  # an added token, spelled as it is
    if spelling == "sentencepiece":
        if byte := _BYTE_TOKEN.fullmatch(entry):
            return f"⟨{byte[1].upper()}⟩"
        return entry.replace("▁", " ")
    return entry


def exact_bytes(entry: str, spelling: Spelling) -> bytes:
    r"""The bytes that the entry stands for; a mark of continuation stands for none.

    >>> exact_bytes("æĿ", "byte-level"), exact_bytes("##ing", "wordpiece")
    (b'\xe6\x9d', b'ing')
    """
    bytes_of = _byte_of_character()
    if spelling == "byte-level" and all(character in bytes_of for character in entry):
        return bytes(bytes_of[character] for character in entry)
    if spelling == "sentencepiece" and (byte := _BYTE_TOKEN.fullmatch(entry)):
        return bytes.fromhex(byte[1])
    if spelling == "wordpiece" and len(entry) > 2:
        entry = entry.removeprefix("##")
    return exact_text(entry, spelling).encode("utf-8", "surrogatepass")


def visible(text: str) -> str:
    r"""The text with nothing hidden: spaces, line ends and zero-width characters as glyphs.

    Right-to-left text is isolated, so that it cannot reorder what stands beside it. A run of more
    than four equal blanks is counted instead of repeated.

    >>> visible(" the"), visible("\n\n"), visible(" " * 128), visible("a\u200bb")
    ('␣the', '⏎⏎', '␣×128', 'a⟨U+200B⟩b')
    """
    if not text:
        return "∅"
    shown = "".join(_glyph(character) for character in text)
    shown = re.sub(r"([␣⏎⇥])\1{4,}", lambda run: f"{run[1]}×{len(run[0])}", shown)
    if unicodedata.category(shown[0])[0] == "M":
        shown = "◌" + shown
    if any(unicodedata.bidirectional(character) in {"R", "AL", "RLE", "RLO"} for character in text):
        shown = f"\u2068{shown}\u2069"
    return shown


def token_class(entry: str, spelling: Spelling) -> int:
    """Which of `CLASSES` an entry without a special flag belongs to.

    A word start is an entry that begins with the mark of a space (byte-level, SentencePiece), lacks
    the mark of a continuation (WordPiece), or stands in a list of words; one character alone, its
    mark aside, is a class of its own, as are bytes and slots that no text ever used.
    """
    if _UNUSED.fullmatch(entry):
        return SPECIAL
    text = exact_text(entry, spelling)
    if "⟨" in text and "⟨" not in entry:
        return SPECIAL
    if spelling == "wordpiece":
        inside = entry.startswith("##")
        if len(entry.removeprefix("##")) == 1:
            return CHARACTER
        return INSIDE if inside else START
    if len(text.removeprefix(" ")) <= 1:
        return CHARACTER
    return START if text.startswith(" ") or spelling == "words" else INSIDE


def _glyph(character: str) -> str:
    if character in _GLYPHS:
        return _GLYPHS[character]
    if character in _BLANK or unicodedata.category(character)[0] in "CZ":
        return f"⟨U+{ord(character):04X}⟩"
    return character


@cache
def _byte_of_character() -> dict[str, int]:
    """The byte that each character of a byte-level vocabulary stands for (GPT-2's table)."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    shifted = {chr(256 + position): byte for position, byte in enumerate(others)}
    return {chr(byte): byte for byte in printable} | shifted


def _show_bytes(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "".join(f"⟨{byte:02X}⟩" for byte in error.object[error.start : error.end]), error.end


codecs.register_error("embgeo-bytes", _show_bytes)
