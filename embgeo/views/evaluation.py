"""Does a transform help: how well tokens find their own group, as the frame every door shows."""

from collections.abc import Mapping

import pandas as pd

from embgeo.views.group_rows import GroupRows
from embgeo.views.numbers import number

COLUMNS = ["measure", "label", "compared", "value"]


def retrieval_frame(compared: Mapping[str, GroupRows], k: int) -> pd.DataFrame:
    """Own group among the k nearest, by chance, at best, and AUC, for several groupings.

    Columns: measure, label, compared (the name given), value (missing where undefined: with fewer
    than k other tokens, or without a pair within a group and one between).
    """
    near = "nearest token" if k == 1 else f"{k} nearest tokens"
    labels = {
        "precision_at_k": f"Own group among the {near}",
        "chance": "… by chance",
        "best": "… at best, given the groups' sizes",
        "auc": "Within pair above between pair (AUC; chance 0.5)",
    }
    records = []
    for measure, label in labels.items():
        for name, rows in compared.items():
            found = rows.retrieval
            enough = len(found.precision) >= k
            value = {
                "precision_at_k": found.precision[k - 1] if enough else None,
                "chance": found.chance,
                "best": found.best[k - 1] if enough else None,
                "auc": found.auc,
            }[measure]
            records.append(
                {"measure": measure, "label": label, "compared": name, "value": number(value)}
            )
    return pd.DataFrame(records, columns=COLUMNS)


def retrieval_notes(compared: Mapping[str, GroupRows], k: int) -> list[str]:
    """What must be said beside the measures: where there is none, and why."""
    notes = []
    for name, rows in compared.items():
        known = len(rows.retrieval.precision)
        if not known:
            notes.append(f"{name}: needs two groups with tokens, one of them with two.")
        elif known < k:
            notes.append(f"{name}: has {known} other tokens, fewer than {k}.")
    return notes
