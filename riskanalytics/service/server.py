"""Serve the web application of the service on a TCP socket, with uvicorn."""

import socket
from collections.abc import Callable
from contextlib import closing
from functools import partial
from ipaddress import ip_network
from typing import Final

import uvicorn
from starlette.types import ASGIApp
from uvicorn.supervisors import Multiprocess

from riskanalytics.errors import SettingsError
from riskanalytics.settings.databases import Place

from . import create_app
from .door.gate import Pace
from .store.read import Store
from .subscriptions import Access
from .tool_server.serving import HttpTools

BACKLOG: Final = 128
"""Maximum number of connections that wait to be accepted."""
_MOST_CONNECTIONS: Final = 512
"""Connections of one process; further requests get 503."""


def application(database: Place, public_url: str, pace: Pace) -> ASGIApp:
    """Return the ASGI application that each server process runs.

    Parameters
    ----------
    database : Path or Server
        Database to serve.
    public_url : str
        Address of the service in responses.
    pace : Pace
        Rate limits.
    """
    store = Store(database)
    tools = HttpTools(store, public_url)
    return create_app(store, Access.of(database), public_url=public_url, pace=pace, corrects=True, tools=tools)


def serve(  # noqa: PLR0913 (one for each option of the command)
    database: Place, host: str, port: int, *, public_url: str | None, announce: Callable[[str], None], check: bool,
    workers: int, trusted_proxies: tuple[str, ...], pace: Pace,
) -> None:  # fmt: skip
    """Serve a database until interrupted; running requests are answered first.

    Parameters
    ----------
    database : Path or Server
        SQLite file or PostgreSQL server to serve.
    host : str
        Name or IP address to listen on.
    port : int
        0 selects a free port.
    public_url : str or None
        Address of the service in responses. If None, the address on which it listens.
    announce : callable
        Function that prints a line; called with the address, with the limits, and with how to get a key. Clients may connect
        from then on: they wait until the service is ready.
    check : bool
        Whether to check the whole database file for damage first.
    workers : int
        Number of server processes; all serve the same database.
    trusted_proxies : tuple of str
        Addresses or networks whose `X-Forwarded-For` header is trusted.
    pace : Pace
        Rate limits.

    Raises
    ------
    DatabaseError
        If the file is not a riskanalytics database, or is damaged.
    SettingsError
        If a trusted proxy is not an IP address or network, or the service cannot listen on the address.
    """
    try:
        believed = [str(ip_network(proxy)) for proxy in trusted_proxies]
    except ValueError as error:
        raise SettingsError(f"a trusted proxy must be an IP address or a network like 10.0.0.0/8: {error}") from error
    with closing(Store(database)) as store:
        if check:
            store.check_integrity()
    Access.of(database).close()
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        made = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        reason = str(error.strerror).partition(" (while")[0].lower()
        raise SettingsError(
            f"cannot listen on {host}, port {port} ({reason}): give another --host or --port"
        ) from error
    # asyncio disables Nagle's algorithm only if the socket knows its protocol, as one opened by file number does
    with socket.socket(fileno=made.detach()) as listener:
        address = f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"
        config = uvicorn.Config(
            partial(application, database, public_url or address, pace), factory=True, workers=workers, log_level="warning",
            access_log=False, server_header=False, timeout_graceful_shutdown=5, timeout_worker_healthcheck=60,
            backlog=BACKLOG, limit_concurrency=_MOST_CONNECTIONS, http="h11", ws="none", forwarded_allow_ips=believed,
        )  # fmt: skip
        announce(f"serving {database.name} at {address}")
        reads, posts = (f"{quota:,}" if quota else "any number of" for quota in (pace.reads, pace.posts))
        most = workers * _MOST_CONNECTIONS
        announce(f"accepts {most:,} connections; each address may send {reads} reads and {posts} posts per minute")
        announce("to get a key: riskanalytics subscriptions start --email you@company.example --tier pro")
        if workers == 1:
            uvicorn.Server(config).run(sockets=[listener])
        else:
            Multiprocess(config, sockets=[listener]).run()
