"""How long the rows are: by group, by token id, and which tokens stand out."""

import streamlit as st

from embgeo.ui import frame, norm_panels, panels, session, work

chosen = frame.open_page(
    "How long are the rows?",
    "The grey area is every row of the table by its Euclidean length; below it, each group's "
    "tokens. Raw lengths of different models are **not comparable**: each is shown in units of its "
    "own median.",
)
st.toggle(
    "In medians of each table",
    **session.bind("relative"),
    help="Off: raw norms, each model on its own axis.",
)
models = work.models(chosen)
if not panels.nothing_chosen(models):
    known = work.fetch(models, work.moments_stage(chosen.population), work.Patience())
    known = work.fetch_rows(known, chosen)
    colours = frame.colours()
    axes = norm_panels.axes(known, chosen)

    panels.columns(
        models,
        lambda model: norm_panels.distribution(model, chosen, axes[model.text], colours),
    )
    if known:
        st.subheader("Norm against token id", anchor=False)
        st.markdown(
            "In most vocabularies the id follows the order of merges or of counts: small ids are "
            "frequent tokens. It is a proxy, not a count."
        )
        panels.columns(known, lambda model: norm_panels.by_id(model, chosen, colours))
        st.subheader("Which tokens stand out?", anchor=False)
        panels.columns(known, lambda model: norm_panels.tails(model, chosen))
    panels.entries(models)

panels.explanation(
    "norm",
    first="Whether frequent tokens are long or short depends on the model: in one of the packaged "
    "models the most frequent tokens are the shortest rows, not the longest. Marks at the far ends "
    "are worth a look: rows that training hardly touched often lie there.",
)
