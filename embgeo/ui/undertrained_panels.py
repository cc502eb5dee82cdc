"""The norm page's pieces about under-trained tokens: candidates, and rows exactly alike."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import streamlit as st

from embgeo.charts.numbers import count_text, norm_text, share_text
from embgeo.charts.palette import Palette
from embgeo.jobs import Progress
from embgeo.populations import Population
from embgeo.ui import work
from embgeo.ui.charts import Figure, download, draw
from embgeo.ui.choices import Choices
from embgeo.ui.literal import literal, table
from embgeo.ui.work import Model, Stage

if TYPE_CHECKING:
    from embgeo.statistics import Moments
    from embgeo.statistics.undertrained import Undertrained
    from embgeo.tables import EmbeddingTable

SHOWN = 50
_WRITTEN: dict[str, Callable[[Any], str]] = {
    "rank": str,
    "id": str,
    "indicator": norm_text,
    "norm_percentile": lambda percent: share_text(percent / 100),
    "nearest_distance": norm_text,
}


def fetch(models: list[Model], chosen: Choices) -> list[Model]:
    """The models whose tokens are sorted by script and whose candidates are known."""
    return work.fetch(models, undertrained_stage(chosen.population), work.Patience())


def undertrained_stage(population: Population) -> Stage:
    """One pass over the rows, and one over the tokens' texts."""

    def compute(table: "EmbeddingTable", progress: Progress) -> bool:
        from embgeo.statistics.undertrained import undertrained
        from embgeo.views.norm_kinds import scripts_of

        progress(0.0, f"{table.name}: scripts of the tokens")
        scripts_of(table)
        undertrained(table, population, progress)
        return True

    return Stage("undertrained", (population,), compute)


def _known(model: Model, chosen: Choices) -> "tuple[Moments, Undertrained]":
    from embgeo.statistics import moments
    from embgeo.statistics.undertrained import undertrained

    assert model.table is not None
    first = moments(model.table, chosen.population)
    return first, undertrained(model.table, chosen.population)


def candidates(model: Model, chosen: Choices, colours: Palette) -> None:
    """Which tokens look under-trained: by what, the picture, the ranked table, the twins."""
    from embgeo.views.norm_kinds import norm_by_id
    from embgeo.views.provenance import provenance
    from embgeo.views.undertrained import candidate_frame, undertrained_notes

    assert model.table is not None
    first, found = _known(model, chosen)
    about = provenance(model.table, chosen.population).columns()
    notes = undertrained_notes(model.table, first, found, norm_by_id(first, first.used))
    st.caption(literal(" ".join(notes)))
    _picture(model, chosen, about, colours)
    frame = candidate_frame(model.table, first, found, SHOWN)
    headings = {
        "rank": "",
        "token": "Token",
        "id": "Id",
        "indicator": "Distance" if found.by_distance else "× median norm",
        "norm_percentile": "Norm percentile",
    }
    if frame["twins"].any():
        headings |= {"twins": "Equal rows"}
    if len(found.references):
        headings |= {"nearest": "Nearest reserved", "nearest_distance": "Distance to it"}
    table(frame, headings, written=_WRITTEN, tokens=("token", "nearest"), height=360)
    ranked = model.table  # narrowed here, where the button asks later
    download(
        lambda: candidate_frame(ranked, first, found),
        f"under-trained candidates {model.label}",
        about,
    )
    _twins(model, found, about)


def _picture(model: Model, chosen: Choices, about: dict[str, str], colours: Palette) -> None:
    from embgeo.charts.norms import norm_distribution
    from embgeo.views.undertrained import DISTANCE, NORM, indicator_histogram, indicator_ticks

    assert model.table is not None
    first, found = _known(model, chosen)
    bars = indicator_histogram(first, found)
    if bars.empty:
        return
    drawing = norm_distribution(
        bars,
        indicator_ticks(model.table, first, found),
        unit=DISTANCE if found.by_distance else NORM,
        domain=(float(bars["left"].min()), float(bars["right"].max())),
        palette=colours,
        colours={"candidates": colours.accent, "reserved": colours.muted},
    )
    alt = f"{model.label}: candidates and reserved rows on the distribution of all rows."
    draw(Figure(f"under-trained {model.label}", alt, drawing, bars, about), colours)


def _twins(model: Model, found: "Undertrained", about: dict[str, str]) -> None:
    """Rows equal in every number, which training would have told apart."""
    from embgeo.views.undertrained import twin_frame

    whole = model.table
    assert whole is not None
    frame = twin_frame(whole, found, SHOWN)
    if frame.empty:
        st.caption("No two rows of the table are equal in every number.")
        return
    rows, groups = int((found.twins >= 0).sum()), int(found.twins.max()) + 1
    shown = f"; the {SHOWN} largest are listed" if groups > SHOWN else ""
    st.markdown(
        f"**{rows:,} rows are equal to another in every number**, in {groups:,} "
        f"group{'s' * (groups > 1)}{shown}. Training would have told them apart."
    )
    table(
        frame,
        {"twins": "", "rows": "Rows", "ids": "Ids", "tokens": "Tokens"},
        written={"twins": str, "rows": count_text},
        tokens=("ids", "tokens"),
        height=240,
    )
    download(lambda: twin_frame(whole, found), f"equal rows {model.label}", about)
