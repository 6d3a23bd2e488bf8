"""What all endpoints work with: the database, the addresses of answers, lists, entity tags, kept answers."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Coroutine, Mapping
from typing import Annotated, Any, Final, ParamSpec, TypeVar

from fastapi import Depends, Request, Response
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool

from riskanalytics.models import DISCLAIMER
from riskanalytics.service.door.origins import refuse_cross_site
from riskanalytics.service.store.read import Store
from riskanalytics.service.store.records import Json
from riskanalytics.service.wire.asked import Dated, Page
from riskanalytics.service.wire.remembered import AS_JSON, Made, Remembered, Sent

_Takes = ParamSpec("_Takes")
_Gives = TypeVar("_Gives")
CITED: Final = ("pro", "enterprise")
"""Tiers that are given citations and changes (specification section 5)."""


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
        self._remembered = Remembered(store)

    def kept(self, request: Request) -> Response | None:
        """Return the answer to a read as it was made before; None where it was not, or the database is another one."""
        made = self._remembered.kept(_key(request))
        return None if made is None else _tagged(request, made)

    def reply(self, request: Request, build: Callable[[], Any], sent: Sent = AS_JSON) -> Response:
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
        return _tagged(request, self._remembered.get(_key(request), lambda: encoded(build()), sent))

    def of_one_state(self, function: Callable[_Takes, _Gives]) -> Callable[_Takes, _Gives]:
        """Return a function that reads one state of the database in each of its calls.

        Parameters
        ----------
        function : callable
            Runs in one thread from its beginning to its end.
        """

        @functools.wraps(function)
        def reading(*values: _Takes.args, **named: _Takes.kwargs) -> _Gives:
            with self.store.one_state():
                return function(*values, **named)

        return reading

    def refuse_cross_site(self, request: Request) -> None:
        """Refuse a POST that another site's page sends with a reader's browser (Fetch Metadata; RFC 6454).

        Raises
        ------
        Problem
            403.
        """
        refuse_cross_site(request, self.public_url)

    def address(self, slug: str) -> str:
        """Return the public page of a platform."""
        return f"{self.public_url}/platform/{slug}"

    def snapshot_address(self, sha256: str) -> str:
        """Return where a snapshot is given byte for byte."""
        return f"{self.public_url}/archive/{sha256}"

    def listed(self, record: Json) -> Json:
        """Return a list record with its address."""
        return record | {"url": self.address(record["id"])}

    def envelope(self, data: list[Json], total: int, asked: Page) -> Json:
        """Return the list envelope (specification section 2.1)."""
        head = {"object": "list", "total": total, "limit": asked.limit, "offset": asked.offset}
        return head | (echo(asked) if isinstance(asked, Dated) else {}) | {"disclaimer": DISCLAIMER, "data": data}

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

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return what answers a request: as kept, else as the framework does."""
        anew = super().get_route_handler()

        async def handler(request: Request) -> Response:
            request.state.form = self.form_of(request)
            service: Service = request.app.state.service
            return await run_in_threadpool(service.kept, request) or await anew(request)

        return handler


async def service_of(request: Request) -> Service:
    """Return what the application's routes work with."""
    service: Service = request.app.state.service
    return service


TheService = Annotated[Service, Depends(service_of)]


def echo(asked: Dated) -> Json:
    """Return the day that was asked for, as answers repeat it; nothing where none was."""
    return {} if asked.as_of is None else {"as_of": asked.as_of.isoformat()}


def _compact(payload: Any) -> bytes:
    """Return JSON without blanks: agents pay for each token (specification section 4.2)."""
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()


def answer(
    request: Request, payload: Any, *, media_type: str = "application/json", headers: Mapping[str, str] | None = None
) -> Response:
    """Return a successful answer with its entity tag, or 304 where the reader has it (RFC 9110 section 13).

    Parameters
    ----------
    request : Request
    payload : JSON value or bytes
    media_type : str
    headers : mapping, optional
    """
    return _tagged(request, Made(encoded(payload), Sent(media_type, headers=headers or {})))


def encoded(payload: Any) -> bytes:
    """Return a payload as it goes out: bytes as they are, else JSON."""
    return payload if isinstance(payload, bytes) else _compact(payload)


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
    asked = request.headers.get("if-none-match", "")
    known = {part.strip().removeprefix("W/") for part in asked.split(",")}
    if asked.strip() == "*" or made.tag.removeprefix("W/") in known:
        return Response(status_code=304, headers=kept)
    if made.packable and _takes_gzip(request.headers.get("accept-encoding", "")):
        return Response(made.packed, media_type=media_type, headers=kept | {"Content-Encoding": "gzip"})
    return Response(made.body, media_type=media_type, headers=kept)


def _takes_gzip(accepted: str) -> bool:
    """Say whether a reader takes gzip (RFC 9110 section 12.5.3)."""
    weights = {}
    for part in accepted.lower().split(","):
        name, _, weight = (piece.strip() for piece in part.partition(";"))
        weights[name] = weight.replace(" ", "")
    wanted = weights.get("gzip", weights.get("*", "q=0"))
    return not re.fullmatch(r"q=0(?:\.0*)?", wanted)
