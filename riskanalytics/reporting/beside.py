"""The service of a database in a process of its own, for the reports of one run: it begins while their kernel's does."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from riskanalytics.databases import Server
from riskanalytics.executors.processes import cores
from riskanalytics.processes import collect_seldom
from riskanalytics.reporting.forks import BEGIN, CAN_FORK
from riskanalytics.reporting.ready import COMMAND_OF_HTTPX, import_without
from riskanalytics.settings import Settings, load_settings

_LONGEST: Final = 100
"""Bytes of a socket's path: at most 103 (macOS) or 107."""


def gains(settings: Settings) -> bool:
    """Say whether a report of what the settings name gains from a process beside: on a file, and with a core for it."""
    file = settings.base_url is None and not isinstance(settings.database, Server)
    pulls = isinstance(settings.database, Path) and settings.database.expanduser().is_dir()
    return CAN_FORK and cores() > 1 and file and not pulls


class ServiceBeside:
    """The process, as who has begun it sees it; close it. It ends with that one, however that one ends.

    Parameters
    ----------
    environment : mapping
        Its variables: they name the database.
    place : str
        Path of the socket on which it is asked; nobody else may enter its folder.
    """

    def __init__(self, environment: Mapping[str, str], place: str) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        if len(os.fsencode(place)) > _LONGEST:
            return
        # where there are no such sockets, or no more processes, the service in the kernel answers
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as listening:
            listening.bind(place)
            listening.listen()
            code = BEGIN.format(call="riskanalytics.reporting.beside:serve", arguments=(listening.fileno(),))
            self._process = subprocess.Popen(  # noqa: S603 (our own interpreter)
                [sys.executable, "-P", "-c", code],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=dict(environment),
                pass_fds=(listening.fileno(),),
                start_new_session=True,  # Ctrl-C is for the process that asks
            )

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()


def serve(number: int) -> None:
    """Answer on a listening socket, in the process itself, until the other side of stdin has ended.

    Parameters
    ----------
    number : int
        The socket's descriptor.
    """
    import_without("httpx", COMMAND_OF_HTTPX)
    from riskanalytics._http import InProcessTransport, answer_beside  # noqa: PLC0415
    from riskanalytics.demo import demo_database  # noqa: PLC0415
    from riskanalytics.embedded import EmbeddedService, file_of  # noqa: PLC0415

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    collect_seldom()
    settings = load_settings()
    assert not isinstance(settings.database, Server)  # noqa: S101 (`gains`)
    database = settings.database.expanduser() if settings.database else demo_database(settings.cache)
    file = file_of(database)
    service = EmbeddedService(database, file=file)
    service.opened()
    inside = InProcessTransport(service)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await answer_beside(reader, writer, inside, (database, file))

    async def until_end() -> None:
        ended = asyncio.Event()
        asyncio.get_running_loop().add_reader(sys.stdin.fileno(), ended.set)
        async with await asyncio.start_unix_server(answer, sock=socket.socket(fileno=number)):
            await ended.wait()

    asyncio.run(until_end())
