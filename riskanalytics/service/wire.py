"""What all endpoints share: bodies, envelopes, entity tags."""

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
from riskanalytics.service.asked import Dated, Page
from riskanalytics.service.origins import refuse_cross_site
from riskanalytics.service.problems import Problem
from riskanalytics.service.remembered import AS_JSON, Made, Remembered, Sent
from riskanalytics.service.store.read import Store
from riskanalytics.service.store.records import Json

_Takes = ParamSpec("_Takes")
_Gives = TypeVar("_Gives")
CITED: Final = ("pro", "enterprise")
"""Tiers that are given citations and changes (specification section 5)."""
MOST_BODY: Final = 64 * 1024
"""Bytes of the body of a POST."""


async def json_object(request: Request, *, most: int = MOST_BODY) -> Json:
    """Read the body of a POST: one JSON object.

    Parameters
    ----------
    request : Request
    most : int
        Bytes that are read at most.

    Returns
    -------
    dict

    Raises
    ------
    Problem
        415 where it is not JSON or packed, 413 where it is too long, 400 where it cannot be read, 422 where it is no
        object.
    """
    media_type = sent_media_type(request)
    if not (media_type == "application/json" or media_type.endswith("+json")):
        raise Problem(415, "Send the body as application/json, not packed.", {"Accept-Post": "application/json"})
    body = await bounded_body(request, most=most)
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Problem(400, "The body is no JSON text.") from error
    if not isinstance(value, dict):
        raise Problem(422, "The body is one JSON object.")
    return value


def sent_media_type(request: Request) -> str:
    """Return the media type of a body in lower case, without parameters; empty where it is packed."""
    if request.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
        return ""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def bounded_body(request: Request, *, most: int = MOST_BODY) -> bytes:
    """Read a body that has at most so many bytes; 413 at the first byte more."""
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > most:
        raise Problem(413, f"A body has at most {most:,} bytes.")
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > most:
            raise Problem(413, f"A body has at most {most:,} bytes.")
    return bytes(body)


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
