"""The overview's table of claims: what texts say, and what each table shows of it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import streamlit as st

from embgeo.charts.numbers import MISSING
from embgeo.errors import EmbgeoError
from embgeo.ui import navigation, panels, stages, work
from embgeo.ui.charts import download
from embgeo.ui.choices import Choices
from embgeo.ui.isotropy_panels import isotropy_stage
from embgeo.ui.literal import table
from embgeo.ui.undertrained_panels import undertrained_stage
from embgeo.ui.work import Model, Stage

if TYPE_CHECKING:
    from embgeo.transforms import Transform
    from embgeo.views.claim_figures import Shown
    from embgeo.views.claims import Verdict
    from embgeo.views.group_rows import GroupRows

_ASKED = "claims are measured"
PAGES = {
    "isotropy": "Isotropy",
    "spectrum": "Spectrum",
    "norms": "Norms",
    "group_similarity": "Group similarity",
    "whitening": "Whitening",
    "model_sizes": "Size",
}


def claims(models: Sequence[Model], chosen: Choices) -> None:
    """The table, the rest of it on a button, and the way to the pages that show more."""
    known = [model for model in models if model.table is not None and model.rows is not None]
    if not known:
        return
    st.subheader("What the texts say, and what these tables show", anchor=False)
    patience = work.Patience()
    judged = [_judge(model, chosen, patience) for model in known]
    _table(judged)
    waiting = [each.held_up for each in judged if each.held_up is not None]
    panels.columns(waiting, lambda model: None)
    if not _asked() and any(None in each.verdicts for each in judged):
        st.button("Measure the rest", icon=":material/play_arrow:", on_click=_ask)
    st.caption(HOW)
    with st.container(horizontal=True):
        for page, title in PAGES.items():
            navigation.link(page, title)


HOW = (
    "Frequency is the order of ids, a proxy; related tokens are those of the chosen groups, and "
    "what helps sets those further apart; a floor is what any tokens of the same kinds have. "
    "Nothing here says that a wider cone is better."
)


@dataclass(frozen=True)
class _Judged:
    """A model's verdicts, None where one is not known; and the model as it waits for more."""

    model: Model
    verdicts: "list[Verdict | None]"
    held_up: Model | None


def _asked() -> bool:
    """Whether this session's person wants what takes more passes over the tables."""
    return bool(st.session_state.get(_ASKED))


def _ask() -> None:
    st.session_state[_ASKED] = True


def _judge(model: Model, chosen: Choices, patience: work.Patience) -> _Judged:
    """The verdicts that what is known of a model allows."""
    from embgeo.views.claim_figures import CLAIMS, GROUPS, MOMENTS

    known, held_up = {MOMENTS, GROUPS}, None
    for need, stage in _stages(model, chosen).items():
        if work.is_known(model, stage):
            known.add(need)
        elif _asked() and held_up is None and not (model.job or model.stopped or model.problem):
            asked = replace(model)  # what a claim runs into is not the card's problem
            if work.fetch([asked], stage, patience) or _cannot(asked, need):
                known.add(need)
            else:
                held_up = asked
    shown = _shown(model, chosen, known)
    verdicts = [claim.measure(shown) if claim.needs in known else None for claim in CLAIMS]
    return _Judged(model, verdicts, held_up)


def _stages(model: Model, chosen: Choices) -> dict[str, Stage]:
    """What the claims need beside what every card shows, the cheapest first."""
    from embgeo.views.claim_figures import CHANGED, COORDINATES, SPECTRUM, UNTRAINED

    population = chosen.population
    return {
        SPECTRUM: stages.spectrum(population),
        UNTRAINED: undertrained_stage(population),
        COORDINATES: isotropy_stage(population),
        CHANGED: stages.transformed(_transform("whitened", model), population),
    }


def _transform(name: str, model: Model) -> "Transform":
    from embgeo.transforms import named

    assert model.table is not None
    return named(name, model.table.dim)


def _cannot(asked: Model, need: str) -> bool:
    """Whether this is a table that cannot be whitened, which is an answer too."""
    from embgeo.views.claim_figures import CHANGED

    return need == CHANGED and bool(asked.problem)


def _shown(model: Model, chosen: Choices, known: Collection[str]) -> "Shown":
    """The model's table and its groups' rows, centred and whitened too where that is known."""
    from embgeo.views.claim_figures import CHANGED, Shown

    assert model.table is not None
    changed: dict[str, GroupRows] = {}
    if CHANGED in known:
        for name in ("centred", "whitened"):
            try:
                changed[name] = work.rows_of(model, chosen, _transform(name, model))
            except EmbgeoError:
                break  # the verdict says that it cannot be
    return Shown(model.table, chosen.population, model.rows, **changed)


def _table(judged: Sequence[_Judged]) -> None:
    """The claims as lines, models as columns, and the page that shows more."""
    from embgeo.views.claim_figures import claim_frame

    frame = claim_frame({each.model.label: each.verdicts for each in judged})
    cells = frame["verdict"].str.cat(frame["measured"], sep=": ")
    frame = frame.assign(cell=cells.where(frame["verdict"] != "", MISSING))
    claimed = frame[["claim", "page"]].drop_duplicates()
    wide = claimed.assign(page=claimed["page"].map(PAGES))
    places = {f"{at}": each.model.label for at, each in enumerate(judged)}
    for place, label in places.items():
        wide[place] = frame.loc[frame["model"] == label, "cell"].tolist()
    # Written, so that the names of pages are not broken where it is narrow.
    headings = {"claim": "Said"} | places | {"page": "See"}
    table(wide, headings, written={"page": str}, judged=list(places))
    revisions = dict.fromkeys(each.model.table.revision for each in judged if each.model.table)
    download(frame.drop(columns="cell"), "claims", {"revisions": "; ".join(revisions)})
