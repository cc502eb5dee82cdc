"""What is often said about the size of embedding tables, beside what the catalogue says."""

import pandas as pd

from embgeo.sources.known import KnownModel, known_models
from embgeo.views.sizes import TableSize

BORDER = 6_000_000_000
"""Between small and large: what is sold as 7 B starts here, and no known model is near it."""
_SAID_UNTIED = ("Llama", "Llama 2", "Llama 3", "Mistral", "Qwen2.5", "Qwen3")


def tie_frame() -> pd.DataFrame:
    """How many known models tie their tables, small and large.

    Returns
    -------
    pandas.DataFrame
        Two rows: ``size``, ``tied``, ``untied``, ``unknown`` (or without an output table) and
        ``assumed``, how many of the tied and untied rest on a class default. Models without a
        known total are in neither row.
    """
    sizes = {
        "below 6 B": [model for model in _sized() if _total(model) < BORDER],
        "6 B and more": [model for model in _sized() if _total(model) >= BORDER],
    }
    return pd.DataFrame(
        {
            "size": size,
            "tied": sum(model.tied is True for model in models),
            "untied": sum(model.tied is False for model in models),
            "unknown": sum(model.tied is None for model in models),
            "assumed": sum(model.tie_assumed for model in models),
        }
        for size, models in sizes.items()
    )


def falling_families() -> pd.Series:
    """Whether a table's share falls at every step up, for each family of two sizes or more."""
    frame = pd.DataFrame(
        {"family": model.family, "total": _total(model), "share": _share(model)}
        for model in _sized()
    )
    several = frame.sort_values("total").groupby("family").filter(lambda each: len(each) > 1)
    falling: pd.Series = several.groupby("family")["share"].agg(
        lambda share: share.is_monotonic_decreasing
    )
    return falling


def claim_frame() -> pd.DataFrame:
    """What is said, whether the catalogue bears it out, and the figures: three text columns."""
    rows = [_shrinks(), _untied(), _llama_3(), _untying_costs()]
    return pd.DataFrame(rows, columns=["claim", "verdict", "measured"])


def _shrinks() -> list[str]:
    models = sorted(_sized(), key=_share)
    least, most, falling = models[0], models[-1], falling_families()
    claim = (
        "The table is 30 % of a small model and well under 1 % of a huge one: its slice shrinks as "
        "models grow."
    )
    measured = (
        f"One table: from {_percent(_share(most))} ({most.name}) to {_percent(_share(least))} "
        f"({least.name}). The share falls at every step up in {falling.sum()} of {len(falling)} "
        f"families; in {' and '.join(falling.index[~falling])} the vocabulary differs from model "
        "to model."
    )
    return [claim, "right", measured]


def _untied() -> list[str]:
    small, large = tie_frame().to_dict("records")
    tied = [m.name for m in known_models() if m.family in _SAID_UNTIED and m.tied]
    claim = (
        "Most modern models untie the two tables: Llama, Llama 2, Llama 3, Mistral and Qwen all do."
    )
    measured = (
        f"Of the known models below 6 B, {small['tied']} tie and {small['untied']} do not; from "
        f"6 B up, {large['tied']} tie and {large['untied']} do not. Of the families named, these "
        f"tie: {', '.join(tied)}."
    )
    return [claim, "false as stated", measured]


def _llama_3() -> list[str]:
    one, two = _size("Llama-3-8B"), _size("Llama-3-8B", tables=2)
    claim = "Llama 3 8B's table has over 500 million numbers, roughly 7 % of the model."
    both = f"input and output tables together {_percent(two.share)}"
    return [claim, "right, for one table", f"{one.parameters:,}, {_percent(one.share)}; {both}."]


def _untying_costs() -> list[str]:
    size, small = _size("Llama-2-7b-hf"), _size("Llama-3.2-1B")
    claim = "Untying adds 131 million numbers to Llama 2 7B, less than 2 % of the total."
    measured = (
        f"{size.parameters:,}, {_percent(size.share)}. In Llama-3.2-1B it would add "
        f"{small.parameters:,}, {_percent(small.share)} of today's total."
    )
    return [claim, "right", measured]


def _sized() -> list[KnownModel]:
    return [model for model in known_models() if model.parameters is not None]


def _total(model: KnownModel) -> int:
    assert model.parameters is not None
    return model.parameters


def _share(model: KnownModel) -> float:
    return model.table_parameters / _total(model)


def _size(name: str, tables: int = 1) -> TableSize:
    [model] = [model for model in known_models() if model.name == name]
    return TableSize(model.rows, model.dim, tables, model.parameters)


def _percent(share: float | None) -> str:
    assert share is not None
    return f"{100 * share:.1f} %"
