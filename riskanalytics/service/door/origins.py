"""Who may post: other sites' pages may not."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from fastapi import Request

from riskanalytics.service.door.problems import Problem

_PORTS: Final = {"http": 80, "https": 443}
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")


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
    server, port = request.scope.get("server") or ("", None)
    names = _LOOPBACK if server in _LOOPBACK else (server,)
    own = {_origin(public_url), *(("http", name, port) for name in names)}
    foreign = any(_origin(origin) not in own for origin in request.headers.getlist("origin"))
    if foreign or fetched not in ("none", "same-origin"):
        raise Problem(403, "This address takes no requests from other sites' pages.")


def _origin(text: str) -> tuple[str, str | None, int | None]:
    """Return scheme, host and port of an address (RFC 6454, section 4)."""
    try:
        parts = urlsplit(text)
        return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return "", None, None
