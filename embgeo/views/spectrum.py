"""Frames of the spectrum page: singular values, cumulative variance, and the numbers of both."""

from typing import Any

import numpy as np
import pandas as pd

from embgeo.metrics.singular_values import (
    PowerLaw,
    components_for,
    condition,
    effective_rank_of_variances,
    mean_alignment,
    power_law,
    singular_values,
    stable_rank,
)
from embgeo.metrics.spectrum import effective_rank, explained_variance
from embgeo.populations import Population
from embgeo.statistics import Spectrum, spectrum
from embgeo.statistics.raw_spectrum import raw_spectrum
from embgeo.tables import EmbeddingTable
from embgeo.views.numbers import number

RAW, CENTRED = "raw", "centred"
_POINTS = 160
Array = np.ndarray[Any, np.dtype[Any]]


def singular_frame(table: EmbeddingTable, population: Population = Population()) -> pd.DataFrame:
    """Singular values raw and centred, both as shares of the raw table's Frobenius norm.

    Columns: state (raw, centred), k (from 1), sigma, length (σ/‖E‖, so that models of different
    scale share an axis), energy (σ²/Σσ² of its own state). At most 160 components a state, evenly
    spaced in log k; components without variance are left out.
    """
    spread, raw = spectrum(table, population), raw_spectrum(table, population)
    whole = float(np.linalg.norm(raw))
    frames = []
    for state, values in (
        (RAW, raw),
        (CENTRED, singular_values(spread.eigenvalues, spread.count)),
    ):
        kept = _log_spaced(int((values > 0).sum()))
        if not len(kept):
            continue
        sigma = values[kept - 1]
        energy = np.square(sigma / np.linalg.norm(values))
        frames.append(
            pd.DataFrame(
                {
                    "state": state,
                    "k": kept,
                    "sigma": sigma,
                    "length": sigma / whole,
                    "energy": energy,
                }
            )
        )
    columns = ["state", "k", "sigma", "length", "energy"]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=columns)


def explained_frame(table: EmbeddingTable, population: Population = Population()) -> pd.DataFrame:
    """The variance in the first k components. Columns: k, cumulative, isotropic (k/d)."""
    cumulative = explained_variance(spectrum(table, population).eigenvalues)
    if cumulative is None:
        return pd.DataFrame(columns=["k", "cumulative", "isotropic"])
    kept = _log_spaced(len(cumulative))
    return pd.DataFrame(
        {"k": kept, "cumulative": cumulative[kept - 1], "isotropic": kept / len(cumulative)}
    )


def spectrum_table(table: EmbeddingTable, population: Population = Population()) -> pd.DataFrame:
    """The numbers of a spectrum, raw beside centred, missing where one is undefined or not meant.

    Columns: key (of the catalogue), quantity, raw, centred.
    """
    spread, raw = spectrum(table, population), raw_spectrum(table, population)
    values = spread.eigenvalues
    centred = singular_values(values, spread.count)
    rank_me, on_variances = effective_rank(raw**2), effective_rank_of_variances(values)
    law, ranks = power_law(values), (stable_rank(raw), stable_rank(centred))
    shares = [None if rank is None else 1 / rank for rank in ranks]
    rows: list[tuple[str, str, float | None, float | None]] = [
        ("effective_rank", "Effective rank, on σ (raw: RankMe)", rank_me, spread.effective_rank),
        ("effective_rank_variance", "Effective rank, on λ", None, on_variances),
        ("participation_ratio", "Participation ratio", None, spread.participation_ratio),
        ("isoscore", "IsoScore", None, spread.isoscore),
        ("stable_rank", "Stable rank", ranks[0], ranks[1]),
        ("first_share", "Share of the first direction", shares[0], shares[1]),
        ("k90", "Components for 90 %", None, components_for(values)),
        ("mean_alignment", "|cos| of PC 1 and the mean row", None, _alignment(spread)),
        ("condition", "Condition, λ₁ over the smallest", None, condition(values, spread.count)),
        ("power_law", "Power-law exponent", None, law.exponent if law else None),
    ]
    return pd.DataFrame(
        [
            {"key": key, "quantity": name, "raw": number(before), "centred": number(after)}
            for key, name, before, after in rows
        ]
    ).astype({"raw": float, "centred": float})


def power_law_of(table: EmbeddingTable, population: Population = Population()) -> PowerLaw | None:
    """The fit over the middle range, with its range and R²."""
    return power_law(spectrum(table, population).eigenvalues)


def spectrum_notes(table: EmbeddingTable, population: Population = Population()) -> list[str]:
    """What must be known beside the numbers: n and d, the fit's range, why one is undefined."""
    spread, law = spectrum(table, population), power_law_of(table, population)
    said = [f"n = {spread.count:,} rows, d = {table.dim:,}"]
    if spread.count < 2:
        return [*said, "fewer than two rows can be used: there is no spread to measure"]
    if not spread.defined:
        return [*said, "the rows are all the same: centred numbers are undefined"]
    if spread.count <= table.dim:
        said.append("no more rows than dimensions: at most n − 1 directions can be used")
    if law is None:
        said.append("too few components for a power law")
    else:
        said.append(
            f"power law fitted over k = {law.first:,} to {law.last:,}, R² = {law.r_squared:.3f}; "
            "other ranges give other exponents"
        )
    if condition(spread.eigenvalues, spread.count) is None:
        said.append("some direction has no variance, so there is no condition number")
    return said


def _alignment(spread: Spectrum) -> float | None:
    return mean_alignment(spread.eigenvalues, spread.eigenvectors.T @ spread.mean)


def _log_spaced(count: int) -> Array:
    if not count:
        return np.empty(0, dtype=np.int64)
    return np.unique(np.geomspace(1, count, _POINTS).round().astype(np.int64))
