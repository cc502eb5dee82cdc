"""Embedding tables: what reading one takes, reading it, and the table itself."""

from embgeo.tables.loading import Plan, load, plan
from embgeo.tables.table import EmbeddingTable

__all__ = ["EmbeddingTable", "Plan", "load", "plan"]
