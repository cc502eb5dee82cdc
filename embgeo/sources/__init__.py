"""From what a person names to files: packaged models, local paths, generated tables."""

from embgeo.sources.files import Files, locate
from embgeo.sources.packaged import PACKAGED, Packaged
from embgeo.sources.source import TableSource, parse_source

__all__ = ["PACKAGED", "Files", "Packaged", "TableSource", "locate", "parse_source"]
