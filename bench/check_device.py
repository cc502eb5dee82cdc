"""Do the packaged models give the same figures on `EMBGEO_DEVICE` as on the CPU? To 1e-5, each.

Run from the project's root: ``EMBGEO_DEVICE=cuda python -m bench.check_device``. Without the
variable the device is the one that embgeo would choose. Both sides start from an empty cache.
"""

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from math import inf, isnan, nan
from unittest.mock import patch

import embgeo
from embgeo.devices import compute_device
from embgeo.groups import DEFAULT
from embgeo.sources import PACKAGED
from embgeo.transforms import NAMES

TOLERANCE = 1e-5
ROUNDING = 1e-9  # what is zero in exact arithmetic has no relative error
NO_FIGURES = ("provenance", "ids", "left_out")

Figures = dict[str, float]


def main() -> int:
    """Print, for each model and record, the worst difference; 1 where one is too large."""
    device = str(compute_device())
    expected, found = _timed("cpu"), _timed(device)
    print(f"\n{'model':<8} {'record':<13} {'figures':>7} {'worst':>8}  where")
    differs = [
        _report(record, expected[record], found[record], device) > TOLERANCE for record in expected
    ]
    print(f"\n{sum(differs)} of {len(differs)} records differ by more than {TOLERANCE:.0e}.")
    return int(any(differs))


def figures(device: str) -> dict[str, Figures]:
    """Every number of every record, by "model record", computed on a device from nothing."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as cache,
        patch.dict(os.environ, EMBGEO_DEVICE=device, EMBGEO_CACHE=cache),
    ):
        tables = [embgeo.load(name) for name in PACKAGED]
        records: dict[str, object] = {}
        for table, groups in zip(tables, embgeo.resolve(DEFAULT, tables), strict=True):
            records[f"{table.name} info"] = embgeo.info_record(table)
            for name in NAMES:
                rows = embgeo.group_rows(table, groups, embgeo.named(name, table.dim))
                records[f"{table.name} {name}"] = embgeo.groups_record(groups, rows)
        return {name: dict(_numbers(record)) for name, record in records.items()}


def _timed(device: str) -> dict[str, Figures]:
    start = time.perf_counter()
    found = figures(device)
    print(f"{device}: {time.perf_counter() - start:.1f} s")
    return found


def _numbers(value: object, name: str = "") -> Iterator[tuple[str, float]]:
    if isinstance(value, dict):
        for key, inside in value.items():
            if key not in NO_FIGURES:
                yield from _numbers(inside, f"{name}.{key}".removeprefix("."))
    elif value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        yield name, nan if value is None else value


def _report(record: str, expected: Figures, found: Figures, device: str) -> float:
    """Print a record's line; its largest relative difference, infinite where one side has none."""
    differences = {name: _difference(value, found[name]) for name, value in expected.items()}
    worst = max(differences, key=differences.__getitem__)
    model, kind = record.split()
    print(
        f"{model:<8} {kind:<13} {len(expected):>7} {differences[worst]:>8.1e}  {worst}: "
        f"{expected[worst]:.9g} on cpu, {found[worst]:.9g} on {device}"
    )
    return differences[worst]


def _difference(expected: float, found: float) -> float:
    if isnan(expected) or isnan(found):
        return 0.0 if isnan(expected) and isnan(found) else inf
    return max(0.0, abs(found - expected) - ROUNDING) / max(abs(expected), ROUNDING)


if __name__ == "__main__":
    sys.exit(main())
