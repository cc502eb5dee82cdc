"""The outline of a histogram as points, so that it draws as one shape without gaps."""

import pandas as pd


def step_outline(bins: pd.DataFrame) -> pd.DataFrame:
    """The corners of adjoining bins, from the baseline up, along, and down again.

    Drawn with ``interpolate="step-after"`` the points fill without the seams that one bar per bin has.

    Parameters
    ----------
    bins
        Columns ``left``, ``right`` (edges) and ``share``, in order and adjoining.

    Returns
    -------
    pandas.DataFrame
        Columns ``edge`` and ``share``, two rows more than ``bins``; none for no bins.
    """
    edges = [*bins["left"].iloc[:1], *bins["left"], *bins["right"].iloc[-1:]]
    shares = [0.0, *bins["share"], 0.0] if edges else []
    return pd.DataFrame({"edge": edges, "share": shares})
