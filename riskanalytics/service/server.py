"""The service on a socket."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import uvicorn

from riskanalytics.errors import RiskAnalyticsError
from riskanalytics.service.access import Access
from riskanalytics.service.app import create_app
from riskanalytics.service.store.read import Store
from riskanalytics.service.tool_server import ToolServer


def serve(
    database: Path,
    host: str,
    port: int,
    *,
    public_url: str | None = None,
    announce: Callable[[str], None] = lambda text: None,  # noqa: ARG005
) -> None:
    """Serve a database until interrupted; requests under way are answered first.

    Parameters
    ----------
    database : Path
    host : str
    port : int
        0 takes a free one.
    public_url : str, optional
        Address that answers name; the one served where None.
    announce : callable, optional
        Told where the service is and how to get a key.

    Raises
    ------
    DatabaseError
        If the file is not a database of ours.
    RiskAnalyticsError
        If the address cannot be listened on.
    """
    store, access = Store(database), Access.beside(database)
    listener = _listener(host, port)
    port = listener.getsockname()[1]
    shown = f"[{host}]" if ":" in host else host
    address = public_url or f"http://{shown}:{port}"
    app = create_app(store, access, public_url=address, tools=ToolServer(store, address))
    announce(f"serving {database.name} at http://{shown}:{port}")
    announce("a key: riskanalytics subscriptions start --email you@company.example --tier pro")
    config = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False,
                            timeout_graceful_shutdown=5, h11_max_incomplete_event_size=16_384)  # fmt: skip
    try:
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        listener.close()
        store.close()


def _listener(host: str, port: int) -> socket.socket:
    """Take the address, or say in one line why it cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # the protocol is named, or answers wait 40 ms: only then does asyncio switch Nagle's algorithm off
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        # from here on connections wait rather than fail: who is told the address may use it at once
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise RiskAnalyticsError(f"{host} port {port} cannot be listened on: {error.strerror}; try --port") from error
    return listener
