"""The spectrum page's pieces: what it fetches, the two pictures, the table of numbers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from embgeo.charts.numbers import count_text, norm_text
from embgeo.charts.palette import Palette
from embgeo.jobs import Progress
from embgeo.populations import Population
from embgeo.ui import work
from embgeo.ui.charts import Figure, download, draw
from embgeo.ui.choices import Choices
from embgeo.ui.literal import literal, table
from embgeo.ui.work import Model, Stage

if TYPE_CHECKING:
    import pandas as pd

    from embgeo.tables import EmbeddingTable


def fetch(models: list[Model], chosen: Choices) -> list[Model]:
    """The models whose spectrum, raw and centred, is known."""
    return work.fetch(models, _stage(chosen.population), work.Patience())


def _stage(population: Population) -> Stage:
    """The pass for the covariance, and the singular values of the raw table from it."""

    def compute(table: "EmbeddingTable", progress: Progress) -> bool:
        from embgeo.statistics import spectrum
        from embgeo.statistics.raw_spectrum import raw_spectrum

        spectrum(table, population, progress)
        raw_spectrum(table, population, progress)
        return True

    return Stage("raw spectrum", (population,), compute)


def length_domain(models: Sequence[Model], chosen: Choices) -> tuple[float, float]:
    """One logarithmic axis that holds every model's singular values, as shares of its norm."""
    import pandas as pd

    lengths = pd.concat([_singular(model, chosen)["length"] for model in models] or [pd.Series()])
    if lengths.empty:
        return 0.1, 1.0
    return float(lengths.min()) * 0.9, min(1.0, float(lengths.max()) * 1.1)


def _singular(model: Model, chosen: Choices) -> "pd.DataFrame":
    from embgeo.views.spectrum import singular_frame

    assert model.table is not None
    return singular_frame(model.table, chosen.population)


def pictures(model: Model, chosen: Choices, domain: tuple[float, float], colours: Palette) -> None:
    """Singular values raw and centred; the variance in the first k components."""
    from embgeo.charts.spectra import explained, singular_values
    from embgeo.views.provenance import provenance
    from embgeo.views.spectrum import explained_frame

    assert model.table is not None
    about = provenance(model.table, chosen.population).columns()
    frame = _singular(model, chosen)
    if frame.empty:
        st.caption("No row can be used: there is no spectrum to draw.")
        return
    drawing = singular_values(frame, domain=domain, palette=colours)
    alt = f"{model.label}: singular values of the table by component, raw and centred."
    draw(Figure(f"singular values {model.label}", alt, drawing, frame, about), colours)
    shares = explained_frame(model.table, chosen.population)
    if shares.empty:
        st.caption("The rows have no spread: there is no variance to explain.")
        return
    alt = f"{model.label}: share of the variance in the first k principal components."
    drawing = explained(shares, palette=colours)
    draw(Figure(f"explained variance {model.label}", alt, drawing, shares, about), colours)


def numbers(model: Model, chosen: Choices) -> None:
    """Every number of the spectrum, raw beside centred."""
    from embgeo.views.provenance import provenance
    from embgeo.views.spectrum import spectrum_notes, spectrum_table

    assert model.table is not None
    frame = spectrum_table(model.table, chosen.population)
    table(
        frame,
        {"quantity": "", "raw": "Raw", "centred": "Centred"},
        written={"raw": _written, "centred": _written},
    )
    st.caption(literal("; ".join(spectrum_notes(model.table, chosen.population)) + "."))
    about = provenance(model.table, chosen.population).columns()
    download(frame, f"spectrum {model.label}", about)


def _written(value: float) -> str:
    return count_text(value) if float(value).is_integer() else norm_text(value)
