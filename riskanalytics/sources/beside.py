"""The service of a database in a process beside the one that reads it, which has begun it.

It is a fork, asked over a socket, and ends with the process group of who has begun it. Needs a POSIX system.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import socket
from pathlib import Path
from typing import Final

from riskanalytics._http import BesideTransport, InProcessTransport, answer_beside
from riskanalytics.processes import collect_seldom
from riskanalytics.sources.embedded import EmbeddedService, file_of

_LONGEST: Final = 100
"""Bytes of a socket's path: at most 103 (macOS) or 107."""
_MOST_FILES: Final = 4_096
_BEGUN: Final[dict[tuple[str, object], str]] = {}
"""Database, and which file it was -> socket of the process that serves it."""


def serve_beside(database: Path, folder: str) -> None:
    """Begin a process that serves a database to the clients of this one, which owns no thread yet.

    Parameters
    ----------
    database : Path
    folder : str
        The socket's; nobody else may enter it.
    """
    place = str(Path(folder) / "service")
    if len(os.fsencode(place)) > _LONGEST:
        return
    # where there are no such sockets, or no more processes, the service in this one answers
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as listening:
        listening.bind(place)
        listening.listen()
        which = str(database), file_of(database)
        if child := os.fork():
            os.waitpid(child, 0)
            _BEGUN[which] = place
            return
        with contextlib.suppress(BaseException):
            if not os.fork():  # the process has no child that it does not know
                _serve(EmbeddedService(database), listening)
        os._exit(0)


def beside_or_inside(service: EmbeddedService) -> BesideTransport | InProcessTransport:
    """Return what speaks to the process beside this one that serves a database, else to the service in this process.

    Parameters
    ----------
    service : EmbeddedService
        It answers where there is no other process, or none any more.
    """
    inside = InProcessTransport(service)
    place = _BEGUN.get((str(service.place), file_of(service.place)))
    return inside if place is None else BesideTransport(place, inside)


def _serve(service: EmbeddedService, listening: socket.socket) -> None:
    """Answer for as long as this process is let run."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.closerange(3, listening.fileno())
    os.closerange(listening.fileno() + 1, _MOST_FILES)
    gc.enable()
    collect_seldom()
    inside = InProcessTransport(service)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await answer_beside(reader, writer, inside, service.key)

    async def serve() -> None:
        async with await asyncio.start_unix_server(answer, sock=listening) as server:
            service.opened()
            await server.serve_forever()

    asyncio.run(serve())
