"""Three ways from a path to a table's figures, each measured in a process of its own.

Run as ``python -m bench.ways WAY FOLDER WARM_UP``: prints one line of JSON. The way is gone through
once with the small checkpoint WARM_UP, so that every import is done before the clock starts and
before memory is looked at. Memory is read from /proc, so on Linux only.
"""

import gc
import json
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import embgeo

if TYPE_CHECKING:
    import torch

GROUPS, EACH = 3, 24
"""How many groups of tokens, and tokens in each."""

_FORGET_THE_PEAK = "5"  # see proc_pid_clear_refs(5)


def groups(rows: int) -> list[list[int]]:
    """The ids of each group, spread over the table."""
    step = rows // (GROUPS * EACH)
    return [[step * (GROUPS * at + group) for at in range(EACH)] for group in range(GROUPS)]


def embgeo_groups(folder: str) -> list[float]:
    """Mean cosine within and between the groups, in embgeo's way: only their rows are read."""
    from embgeo.groups import Member, ResolvedGroup

    table = embgeo.load(folder)
    resolved = [
        ResolvedGroup(str(at), tuple(Member((each,), f"#{each}") for each in ids), ())
        for at, ids in enumerate(groups(table.rows))
    ]
    return [float(value) for value in embgeo.within_between(table, resolved).mean.flat]


def model_groups(folder: str) -> list[float]:
    """The same in the usual way: the whole model in float32, then the rows of its table."""
    import torch
    from transformers import AutoModel

    model = AutoModel.from_pretrained(folder, dtype=torch.float32)
    weight = model.get_input_embeddings().weight.detach()
    units = []
    for ids in groups(len(weight)):
        rows = weight[ids]
        units.append(rows / rows.norm(dim=1, keepdim=True))
    return [_block_mean(a, b) for a in units for b in units]


def embgeo_whole(folder: str) -> list[float]:
    """Exact mean cosine over all pairs of rows and the sum of all norms, in embgeo's way."""
    from embgeo.statistics import moments

    found = moments(embgeo.load(folder))
    assert found.mean_cosine is not None
    return [found.mean_cosine, float(found.norms.sum())]


WAYS: dict[str, Callable[[str], list[float]]] = {
    "embgeo": embgeo_groups,
    "model": model_groups,
    "whole": embgeo_whole,
}


def main(arguments: Sequence[str]) -> int:
    """Measure one way and print its seconds, added bytes and figures."""
    name, folder, small = arguments
    way = WAYS[name]
    way(small)
    gc.collect()
    before = _resident()
    begun = time.perf_counter()
    figures = way(folder)
    seconds = time.perf_counter() - begun
    added = _status("VmHWM") - before
    print(json.dumps({"seconds": seconds, "added": added, "figures": figures}))
    return 0


def _block_mean(a: "torch.Tensor", b: "torch.Tensor") -> float:
    cosines = a @ b.T
    if a is not b:
        return float(cosines.mean())
    return float((cosines.sum() - cosines.trace()) / (len(a) * (len(a) - 1)))


def _resident() -> int:
    """Bytes that are resident now; the peak is counted from here on."""
    # Where a container forbids this the peak of the imports counts too, against embgeo.
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text(_FORGET_THE_PEAK)
    return _status("VmRSS")


def _status(field: str) -> int:
    """Bytes that the kernel says: resident now or at the peak, mapped files among them."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(each for each in lines if each.startswith(field)).split()[1]) * 1024


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
