"""What all endpoints work with: the database, the addresses of answers, lists, entity tags."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from io import BytesIO
from types import MappingProxyType
from typing import Annotated, Final, NamedTuple

from anyio import CapacityLimiter
from fastapi import Depends, Request, Response

from riskanalytics.models import DISCLAIMER
from riskanalytics.service.door.origins import refuse_cross_site
from riskanalytics.service.store.read import Store
from riskanalytics.service.store.records import Json
from riskanalytics.service.wire.asked import Dated, Page
from riskanalytics.settings import package_hash

CITED: Final = ("pro", "enterprise")
"""Tiers that are given citations and changes (specification section 5)."""
_AT_ONCE: Final = 4
"""Exports and questions that one process answers at once."""


class Sent(NamedTuple):
    """What goes out with a body, whoever asks.

    Parameters
    ----------
    media_type : str
    vary : str
        What the answer depends on besides `Accept-Encoding`.
    headers : mapping
    """

    media_type: str = "application/json"
    vary: str = ""
    headers: Mapping[str, str] = MappingProxyType({})


AS_JSON: Final = Sent()
UNSTORED: Final = Sent(headers={"Cache-Control": "no-store"})
"""For what is true for one request or one moment only."""


class Service:
    """What the routes work with: the database and the address that answers name.

    Parameters
    ----------
    store : Store
    public_url : str
        Without a trailing slash.
    """

    def __init__(self, store: Store, public_url: str) -> None:
        self.store = store
        self.public_url = public_url.rstrip("/")
        self.limiter = CapacityLimiter(_AT_ONCE)

    def reply(self, request: Request, build: Callable[[], object], sent: Sent = AS_JSON) -> Response:
        """Return the answer to a read, made from one state of the database; 304 where the reader has it.

        Parameters
        ----------
        request : Request
        build : callable
            Makes the payload, JSON value or bytes; what it raises is handed on.
        sent : Sent
            What goes out with it.
        """
        with self.store.one_state() as revision:
            asked = request.scope["path"], request.scope["query_string"], is_cited(request), sent.media_type
            tag = _tag(repr((revision, package_hash(), self.public_url, asked)).encode())
            return _unchanged(request, tag, sent) or _sent(_encoded(build()), tag, sent)

    def address(self, slug: str) -> str:
        """Return the public page of a platform."""
        return f"{self.public_url}/platform/{slug}"

    def snapshot_address(self, sha256: str) -> str:
        """Return where a snapshot is given byte for byte."""
        return f"{self.public_url}/archive/{sha256}"

    def listed(self, record: Json) -> Json:
        """Return a list record with its address."""
        return record | {"url": self.address(record["id"])}

    def envelope(self, data: Iterable[Json], total: int, asked: Page) -> bytes:
        """Return the list envelope (specification section 2.1), written record by record: all of it is held once.

        Parameters
        ----------
        data : iterable of dict
        total : int
            Matches, on this page or not.
        asked : Page
        """
        head = {"object": "list", "total": total, "limit": asked.limit, "offset": asked.offset}
        whole = head | (echo(asked) if isinstance(asked, Dated) else {}) | {"disclaimer": DISCLAIMER, "data": []}
        written = BytesIO()  # gives its bytes away without a copy
        written.write(_encoded(whole).removesuffix(b"]}"))
        for place, record in enumerate(data):
            written.write(b"," * bool(place) + _encoded(record))
        written.write(b"]}")
        return written.getvalue()

    def resolved(self, finding: Json) -> Json:
        """Return a finding whose archive URL is our own snapshot where no public one is known."""
        source = finding["provenance"]
        if source["archive_url"] is None:
            address = self.snapshot_address(source["snapshot_sha256"])
            finding = finding | {"provenance": source | {"archive_url": address}}
        return finding


def is_cited(request: Request) -> bool:
    """Say whether a request's tier is given citations and changes (specification section 5)."""
    return getattr(request.state, "tier", "") in CITED


async def service_of(request: Request) -> Service:
    """Return what the application's routes work with."""
    service: Service = request.app.state.service
    return service


TheService = Annotated[Service, Depends(service_of)]


async def own_site_only(request: Request, service: TheService) -> None:
    """Refuse a POST that another site's page sends with a reader's browser: 403."""
    refuse_cross_site(request, service.public_url)


def echo(asked: Dated) -> Json:
    """Return the day that was asked for, as answers repeat it; nothing where none was."""
    return {} if asked.as_of is None else {"as_of": asked.as_of.isoformat()}


def answer(request: Request, payload: object, sent: Sent = AS_JSON) -> Response:
    """Return a successful answer with its entity tag, or 304 where the reader has it (RFC 9110 section 13).

    Parameters
    ----------
    request : Request
    payload : JSON value or bytes
    sent : Sent
        What goes out with it.
    """
    body = _encoded(payload)
    tag = _tag(body)
    return _unchanged(request, tag, sent) or _sent(body, tag, sent)


def _encoded(payload: object) -> bytes:
    """Return a payload as it goes out: bytes as they are, else JSON without blanks.

    Agents pay for each token (specification section 4.2).
    """
    if isinstance(payload, bytes):
        return payload
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()


def _tag(told: bytes) -> str:
    """Return an entity tag; it is weak, as it names the packed and the plain body."""
    return f'W/"{sha256(told).hexdigest()[:32]}"'


def _unchanged(request: Request, tag: str, sent: Sent) -> Response | None:
    """Return 304 where the reader has the answer with this tag."""
    known = {part.strip().removeprefix("W/") for part in request.headers.get("if-none-match", "").split(",")}
    return Response(status_code=304, headers=_headers(tag, sent)) if tag.removeprefix("W/") in known else None


def _sent(body: bytes, tag: str, sent: Sent) -> Response:
    """Return a body with its headers."""
    return Response(body, media_type=sent.media_type, headers=_headers(tag, sent))


def _headers(tag: str, sent: Sent) -> dict[str, str]:
    """Return the headers of an answer."""
    return {"Cache-Control": "no-cache", **sent.headers, "ETag": tag} | ({"Vary": sent.vary} if sent.vary else {})
