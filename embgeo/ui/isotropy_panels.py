"""The isotropy page's pieces: the cone, and the mean cosine by id."""

import math
from collections.abc import Mapping, Sequence

import streamlit as st

from embgeo.charts.numbers import cosine_text, count_text
from embgeo.charts.palette import Palette
from embgeo.jobs import Progress
from embgeo.populations import Population
from embgeo.tables import EmbeddingTable
from embgeo.ui.charts import Figure, download, draw
from embgeo.ui.choices import Choices
from embgeo.ui.literal import literal, table
from embgeo.ui.work import Model, Stage

Axis = tuple[float, float]


def isotropy_stage(population: Population) -> Stage:
    """All that the page shows of a table: its spectrum, its directions, and what zeroing does."""

    def compute(table: EmbeddingTable, progress: Progress) -> bool:
        from embgeo.statistics import sampled_cosines, spectrum
        from embgeo.statistics.directions import directions, text_estimate
        from embgeo.statistics.zeroed import standardised, zeroed
        from embgeo.transforms import RAW
        from embgeo.views.records import centred_mean_cosine

        spectrum(table, population, progress)
        centred_mean_cosine(table, population, progress)
        directions(table, population, progress)
        zeroed(table, population, progress)
        standardised(table, population, progress)
        progress(0.95, f"{table.name}: sampling pairs")
        sampled_cosines(table, RAW, population)
        text_estimate(table, population)
        return True

    return Stage("isotropy", (population,), compute)


def about(table: EmbeddingTable, chosen: Choices) -> dict[str, str]:
    """The provenance beside exported data."""
    from embgeo.views.provenance import provenance

    return provenance(table, chosen.population).columns()


def tables_of(models: Sequence[Model]) -> list[EmbeddingTable]:
    """The tables of the models."""
    return [model.table for model in models if model.table is not None]


def pair_axis(models: Sequence[Model], chosen: Choices) -> Axis:
    """The axis of all models' pairs."""
    from embgeo.views.isotropy import cosine_axis

    return cosine_axis(tables_of(models), chosen.population)


def cone_axis(models: Sequence[Model], chosen: Choices) -> Axis:
    """The axis of all models' cosines to the mean direction."""
    from embgeo.views.isotropy import to_mean_axis

    return to_mean_axis(tables_of(models), chosen.population)


def cosines(model: Model, chosen: Choices, axis: Axis, colours: Palette) -> None:
    """The cosines of sampled pairs over what isotropic and random rows give."""
    from embgeo.charts.isotropy import cosine_shape
    from embgeo.statistics import PAIRS, SEED, moments
    from embgeo.views.isotropy import cosine_frame, mean_rules

    assert model.table is not None
    first = moments(model.table, chosen.population)
    if first.mean_cosine is None:
        st.caption("Fewer than two rows have a direction: there is no pair to take a cosine of.")
        return
    frame = cosine_frame(model.table, axis, chosen.population)
    rules = mean_rules({"mean of all pairs": first.mean_cosine, "isotropic": 0.0})
    drawing = cosine_shape(frame, rules, domain=axis, of="pairs", palette=colours)
    alt = f"{model.label}: cosines of sampled pairs of rows, over those of isotropic rows."
    title = f"pair cosines {model.label}"
    draw(Figure(title, alt, drawing, frame, about(model.table, chosen)), colours)
    pairs = first.count * (first.count - 1) // 2
    st.caption(
        f"Shape: {PAIRS:,} pairs drawn with seed {SEED}. Dashed mean: exact, all {pairs:,} pairs "
        f"of {first.count:,} rows."
    )


def figures(models: Sequence[Model], chosen: Choices, counted: Mapping[str, float | None]) -> None:
    """The numbers of every cone, a column for each model, and how they are to be taken."""
    import pandas as pd

    from embgeo.views.isotropy import figures as figures_of

    frames = {
        model.label: figures_of(model.table, chosen.population, counted.get(model.text))
        for model in models
        if model.table is not None
    }
    wide = pd.DataFrame({"label": next(iter(frames.values()))["label"]})
    for at, frame in enumerate(frames.values()):
        wide[f"{at}"] = [
            _with_spread(*pair) for pair in zip(frame["value"], frame["spread"], strict=True)
        ]
    if not counted:
        wide = wide[~wide["label"].str.contains("you brought")]
    places = {f"{at}": label for at, label in enumerate(frames)}
    table(wide, {"label": ""} | places, written=dict.fromkeys(places, str))
    st.caption(literal(" ".join(_notes(models, chosen))))
    long = pd.concat([frame.assign(model=label) for label, frame in frames.items()])
    tables = tables_of(models)
    download(long, "cone", {"revisions": "; ".join(dict.fromkeys(t.revision for t in tables))})


def _with_spread(value: float | None, spread: float | None) -> str:
    text = cosine_text(value)
    return text if spread is None or math.isnan(spread) else f"{text} ± {cosine_text(spread)}"


EXACT = (
    "Exact needs no sample and forms no pair: one sum over the unit rows, A = (|Σû|² − n) / "
    "(n(n − 1)), as many additions as the table has numbers."
)


def _notes(models: Sequence[Model], chosen: Choices) -> list[str]:
    """Why exact is cheaper than a sample, and what the sample can hold."""
    from embgeo.statistics import SEED, moments, spectrum
    from embgeo.views.isotropy import pairs_to_settle

    notes = [EXACT]
    for model in models:
        if model.table is None:
            continue
        sd = spectrum(model.table, chosen.population).cosine_sd
        count = moments(model.table, chosen.population).count
        if sd:
            notes.append(
                f"{model.label}: a sample would need {count_text(pairs_to_settle(sd))} pairs "
                f"to settle the third decimal, and draws a row with itself once in {count:,}."
            )
    return [*notes, f"The 1,000 pairs are drawn with replacement, seed {SEED}."]


def to_mean(model: Model, chosen: Choices, axis: Axis, colours: Palette) -> None:
    """All rows by their cosine to the mean direction."""
    from embgeo.charts.isotropy import cosine_shape
    from embgeo.statistics.directions import directions
    from embgeo.views.isotropy import mean_rules, to_mean_frame

    assert model.table is not None
    found = directions(model.table, chosen.population)
    frame = to_mean_frame(model.table, axis, chosen.population)
    if not frame["share"][frame["name"] == frame["name"].iloc[0]].any():
        st.caption("The directions of the rows cancel: there is no mean direction.")
        return
    rules = mean_rules({"mean": found.cone_length})
    drawing = cosine_shape(frame, rules, domain=axis, of="rows", palette=colours)
    alt = f"{model.label}: cosine of every row to the mean direction of all rows."
    title = f"cosines to the mean {model.label}"
    draw(Figure(title, alt, drawing, frame, about(model.table, chosen)), colours)
    length = found.cone_length or 0.0
    st.caption(
        f"All {found.count:,} rows. Their mean is the length of the mean unit row, "
        f"{cosine_text(length)}; squared, {cosine_text(length**2)}, it is the mean cosine but "
        "for 1/n."
    )


def by_id_axis(models: Sequence[Model], chosen: Choices) -> Axis:
    """The axis that holds the bars of every model."""
    from embgeo.views.isotropy import by_id_frame

    frames = [by_id_frame(each, population=chosen.population) for each in tables_of(models)]
    means = [0.0, *(mean for frame in frames for mean in frame["mean_cosine"])]
    return min(0.0, 1.15 * min(means)), max(0.05, 1.3 * max(means))


def by_id(model: Model, chosen: Choices, axis: Axis, colours: Palette) -> None:
    """The mean cosine within bins of ids."""
    from embgeo.charts.isotropy import mean_by_id
    from embgeo.statistics import moments
    from embgeo.views.isotropy import by_id_frame

    assert model.table is not None
    frame = by_id_frame(model.table, population=chosen.population)
    if frame.empty:
        st.caption("No bin of ids has two rows with a direction.")
        return
    whole = moments(model.table, chosen.population).mean_cosine
    drawing = mean_by_id(frame, whole, domain=axis, palette=colours)
    alt = f"{model.label}: mean cosine of all pairs within each range of token ids."
    title = f"mean cosine by id {model.label}"
    draw(Figure(title, alt, drawing, frame, about(model.table, chosen)), colours)
