"""What all endpoints share: query parameters, links to this service, responses and their OpenAPI descriptions."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import date
from hashlib import sha256
from typing import Annotated, Final, TypeVar
from urllib.parse import urlsplit

from anyio import CapacityLimiter
from fastapi import Depends, Query, Request, Response
from fastapi.dependencies.utils import get_flat_params
from fastapi.params import Param
from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema
from starlette.datastructures import Headers
from starlette.staticfiles import NotModifiedResponse

from riskanalytics.models import DISCLAIMER, STANCE_CLAUSES, UNDETERMINED, ChangeClass
from riskanalytics.models.base import Record
from riskanalytics.models.records import Listed, PlatformHead
from riskanalytics.settings import package_hash
from riskanalytics.surfaces import SURFACES

from .door.problems import Problem
from .store.read import Store
from .store.records import Json, training_use

MOST_BODY: Final = 64 * 1024
"""Maximum size of a POST body, in bytes."""
_PORTS: Final = {"http": 80, "https": 443}
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
_List = TypeVar("_List", bound=Listed)


def _day(text: str) -> date:
    with suppress(ValueError):
        if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
            return date.fromisoformat(text)
    raise ValueError("should be a date like 2026-01-31")


def matched_by(pattern: str, message: str) -> Callable[[str], str]:
    """Return a function that returns a text as it is, if the pattern matches the whole text; else it raises a ValueError.

    Parameters
    ----------
    pattern : str
        A regular expression.
    message : str
        Message of the error.
    """

    def checked(text: str) -> str:
        if re.fullmatch(pattern, text):
            return text
        raise ValueError(message)

    return checked


Whole = BeforeValidator(matched_by("[0-9]{1,9}", "should be a whole number"))
Day = Annotated[date, BeforeValidator(_day)] | SkipJsonSchema[None]


class Dated(BaseModel):
    """Query parameter `as_of`: the state at the end of this day is requested; by default the newest state."""

    as_of: Day = None


AsOf = Annotated[Dated, Query()]


class Page(BaseModel):
    """Query parameters of a list: `limit`, the maximum number of records to return, and `offset`, the number to skip first."""

    limit: Annotated[int, Field(ge=1, le=500), Whole] = 50
    offset: Annotated[int, Field(ge=0, le=999_999_999), Whole] = 0


class DatedPage(Dated, Page):
    """Query parameters `limit` and `offset` of a list, and `as_of`: the list as it was at the end of this day."""


class NameQuery(Page, regex_engine="python-re"):
    """Query parameters of a search for platforms by name: the text `q`, with `limit` and `offset`."""

    q: Annotated[str, Field(min_length=1, max_length=500, pattern=r"\S")]


_KNOWN: Final = AfterValidator(matched_by("|".join(SURFACES), f"must be one of {', '.join(SURFACES)}"))
SurfaceName = Annotated[str, _KNOWN, WithJsonSchema({"type": "string", "enum": list(SURFACES)})]
"""Identifier of a surface in a query or in the arguments of a tool; an unknown one would look like a search without results."""


class ClauseQuery(NameQuery):
    """Query parameters of a search for clauses: the words `q` and, if wanted, one `surface`, with `limit` and `offset`."""

    surface: SurfaceName | SkipJsonSchema[None] = None


class ChangeQuery(Page):
    """Query parameters of a list of changes, all optional: the days `since` and `until`, a change `class`, `limit` and `offset`."""

    since: Day = None
    until: Day = None
    change_class: Annotated[ChangeClass | SkipJsonSchema[None], Field(alias="class")] = None


async def known_query(request: Request) -> None:
    """Refuse a request with status 400 if a query parameter is repeated, or is not declared by the route."""
    query = request.query_params
    if len(query.multi_items()) > len(query):
        raise Problem(400, "A query parameter was given more than once.")
    flat = get_flat_params(request.scope["route"].dependant)
    known = dict.fromkeys(field.alias for field in flat if not isinstance(field.field_info, Param))
    if not query.keys() <= known.keys():
        raise Problem(400, f"Unknown query parameter. Known parameters: {', '.join(known) or 'none'}.")


async def bounded_body(request: Request) -> bytes:
    """Return the body of a request; refuse a body of more than `MOST_BODY` bytes with status 413."""
    body, declared = b"", int(request.headers.get("content-length", 0))
    async for piece in request.stream():
        body += piece
        if max(len(body), declared) > MOST_BODY:
            raise Problem(413, f"The body may have at most {MOST_BODY:,} bytes.")
    return body


async def json_body(request: Request) -> bytes:
    """Return the JSON body of a request; refuse other media types and compressed bodies with status 415, long bodies with 413."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    plain = request.headers.get("content-encoding", "").strip().lower() in ("", "identity")
    if not plain or (media_type != "application/json" and not media_type.endswith("+json")):
        raise Problem(415, "Send the body as application/json, not compressed.")
    return await bounded_body(request)


AS_JSON: Final = {"Content-Type": "application/json"}
UNSTORED: Final = AS_JSON | {"Cache-Control": "no-store"}
"""Headers of responses that are valid for one request or moment only."""
KEPT_FOR_GOOD: Final = "public, max-age=31536000, immutable"
"""Cache-Control of responses whose address contains their hash."""


class Service:
    """The database and the public address of the service, with the methods that HTTP routes and MCP tools share.

    Parameters
    ----------
    store : Store
        The database to read.
    public_url : str or None
        Base address of links to this service. If None, responses contain no such links, because nobody could follow them.
    """

    def __init__(self, store: Store, public_url: str | None) -> None:
        self.store = store
        self.public_url = public_url and public_url.rstrip("/")
        # exports and questions that one process answers at the same time
        self.limiter = CapacityLimiter(4)

    def reply(self, request: Request, build: Callable[[], object], headers: Mapping[str, str] = AS_JSON) -> Response:
        """Return the response to a GET request; if the client's copy is still current, a response with status 304 and no body.

        The payload is made from one state of the database, even if another process writes at the same time.

        Parameters
        ----------
        request : Request
        build : callable
            Returns the payload: a record, JSON value or bytes. It is not called for a 304.
        headers : mapping
            Headers of the response, with `Content-Type`.
        """
        with self.store.one_state() as revision:
            query = request.scope["path"], request.scope["query_string"], is_cited(request), headers["Content-Type"]
            state = repr((revision, package_hash(), self.public_url, query)).encode()
            return _sent(request, lambda: _encoded(build()), state, headers)

    def state(self, slug: str, as_of: date | None = None) -> Json:
        """Return the rating, surfaces and documents of a platform at the end of a day, as `Store.platform` returns them.

        Parameters
        ----------
        slug : str
        as_of : date, optional
            The day; by default the newest state is returned.

        Raises
        ------
        Problem
            With status 404, if no platform with this slug was tracked then. Its message does not repeat the slug.
        """
        state = self.store.platform(slug, as_of)
        if state is None:
            raise Problem(404, "No platform with this slug is tracked.")
        return state

    def address(self, slug: str) -> str | None:
        """Return the address of a platform's public page on this service; None if the service has no public address."""
        return self.public_url and f"{self.public_url}/platform/{slug}"

    def archived(self, sha256: str, archive_url: str | None = None) -> str | None:
        """Return the address of a copy of a snapshot.

        Parameters
        ----------
        sha256 : str
            Hash of the snapshot.
        archive_url : str, optional
            Address of a public copy, if there is one.

        Returns
        -------
        str or None
            `archive_url`, if given; else the address of this service's copy, or None if the service has no public address.
        """
        return archive_url or (self.public_url and f"{self.public_url}/archive/{sha256}")

    def resolved(self, finding: Json) -> Json:
        """Return a copy of a finding in which `archive_url` is the address of a copy of its snapshot: see `archived`."""
        source = finding["provenance"]
        address = self.archived(source["snapshot_sha256"], source["archive_url"])
        return finding | {"provenance": source | {"archive_url": address}}

    def head(self, state: Json) -> Json:
        """Return the fields that come first in a record of one platform: slug, name, rating, training use and so on.

        Parameters
        ----------
        state : dict
            Rating, stances, surface levels and documents of the platform, as `Store.platform` returns them.
        """
        return PlatformHead.part_of(state) | {
            "slug": state["id"],
            "url": self.address(state["id"]),
            "verification_status": state["verification"],
            "training_use": training_use(state),
        }

    def listed(self, kind: type[_List], data: Iterable[Json], total: int, query: Page) -> _List:
        """Return one page of a list as the record that list endpoints send (specification section 2.1).

        Parameters
        ----------
        kind : type of Listed
            Class of the result, such as `ChangeList`.
        data : iterable of dict
            The records on this page.
        total : int
            Number of records on all pages.
        query : Page
            The parameters of the request; the result repeats `limit`, `offset` and `as_of`.
        """
        page = {"object": "list", **query.model_dump(include={"limit", "offset", "as_of"}, mode="json")}
        return kind.model_validate(page | {"total": total, "disclaimer": DISCLAIMER, "data": list(data)})


def stance_sentence(stance: str) -> str:
    """Return a stance on training use as a sentence."""
    if stance == "silent":
        return "No clause found on whether user content trains models. Silence is not a promise."
    clause = STANCE_CLAUSES.get(stance)
    return f"The documents say that it {clause}." if clause else f"The documents {UNDETERMINED}."


def is_cited(request: Request) -> bool:
    """Return whether a request has a Pro or Enterprise key: only these give access to citations and changes.

    See specification section 5.
    """
    return getattr(request.state, "tier", "") in ("pro", "enterprise")


async def service_of(request: Request) -> Service:
    """Return the `Service` of the application that handles a request."""
    service: Service = request.app.state.service
    return service


TheService = Annotated[Service, Depends(service_of)]


async def own_site_only(request: Request, service: TheService) -> None:
    """Refuse a request with status 403 if a page of another web site sent it (Fetch Metadata; RFC 6454)."""
    server, port = request.scope.get("server") or ("", None)
    names = _LOOPBACK if server in _LOOPBACK else (server,)
    own = {_origin(service.public_url or ""), *(("http", name, port) for name in names)}
    foreign = any(_origin(origin) not in own for origin in request.headers.getlist("origin"))
    if foreign or request.headers.get("sec-fetch-site", "none").lower() not in ("none", "same-origin"):
        raise Problem(403, "Pages of other sites may not send requests to this address.")


def _origin(text: str) -> tuple[str, str | None, int | None]:
    """Return scheme, host and port of an address (RFC 6454, section 4)."""
    try:
        parts = urlsplit(text)
        return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return "", None, None


def answer(request: Request, payload: object, headers: Mapping[str, str] = AS_JSON) -> Response:
    """Return a response with status 200 and an entity tag; if the client's copy is current, status 304 (RFC 9110 section 13).

    Parameters
    ----------
    request : Request
    payload : Record, JSON value or bytes
        Body of the response.
    headers : mapping
        Headers of the response, with `Content-Type`.
    """
    body = _encoded(payload)
    return _sent(request, lambda: body, body, headers)


def _encoded(payload: object) -> bytes:
    """Return the bytes of a payload: JSON without spaces, because agents pay for each token."""
    if isinstance(payload, Record):
        return payload.model_dump_json(by_alias=True).encode()
    return payload if isinstance(payload, bytes) else json.dumps(payload, separators=(",", ":")).encode()


def _sent(request: Request, build: Callable[[], bytes], named: bytes, headers: Mapping[str, str]) -> Response:
    """Return a body with the hash of `named` as its entity tag. The tag is weak, because the compressed body has the same tag."""
    tag = f'"{sha256(named).hexdigest()[:32]}"'
    headers = {"Cache-Control": "no-cache", **headers, "ETag": f"W/{tag}"}
    if tag in (one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(",")):
        return NotModifiedResponse(Headers(headers))
    return Response(build(), headers=headers)


Responses = dict[int | str, Json]


def answers(model: type[Record], description: str = "Found", status: int = 200) -> Responses:
    """Return the OpenAPI `responses` of a route that returns a record.

    Parameters
    ----------
    model : type of Record
        Class of the record.
    description : str
        Meaning of the response.
    status : int
        Status of the response.
    """
    return {status: {"model": model, "description": description}}


def text_of(media_type: str, **schema: str) -> Responses:
    """Return the OpenAPI responses of a route that returns a text or file; `schema` has further words on its content."""
    return {200: {"description": "Found", "content": {media_type: {"schema": {"type": "string", **schema}}}}}


def json_of(schema: Json) -> Json:
    """Return the OpenAPI `content` of a request or response whose body is JSON that conforms to a given schema."""
    return {"application/json": {"schema": schema}}


def refusals(words: Mapping[int | str, str], others: Json | None = None) -> Responses:
    """Return the OpenAPI `responses` for the errors of a route, which are problem documents (RFC 9457).

    Parameters
    ----------
    words : mapping
        Status -> its meaning.
    others : dict, optional
        Other content that these responses may have instead, such as the result of `json_of`.
    """
    content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}} | (others or {})
    return {status: {"description": text, "content": content} for status, text in words.items()}


UNCHANGED: Final[Responses] = {304: {"description": "Not changed since the client's copy"}}
ALWAYS: Final = refusals({
    400: "Bad parameter",
    429: "Too many requests; wait for the time in Retry-After",
    "4XX": "Refused; the problem document gives the reason",
    500: "Internal error of the service",
    "5XX": "Not available; the problem document gives the reason",
})  # fmt: skip
