"""What all endpoints work with: the database, the addresses of answers, lists, entity tags, kept answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Iterable
from io import BytesIO
from typing import Annotated, Final

from anyio import CapacityLimiter
from fastapi import Depends, Request, Response
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool

from riskanalytics.models import DISCLAIMER
from riskanalytics.service.door.origins import refuse_cross_site
from riskanalytics.service.store.read import Store
from riskanalytics.service.store.records import Json
from riskanalytics.service.wire.accepted import weights
from riskanalytics.service.wire.asked import Dated, Page
from riskanalytics.service.wire.remembered import AS_JSON, Made, Remembered, Sent

CITED: Final = ("pro", "enterprise")
"""Tiers that are given citations and changes (specification section 5)."""
_AT_ONCE: Final = 4
"""Exports and questions that one process answers at once."""


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
        self._remembered = Remembered(store)

    def made(self, request: Request) -> bool:
        """Say whether the answer to a read was made, perhaps from another state of the database; this costs nothing."""
        return self._remembered.has(_key(request))

    def kept(self, request: Request) -> Response | None:
        """Return the answer to a read as it was made before; None where it was not, or the database is another one."""
        made = self._remembered.kept(_key(request))
        return None if made is None else _tagged(request, made)

    def reply(self, request: Request, build: Callable[[], object], sent: Sent = AS_JSON) -> Response:
        """Return the answer to a read, made from one state of the database, or as it was made before.

        Parameters
        ----------
        request : Request
            Of a `KeptRoute`; its path and its query, which has been checked, and its form tell answers apart.
        build : callable
            Makes the payload, JSON value or bytes; what it raises is handed on.
        sent : Sent
            What goes out with it.
        """
        return _tagged(request, self._remembered.get(_key(request), lambda: _encoded(build()), sent))

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


class KeptRoute(APIRoute):
    """A route whose answers are kept: one that is needs no validation again, for only answers to valid reads are."""

    @staticmethod
    def form_of(request: Request) -> str:
        """Return what tells answers apart besides their address: here, whether the key is given citations."""
        return "cited" if getattr(request.state, "tier", "") in CITED else ""

    def get_route_handler(self) -> Callable[[Request], Coroutine[None, None, Response]]:
        """Return what answers a request: as kept, else as the framework does."""
        anew = super().get_route_handler()

        async def handler(request: Request) -> Response:
            request.state.form = self.form_of(request)
            service: Service = request.app.state.service
            known = await run_in_threadpool(service.kept, request) if service.made(request) else None
            return known or await anew(request)

        return handler


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
    return _tagged(request, Made(_encoded(payload), sent))


def _encoded(payload: object) -> bytes:
    """Return a payload as it goes out: bytes as they are, else JSON without blanks.

    Agents pay for each token (specification section 4.2).
    """
    if isinstance(payload, bytes):
        return payload
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()


def _key(request: Request) -> tuple[str, bytes, str]:
    """Return what tells answers to reads apart."""
    return request.scope["path"], request.scope["query_string"], request.state.form


def _tagged(request: Request, made: Made) -> Response:
    """Return a body, packed where the reader takes that, with its tag; or 304."""
    media_type, vary, headers = made.sent
    depends = [part for part in (vary, "Accept-Encoding" if made.packable else "") if part]
    kept = {"Cache-Control": "no-cache", **headers, "ETag": made.tag}
    if depends:
        kept["Vary"] = ", ".join(depends)
    known = {part.strip().removeprefix("W/") for part in request.headers.get("if-none-match", "").split(",")}
    if known == {"*"} or made.tag.removeprefix("W/") in known:
        return Response(status_code=304, headers=kept)
    taken = weights(request.headers.get("accept-encoding", ""))
    if made.packable and taken.get("gzip", taken.get("*", 0.0)):
        return Response(made.packed, media_type=media_type, headers=kept | {"Content-Encoding": "gzip"})
    return Response(made.body, media_type=media_type, headers=kept)
