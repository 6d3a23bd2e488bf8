"""Servers on loopback: one that answers what a test tells it to, byte for byte, and one that serves an application."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn

Answer = bytes | Callable[[bytes], bytes | Iterator[bytes]]


def reply(status: str, body: bytes = b"{}", *headers: str) -> bytes:
    """One whole answer, closing the connection."""
    lines = [
        f"HTTP/1.1 {status}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "Connection: close",
    ]
    lines = [line for line in lines if not any(line.split(":")[0] == header.split(":")[0] for header in headers)]
    return "\r\n".join([*lines, *headers, "", ""]).encode() + body


def _received(peer: socket.socket) -> bytes:
    """One whole request: what stands before the body, and as much of a body as was announced."""
    request = peer.recv(65536)
    head, _, _ = request.partition(b"\r\n\r\n")
    announced = re.search(rb"(?i)content-length: (\d+)", head)
    while announced and len(request) < len(head) + 4 + int(announced[1]) and (more := peer.recv(65536)):
        request += more
    return request


class Server:
    """Gives one answer after the other, the last again and again; keeps what it was asked. Pieces are sent one by one."""

    def __init__(self, answers: list[Answer]) -> None:
        self._answers = answers
        self.asked: list[bytes] = []
        self._turn = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                peer, _ = self._listener.accept()
                threading.Thread(target=self._answer, args=(peer,), daemon=True).start()

    def _answer(self, peer: socket.socket) -> None:
        with peer, contextlib.suppress(OSError):
            request = _received(peer)
            with self._turn:
                answer = self._answers[min(len(self.asked), len(self._answers) - 1)]
                self.asked.append(request)
            result = answer(request) if callable(answer) else answer
            for piece in [result] if isinstance(result, bytes) else result:
                peer.sendall(piece)

    def close(self) -> None:
        self._listener.close()


@contextlib.contextmanager
def serving(*answers: Answer) -> Iterator[Server]:
    """A server for the length of a block."""
    server = Server(list(answers))
    try:
        yield server
    finally:
        server.close()


def counting(app: Any, statuses: list[int]) -> Any:
    """The same application; the status of each of its answers is added to a list."""

    async def counted(scope: Any, receive: Any, send: Any) -> None:
        async def result(message: Any) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])
            await send(message)

        await app(scope, receive, result)

    return counted


@contextlib.contextmanager
def served(app: Any) -> Iterator[str]:
    """Serve an ASGI application on a free port of loopback; gives its address."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", lifespan="on", ws="none"))
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join(5)
    listener.close()
