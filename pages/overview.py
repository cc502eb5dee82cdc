"""What is compared, and the headline numbers of each table."""

from embgeo.ui import claim_panels, frame, opening, overview_panels, panels, stages, work
from embgeo.ui.choices import Choices
from embgeo.ui.scales import group_reach


def draw(chosen: Choices) -> None:
    """A card for each model, the claims of the texts, what the entries became, how to read it."""
    models = opening.models(chosen)
    if not panels.nothing_chosen(models):
        panels.nothing_shared(models)
        known = work.fetch(models, stages.moments(chosen.population), work.Patience())
        known = work.fetch_rows(known, chosen)
        reach = group_reach([model.rows for model in known if model.rows is not None])
        colours = frame.colours()
        patience = work.Patience()
        panels.columns(
            models, lambda model: overview_panels.card(model, chosen, reach, colours, patience)
        )
        claim_panels.claims(models, chosen)
        panels.entries(models)
    panels.explanation(*METRICS, first=READING)


METRICS = (
    "norm",
    "mean_cosine",
    "cosine_sd",
    "mean_cosine_centred",
    "isoscore",
    "effective_rank",
    "within",
    "between",
    "floor",
    "k90",
    "contribution",
    "mean_cosine_zeroed",
    "norm_id_spearman",
    "reference_distance",
    "effect_size",
)
READING = (
    "The mean cosine says how narrow the cone is that the rows lie in; the small heatmap says "
    "whether groups of tokens are more alike than that. A mean cosine near 0 is not rare: look at "
    "the number before believing that token tables are always narrow cones."
)

frame.page(
    "What do these embedding tables look like?",
    "A model's first layer is a table with one row for each token. Here is each table as it is "
    "stored, how long its rows are, and how alike any two of them are.",
    draw,
)
