"""The norm page's pieces about kinds of tokens: rank correlation, norms by script and by class."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from embgeo.charts.numbers import cosine_text, count_text, norm_text
from embgeo.charts.palette import Palette
from embgeo.ui.charts import Figure, download, draw
from embgeo.ui.choices import Choices
from embgeo.ui.count_panels import counts_here
from embgeo.ui.literal import table
from embgeo.ui.norm_panels import UNITS
from embgeo.ui.work import Model

if TYPE_CHECKING:
    import pandas as pd

    from embgeo.statistics import Moments

_QUANTILES = ("q05", "median", "q95")


def _moments(model: Model, chosen: Choices) -> "Moments":
    from embgeo.statistics import moments

    assert model.table is not None
    return moments(model.table, chosen.population)


def correlations(model: Model, chosen: Choices) -> None:
    """Spearman's ρ of norm and id, and of norm and the counts a person brought."""
    from embgeo.views.norm_kinds import rank_correlations
    from embgeo.views.provenance import provenance

    assert model.table is not None
    counts = counts_here()
    frame = rank_correlations(model.table, _moments(model, chosen), counts)
    headings = {"kind": "", "tokens": "n", "spearman": "Spearman, norm and id"}
    if counts is not None:
        headings |= {"counted": "n counted", "with_counts": "Norm and your counts"}
    written = {
        "tokens": count_text,
        "spearman": cosine_text,
        "counted": count_text,
        "with_counts": cosine_text,
    }
    table(frame, headings, written=written)
    about = provenance(model.table, chosen.population).columns()
    download(frame, f"norm rank correlations {model.label}", about)


def domain(models: Sequence[Model], chosen: Choices) -> dict[str, tuple[float, float]]:
    """The axis of each model: one for all in relative norms, its own in raw ones."""
    import pandas as pd

    ends = {}
    for model in models:
        frames = [frame for frame in _frames(model, chosen).values() if not frame.empty]
        if frames:
            both = pd.concat(frames)
            ends[model.text] = float(both["q05"].min()), float(both["q95"].max())
    if chosen.relative and ends:
        widest = min(low for low, _ in ends.values()), max(high for _, high in ends.values())
        ends = dict.fromkeys(ends, widest)
    return {text: _roomy(low, high) for text, (low, high) in ends.items()}


def _roomy(low: float, high: float) -> tuple[float, float]:
    room = 0.05 * (high - low) or 0.05 * abs(high) or 0.5
    return max(0.0, low - room), high + room


def _frames(model: Model, chosen: Choices) -> "dict[str, pd.DataFrame]":
    """Norms by script and by class in the chosen unit."""
    from embgeo.views.norm_kinds import norms_by_class, norms_by_script
    from embgeo.views.norms import unit_length

    assert model.table is not None
    first = _moments(model, chosen)
    unit = unit_length(first, chosen.relative)
    raw = {"script": norms_by_script(model.table, first), "class": norms_by_class(first)}
    return {
        name: frame.assign(**{column: frame[column].astype(float) / unit for column in _QUANTILES})
        for name, frame in raw.items()
    }


def by_kind(
    model: Model, chosen: Choices, axes: dict[str, tuple[float, float]], colours: Palette
) -> None:
    """Norms by token class and by script: a picture and a table of each."""
    import pandas as pd

    from embgeo.charts.norm_kinds import norm_kinds
    from embgeo.views.provenance import provenance

    assert model.table is not None
    about = provenance(model.table, chosen.population).columns()
    frames = _frames(model, chosen)
    for name in ("class", "script"):
        frame = frames[name]
        if frame.empty:
            if name == "script" and model.table.vocabulary.numbered:
                st.caption("Its tokens are only numbers of rows: there is no script to tell.")
            continue
        drawing = norm_kinds(
            frame, unit=UNITS[chosen.relative], domain=axes[model.text], palette=colours
        )
        alt = f"{model.label}: norms by {name} of the token, median and middle 90 %."
        draw(Figure(f"norms by {name} {model.label}", alt, drawing, frame, about), colours)
    with st.expander("The same in numbers"):
        both = pd.concat([frames["class"], frames["script"]], ignore_index=True)
        headings = {"kind": "", "tokens": "n", "q05": "5 %", "median": "Median", "q95": "95 %"}
        written = {"tokens": count_text} | dict.fromkeys(_QUANTILES, norm_text)
        table(both, headings, written=written, height=360)
        download(both, f"norms by kind {model.label}", about)
