"""From a source to its table: what reading it takes, said before it is read; then the reading."""

from dataclasses import dataclass, field, replace
from typing import Any

from embgeo.checkpoints import StoredTable, fetch_whole, pickle_name, read_facts
from embgeo.jobs import Progress, silent
from embgeo.memory import host_memory, nbytes
from embgeo.quantities import bytes_text
from embgeo.sources import Files, TableSource, locate, parse_source
from embgeo.store import Store, default_store
from embgeo.tables.table import EmbeddingTable
from embgeo.tables.weights import growing, kept_bytes, kept_file
from embgeo.tokens import load_vocabulary


@dataclass(frozen=True)
class Plan:
    """What reading a table takes.

    Attributes
    ----------
    source, files
        What is meant, and where it lies.
    facts
        The facts of the table from its headers; None for a format that has none to read alone.
    """

    source: TableSource
    files: Files
    facts: StoredTable | None
    store: Store = field(repr=False)

    @property
    def remaining(self) -> int:
        """Bytes that are still to be fetched from a hub: the table, and its tokenizer's files."""
        repository = self.files.repository
        if repository is None:
            return 0
        from embgeo.sources.hub import missing_bytes
        from embgeo.sources.hub_files import tokenizer_files

        tokenizer = missing_bytes(repository, tokenizer_files(self.files))
        if self.facts is None:
            name = pickle_name(self.files)
            kept = self.store.file(*_pickle_key(self.files, name))
            return tokenizer + (0 if kept else max(0, repository.sizes[name]))
        kept = kept_file(self.files, self.facts, self.store)
        return tokenizer + (0 if kept else kept_bytes(self.facts))

    @property
    def said(self) -> str:
        """What will be read, how much of it, and from where, in a sentence for a person."""
        repository = self.files.repository
        if repository is None or self.remaining == 0:
            return f"{self.source.label} lies on this machine."
        from huggingface_hub import constants

        if self.facts is None:
            what = "a whole PyTorch file, which has no header to find the table by"
        else:
            shape = f"{self.facts.rows:,} × {self.facts.dim:,}"
            what = f"the table ({shape}, {self.facts.dtype}) and the tokenizer, nothing else"
        return (
            f"Reads {bytes_text(self.remaining)} from {constants.ENDPOINT}: {what}. "
            f"{repository.hub_id} at commit {repository.commit[:7]}."
        )

    def record(self) -> dict[str, Any]:
        """As JSON takes it."""
        stored = self.facts
        return {
            "source": self.source.text,
            "rows": stored.rows if stored else None,
            "dim": stored.dim if stored else None,
            "dtype": stored.dtype if stored else None,
            "tied": stored.tied if stored else None,
            "model_parameters": stored.parameters if stored else None,
            "tables": [stored.tensor, *stored.others] if stored else [],
            "bytes_to_fetch": self.remaining,
            "revision": self.files.revision,
        }


def plan(source: str | TableSource, progress: Progress = silent) -> Plan:
    """What reading a source would take; of a hub, only headers and configs are read for it.

    Raises
    ------
    SourceError
        If the source cannot be found or is not allowed here.
    CheckpointError
        If no embedding table can be read from it.
    """
    if isinstance(source, str):
        source = parse_source(source)
    progress(0.0, f"{source.label}: looking for its files")
    files, store = locate(source), default_store()
    headless = files.repository is not None and files.format == "pickle"
    progress(0.5, f"{source.label}: reading the headers")
    facts = None if headless else _facts(source, files, store)
    return Plan(source, files, facts, store)


def load(source: str | TableSource, progress: Progress = silent) -> EmbeddingTable:
    """The embedding table of a source; no model is loaded for it.

    Asked again for what it has at hand, it gives the same object: tables are read-only.

    Parameters
    ----------
    source
        A packaged name ("minilm"), a hub id ("owner/name", "owner/name@revision"), a folder, a
        file, "random:VxD"; with "#tensor" behind it for another tensor of the checkpoint.
    progress
        Told what is being done; see `embgeo.jobs`.

    Raises
    ------
    SourceError
        If the source cannot be found or is not allowed here, or a hub does not give it.
    CheckpointError
        If no embedding table can be read from it.

    Examples
    --------
    >>> load("random:1000x64").weight.shape
    torch.Size([1000, 64])
    """
    if isinstance(source, str):
        source = parse_source(source)
    files, store = locate(source), default_store()
    key = ("table", str(store.folder), source.text, files.revision, files.path)
    return host_memory().remember(key, lambda: _load(source, files, store, progress), nbytes)


def _load(source: TableSource, files: Files, store: Store, progress: Progress) -> EmbeddingTable:
    if files.repository is not None:
        files = _fetched(files, store, progress)
    progress(0.05, f"{source.label}: reading the headers")
    facts = _facts(source, files, store)
    progress(0.1, f"{source.label}: reading the tokens")
    vocabulary = load_vocabulary(files, facts.rows, store, progress)
    table = EmbeddingTable(source, files.revision, facts, vocabulary, files, store)
    if not facts.mapped and kept_file(files, facts, store) is None:
        # Fetching takes nearly all the time there is, parsing what the tokens leave of it.
        begin = 0.15 if files.repository else 0.6
        progress(begin, f"{source.label}: reading the table")
        table.read(lambda part, doing: progress(begin + (1 - begin) * part, doing))
    return table


def _facts(source: TableSource, files: Files, store: Store) -> StoredTable:
    # The same commit may lie here as a whole, and be gone the next time.
    where = "here" if files.repository is None else "hub"
    key = ("facts", source.text, files.revision, where)
    kept = store.read(*key)
    if kept is not None:
        return StoredTable.from_record(kept.facts)
    facts = read_facts(files)
    if files.format != "random":
        store.write(*key, arrays={}, facts=facts.record())
    return facts


def _fetched(files: Files, store: Store, progress: Progress) -> Files:
    """The files with the tokenizer fetched, and a file that can only be read whole."""
    from embgeo.sources.hub import fetch_small
    from embgeo.sources.hub_files import tokenizer_files

    repository = files.repository
    assert repository is not None
    for name in tokenizer_files(files):
        progress(0.0, f"{files.title}: {name}, {bytes_text(max(0, repository.sizes[name]))}")
        files = replace(files, folder=fetch_small(repository, name).parent)
    if files.format != "pickle":
        return files
    name = pickle_name(files)
    path = growing(
        files,
        store,
        _pickle_key(files, name),
        repository.sizes[name],
        lambda part: fetch_whole(repository, name, part, progress),
    )
    return replace(files, path=path, repository=None)


def _pickle_key(files: Files, name: str) -> tuple[str, ...]:
    assert files.repository is not None
    return "pickle", files.repository.hub_id, files.revision, name
