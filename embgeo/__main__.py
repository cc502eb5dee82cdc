"""The command line: the same views as the dashboard, as JSON or as text."""

import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from embgeo.errors import EmbgeoError, VocabularyError
from embgeo.groups import DEFAULT, PIECES, SPACINGS, Policy, TokenGroup, resolve
from embgeo.jobs import silent
from embgeo.tables import EmbeddingTable, load, plan
from embgeo.transforms import NAMES, read_steps, steps_for

Record = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 when every source was read, 1 when one was not (its line is on stderr)."""
    asked = _parser().parse_args(arguments)
    try:
        records: list[Record] = asked.run(asked)
    except EmbgeoError as error:
        _complain(error)
        return 1
    try:
        _print(records, asked)
    except BrokenPipeError:  # `| head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1 if any("error" in record for record in records) else 0


def _print(records: list[Record], asked: argparse.Namespace) -> None:
    if asked.json:
        # Escaped, because a pipe may not take every character.
        print(json.dumps(records, indent=2, allow_nan=False))
    else:
        print("\n\n".join(_as_text(each) for each in records if "error" not in each))


def info(asked: argparse.Namespace) -> list[Record]:
    """A record of facts and headline numbers for each source."""
    from embgeo.views.records import info_record

    return [_record(source, partial(_with_table, info_record, source)) for source in asked.sources]


def sizes(asked: argparse.Namespace) -> list[Record]:
    """What reading each source would take; of a hub, only headers are read for it."""
    return [_record(source, partial(_size, source)) for source in asked.sources]


def _size(source: str) -> Record:
    return plan(source).record()


def _with_table(work: Callable[[EmbeddingTable], Record], source: str) -> Record:
    return work(_load(source))


def _load(source: str) -> EmbeddingTable:
    """The table of a source; says on stderr what is read from a hub before it is."""
    planned = plan(source)
    if not planned.remaining:
        return load(source)
    print(f"embgeo: {planned.said}", file=sys.stderr)
    table = load(source, _tell if sys.stderr.isatty() else silent)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return table


def _tell(fraction: float, doing: str) -> None:
    """One line that is written over as the work goes on."""
    print(f"\r\033[K{fraction:4.0%}  {doing}", end="", file=sys.stderr, flush=True)


def groups(asked: argparse.Namespace) -> list[Record]:
    """A record of within- and between-group cosines for each source, resolved together."""
    from embgeo.views.group_rows import group_rows
    from embgeo.views.records import groups_record

    chosen = _read_groups(asked.groups) if asked.groups else list(DEFAULT)
    steps = read_steps(asked.transform)
    policy = Policy(asked.spacing, asked.pieces, shared=asked.entries == "shared")
    loaded = {source: _attempt(source) for source in asked.sources}
    tables = [table for table in loaded.values() if isinstance(table, EmbeddingTable)]
    resolved = dict(zip(map(id, tables), resolve(chosen, tables, policy), strict=True))

    def record(source: str) -> Record:
        table = loaded[source]
        if not isinstance(table, EmbeddingTable):
            raise table
        found = resolved[id(table)]
        return groups_record(found, group_rows(table, found, steps_for(steps, table.dim)))

    return [_record(source, partial(record, source)) for source in asked.sources]


def _attempt(source: str) -> EmbeddingTable | EmbgeoError:
    try:
        return _load(source)
    except EmbgeoError as error:
        return error


def _record(source: str, work: Callable[[], Record]) -> Record:
    """The record of a source, or what went wrong with it: the others are still printed."""
    try:
        return work()
    except EmbgeoError as error:
        _complain(error)
        return {"source": source, "error": str(error)}


def _complain(error: EmbgeoError) -> None:
    print(f"embgeo: {' '.join(str(error).split())}", file=sys.stderr)


def _read_groups(path: str) -> list[TokenGroup]:
    """Groups from a JSON file {name: [entries]}."""
    expected = f'{path} must hold JSON like {{"name": ["entry", …]}}'
    try:
        read = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise VocabularyError(f"{expected}; it cannot be read ({error}).") from error
    if not isinstance(read, dict) or not read:
        raise VocabularyError(f"{expected}; found {type(read).__name__} without groups.")
    for name, entries in read.items():
        if not isinstance(entries, list) or not all(map(_is_text, [name, *entries])):
            raise VocabularyError(f"{expected}; group {name!r} is not a list of texts.")
    return [TokenGroup(name, tuple(entries)) for name, entries in read.items()]


def _is_text(value: object) -> bool:
    """Whether it is a text that can be encoded: JSON can also spell half a surrogate pair."""
    return isinstance(value, str) and not re.search("[\ud800-\udfff]", value)


def _as_text(record: Record) -> str:
    width = max(map(len, record))
    return "\n".join(
        f"{key:<{width}}  {json.dumps(value, ensure_ascii=False)}" for key, value in record.items()
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m embgeo", description="The geometry of token-embedding tables."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    about = commands.add_parser("info", help="shape, facts and headline numbers of each table")
    about.set_defaults(run=info)
    size = commands.add_parser("size", help="what reading each table takes, before it is read")
    size.set_defaults(run=sizes)
    compare = commands.add_parser("groups", help="cosines within and between token groups")
    compare.set_defaults(run=groups)
    compare.add_argument("--groups", metavar="FILE.json", help='{"name": ["entry", …]}')
    compare.add_argument("--spacing", choices=SPACINGS, default="typed")
    compare.add_argument("--pieces", choices=PIECES, default="skip")
    compare.add_argument(
        "--transform",
        metavar="STEPS",
        default="raw",
        help=f"{', '.join(NAMES)}, or steps joined by a plus: centre+drop:3+whiten:128~0.1",
    )
    compare.add_argument(
        "--entries",
        choices=("shared", "all"),
        default="shared",
        help="with several sources: only entries that resolve in each (default), or all",
    )
    for command in (about, size, compare):
        command.add_argument(
            "sources",
            nargs="+",
            metavar="SOURCE",
            help="minilm, smollm2, a hub id (owner/name@revision), a folder, a file, random:VxD; "
            "with #TENSOR behind it for another table of the checkpoint",
        )
        command.add_argument("--json", action="store_true", help="print a JSON list")
    return parser


if __name__ == "__main__":
    sys.exit(main())
