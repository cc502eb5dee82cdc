"""How well groups stand apart, as the frame and the record that every page and door shows."""

from collections.abc import Mapping

import pandas as pd

from embgeo.views.group_rows import GroupRows
from embgeo.views.numbers import number

MEASURES = {
    "within": "Within groups, mean cosine",
    "between": "Between groups, mean cosine",
    "difference": "Difference (within − between)",
    "effect_size": "Effect size (Cohen's d of the pairs)",
    "silhouette": "Silhouette (−1 to 1)",
    "own_group_neighbours": "Nearest neighbour in own group",
    "own_group_chance": "… by chance",
    "p_value": "p-value of the difference",
}


def separation_frame(compared: Mapping[str, GroupRows]) -> pd.DataFrame:
    """The measures of several groupings, in order.

    Columns: measure, label, compared (the name given), value (missing where undefined).
    """
    records = [
        {
            "measure": measure,
            "label": label,
            "compared": name,
            "value": number(getattr(rows.separation, measure)),
        }
        for measure, label in MEASURES.items()
        for name, rows in compared.items()
    ]
    return pd.DataFrame(records, columns=["measure", "label", "compared", "value"])


def separation_record(rows: GroupRows) -> dict[str, float | int | None]:
    """The separation as JSON takes it."""
    found = rows.separation
    return {
        "difference": number(found.difference),
        "effect_size": number(found.effect_size),
        "silhouette": number(found.silhouette),
        "p_value": number(found.p_value),
        "permutations": found.permutations,
        "seed": found.seed,
    }


def separation_notes(compared: Mapping[str, GroupRows]) -> list[str]:
    """What must be said beside the measures: the pairs, what was left out, how p was found."""
    notes = ["Over pairs of different tokens, pooled over groups."]
    shuffles: dict[str, list[str]] = {}
    for name, rows in compared.items():
        found = rows.separation
        if rows.shared:
            labels = ", ".join(rows.members[at].label for at in rows.shared[:8])
            notes.append(f"{name}: tokens of several groups are left out ({labels}).")
        if found.difference is None:
            notes.append(f"{name}: needs two groups with tokens, one of them with two.")
        elif found.p_value is not None:
            how = f"{found.permutations:,} random shuffles of the labels (seed {found.seed})"
            if found.exact:
                how = f"all {found.permutations:,} different shuffles of the labels"
            shuffles.setdefault(how, []).append(name)
    for how, names in shuffles.items():
        whose = f": {', '.join(names)}" if len(shuffles) > 1 else ""
        notes.append(f"p from {how}{whose}.")
    return notes
