"""Which of a checkpoint's tensors is the table, and what is known of it: for every format.

Whoever has read the headers of a file, of its shards or of a repository asks `table_of`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from embgeo.checkpoints.architecture import resolved_input
from embgeo.checkpoints.config import ModelConfig, read_config
from embgeo.checkpoints.kinds import check_tokens, foreign
from embgeo.checkpoints.layouts import (
    INPUTS,
    input_tables,
    named_tables,
    output_table,
    telling_tables,
)
from embgeo.checkpoints.quantised import (
    FLOATS,
    check_numbers,
    packed_table,
    pieces_of_tables,
    scheme,
)
from embgeo.checkpoints.scaling import Scale, scale_of
from embgeo.checkpoints.static import check_rows
from embgeo.checkpoints.stored import Head, StoredTable, StoredTensor, Tie
from embgeo.checkpoints.tying import Rows, compared, declared
from embgeo.errors import CheckpointError


@dataclass(frozen=True)
class Checkpoint:
    """What the headers of a checkpoint say.

    Attributes
    ----------
    name
        Its file or repository, for messages.
    tensors
        Its tensors by name.
    folder
        Where config.json is; None where there is none.
    parameters
        Weights of the whole checkpoint; None where they cannot be counted.
    wanted
        The tensor that is asked for; "" for the model's input table.
    """

    name: str
    tensors: Mapping[str, StoredTensor]
    folder: Path | None
    parameters: int | None
    wanted: str = ""

    @property
    def rows(self) -> dict[str, int]:
        """Rows of each 2-D tensor."""
        stored = self.tensors.items()
        return {name: tensor.shape[0] for name, tensor in stored if len(tensor.shape) == 2}


def candidates(names: Iterable[str]) -> tuple[str, ...]:
    """The names that may be a table or a piece of one: what a reader of an index must look up.

    >>> candidates(["wte.weight", "h.0.mlp.weight", "wte.weight_scale"])
    ('wte.weight', 'wte.weight_scale')
    """
    names = tuple(names)
    tables = {*named_tables(names), *pieces_of_tables(names)}
    return tuple(name for name in names if name in tables)


def table_of(
    checkpoint: Checkpoint,
    read: Callable[[StoredTensor], Rows],
    rows_looked_at: int | None = None,
) -> StoredTable:
    """The facts of a checkpoint's table; no numbers are read but those of two tables to compare.

    Parameters
    ----------
    checkpoint
        What the headers say.
    read
        What reads rows of a tensor, where the output table is compared with the input table.
    rows_looked_at
        How many rows are compared; None: all.

    Raises
    ------
    CheckpointError
        If no tensor or more than one can be the table, the one asked for is not there or is no
        matrix of floats, its numbers are packed, or the model has no table of tokens.
    """
    config = read_config(checkpoint.folder) if checkpoint.folder else None
    if not checkpoint.wanted:
        check_tokens(config)
    inputs = _inputs(checkpoint, config)
    source = checkpoint.tensors[inputs[0]] if len(inputs) == 1 else None
    table = _asked_for(checkpoint, inputs) if checkpoint.wanted else source
    if table is None:
        raise _not_found(checkpoint, inputs, config)
    check_numbers(table, checkpoint.tensors, config)
    check_rows(table, checkpoint.tensors)
    head = _head(
        checkpoint, source, config, partial(compared, read=read, rows_looked_at=rows_looked_at)
    )
    scale = scale_of(config, table) if table == source else Scale()
    counted = checkpoint.parameters
    return StoredTable(
        tensor=table.name,
        file=table.file,
        rows=table.shape[0],
        dim=table.shape[1],
        dtype=table.dtype,
        quantised=False,
        # What an index or a hub has counted is not believed where the table alone has more.
        parameters=counted if counted and counted >= table.numbers else None,
        tied=head.tie.tied,
        tied_reason=head.tie.reason,
        architecture=config.architecture if config else None,
        title=None,
        output=head.output,
        others=_others(checkpoint, (*inputs, head.output), table.name),
        scale=scale.factor,
        scale_reason=scale.reason,
        scheme=scheme(config, checkpoint.tensors),
    )


def _inputs(checkpoint: Checkpoint, config: ModelConfig | None) -> tuple[str, ...]:
    """Names of the tensors that can be the input table: one where it is clear."""
    rows = checkpoint.rows
    found = input_tables(rows, config.vocab_size if config else None)
    # transformers takes seconds to ask; it is not asked of what has no table to find.
    hopeless = packed_table(checkpoint.tensors, config) or foreign(config)
    if len(found) == 1 or (not found and hopeless):
        return found
    if config is not None and checkpoint.folder is not None:
        resolved = resolved_input(checkpoint.folder, rows)
        return (resolved,) if resolved else found
    return found or (tuple(rows) if len(rows) == 1 else ())


def _asked_for(checkpoint: Checkpoint, inputs: tuple[str, ...]) -> StoredTensor:
    tensor = checkpoint.tensors.get(checkpoint.wanted)
    if tensor is not None and len(tensor.shape) == 2:
        return tensor
    shape = " × ".join(map(str, tensor.shape)) if tensor else ""
    what = f"has {checkpoint.wanted}, which is no table but {shape}" if tensor else "holds none"
    raise CheckpointError(
        f"{checkpoint.name} was asked for the tensor {checkpoint.wanted!r} and {what}. Its tables "
        f"are: {', '.join(_others(checkpoint, inputs, '')) or 'none that embgeo knows by name'}."
    )


def _not_found(
    checkpoint: Checkpoint, inputs: tuple[str, ...], config: ModelConfig | None
) -> CheckpointError:
    if inputs:
        return CheckpointError(
            f"{checkpoint.name} holds several tensors that may be the input table: "
            f"{', '.join(inputs)}. Say which one by its name behind the source, as in "
            f"…#{inputs[0]}; or a config.json that names the architecture decides."
        )
    known = packed_table(checkpoint.tensors, config) or foreign(config)
    if known is not None:
        return known
    there = sorted(checkpoint.rows)
    more = f" and {len(there) - 8} more" if len(there) > 8 else ""
    return CheckpointError(
        f"{checkpoint.name} holds no token embedding table. Looked for "
        f"{', '.join(layout.name for layout in INPUTS)}; its 2-D tensors are: "
        f"{', '.join(there[:8]) or 'none'}{more}."
    )


def _head(
    checkpoint: Checkpoint,
    source: StoredTensor | None,
    config: ModelConfig | None,
    compare: Callable[[StoredTensor, StoredTensor], Tie],
) -> Head:
    if source is None:
        return Head("", Tie(None, "which table is the input table is not known"))
    output = output_table(checkpoint.rows, source.shape[0])
    if output is None:
        said = declared(config, checkpoint.folder)
        # A head tied to a table of its own (a decoder's) makes that one the output table.
        if said.source in {None, source.name} or said.source not in checkpoint.tensors:
            return Head("", Tie(said.source is not None or None, said.reason))
        output = said.source
    stored = checkpoint.tensors[output]
    if not {source.dtype, stored.dtype} <= FLOATS:
        return Head(output, Tie(None, f"{output} is stored as {stored.dtype}, not compared"))
    return Head(output, compare(source, stored))


def _others(checkpoint: Checkpoint, first: tuple[str, ...], chosen: str) -> tuple[str, ...]:
    """Names of the tables of floats that can be asked for, the most likely first."""
    names = dict.fromkeys((*first, *telling_tables(sorted(checkpoint.rows))))
    return tuple(
        name
        for name in names
        if name and name != chosen and checkpoint.tensors[name].dtype in FLOATS
    )
