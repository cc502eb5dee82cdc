"""The table that says what every entry became in every model, and why it was left out."""

from collections.abc import Sequence

import pandas as pd

from embgeo.groups import ResolvedGroup
from embgeo.tokens import visible

COLUMNS = ["model", "group", "entry", "written", "tokens", "ids", "kept", "reason"]


def resolution_frame(
    names: Sequence[str], resolved: Sequence[Sequence[ResolvedGroup]]
) -> pd.DataFrame:
    """One row for each entry in each model, in the order typed.

    Columns: model, group, entry (blanks visible), written ("as typed", "with a space"), tokens,
    ids, kept (bool), reason ("" where kept).
    """
    records = [
        {
            "model": name,
            "group": found.group,
            "entry": visible(found.entry),
            "written": "with a space" if found.spaced else "as typed",
            "tokens": " · ".join(found.tokens) or "–",
            "ids": ", ".join(map(str, found.ids)) or "–",
            "kept": found.member is not None,
            "reason": found.reason,
        }
        for name, groups in zip(names, resolved, strict=True)
        for group in groups
        for found in group.resolutions
    ]
    return pd.DataFrame(records, columns=COLUMNS)


def left_out_sentence(groups: Sequence[ResolvedGroup]) -> str:
    """How many entries of one model's groups have no row: "18 of 20 entries compared"."""
    entries = {(each.group, each.entry) for group in groups for each in group.resolutions}
    kept = {
        (each.group, each.entry) for group in groups for each in group.resolutions if each.member
    }
    if len(kept) == len(entries):
        return f"all {len(entries)} entries compared"
    return f"{len(kept)} of {len(entries)} entries compared, {len(entries) - len(kept)} left out"
