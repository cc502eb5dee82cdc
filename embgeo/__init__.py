"""The geometry of language models' token-embedding tables.

>>> import embgeo
>>> table = embgeo.load("random:1000x64")
>>> table.rows, table.dim
(1000, 64)

Nothing heavy is imported until a name is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from embgeo.groups import Policy as Policy
    from embgeo.groups import TokenGroup as TokenGroup
    from embgeo.groups import resolve as resolve
    from embgeo.tables import EmbeddingTable as EmbeddingTable
    from embgeo.tables import load as load
    from embgeo.tables import plan as plan
    from embgeo.transforms import named as named
    from embgeo.views.group_rows import group_rows as group_rows
    from embgeo.views.group_rows import within_between as within_between
    from embgeo.views.records import groups_record as groups_record
    from embgeo.views.records import info_record as info_record

__version__ = "0.1.0"

_HOME = {
    "load": "embgeo.tables",
    "plan": "embgeo.tables",
    "EmbeddingTable": "embgeo.tables",
    "TokenGroup": "embgeo.groups",
    "Policy": "embgeo.groups",
    "resolve": "embgeo.groups",
    "named": "embgeo.transforms",
    "group_rows": "embgeo.views.group_rows",
    "within_between": "embgeo.views.group_rows",
    "groups_record": "embgeo.views.records",
    "info_record": "embgeo.views.records",
}
__all__ = [*_HOME, "__version__"]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'embgeo' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
