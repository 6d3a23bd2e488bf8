"""Who may post: other sites' pages may not."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from fastapi import Request

from riskanalytics.service.door.problems import Problem

_LOOPBACK: Final = ("localhost", "127.0.0.1", "[::1]")


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
    origins = _origins(request, public_url)
    foreign = any(origin.lower().rstrip("/") not in origins for origin in request.headers.getlist("origin"))
    if foreign or fetched not in ("none", "same-origin"):
        raise Problem(403, "This address takes no requests from other sites' pages.")


def _origins(request: Request, public_url: str) -> set[str]:
    """Return the origins of the public address and of the socket that accepted the request."""
    public = urlsplit(public_url)
    origins = {f"{public.scheme}://{public.netloc}".lower()}
    host, port = request.scope.get("server") or ("", None)
    own = f"[{host}]" if ":" in host else host
    names = _LOOPBACK if own in _LOOPBACK else (own,)
    return origins | {f"http://{name}:{port}" for name in names}
