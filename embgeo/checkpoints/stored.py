"""What is known of a table before its numbers are read."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class StoredTensor:
    """One tensor as a header describes it: its name, file name, shape and stored type.

    Attributes
    ----------
    span
        Its first byte in the file and the one after its last; None where nobody needs to know.
    """

    name: str
    file: str
    shape: tuple[int, ...]
    dtype: str
    span: tuple[int, int] | None = None

    @property
    def numbers(self) -> int:
        """How many numbers the tensor holds."""
        return math.prod(self.shape)


@dataclass(frozen=True)
class Tie:
    """Whether the output table is the input table (None: not known), and how that was decided."""

    tied: bool | None
    reason: str


@dataclass(frozen=True)
class Head:
    """The stored unembedding's name ("" for none), and whether it is the input table."""

    output: str
    tie: Tie


@dataclass(frozen=True)
class StoredTable:
    """The embedding table of a checkpoint as its headers describe it.

    Attributes
    ----------
    tensor, file
        Name of the tensor, and of the file that holds it.
    rows, dim
        Shape of the table; rows may exceed the tokenizer's entries, dim may differ from the
        model's hidden size.
    dtype
        As stored: "F32", "F16", "BF16", or a GGUF block type such as "Q8_0".
    quantised
        Whether the stored numbers are blocks that must be dequantised.
    parameters
        Floating-point weights in the whole checkpoint; None where they cannot be counted.
    tied
        Whether the output table holds the same numbers; None where no output table is known.
    tied_reason
        A short clause that says how ``tied`` was decided.
    architecture
        What the checkpoint says it is; None where it does not.
    title
        The name that the checkpoint gives itself, if any.
    mapped
        Whether the stored numbers can be used where they lie, by mapping the file into memory.
    output
        Name of the unembedding where the checkpoint stores one, else "".
    others
        Names of the other tables that can be asked for, the unembedding among them.
    scale, scale_reason
        What the model multiplies a row by before its first layer, and what says so; 1.0 and "".
    scheme
        What quantised the rest of the checkpoint ("gptq"), "" where nothing did.
    """

    tensor: str
    file: str
    rows: int
    dim: int
    dtype: str
    quantised: bool
    parameters: int | None
    tied: bool | None
    tied_reason: str
    architecture: str | None
    title: str | None
    mapped: bool = True
    output: str = ""
    others: tuple[str, ...] = ()
    scale: float = 1.0
    scale_reason: str = ""
    scheme: str = ""

    def record(self) -> dict[str, Any]:
        """As JSON takes it."""
        return asdict(self)

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "StoredTable":
        """The facts that `record` wrote down."""
        return cls(**{**record, "others": tuple(record.get("others", ()))})
