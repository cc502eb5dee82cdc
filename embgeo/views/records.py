"""What the command line prints and a notebook reads: one dictionary for a table or its groups."""

from collections.abc import Sequence
from typing import Any

from embgeo.errors import ShapeError
from embgeo.groups import ResolvedGroup
from embgeo.jobs import Progress, silent
from embgeo.metrics.isotropy import cone_length
from embgeo.metrics.singular_values import stable_rank
from embgeo.populations import Population
from embgeo.statistics import moments, spectrum, transformed
from embgeo.statistics.raw_spectrum import raw_spectrum
from embgeo.tables import EmbeddingTable
from embgeo.transforms import CENTRED
from embgeo.views.group_rows import GroupRows
from embgeo.views.norm_kinds import norm_by_id
from embgeo.views.numbers import number
from embgeo.views.provenance import provenance
from embgeo.views.separation import separation_record


def info_record(
    table: EmbeddingTable,
    population: Population = Population(),
    progress: Progress = silent,
) -> dict[str, Any]:
    """The facts and headline numbers of a table, numbers or None."""
    first = moments(table, population, progress)
    second = spectrum(table, population, progress)
    norms = first.norm_summary
    return {
        "source": table.source.text,
        "rows": table.rows,
        "tokens": len(table.vocabulary),
        "dim": table.dim,
        "parameters": table.rows * table.dim,
        "dtype": table.facts.dtype,
        "tied": table.facts.tied,
        "padding_rows": first.padding_rows,
        "zero_rows": first.zero_rows,
        "norm_mean": number(norms.mean) if norms else None,
        "norm_sd": number(norms.sd) if norms else None,
        "mean_cosine": number(first.mean_cosine),
        "mean_cosine_sd": number(second.cosine_sd),
        "mean_cosine_centred": number(centred_mean_cosine(table, population, progress)),
        "participation_ratio": number(second.participation_ratio),
        "isoscore": number(second.isoscore),
        "effective_rank": number(second.effective_rank),
        "scale": table.facts.scale,
        "provenance": provenance(table, population).record(),
        "cone_length": number(cone_length(first.unit_sums.sum(axis=0), first.count)),
        "stable_rank": number(stable_rank(raw_spectrum(table, population, progress))),
        "norm_id_spearman": norm_by_id(first, first.used),
    }


def centred_mean_cosine(
    table: EmbeddingTable, population: Population, progress: Progress = silent
) -> float | None:
    """Mean cosine over all pairs after the mean row was subtracted; None where all rows are one."""
    try:
        return transformed(table, CENTRED, population, progress).mean_cosine
    except ShapeError:
        return None


def groups_record(groups: Sequence[ResolvedGroup], rows: GroupRows) -> dict[str, Any]:
    """Within and between, ids, what was left out, and the separation, numbers or None."""
    names, mean = rows.names, rows.blocks.mean
    return {
        "source": rows.about.source,
        "within": {name: number(mean[k, k]) for k, name in enumerate(names)},
        "between": {
            f"{names[a]}|{names[b]}": number(mean[a, b])
            for a in range(len(names))
            for b in range(a + 1, len(names))
        },
        "ids": {group.name: [_ids(member.ids) for member in group.members] for group in groups},
        "left_out": {group.name: group.left_out for group in groups},
        "separation": separation_record(rows),
        "provenance": rows.about.record(),
    }


def _ids(ids: tuple[int, ...]) -> int | list[int]:
    """A token's id; the list of ids for a member that is the mean of several pieces."""
    return ids[0] if len(ids) == 1 else list(ids)
