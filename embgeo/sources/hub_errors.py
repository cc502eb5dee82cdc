"""What can go wrong with a hub, each in words for a person: what happened, and what to do next."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from embgeo.errors import SourceError
from embgeo.settings import settings


@contextmanager
def explained(hub_id: str, revision: str, *, logged_in: bool) -> Iterator[None]:
    """Turns what the hub's library raises inside the block into `SourceError`.

    Raises
    ------
    SourceError
        For every error of the hub or of the way to it; the text never holds a token.
    """
    from huggingface_hub.errors import HFValidationError, HTTPError

    try:
        yield
    except SourceError:
        raise
    except (HTTPError, HFValidationError, OSError) as error:
        raise SourceError(_said(error, hub_id, revision, logged_in)) from error


@contextmanager
def understood(hub_id: str) -> Iterator[None]:
    """Turns what an answer raises inside the block that no hub gives into `SourceError`.

    Raises
    ------
    SourceError
        If the answer is a login page, say, instead of a description of the repository.
    """
    from huggingface_hub import constants
    from huggingface_hub.errors import HFValidationError

    try:
        yield
    except HFValidationError:
        raise
    except (LookupError, RecursionError, TypeError, ValueError) as error:
        raise SourceError(
            f"{constants.ENDPOINT} answered with something that is no description of {hub_id}: a "
            "login page on the way, or no hub at all. Check the network and HF_ENDPOINT."
        ) from error


def _said(error: Exception, hub_id: str, revision: str, logged_in: bool) -> str:
    """What happened, and what to do next; the first kind that fits."""
    from huggingface_hub import constants, errors

    known: tuple[tuple[type[Exception], Callable[[], str]], ...] = (
        (errors.OfflineModeIsEnabled, lambda: offline(hub_id)),
        (
            errors.LocalEntryNotFoundError,
            lambda: offline(hub_id) if constants.HF_HUB_OFFLINE else _unreachable(error),
        ),
        (errors.GatedRepoError, lambda: gated(hub_id, logged_in=logged_in)),
        (errors.RepositoryNotFoundError, lambda: _unknown(hub_id, logged_in)),
        (
            errors.RevisionNotFoundError,
            lambda: (
                f"{hub_id} has no revision {revision!r}. Name a branch, a tag or a commit "
                f"that is listed at {address(hub_id)}/commits."
            ),
        ),
        (
            errors.EntryNotFoundError,
            lambda: (
                f"{hub_id} lists a file that the hub does not find. It may just have been "
                "changed: try again in a minute."
            ),
        ),
        (
            errors.DisabledRepoError,
            lambda: f"{hub_id} was disabled by the hub; choose another model.",
        ),
        (
            errors.HFValidationError,
            lambda: f"{hub_id!r} is not an id that a hub takes: owner/name.",
        ),
        (errors.HfHubHTTPError, lambda: refused(hub_id, getattr(error, "response", None))),
        (errors.HTTPError, lambda: _unreachable(error)),
        (ConnectionError, lambda: _unreachable(error)),
        (TimeoutError, lambda: _unreachable(error)),
    )
    for kind, said in known:
        if isinstance(error, kind):
            return said()
    reason = getattr(error, "strerror", None) or type(error).__name__
    place = f" {constants.HF_HUB_CACHE}" if settings().allow_local else ""
    return (
        f"The hub's cache{place} cannot be written ({reason}). Point HF_HOME at a folder that can."
    )


def address(hub_id: str) -> str:
    """The page of a repository, for a person to open."""
    from huggingface_hub import constants

    return f"{constants.ENDPOINT}/{hub_id}"


def offline(hub_id: str) -> str:
    """What is said where the network is switched off."""
    return (
        f"{hub_id} was not read before on this machine, or not by whoever is logged in now, and "
        "HF_HUB_OFFLINE switches the network off. Unset it to read the model once."
    )


def _unreachable(error: Exception) -> str:
    """What is said where the hub does not answer at all."""
    from huggingface_hub import constants

    return (
        f"{constants.ENDPOINT} cannot be reached ({type(error).__name__}). Check the network; "
        "models that were read once, and packaged ones, work without it."
    )


def gated(hub_id: str, *, logged_in: bool) -> str:
    """What is said of a repository whose owner lets in only whom he has accepted."""
    place = address(hub_id)
    if logged_in:
        return (
            f"{hub_id} is gated, and your hub account has no access yet. Ask for it at {place}, "
            "then try again."
        )
    if not settings().allow_local:
        return f"{hub_id} is gated, and this server reads only what everybody may read."
    return (
        f"{hub_id} is gated, and nobody is logged in here. Accept its terms at {place}, then log "
        "in: run hf auth login, or set HF_TOKEN before starting."
    )


def refused(hub_id: str, response: Any) -> str:
    """What is said of an answer that is none of the known ones."""
    status = getattr(response, "status_code", None)
    if status == 429:
        wait = response.headers.get("Retry-After", "")
        after = f"in {wait} seconds" if wait.isdigit() else "in a few minutes"
        return (
            f"The hub answers too many requests from here (429), asked for {hub_id}. Try again "
            f"{after}; logging in (HF_TOKEN) raises the limit."
        )
    if status in {401, 403}:
        return (
            f"The hub refuses access to {hub_id} ({status}). Check that HF_TOKEN is valid and may "
            "read this repository."
        )
    return f"The hub answered {status or 'nothing'} when asked for {hub_id}. Try again in a minute."


def _unknown(hub_id: str, logged_in: bool) -> str:
    if logged_in:
        return (
            f"The hub has no model {hub_id}, or it is private and your account has no access. "
            "Check the spelling (owner/name), or ask its owner."
        )
    if not settings().allow_local:
        return f"The hub has no public model {hub_id}. Check the spelling (owner/name)."
    return (
        f"The hub has no model {hub_id}, or it is private. Check the spelling (owner/name); for a "
        "private one log in: run hf auth login, or set HF_TOKEN before starting."
    )
