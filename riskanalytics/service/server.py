"""The service on a socket."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from ipaddress import ip_network
from typing import Final

import uvicorn
from starlette.types import ASGIApp
from uvicorn.supervisors import Multiprocess

from riskanalytics.databases import Place
from riskanalytics.errors import RiskAnalyticsError, SettingsError
from riskanalytics.service.app import create_app
from riskanalytics.service.corrections import Worker
from riskanalytics.service.door.limits import Pace
from riskanalytics.service.keys.access import Access
from riskanalytics.service.store.read import Store
from riskanalytics.service.tool_server.transport import ToolServer

try:
    import resource
except ImportError:  # no POSIX
    resource = None  # type: ignore[assignment]

BACKLOG: Final = 128
"""Connections that wait to be accepted."""
_MOST_CONNECTIONS: Final = 512
"""Of one process: from so many on, requests get 503."""
_MOST_SECONDS: Final = 60
"""Until a process answers: on a busy machine it takes long to start."""


@dataclass(frozen=True)
class Application:
    """Makes the application in each process that serves it.

    Parameters
    ----------
    database : Path or Server
    public_url : str
    pace : Pace
    """

    database: Place
    public_url: str
    pace: Pace = field(default_factory=Pace)

    def __call__(self) -> ASGIApp:
        """Return the application on the database."""
        store, access = Store(self.database), Access.beside(self.database)
        worker, tools = Worker(self.database, access), ToolServer(store, self.public_url)
        return create_app(store, access, public_url=self.public_url, pace=self.pace, worker=worker, tools=tools)


def serve(
    database: Place,
    host: str,
    port: int,
    *,
    public_url: str | None = None,
    announce: Callable[[str], None] = lambda text: None,  # noqa: ARG005
    workers: int = 1,
    trusted_proxies: tuple[str, ...] = (),
    pace: Pace | None = None,
) -> None:
    """Serve a database until interrupted; requests under way are answered first.

    Parameters
    ----------
    database : Path or Server
    host : str
    port : int
        0 takes a free one.
    public_url : str, optional
        Address that answers name; the one served where None.
    announce : callable, optional
        Told where the service is and how to get a key, once it answers.
    workers : int
        Processes that answer, all on one database.
    trusted_proxies : tuple of str
        Addresses or networks whose `X-Forwarded-For` is believed.
    pace : Pace, optional
        Limits; those of the specification where None.

    Raises
    ------
    DatabaseError
        If the file is not a database of ours, or is damaged.
    SettingsError
        If a trusted proxy is no address.
    RiskAnalyticsError
        If the address cannot be listened on.
    """
    believed = _networks(trusted_proxies)
    with contextlib.closing(Store(database)) as store:
        store.check_integrity()
    Access.beside(database).close()
    _without_core_dumps()
    pace = pace or Pace()
    listener = _listener(host, port)
    port = listener.getsockname()[1]
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    application = Application(database, public_url or address, pace)
    config = uvicorn.Config(
        application, factory=True, workers=workers, log_level="warning", access_log=False, server_header=False,
        timeout_graceful_shutdown=5, timeout_worker_healthcheck=_MOST_SECONDS, backlog=BACKLOG,
        limit_concurrency=_MOST_CONNECTIONS, h11_max_incomplete_event_size=16_384, http="h11", ws="none",
        proxy_headers=bool(trusted_proxies), forwarded_allow_ips=believed,
    )  # fmt: skip
    lines = (
        f"serving {database.name} at {address}",
        f"made for {_made_for(pace, workers)}",
        "a key: riskanalytics subscriptions start --email you@company.example --tier pro",
    )
    threading.Thread(target=_announced, args=(listener.getsockname(), announce, lines), daemon=True).start()
    try:
        if workers == 1:
            uvicorn.Server(config).run(sockets=[listener])
        else:
            Multiprocess(config, sockets=[listener]).run()
    finally:
        listener.close()


def _made_for(pace: Pace, workers: int) -> str:
    """Tell what a service takes: connections, and requests of one address."""
    each = [f"{quota:,} {name} a minute" for name, quota in (("reads", pace.reads), ("posts", pace.posts)) if quota]
    return f"{workers * _MOST_CONNECTIONS:,} connections" + (f"; of one address {' and '.join(each)}" if each else "")


def _without_core_dumps() -> None:
    """Let no fault write this process's memory, which holds the keys that are sent, to a file."""
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def _announced(bound: tuple[str, int], announce: Callable[[str], None], lines: Sequence[str]) -> None:
    """Tell where the service is once it answers."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(bound[0], bound[0])  # noqa: S104 (compared, not bound)
    deadline = time.monotonic() + _MOST_SECONDS
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError, HTTPException), contextlib.closing(HTTPConnection(host, bound[1])) as asked:
            asked.timeout = _MOST_SECONDS
            asked.request("GET", "/health")
            if asked.getresponse().status == HTTPStatus.OK:
                for line in lines:
                    announce(line)
                return
        time.sleep(0.1)
    announce(f"nothing answers at port {bound[1]} after {_MOST_SECONDS} s: is the machine busy?")


def _networks(proxies: tuple[str, ...]) -> list[str]:
    """Check the addresses of proxies."""
    try:
        return [str(ip_network(proxy)) for proxy in proxies]
    except ValueError as error:
        raise SettingsError(f"a trusted proxy is an address or a network like 10.0.0.0/8: {error}") from error


def _listener(host: str, port: int) -> socket.socket:
    """Take the address, or say in one line why it cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # the protocol is named, or answers wait 40 ms: only then does asyncio switch Nagle's algorithm off
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        # from here on connections wait rather than fail: who is told the address may use it at once
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise RiskAnalyticsError(f"{host} port {port} cannot be listened on: {error.strerror}; try --port") from error
    return listener
