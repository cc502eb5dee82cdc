"""A fresh Streamlit server in a process of its own, as a person would start it."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

ROOT = Path(__file__).parents[1]
DASHBOARD = ROOT / "dashboard.py"
_LONGEST = 60.0  # seconds a busy machine may take to start a server
_LOOK = 0.02  # seconds between two looks at whether it answers


@dataclass(frozen=True)
class Server:
    """A running server: its address, and the file its log goes to."""

    address: str
    log: Path

    def url(self, path: str = "", query: str = "") -> str:
        """The address of a page."""
        return f"{self.address}/{path}" + (f"?{query}" if query else "")


@contextmanager
def serving(
    log: Path, script: Path = DASHBOARD, environment: Mapping[str, str] | None = None
) -> Iterator[Server]:
    """A server that nobody has visited yet, on a free port; it ends with the block.

    `environment` holds what the server's differs by from this process's own.

    Raises
    ------
    RuntimeError
        If the server ends by itself or never answers; its log says why.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(script), "--server.headless", "true"]
    own = {**os.environ, **(environment or {}), "STREAMLIT_SERVER_PORT": str(port)}
    with log.open("w") as out:
        process = subprocess.Popen(command, cwd=ROOT, env=own, stdout=out, stderr=subprocess.STDOUT)
    try:
        server = Server(f"http://127.0.0.1:{port}", log)
        _wait_for(server, process)
        yield server
    finally:
        process.terminate()
        process.wait(20)


def _wait_for(server: Server, process: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + _LONGEST
    while time.monotonic() < until and process.poll() is None:
        try:
            with urlopen(server.url("_stcore/health"), timeout=2):
                return
        except (URLError, OSError):
            time.sleep(_LOOK)
    raise RuntimeError(f"{server.address} did not answer: {server.log.read_text()[-400:]}")
