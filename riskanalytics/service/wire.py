"""What all endpoints share: what a request may ask, the service's addresses, how answers go out and are described."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from hashlib import sha256
from types import MappingProxyType
from typing import Annotated, Final, NamedTuple, TypeVar

from anyio import CapacityLimiter
from fastapi import Depends, FastAPI, Query, Request, Response
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from riskanalytics.models import DISCLAIMER, ChangeClass
from riskanalytics.models.base import Record
from riskanalytics.models.records import Listed, ProblemDocument
from riskanalytics.service.door import refuse_cross_site
from riskanalytics.service.door.gate import is_keyed
from riskanalytics.service.door.problems import Problem
from riskanalytics.service.store.read import Store
from riskanalytics.service.store.records import Json, training_use
from riskanalytics.settings import package_hash

CITED: Final = ("pro", "enterprise")
"""Tiers that get citations and changes (specification section 5)."""
MOST_ROWS: Final = 500
MOST_BODY: Final = 64 * 1024
"""Bytes of the body of a POST."""
_AT_ONCE: Final = 4
"""Exports and questions that one process answers at once."""
_List = TypeVar("_List", bound=Listed)


def _like(pattern: str, noun: str) -> BeforeValidator:
    """Return a check of the text of a parameter."""

    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(f"is {noun}")
        return text

    return BeforeValidator(check)


Whole = _like(r"[0-9]{1,9}", "a whole number")
Day = Annotated[date, _like(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", "a date like 2026-01-31")] | SkipJsonSchema[None]


class Asked(BaseModel):
    """Base of all queries, and the query of routes that take none: what is not declared is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, regex_engine="python-re")


class Dated(Asked):
    """The state at the end of a day."""

    as_of: Day = None


class Page(Asked):
    """A part of a list."""

    limit: Annotated[int, Field(ge=1, le=MOST_ROWS), Whole] = 50
    offset: Annotated[int, Field(ge=0, le=999_999_999), Whole] = 0


class DatedPage(Dated, Page):
    """A part of a list at the end of a day."""


class NameQuery(Page):
    """A search by names."""

    q: Annotated[str, Field(min_length=1, max_length=500, pattern=r"\S")]


class ClauseQuery(NameQuery):
    """A search by words."""

    surface: Annotated[str, Field(max_length=80)] | SkipJsonSchema[None] = None


class ChangeQuery(Page):
    """Changes of some days, of one class."""

    since: Day = None
    until: Day = None
    change_class: Annotated[ChangeClass | SkipJsonSchema[None], Field(alias="class")] = None


async def each_once(request: Request) -> None:
    """Refuse a query that gives a parameter twice."""
    names = [name for name, _ in request.query_params.multi_items()]
    if len(set(names)) < len(names):
        raise Problem(400, "A query parameter was given more than once.")


async def no_query(_: Annotated[Asked, Query()]) -> None:
    """Refuse all query parameters."""


async def bounded_body(request: Request) -> bytes:
    """Read a body of at most `MOST_BODY` bytes; 413 at the first byte more."""
    too_long = Problem(413, f"A body has at most {MOST_BODY:,} bytes.")
    if int(request.headers.get("content-length", 0)) > MOST_BODY:
        raise too_long
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MOST_BODY:
            raise too_long
    return bytes(body)


async def json_object(request: Request) -> Json:
    """Read the body of a POST: one JSON object.

    Parameters
    ----------
    request : Request

    Returns
    -------
    dict

    Raises
    ------
    Problem
        415 if it is not JSON or compressed, 413 if it is too long, 400 if it cannot be parsed, 422 if it is no object.
    """
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    plain = request.headers.get("content-encoding", "identity").strip().lower() in ("", "identity")
    if not plain or not (media_type == "application/json" or media_type.endswith("+json")):
        raise Problem(415, "Send the body as application/json, not packed.", {"Accept-Post": "application/json"})
    try:
        value = json.loads(await bounded_body(request))
    except (ValueError, RecursionError) as error:
        raise Problem(400, "The body is no JSON text.") from error
    if not isinstance(value, dict):
        raise Problem(422, "The body is one JSON object.")
    return value


class Sent(NamedTuple):
    """What goes out with a body.

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
    """What the routes and the tools work with: the database and the address in answers.

    Parameters
    ----------
    store : Store
    public_url : str or None
        Without it answers name no address of the service, because nobody could follow it.
    """

    def __init__(self, store: Store, public_url: str | None) -> None:
        self.store = store
        self.public_url = public_url and public_url.rstrip("/")
        self.limiter = CapacityLimiter(_AT_ONCE)

    def reply(self, request: Request, build: Callable[[], object], sent: Sent = AS_JSON) -> Response:
        """Return the answer to a read, made from one state of the database; 304 if the reader has it.

        Parameters
        ----------
        request : Request
        build : callable
            Makes the payload: record, JSON value or bytes.
        sent : Sent
        """
        with self.store.one_state() as revision:
            asked = request.scope["path"], request.scope["query_string"], is_cited(request), sent.media_type
            tag = _tag(repr((revision, package_hash(), self.public_url, asked)).encode())
            return _unchanged(request, tag, sent) or _sent(_encoded(build()), tag, sent)

    def address(self, slug: str) -> str | None:
        """Return the public page of a platform."""
        return self.public_url and f"{self.public_url}/platform/{slug}"

    def archived(self, sha256: str, archive_url: str | None = None) -> str | None:
        """Return the public copy of a snapshot, or else where this service gives it byte for byte."""
        return archive_url or (self.public_url and f"{self.public_url}/archive/{sha256}")

    def resolved(self, finding: Json) -> Json:
        """Return a finding with the archive URL of its snapshot."""
        source = finding["provenance"]
        address = self.archived(source["snapshot_sha256"], source["archive_url"])
        return finding | {"provenance": source | {"archive_url": address}}

    def head(self, state: Json) -> Json:
        """Return what each record of one platform begins with.

        Parameters
        ----------
        state : dict
            As `Store.platform` returns it.
        """
        same = ("name", "website", "rating", "risk_reason", "last_reviewed")
        return {
            **{name: state[name] for name in same},
            "slug": state["id"],
            "url": self.address(state["id"]),
            "verification_status": state["verification"],
            "training_use": training_use(state),
        }

    def listed(self, kind: type[_List], data: Iterable[Json], total: int, asked: Page) -> _List:
        """Return the list envelope (specification section 2.1).

        Parameters
        ----------
        kind : type of Listed
        data : iterable of dict
        total : int
            Matches, on this page or not.
        asked : Page
        """
        page = asked.model_dump(include={"limit", "offset", "as_of"}, mode="json")
        record = {"object": "list", "total": total, **page, "disclaimer": DISCLAIMER, "data": list(data)}
        return kind.model_validate(record)


def is_cited(request: Request) -> bool:
    """Say whether a request's tier gets citations and changes (specification section 5)."""
    return getattr(request.state, "tier", "") in CITED


async def service_of(request: Request) -> Service:
    """Return what the application's routes work with."""
    service: Service = request.app.state.service
    return service


TheService = Annotated[Service, Depends(service_of)]


async def own_site_only(request: Request, service: TheService) -> None:
    """Refuse a POST that another site's page sends with a reader's browser: 403."""
    refuse_cross_site(request, service.public_url or "")


def answer(request: Request, payload: object, sent: Sent = AS_JSON) -> Response:
    """Return a successful answer with its entity tag, or 304 if the reader has it (RFC 9110 section 13).

    Parameters
    ----------
    request : Request
    payload : Record, JSON value or bytes
    sent : Sent
    """
    body = _encoded(payload)
    tag = _tag(body)
    return _unchanged(request, tag, sent) or _sent(body, tag, sent)


def _encoded(payload: object) -> bytes:
    """Return a payload as it goes out: JSON without blanks, because agents pay for each token."""
    if isinstance(payload, Record):
        return payload.model_dump_json(by_alias=True).encode()
    return payload if isinstance(payload, bytes) else json.dumps(payload, separators=(",", ":")).encode()


def _tag(body: bytes) -> str:
    """Return an entity tag; it is weak, because it names the packed and the plain body."""
    return f'W/"{sha256(body).hexdigest()[:32]}"'


def _unchanged(request: Request, tag: str, sent: Sent) -> Response | None:
    """Return 304 if the reader has the answer with this tag."""
    known = {part.strip().removeprefix("W/") for part in request.headers.get("if-none-match", "").split(",")}
    return Response(status_code=304, headers=_headers(tag, sent)) if tag.removeprefix("W/") in known else None


def _sent(body: bytes, tag: str, sent: Sent) -> Response:
    """Return a body with its headers."""
    return Response(body, media_type=sent.media_type, headers=_headers(tag, sent))


def _headers(tag: str, sent: Sent) -> dict[str, str]:
    """Return the headers of an answer."""
    return {"Cache-Control": "no-cache", **sent.headers, "ETag": tag} | ({"Vary": sent.vary} if sent.vary else {})


_REFUSED: Final = {"$ref": "#/components/schemas/Problem"}
_ALWAYS: Final[dict[str, str]] = {
    "400": "Bad parameter",
    "429": "Too many requests; wait as long as Retry-After says",
    "500": "Fault of the service",
    "503": "The data cannot be read for now",
}
_KEYED: Final[dict[str, str]] = {"401": "Key missing or not accepted"}
_SECURITY: Final[Json] = {
    "bearer": {"type": "http", "scheme": "bearer"},
    "key": {"type": "apiKey", "in": "header", "name": "x-api-key"},
}
Responses = dict[int | str, Json]
UNKNOWN: Final[Responses] = {404: {"description": "Unknown"}}
"""Response of a route whose path names what may not be there."""


def answers(model: type[Record], description: str = "Found", status: int = 200) -> Responses:
    """Return the responses of a route that answers with a record."""
    return {status: {"model": model, "description": description}}


def text_of(media_type: str) -> Responses:
    """Return the responses of a route that answers with a text."""
    return {200: {"description": "Found", "content": {media_type: {"schema": {"type": "string"}}}}}


def json_of(schema: Json) -> Json:
    """Return the content of a request or a response that is JSON of a schema."""
    return {"application/json": {"schema": schema}}


def describe(app: FastAPI) -> Json:
    """Return the OpenAPI document of an application.

    Parameters
    ----------
    app : FastAPI
    """
    document = get_openapi(title=app.title, version=app.version, openapi_version="3.1.0", routes=app.routes)
    parts = document.setdefault("components", {})
    parts["securitySchemes"] = _SECURITY
    schemas = parts.setdefault("schemas", {})
    schemas["Problem"] = ProblemDocument.model_json_schema(mode="serialization")
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            _complete(operation, keyed=is_keyed(path), read=method == "get")
    return document


def _complete(operation: Json, *, keyed: bool, read: bool) -> None:
    """Add to one operation what every answer may be, and what a refusal looks like."""
    responses: Json = operation["responses"]
    if keyed:
        operation["security"] = [{name: []} for name in _SECURITY]
    if "HTTPValidationError" in str(responses.get("422")):
        del responses["422"]
    for status, meaning in (_ALWAYS | (_KEYED if keyed else {})).items():
        responses.setdefault(status, {"description": meaning})
    for status, response in responses.items():
        if status[0] in "45":
            response.setdefault("content", {})["application/problem+json"] = {"schema": _REFUSED}
    if read and "200" in responses:
        responses.setdefault("304", {"description": "The reader has it already"})
