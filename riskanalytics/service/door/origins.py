"""Which names are ours, and who may post: guards against other sites' pages and against DNS rebinding."""

from __future__ import annotations

import ipaddress
from typing import Final
from urllib.parse import urlsplit

from fastapi import Request

from riskanalytics.service.door.problems import Problem

_PORTS: Final = {"http": 80, "https": 443}
_LOOPBACK: Final = ("localhost", "127.0.0.1", "[::1]")


def own_names(request: Request, public_url: str) -> set[str]:
    """Return the hosts, with and without port, under which the service may be asked.

    Parameters
    ----------
    request : Request
        Tells the socket that took it.
    public_url : str
    """
    return _ours(request, public_url)[0]


def refuse_cross_site(request: Request, public_url: str) -> None:
    """Refuse a POST that another site's page sends with a reader's browser (Fetch Metadata; RFC 6454).

    Parameters
    ----------
    request : Request
    public_url : str

    Raises
    ------
    Problem
        403.
    """
    fetched = request.headers.get("sec-fetch-site", "none").lower()
    origins = _ours(request, public_url)[1]
    foreign = any(origin.lower().rstrip("/") not in origins for origin in request.headers.getlist("origin"))
    if foreign or fetched not in ("none", "same-origin"):
        raise Problem(403, "This address takes no requests from other sites' pages.")


def _ours(request: Request, public_url: str) -> tuple[set[str], set[str]]:
    """Return the hosts and the origins of the public address and of the socket that took the request."""
    parts = urlsplit(public_url)
    names = _with_port(parts.scheme, (parts.hostname or "").lower(), parts.port)
    origins = {f"{parts.scheme}://{name}" for name in names}
    host, port = request.scope.get("server") or (None, None)
    if host is not None and port is not None:
        try:
            loopback = ipaddress.ip_address(host).is_loopback
        except ValueError:
            # a name here is what the caller's own process made up; only addresses are the socket's
            return names, origins
        for name in (host, *(_LOOPBACK if loopback else ())):
            reached = _with_port("http", name.strip("[]"), port)
            names |= reached
            origins |= {f"http://{one}" for one in reached}
    return names, origins


def _with_port(scheme: str, host: str, port: int | None) -> set[str]:
    """Return how a host is written with its port, and without where it is the scheme's own."""
    shown, usual = f"[{host}]" if ":" in host else host, _PORTS.get(scheme)
    port = port or usual
    return {f"{shown}:{port}", shown} if port == usual else {f"{shown}:{port}"}
