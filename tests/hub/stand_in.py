"""A small hub on loopback, which the real hub client talks to, and the log of what it sent.

hub.add("owner/name", folder)
hub.fault("owner/name", "drop", 1_000_000, times=1, path="*.safetensors")
hub.requests, hub.bytes_sent("*.safetensors"), hub.clear()
with hub.unreachable(): ...
"""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from answers import Answer, Asked, Shelf
from shelf import Fault, Kind, Repository, commit
from wire import Request, Server

_PROJECT = Path(__file__).parents[2]
_PATIENCE = 5.0
"""Seconds that the log waits for the answers still being sent."""


class StandIn:
    """The hub; its `home` is the HF_HOME of those who use it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._shelf = Shelf()
        self._log: list[Request] = []
        self._sending = 0
        self._changed = threading.Condition()
        self._server: Server | None = None
        self._port = 0
        self.on()
        # Another host with the same server behind it, as a CDN is.
        self._shelf.cdn = f"http://localhost:{self._port}"

    @property
    def endpoint(self) -> str:
        """What HF_ENDPOINT is to be."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def cache(self) -> Path:
        """Where the hub client keeps what it downloaded."""
        return self.home / "hub"

    def add(
        self,
        name: str,
        folder: Path,
        *,
        revisions: Mapping[str, Path] | None = None,
        token: str | None = None,
        **facts: Any,
    ) -> Repository:
        """Serves a folder as a repository's "main"; facts: private, gated, redirected, information.

        `token` is the one that has access to a private or gated repository.
        """
        folders = {"main": folder, **(revisions or {})}
        repository = Repository(name, folders, token=token, **facts)
        with self._changed:
            self._shelf.repositories[name] = repository
        return repository

    def commit(self, name: str, revision: str = "main") -> str:
        """The commit that a revision is at."""
        folder = self._shelf.repositories[name].folder(revision)
        assert folder is not None, revision
        return commit(folder)

    def fault(
        self, name: str, kind: Kind, value: int = 0, times: int | None = None, path: str = "*"
    ) -> None:
        """Lets a repository misbehave; see :class:`shelf.Fault`."""
        with self._changed:
            self._shelf.repositories[name].faults.append(Fault(kind, value, times, path))

    def heal(self, name: str) -> None:
        """Ends all faults of a repository."""
        with self._changed:
            self._shelf.repositories[name].faults.clear()

    def rename(self, old: str, new: str) -> None:
        """Sends whoever asks for the old name on to the new one."""
        self._shelf.renamed[old] = new

    def revoke(self, token: str) -> None:
        """Refuses a token, whatever it is used for."""
        self._shelf.revoked.add(token)

    @property
    def requests(self) -> tuple[Request, ...]:
        """What was asked for, in the order in which the answers ended."""
        with self._changed:
            self._changed.wait_for(lambda: self._sending == 0, _PATIENCE)
            return tuple(self._log)

    def bytes_sent(self, path: str = "*") -> int:
        """Bytes of all bodies that were sent for paths of this pattern."""
        return sum(each.bytes_sent for each in self.requests if fnmatch(each.path, path))

    def clear(self) -> None:
        """Forgets the log."""
        _ = self.requests
        with self._changed:
            self._log.clear()

    def on(self) -> None:
        """Opens the port, the same one each time."""
        self._server = Server(("127.0.0.1", self._port), self._answer, self._record)
        self._port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def off(self) -> None:
        """Closes the port and every connection."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server.hang_up()
            self._server = None

    @contextmanager
    def unreachable(self) -> Iterator[None]:
        """The port is closed meanwhile."""
        self.off()
        try:
            yield
        finally:
            self.on()

    def run(
        self, code: str, *, offline: bool = False, token: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        """What Python code does in a process of its own that has this hub in its environment."""
        own = ("HF_", "HUGGING", "TRANSFORMERS_OFFLINE")
        inherited = {key: value for key, value in os.environ.items() if not key.startswith(own)}
        environment = {**inherited, **self.environment(), "PYTHONPATH": str(_PROJECT)}
        if offline:
            environment["HF_HUB_OFFLINE"] = "1"
        if token:
            environment["HF_TOKEN"] = token
        return subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            cwd=_PROJECT,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def environment(self) -> dict[str, str]:
        """The variables that point the hub client here, past any proxy."""
        near = dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost")
        return {"HF_ENDPOINT": self.endpoint, "HF_HOME": str(self.home), **near}

    def _answer(self, asked: Asked) -> Answer:
        """One answer; until its record the log waits for it."""
        with self._changed:
            answer = self._shelf.answer(asked)
            self._sending += 1
            return answer

    def _record(self, request: Request) -> None:
        with self._changed:
            self._sending -= 1
            self._log.append(request)
            self._changed.notify_all()
