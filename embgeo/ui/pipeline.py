"""Choosing a transform: a quick choice, or steps of one's own as chips, in order."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from embgeo.transforms import (
    KINDS,
    MOST_COUNTED,
    StepChoice,
    preset,
    read_word,
    steps_for,
)
from embgeo.ui import session
from embgeo.ui.choices import TRANSFORMS, Choices

if TYPE_CHECKING:
    from embgeo.transforms import Transform

NAMES = {
    "centred": "Centred",
    "standardised": "Standardised",
    "abtt": "All-but-the-top",
    "whitened": "Whitened",
    "raw": "Raw",
    "own": "Own steps",
}
STEPS = {
    "rogue": "drop rogue dimensions",
    "centre": "centre",
    "zipf-centre": "Zipf-centre",
    "standardise": "standardise",
    "drop": "all-but-the-top",
    "whiten": "whiten",
    "zipf-whiten": "Zipf-whiten",
}
_NUMBERS = {
    "rogue": ("Dimensions zeroed", "3"),
    "drop": ("Components removed, D", "max(1, d/100)"),
    "whiten": ("Components kept, k", "all"),
    "zipf-whiten": ("Components kept, k (Zipf)", "all"),
}
_SHRINKAGES = {"whiten": "Shrinkage, ρ", "zipf-whiten": "Shrinkage, ρ (Zipf)"}
_ORDER = (
    "Taken from left to right, each fitted on what the last one left; a step that is added comes "
    "last, so remove and add to reorder; each kind once. Only centring subtracts a mean. Rogue "
    "dimensions are the coordinates that contribute most to the raw mean cosine; their chip goes "
    "first. Zipf steps weight each row by 1/(rank of its id + 10), a proxy for how frequent it is. "
    "Shrinkage pulls all variances towards their mean before whitening divides by them."
)


def chosen_steps(chosen: Choices) -> tuple[StepChoice, ...]:
    """The steps that are chosen, in order."""
    if chosen.steps:
        return tuple(map(read_word, chosen.steps))
    counted = chosen.transform in ("abtt", "whitened")
    return preset(chosen.transform, chosen.components if counted else None)


def transform_for(chosen: Choices, dim: int) -> "Transform":
    """The chosen transform for a table of this width.

    Raises
    ------
    ShapeError
        If a number is larger than the width.
    """
    return steps_for(chosen_steps(chosen), dim)


def controls(chosen: Choices) -> None:
    """The quick choices, the steps as chips, and each step's numbers."""
    steps = chosen_steps(chosen)
    _quick(chosen)
    _chips(steps)
    if any(each.counted for each in steps):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            for each in steps:
                _numbers(each)


def _quick(chosen: Choices) -> None:
    names = (*TRANSFORMS, "own") if chosen.steps else TRANSFORMS

    def changed(name: str) -> None:
        if name in TRANSFORMS:
            # Components to keep are not components to remove.
            session.change(transform=name, components=None, steps=())

    st.segmented_control(
        "Transform",
        names,
        format_func=NAMES.__getitem__,
        required=True,
        width="content",
        **session.tie(
            "transform", "own" if chosen.steps else chosen.transform, changed, at="default"
        ),
    )


def _chips(steps: Sequence[StepChoice]) -> None:
    def changed(kinds: list[str]) -> None:
        known = {each.kind: each for each in chosen_steps(session.choices())}
        # Rogue dimensions are coordinates of the table, which whitening and the like mix.
        ordered = sorted(kinds, key=lambda kind: kind != "rogue")
        choose([known.get(kind, StepChoice(kind)) for kind in ordered])

    st.multiselect(
        "Steps, in order",
        KINDS,
        format_func=STEPS.__getitem__,
        placeholder="none: the raw table",
        help=_ORDER,
        **session.tie("steps", [each.kind for each in steps], changed, at="default"),
    )


def _numbers(step: StepChoice) -> None:
    """The number and the shrinkage of one step, where it has them."""
    if step.counted:
        label, default = _NUMBERS[step.kind]
        st.number_input(
            label,
            min_value=1,
            max_value=MOST_COUNTED,
            step=1,
            width=200,
            placeholder=default,
            **session.tie_empty(
                f"number of {step.kind}",
                step.number,
                lambda number: _change(step.kind, number=number),
            ),
        )
    if step.whitens:
        st.number_input(
            _SHRINKAGES[step.kind],
            min_value=0.0,
            max_value=1.0,
            step=0.05,
            format="%.4g",
            width=150,
            **session.tie(
                f"shrinkage of {step.kind}",
                step.shrinkage,
                lambda shrinkage: _change(step.kind, shrinkage=round(shrinkage, 4)),
            ),
        )


def _change(kind: str, **changed: Any) -> None:
    """Change the step of a kind as it is by now."""
    now = chosen_steps(session.choices())
    choose([replace(each, **changed) if each.kind == kind else each for each in now])


def choose(steps: Sequence[StepChoice]) -> None:
    """Make these steps the choice: by a quick choice's name where they are one."""
    number = next((each.number for each in steps if each.number is not None), None)
    for name in TRANSFORMS:
        for components in (None, number):
            if preset(name, components) == tuple(steps):
                session.change(transform=name, components=components, steps=())
                return
    session.change(components=None, steps=tuple(each.word for each in steps))
