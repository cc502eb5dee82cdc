"""Frames as CSV that a spreadsheet can open without running anything in it."""

from collections.abc import Mapping

import pandas as pd

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "'")


def guarded(text: str) -> str:
    """A text that no spreadsheet takes for a formula; `'` in front, which `restored` takes off.

    >>> guarded("=1+1"), guarded("the"), guarded("'s")
    ("'=1+1", 'the', "''s")
    """
    return f"'{text}" if text.startswith(_FORMULA) else text


def restored(text: str) -> str:
    """The text that `guarded` was given."""
    return text.removeprefix("'")


def csv_bytes(frame: pd.DataFrame, about: Mapping[str, str] | None = None) -> bytes:
    """A frame as UTF-8 CSV with its provenance in columns of its own, texts guarded.

    The byte-order mark makes spreadsheets read it as UTF-8.
    """
    wide = frame.assign(**(about or {}))
    for column in wide.columns[[not pd.api.types.is_numeric_dtype(kind) for kind in wide.dtypes]]:
        wide[column] = wide[column].map(
            lambda cell: guarded(cell) if isinstance(cell, str) else cell
        )
    # RFC 4180, and what makes the writer quote a bare carriage return as well as a line end.
    return wide.to_csv(index=False, lineterminator="\r\n").encode("utf-8-sig")
