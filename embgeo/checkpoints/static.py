"""Static sentence embeddings whose rows are shared by several tokens."""

from collections.abc import Mapping

from embgeo.checkpoints.stored import StoredTensor
from embgeo.errors import CheckpointError


def check_rows(table: StoredTensor, tensors: Mapping[str, StoredTensor]) -> None:
    """Nothing, where row and token id are the same number.

    Raises
    ------
    CheckpointError
        If model2vec has made its vocabulary smaller: then another tensor says which row is whose.
    """
    mapping = tensors.get("mapping")
    if table.name == "embeddings" and mapping is not None and len(mapping.shape) == 1:
        raise CheckpointError(
            f"{table.file} is a model2vec model with a quantised vocabulary: {mapping.numbers:,} "
            f"tokens share {table.shape[0]:,} rows, so that no row belongs to one token. Use the "
            "model without vocabulary quantisation."
        )
