"""Chosen bytes of a file on the hub, and no others: checked, and gone on with when the line drops.

A server that answers a request for a range with the whole file is refused before its answer is
read: the file may have hundreds of gigabytes.
"""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from embgeo.errors import SourceError
from embgeo.sources.hub import Repository, token
from embgeo.sources.hub_errors import explained, offline

_TIMEOUT = 20.0  # seconds without a byte
_TRIES = 5  # in a row without a byte
_PAUSE = 0.5  # seconds before the second try; twice as long before each further one
_OK, _PARTIAL, _ERROR, _BEYOND, _SERVER_ERROR = 200, 206, 400, 416, 500
_CONTENT_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+|\*)")


def read_range(repository: Repository, name: str, start: int, stop: int) -> bytes:
    """The bytes `start` to `stop` of a file, as a whole; for what is small.

    Raises
    ------
    SourceError
        As `stream_range`.
    """
    got = bytearray()
    stream_range(repository, name, (start, stop), got.extend)
    return bytes(got)


def stream_range(
    repository: Repository,
    name: str,
    span: tuple[int, int],
    take: Callable[[bytes], object],
) -> None:
    """Hand the bytes of a span (first, one after the last) to `take`, in order, each once.

    A dropped connection is taken up again where it broke. What `take` raises ends the transfer.

    Raises
    ------
    SourceError
        If the server does not do ranges, sends other bytes than asked for, the file was changed
        meanwhile, or the line stays broken after several tries.
    """
    at, stop = span
    transfer = _Transfer(repository, name)
    while at < stop:
        for block in transfer.blocks(at, stop):
            take(block)
            at += len(block)
        if at < stop:
            transfer.broke(stop - at)


class _Transfer:
    """One file being read, over as many connections as it takes."""

    def __init__(self, repository: Repository, name: str) -> None:
        from huggingface_hub import hf_hub_url
        from huggingface_hub.utils import build_hf_headers

        self.repository, self.name = repository, name
        self.url = hf_hub_url(repository.hub_id, name, revision=repository.commit)
        headers = build_hf_headers(token=token() or False)
        self.headers = {**headers, "Accept-Encoding": "identity"}
        self.etag: str | None = None
        self.failures = 0
        self.reason = ""

    def blocks(self, start: int, stop: int) -> Iterator[bytes]:
        """The bytes of one connection, up to where it breaks."""
        from huggingface_hub.errors import HTTPError, OfflineModeIsEnabled

        at = start
        try:
            with self._answer(start, stop) as answer:
                # As they come: gathered into larger ones, what is gathered is lost when it breaks.
                for block in answer.iter_raw():
                    if at + len(block) > stop:
                        raise SourceError(f"{self._said()} sent more bytes than it announced.")
                    yield block
                    at += len(block)
                    self.failures = 0
        except OfflineModeIsEnabled as error:
            raise SourceError(offline(self.repository.hub_id)) from error
        except HTTPError as error:  # the line or a tired server: worth another try
            self.reason = str(error) or type(error).__name__

    def broke(self, missing: int) -> None:
        """Wait before the next try.

        Raises
        ------
        SourceError
            If there were too many in a row without a byte.
        """
        self.failures += 1
        if self.failures > _TRIES:
            raise SourceError(
                f"{self._said()} broke off {self.failures} times in a row "
                f"({self.reason or 'short answer'}), {missing:,} bytes before the end. What was "
                "read is kept: try again later, and it goes on from there."
            )
        if self.failures > 1:
            time.sleep(_PAUSE * 2 ** (self.failures - 2))

    @contextmanager
    def _answer(self, start: int, stop: int) -> Iterator[Any]:
        from huggingface_hub.utils import get_session

        headers = {**self.headers, "Range": f"bytes={start}-{stop - 1}"}
        with get_session().stream(
            "GET", self.url, headers=headers, follow_redirects=True, timeout=_TIMEOUT
        ) as answer:
            self._check(answer, start, stop)
            yield answer

    def _check(self, answer: Any, start: int, stop: int) -> None:
        from huggingface_hub.errors import HTTPError
        from huggingface_hub.utils import hf_raise_for_status

        repository, status = self.repository, answer.status_code
        if status == _OK:
            raise SourceError(
                f"{self._said()} answered a request for {stop - start:,} bytes with the whole "
                "file, which was not read: its server, or one on the way, does not do ranges. "
                "Download the model and give its folder."
            )
        if status == _BEYOND:
            raise SourceError(f"{self._said()} is shorter than its header says: a damaged file.")
        if status >= _SERVER_ERROR:
            raise HTTPError(f"the server answered {status}")
        if status >= _ERROR:
            answer.read()  # its text is short, and says which error it is
            known = "authorization" in self.headers
            with explained(repository.hub_id, repository.commit, logged_in=known):
                hf_raise_for_status(answer)
        if answer.headers.get("Content-Encoding", "identity") != "identity":
            raise SourceError(
                f"{self._said()} was sent compressed, against what was asked for: a server on the "
                "way changes what it passes on. Download the model and give its folder."
            )
        found = _CONTENT_RANGE.fullmatch(answer.headers.get("Content-Range", ""))
        size = repository.sizes.get(self.name, -1)
        whole = found is not None and found[3] not in {"*", str(size)} and size >= 0
        if status != _PARTIAL or not found or whole or int(found[1]) != start:
            raise SourceError(f"{self._said()} was answered with other bytes than asked for.")
        if int(found[2]) != stop - 1:
            raise SourceError(f"{self._said()} was answered with other bytes than asked for.")
        etag = answer.headers.get("ETag")
        if self.etag and etag and etag != self.etag:
            raise SourceError(f"{self._said()} was changed while it was read. Try again.")
        self.etag = etag or self.etag

    def _said(self) -> str:
        return f"{self.name} of {self.repository.hub_id}"
