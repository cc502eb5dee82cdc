"""HTTP on a socket: writes answers, counts the bytes that really left, and drops or slows them."""

import socket
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from answers import Answer, Asked

_CHUNK = 16 * 1024


@dataclass(frozen=True)
class Request:
    """One request and what came of it.

    Attributes
    ----------
    path
        The path, without the query; that of the other host begins with "/cdn/".
    range
        The Range header, "" without one.
    bytes_sent
        Bytes of the body that were really written: fewer where the client hung up.
    authorised
        Whether it carried a token.
    """

    method: str
    path: str
    range: str
    status: int
    bytes_sent: int
    authorised: bool


class Server(ThreadingHTTPServer):
    """Answers each request with `answer` and hands what came of it to `record`."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(
        self,
        address: tuple[str, int],
        answer: Callable[[Asked], Answer],
        record: Callable[[Request], None],
    ) -> None:
        self.answer = answer
        self.record = record
        self._open: set[socket.socket] = set()
        super().__init__(address, _Handler)

    def server_bind(self) -> None:
        # A small buffer, so that what a client never read is hardly ever counted as sent.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 * _CHUNK)
        super().server_bind()

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """Closes every connection that is open."""
        for connection in tuple(self._open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue  # it was closed at the other end

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), OSError):  # a client may hang up
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        kind, _, token = self.headers.get("Authorization", "").partition(" ")
        bearer = token if kind == "Bearer" else None
        asked = Asked(self.command, self.path, self.headers.get("Range"), bearer)
        answer = self.server.answer(asked)
        request = Request(
            self.command, asked.path, asked.range or "", answer.status, 0, asked.token is not None
        )
        sent = 0
        try:
            self._head(answer)
            if self.command == "GET":
                for sent in self._written(answer):  # noqa: B007
                    pass
        except OSError:
            self.close_connection = True
        finally:
            self.server.record(replace(request, bytes_sent=sent))

    do_HEAD = do_GET  # noqa: N815

    def _head(self, answer: Answer) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()

    def _written(self, answer: Answer) -> Iterator[int]:
        """The bytes written so far, after each piece."""
        whole = answer.drop_after is None
        body = memoryview(answer.body)[: answer.drop_after]
        piece = max(1, min(_CHUNK, answer.rate // 20)) if answer.rate else _CHUNK
        sent = 0
        while sent < len(body):
            sent += self.connection.send(body[sent : sent + piece])
            yield sent
            if answer.rate:
                time.sleep(piece / answer.rate)
        if not whole:
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Leaves the terminal alone; the hub keeps its own log."""
