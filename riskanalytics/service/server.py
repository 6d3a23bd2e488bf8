"""The service on a socket."""

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
"""Connections that wait to be accepted."""
_MOST_CONNECTIONS: Final = 512
"""Of one process: from so many on, requests get 503."""


def application(database: Place, public_url: str, pace: Pace) -> ASGIApp:
    """Return the application on a database, in each process that serves it."""
    store = Store(database)
    tools = HttpTools(store, public_url)
    return create_app(store, Access.of(database), public_url=public_url, pace=pace, corrects=True, tools=tools)


def serve(  # noqa: PLR0913 (what a person can say of a service)
    database: Place, host: str, port: int, *, public_url: str | None, announce: Callable[[str], None], check: bool,
    workers: int, trusted_proxies: tuple[str, ...], pace: Pace,
) -> None:  # fmt: skip
    """Serve a database until interrupted; requests under way are answered first.

    Parameters
    ----------
    database : Path or Server
    host : str
    port : int
        0 takes a free one.
    public_url : str or None
        Address that answers name; the one served where None.
    announce : callable, optional
        Called with the address, the limits and how to get a key; whoever connects waits until the service is ready.
    check : bool
        Whether all pages of the file are checked first.
    workers : int
        Processes that answer, all on one database.
    trusted_proxies : tuple of str
        Addresses or networks whose `X-Forwarded-For` is believed.
    pace : Pace

    Raises
    ------
    DatabaseError
        If the file is not a database of ours, or is found damaged.
    SettingsError
        If a trusted proxy is no address.
    OSError
        If the address cannot be listened on.
    """
    try:
        believed = [str(ip_network(proxy)) for proxy in trusted_proxies]
    except ValueError as error:
        raise SettingsError(f"a trusted proxy is an address or a network like 10.0.0.0/8: {error}") from error
    with closing(Store(database)) as store:
        if check:
            store.check_integrity()
    Access.of(database).close()
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.create_server((host, port), family=family, backlog=BACKLOG)
    # opened by its number, a socket knows its protocol: only then does asyncio switch Nagle's algorithm off
    with socket.socket(fileno=made.detach()) as listener:
        address = f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"
        config = uvicorn.Config(
            partial(application, database, public_url or address, pace), factory=True, workers=workers, log_level="warning",
            access_log=False, server_header=False, timeout_graceful_shutdown=5, timeout_worker_healthcheck=60,
            backlog=BACKLOG, limit_concurrency=_MOST_CONNECTIONS, http="h11", ws="none", forwarded_allow_ips=believed,
        )  # fmt: skip
        announce(f"serving {database.name} at {address}")
        reads, posts = (f"{quota:,}" if quota else "any number of" for quota in (pace.reads, pace.posts))
        connections = workers * _MOST_CONNECTIONS
        announce(f"made for {connections:,} connections; of one address {reads} reads and {posts} posts a minute")
        announce("a key: riskanalytics subscriptions start --email you@company.example --tier pro")
        if workers == 1:
            uvicorn.Server(config).run(sockets=[listener])
        else:
            Multiprocess(config, sockets=[listener]).run()
