"""Tokens against tokens: a chart while they are few, else a picture that answers a click."""

from collections.abc import Sequence

import streamlit as st

from embgeo.charts.numbers import cosine_text
from embgeo.charts.palette import Palette
from embgeo.ui.charts import Figure, download, download_file, draw
from embgeo.ui.choices import Choices
from embgeo.ui.group_panels import pair_table
from embgeo.ui.picture import Picture
from embgeo.ui.picture import draw as draw_picture
from embgeo.ui.scales import Scale
from embgeo.ui.work import Model

LARGEST_CHART = 60
"""Tokens a side above which the token picture is sent as an image."""
LARGEST_IMAGE = 600
"""Pixels a side above which an image shows the means of blocks of pairs."""


def across(models: Sequence[Model]) -> int:
    """How many token pictures stand beside each other: the more tokens, the fewer."""
    counts = [sum(map(len, model.rows.positions)) for model in models if model.rows is not None]
    largest = max((count for count in counts if count <= LARGEST_CHART), default=LARGEST_CHART // 2)
    return 3 if largest <= 18 else 2 if largest <= 32 else 1


def tokens(model: Model, chosen: Choices, scale: Scale, colours: Palette) -> None:
    """Every token of the groups against every other."""
    from embgeo.views.similarity import token_places

    assert model.rows is not None
    count = len(token_places(model.rows))
    if count < 2:
        st.caption("Needs two tokens.")
    elif count <= LARGEST_CHART:
        _token_chart(model, chosen, scale, colours)
    else:
        _token_picture(model, chosen, scale, colours)


def _token_chart(model: Model, chosen: Choices, scale: Scale, colours: Palette) -> None:
    from embgeo.charts.heatmaps import token_heatmap
    from embgeo.views.similarity import token_frame, token_list

    assert model.rows is not None
    frame = token_frame(model.rows, chosen.minus_floor)
    drawing = token_heatmap(
        frame,
        token_list(model.rows),
        centre=scale.centres[model.text],
        reach=scale.reach,
        palette=colours,
    )
    alt = f"{model.label}: cosine of every token of the groups with every other."
    about = model.rows.about.columns()
    draw(Figure(f"tokens {model.label}", alt, drawing, frame, about), colours)


def _token_picture(model: Model, chosen: Choices, scale: Scale, colours: Palette) -> None:
    import pandas as pd

    from embgeo.charts.image import matrix_png, pooled
    from embgeo.views.similarity import one_pair, token_frame, token_matrix

    assert model.rows is not None
    rows, about = model.rows, model.rows.about.columns()
    values = token_matrix(rows, chosen.minus_floor)
    count, centre = len(values), scale.centres[model.text]
    side = -(-count // LARGEST_IMAGE)
    png = matrix_png(pooled(values, side), centre=centre, reach=scale.reach, palette=colours)
    image = Picture(
        png,
        count,
        dict(zip(rows.names, map(len, rows.positions), strict=True)),
        colours.diverging,
        (cosine_text(centre - scale.reach), cosine_text(centre + scale.reach)),
        f"{model.label}: cosine of each of {count} tokens with every other, groups contiguous.",
    )
    picked = draw_picture(image, f"picture of {model.text}")
    said = f"{count:,} × {count:,} tokens; neutral is the floor, {cosine_text(centre)}"
    if side > 1:
        said += f"; {side} × {side} pairs a pixel, their mean"
    st.caption(f"{said}. Click a place for its exact cosine.")
    if picked is not None:
        pair_table(pd.DataFrame([one_pair(rows, *picked)]))
    name = f"tokens {model.label}"
    with st.popover("Download", type="tertiary", icon=":material/download:"):
        download(lambda: token_frame(rows, chosen.minus_floor), name, about)
        download_file("PNG", name, lambda: png)
