"""The passes over weighted rows: their mean, then their covariance."""

from typing import Any

import numpy as np
import torch

from embgeo.devices import compute_device
from embgeo.jobs import Progress
from embgeo.statistics.passes import gram, working
from embgeo.tables import EmbeddingTable

Array = np.ndarray[Any, np.dtype[Any]]


def weighted_mean_pass(table: EmbeddingTable, weights: Array, progress: Progress) -> Array:
    """(d,) float64: Σ pᵢ xᵢ over the rows whose weight (rows,) is above 0."""
    device, mean = compute_device(), torch.zeros(table.dim, dtype=torch.float64)
    for rows, stored in table.chunks("frequency-weighted mean", progress, device):
        some, counted = _weighted(weights[rows], device)
        mean += (some @ working(stored[counted], device)).cpu().to(torch.float64)
    return mean.numpy()


def weighted_covariance_pass(
    table: EmbeddingTable, weights: Array, mean: Array, progress: Progress
) -> Array:
    """(d, d) float64: Σ pᵢ (xᵢ − μ)(xᵢ − μ)ᵀ, the mean taken off before the products."""
    device, centre = compute_device(), torch.from_numpy(mean)
    covariance = torch.zeros(table.dim, table.dim, dtype=torch.float64)
    for rows, stored in table.chunks("frequency-weighted covariance", progress, device):
        some, counted = _weighted(weights[rows], device)
        chunk = working(stored[counted], device)
        covariance += gram((chunk - centre.to(chunk)) * some.sqrt()[:, None])
    return covariance.numpy()


def _weighted(weights: Array, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """The weights above 0 on the device, and where they are: a row of NaN times 0 is no 0."""
    counted = torch.from_numpy(weights > 0)
    some = torch.from_numpy(weights[weights > 0])
    return working(some, device), counted
