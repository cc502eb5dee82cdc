"""The outline of a histogram as points, so that it draws as one shape without gaps."""

import numpy as np
import pandas as pd


def step_outline(bins: pd.DataFrame) -> pd.DataFrame:
    """The corners of adjoining bins from the first filled one to the last: up, along, and down.

    Drawn with ``interpolate="step-after"`` they fill without the seams that one bar per bin has.

    Parameters
    ----------
    bins
        Columns ``left``, ``right`` (edges) and ``share``, in order and adjoining.

    Returns
    -------
    pandas.DataFrame
        Columns ``edge`` and ``share``, two rows more than bins; none where nothing is filled.
    """
    filled = np.flatnonzero(bins["share"] > 0)
    bins = bins.iloc[filled[0] : filled[-1] + 1] if filled.size else bins[:0]
    edges = [*bins["left"].iloc[:1], *bins["left"], *bins["right"].iloc[-1:]]
    shares = [0.0, *bins["share"], 0.0] if edges else []
    return pd.DataFrame({"edge": edges, "share": shares})
