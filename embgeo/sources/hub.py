"""A repository on the hub: which commit is meant, which files it has, and the small ones of them.

A revision is resolved to a commit once and kept: the same link means the same numbers, and a model
that was read before needs no network. Small files go through the hub's own cache, where other tools
find them; what is known of a repository that not everybody may read is kept under the token that
could read it.
"""

import hashlib
import os
import re
import threading
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from embgeo.errors import SourceError
from embgeo.quantities import bytes_text
from embgeo.settings import settings
from embgeo.sources.hub_errors import explained, offline, understood
from embgeo.store import default_store

_COMMIT = re.compile(r"[0-9a-f]{40,64}")
_LARGEST_SMALL = 100_000_000  # bytes; the largest tokenizers have a third of it
_TIMEOUT = 15.0  # seconds without any answer


@dataclass(frozen=True)
class Repository:
    """One commit of a repository.

    Attributes
    ----------
    hub_id, commit
        Its name, and the commit's full hash.
    sizes
        Bytes of each file by its name; −1 where the hub does not say.
    parameters
        Weights in the whole repository as the hub counts them, None where it does not.
    """

    hub_id: str
    commit: str
    sizes: Mapping[str, int]
    parameters: int | None = None


def token() -> str | None:
    """The hub token of whoever started this process; None on a server for strangers.

    What one person's token can read is never shown to others, so where strangers come in
    (EMBGEO_ALLOW_LOCAL=0) there is none.

    Raises
    ------
    SourceError
        If it is no token that could be sent.
    """
    from huggingface_hub import get_token

    found = get_token() if settings().allow_local else None
    if found and not (found.isascii() and found.isprintable()):
        raise SourceError(
            "The hub token (HF_TOKEN, or that of hf auth login) has characters in it that no token "
            "has. Copy it again from the hub's settings."
        )
    return found


def resolve(hub_id: str, revision: str) -> Repository:
    """The repository at a revision: as it was resolved before, else as the hub says now.

    Raises
    ------
    SourceError
        If there is no such repository or revision, it may not be read, or the hub does not answer.
    """
    key = _key(hub_id, revision)
    with _lock:
        if (known := _known.get((*key, _scope()))) is not None:
            return known
    for scope in dict.fromkeys(("public", _scope())):
        kept = default_store().read(*key, scope)
        if kept is not None:
            return _remember((*key, _scope()), Repository(**kept.facts))
    return refresh(hub_id, revision)


def resolved(hub_id: str, revision: str) -> bool:
    """Whether the commit of a revision is known without asking the hub."""
    key = _key(hub_id, revision)
    scopes = dict.fromkeys(("public", _scope()))
    return (*key, _scope()) in _known or any(default_store().file(*key, each) for each in scopes)


def refresh(hub_id: str, revision: str) -> Repository:
    """The repository as the hub has the revision now; from here on, that is what it means.

    Raises
    ------
    SourceError
        As `resolve`; what was known before stays.
    """
    key = _key(hub_id, revision)
    found, scope = _ask(hub_id, revision)
    default_store().write(*key, scope, arrays={}, facts=asdict(found))
    return _remember((*key, _scope()), found)


def fetch_small(repository: Repository, name: str) -> Path:
    """A file of a repository in the hub's own cache, fetched if it is not there yet.

    Raises
    ------
    SourceError
        If it may not be read, or the hub does not answer.
    """
    from huggingface_hub import hf_hub_download

    known = cached(repository, name)
    if known is not None:
        return known
    hub_id, commit = repository.hub_id, repository.commit
    with explained(hub_id, commit, logged_in=token() is not None):
        size = _ask_for(hub_id, commit, name) or 0
        if size > _LARGEST_SMALL:
            raise SourceError(
                f"{name} of {hub_id} takes {bytes_text(size)}, where a config or a tokenizer takes "
                f"{bytes_text(_LARGEST_SMALL)} at most; it was not read. Choose another model."
            )
        found = hf_hub_download(hub_id, name, revision=commit, token=token() or False)
    return Path(found)


def cached(repository: Repository, name: str) -> Path | None:
    """Where a file of a repository lies in the hub's own cache; None where it does not."""
    from huggingface_hub import try_to_load_from_cache

    found = try_to_load_from_cache(repository.hub_id, name, revision=repository.commit)
    return Path(found) if isinstance(found, str) else None


def missing_bytes(repository: Repository, names: Iterable[str]) -> int:
    """Bytes of those files that the hub's own cache does not hold yet."""
    return sum(max(0, repository.sizes[name]) for name in names if cached(repository, name) is None)


def cached_snapshot(hub_id: str, revision: str) -> Path | None:
    """The folder where other tools have put files of this revision, if they have; no network."""
    from huggingface_hub import constants

    folder = Path(constants.HF_HUB_CACHE, "models--" + hub_id.replace("/", "--"))
    try:
        ref = folder / "refs" / revision
        commit = ref.read_text().strip() if _inside(ref, folder / "refs") else revision
    except (OSError, ValueError):
        commit = revision
    snapshot = folder / "snapshots" / commit
    inside = _inside(snapshot, folder / "snapshots")
    return snapshot if inside and os.path.isdir(snapshot) else None


def _inside(path: Path, folder: Path) -> bool:
    return os.path.abspath(path).startswith(os.path.abspath(folder) + os.sep)


def _ask(hub_id: str, revision: str) -> tuple[Repository, str]:
    """The repository as the hub says, and the scope that the answer is kept under."""
    from huggingface_hub import HfApi, constants

    if constants.HF_HUB_OFFLINE:
        raise SourceError(offline(hub_id))
    person = token()
    with explained(hub_id, revision, logged_in=person is not None):
        with understood(hub_id):
            info = HfApi(token=person or False).model_info(
                hub_id, revision=revision, files_metadata=True, timeout=_TIMEOUT
            )
            if not _COMMIT.fullmatch(str(info.sha)):
                raise ValueError(info.sha)
        # Everybody is told what a gated one holds: who may read it shows when one asks for a file.
        for each in (info.siblings or ())[: bool(info.gated)]:
            _ask_for(info.id, str(info.sha), each.rfilename)
    sizes = {each.rfilename: -1 if each.size is None else each.size for each in info.siblings or ()}
    counted = info.safetensors.total if info.safetensors else None
    scope = _scope() if info.private or info.gated else "public"
    return Repository(hub_id, str(info.sha), sizes, counted), scope


def _ask_for(hub_id: str, commit: str, name: str) -> int | None:
    """Bytes of a file; fails at once, where the download itself would try for half a minute."""
    from huggingface_hub import get_hf_file_metadata, hf_hub_url

    url = hf_hub_url(hub_id, name, revision=commit)
    return get_hf_file_metadata(url, token=token() or False, timeout=_TIMEOUT).size


def _key(hub_id: str, revision: str) -> tuple[str, ...]:
    from huggingface_hub import constants

    return "hub", constants.ENDPOINT, hub_id, revision


def _scope() -> str:
    """Who may read what is kept: everybody, or whoever has this token."""
    person = token()
    return hashlib.sha256(person.encode()).hexdigest() if person else "public"


def _remember(key: tuple[str, ...], repository: Repository) -> Repository:
    with _lock:
        _known[key] = repository
    return repository


_known: dict[tuple[str, ...], Repository] = {}
_lock = threading.Lock()
