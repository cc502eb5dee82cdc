"""The table that says how well groups stand apart: a column for each thing compared."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from embgeo.charts.numbers import cosine_text, p_value_text, share_text, signed_text
from embgeo.ui.charts import download
from embgeo.ui.literal import literal, table

if TYPE_CHECKING:
    import pandas as pd

    from embgeo.views.group_rows import GroupRows

_WRITTEN: dict[str, Callable[[Any], str]] = {
    "difference": signed_text,
    "own_group_neighbours": share_text,
    "own_group_chance": share_text,
    "p_value": p_value_text,
}


def separation(compared: "Mapping[str, GroupRows]") -> None:
    """Draw the measures of what is compared, by name, and what must be said beside them."""
    from embgeo.views.separation import separation_frame, separation_notes

    frame = separation_frame(compared)
    measures(frame, _WRITTEN)
    st.caption(literal(" ".join(separation_notes(compared))))
    download(frame, "separation", about(compared))


def measures(frame: "pd.DataFrame", written: Mapping[str, Callable[[Any], str]]) -> None:
    """Draw measures as lines, what is compared as columns.

    Parameters
    ----------
    frame
        Columns measure, label, compared, value.
    written
        How measures are printed that are no cosines.
    """
    printed = frame.assign(
        value=[
            written.get(measure, cosine_text)(value)
            for measure, value in zip(frame["measure"], frame["value"], strict=True)
        ]
    )
    compared = frame["compared"].unique().tolist()
    wide = printed.pivot(index="label", columns="compared", values="value")
    wide = wide.reindex(index=frame["label"].unique(), columns=compared).reset_index()
    places = {f"{at}": name for at, name in enumerate(compared)}
    wide.columns = ["label", *places]
    table(wide, {"label": ""} | places, written=dict.fromkeys(places, str))


def about(compared: "Mapping[str, GroupRows]") -> dict[str, str]:
    """The revisions behind the columns; each name says its model and state."""
    return {"revisions": "; ".join(dict.fromkeys(r.about.revision for r in compared.values()))}
