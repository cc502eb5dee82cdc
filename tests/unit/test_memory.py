"""Nothing of the size rows × rows is ever built over a vocabulary."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROWS = 60_000  # rows × rows would be 14 GB in float32
SCRIPT = f"""
import resource, torch, embgeo
from embgeo.groups import DEFAULT
from embgeo.transforms import named
table = embgeo.load("random:{ROWS}x16")
table.take([0])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
embgeo.info_record(table)
[resolved] = embgeo.resolve(DEFAULT, [table])
for name in ("raw", "standardised", "abtt", "whitened"):
    embgeo.groups_record(resolved, embgeo.group_rows(table, resolved, named(name, table.dim)))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_memory_stays_far_below_rows_by_rows(fresh_cache: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, cwd=ROOT
    )
    unit = 1 if sys.platform == "darwin" else 1024  # ru_maxrss is in kB on Linux
    assert int(run.stdout) * unit < 0.05 * ROWS * ROWS * 4
