"""From a path to similarities: embgeo, beside loading the whole model in float32.

Run from the project's root: ``python -m bench.tables``. The checkpoint (2.5 GB, Llama's layout,
128,256 × 2,048 in bfloat16) is made in a temporary folder, where also embgeo's cache is, empty each
time. Imports are done before the clock starts, and its files are in the page cache, on both sides.
"""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.serving import ROOT
from bench.synthetic import llama

ROWS, DIM, LAYERS = 128_256, 2_048, 11
ROUNDS = 3
FASTER, LEANER, WHOLE = 50.0, 20.0, 1.2
"""At least: how often as fast, and as small; at most: added memory, in tables."""

TOLERANCE = 1e-3
_WAYS = {
    "embgeo": "embgeo, similarities of three groups",
    "model": "the whole model, the same",
    "whole": "embgeo, whole-table mean cosine and norms",
}
_TABLE = 2 * ROWS * DIM


@dataclass(frozen=True)
class Measured:
    """One run: its seconds, the bytes it added at its peak, and the figures it found."""

    seconds: float
    added: int
    figures: tuple[float, ...]


def main() -> int:
    """Print the medians of the three ways and their ratios; 1 where a bound is missed."""
    with tempfile.TemporaryDirectory() as folder:
        path = llama(Path(folder, "large"), ROWS, DIM, LAYERS)
        small = llama(Path(folder, "small"), 512, 64, 2)
        size = sum(_read(each) for each in path.iterdir())
        print(f"A checkpoint of {size / 1e9:.2f} GB, its table of {_TABLE / 1e9:.3f} GB.\n")
        print(f"{'':<42} {'seconds':>8} {'added MB':>9}   each round")
        rounds = [{way: _measured(way, path, small) for way in _WAYS} for _ in range(ROUNDS)]
    return _report({way: [each[way] for each in rounds] for way in _WAYS})


def _read(path: Path) -> int:
    """Read a file once, so that the page cache holds it; its bytes."""
    with path.open("rb") as file:
        while file.read(2**24):
            pass
    return path.stat().st_size


def _measured(way: str, path: Path, small: Path) -> Measured:
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"EMBGEO_CACHE": cache, "HF_HUB_OFFLINE": "1"}
        command = [sys.executable, "-m", "bench.ways", way, str(path), str(small)]
        ran = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
    if ran.returncode:
        raise SystemExit(ran.stderr)
    found = json.loads(ran.stdout.splitlines()[-1])
    return Measured(found["seconds"], found["added"], tuple(found["figures"]))


def _report(runs: dict[str, list[Measured]]) -> int:
    seconds = {way: median(each.seconds for each in runs[way]) for way in _WAYS}
    added = {way: median(each.added for each in runs[way]) for way in _WAYS}
    for way, said in _WAYS.items():
        each = " ".join(f"{run.seconds:.3f}" for run in runs[way])
        print(f"{said:<42} {seconds[way]:>8.3f} {added[way] / 1e6:>9.1f}   {each}")
    faster = seconds["model"] / seconds["embgeo"]
    leaner = added["model"] / added["embgeo"]
    whole = added["whole"] / _TABLE
    pairs = zip(runs["embgeo"][0].figures, runs["model"][0].figures, strict=True)
    apart = max(abs(a - b) for a, b in pairs)
    print(f"\nembgeo is {faster:.0f} times as fast (at least {FASTER:.0f}),")
    print(f"takes 1/{leaner:.0f} of the memory (at most 1/{LEANER:.0f}),")
    print(f"for the whole table {whole:.2f} tables of memory (at most {WHOLE}),")
    print(f"and its similarities differ by {apart:.1e} (at most {TOLERANCE:.0e}).")
    held = faster >= FASTER and leaner >= LEANER and whole <= WHOLE and apart <= TOLERANCE
    return int(not held)


if __name__ == "__main__":
    sys.exit(main())
