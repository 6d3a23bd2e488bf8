"""The OpenAPI description of the service (OpenAPI 3.1), true to what it answers."""

from __future__ import annotations

from typing import Any, Final, Literal

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel, Field

from riskanalytics.models import Change, Coverage, Finding, Lead, Platform, SurfaceCount
from riskanalytics.service.gate import is_keyed
from riskanalytics.service.store.records import Json

_PROBLEM: Final[Json] = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "instance"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "instance": {"type": "string"},
    },
}
_REFUSED: Final = {"$ref": "#/components/schemas/Problem"}
_ALWAYS: Final[dict[str, str]] = {
    "400": "Bad parameter",
    "414": "Address too long",
    "431": "Headers too long",
    "429": "Too many requests; wait as long as Retry-After says",
    "500": "Fault of the service",
    "503": "The data cannot be read for now",
}
_KEYED: Final[dict[str, str]] = {"401": "Key missing or not accepted"}
_SECURITY: Final[Json] = {
    "bearer": {"type": "http", "scheme": "bearer"},
    "key": {"type": "apiKey", "in": "header", "name": "x-api-key"},
}


class Listed(BaseModel):
    """The list envelope (specification section 2.1)."""

    object: Literal["list"]
    total: int = Field(ge=0)
    limit: int = Field(ge=1)
    offset: int = Field(ge=0)
    disclaimer: str


class PlatformList(Listed):
    """Platforms."""

    data: list[Platform]


class ChangeList(Listed):
    """Changes, newest first."""

    data: list[Change]


class FoundClause(Finding):
    """A finding of a clause search."""

    platform: str
    """Slug."""
    name: str
    highlighted: str
    url: str


class ClauseList(Listed):
    """Clauses, best match first."""

    data: list[FoundClause]


class TrainingUse(BaseModel):
    """A platform's stance on training use."""

    stance: str
    consumer_stance: str | None
    business_stance: str | None
    decided_by: list[str]
    """Ids of the findings that decided."""


class SurfaceLevel(SurfaceCount):
    """What a platform's documents say on one surface, and why it has its level."""

    explanation: str
    decided_by: list[str]
    """Ids of the findings that decided."""


class Document(BaseModel):
    """A document as it was read."""

    document: str
    captured_at: str
    """Of the text that was read; ISO 8601 UTC."""
    newest_capture_at: str
    snapshot_sha256: str
    archive_url: str
    state: str
    """`good`, `stale`, `broken` or `not_a_policy`."""
    check: str
    """The check of the newest capture that decided."""


class QuietSurface(BaseModel):
    """A surface on which nothing was found."""

    surface: str
    snapshots: list[str]
    """SHA-256 of the documents that were read."""


class MachinePlatform(BaseModel):
    """One platform for agents (specification section 2.4), as JSON-LD."""

    slug: str
    name: str
    website: str | None
    url: str
    rating: str
    risk_reason: str
    last_reviewed: str
    verification_status: str
    citation_count: int
    training_use: TrainingUse
    surfaces: dict[str, SurfaceLevel]
    rules: list[str]
    documents: list[Document]
    findings: list[Finding]
    leads: list[Lead]
    """Clauses worth reading that are not sure enough to be findings, the surest first; never counted."""
    searched_without_result: list[QuietSurface]
    review: dict[str, Any]
    """The rating as a schema.org Review."""
    disclaimer: str


class ShareOfCount(BaseModel):
    """A part of a whole, 0 to 1, with its 95 % interval (families of vendors drawn again); without a value of nothing."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    part: int
    whole: int
    families: int
    """Families of vendors that the whole is of."""


class Bin(ShareOfCount):
    """Findings of one stated confidence, and how many are right."""

    from_: float = Field(alias="from")
    to: float
    stated: float
    """Mean of the stated confidence."""


class Measured(BaseModel):
    """How documents are read that were labelled whole: what is not labelled is wrong."""

    measured_on: str
    """ISO 8601 day."""
    rules: str
    """Version of the rules and weights that was measured."""
    times_scored: int | None = None
    """Of a part whose scoring is counted."""
    scored_on: list[str] | None = None
    documents: int
    platforms: int
    families: int
    labels: int
    firm: int
    """Labels that two careful readers would share: what must be found."""
    groups: dict[str, dict[str, ShareOfCount | float]]
    """By surface, by what decided (`hand_written`, `learned`) and in all."""
    reliability: dict[str, list[Bin]]
    stances: dict[str, ShareOfCount] | None = None
    changes: dict[str, ShareOfCount] | None = None
    platform_level: ShareOfCount | None = None


class ShareTold(BaseModel):
    """A share of an older measure; its counts where they are known."""

    value: float
    low: float | None = None
    high: float | None = None
    part: int | None = None
    whole: int | None = None


class Withdrawn(BaseModel):
    """Figures of an older measure, which flattered."""

    measured_on: str
    why: str
    groups: dict[str, dict[str, ShareTold]]


class Audit(BaseModel):
    """What readers found who judged what is shown, not what was labelled."""

    measured_on: str
    rules: str
    read: str
    """What they read."""
    findings: dict[str, ShareTold]
    stances: dict[str, ShareTold]
    changes: dict[str, ShareTold]


class Figures(BaseModel):
    """How well the extraction reads, by the part of the labels that was scored."""

    test: Measured | None = None
    """Vendors that nothing was made from."""
    unseen: Measured | None = None
    """AI platforms that nothing was made from."""
    calibrate: Measured | None = None
    """Vendors that only the confidence was set by."""
    audit: Audit | None = None
    withdrawn: Withdrawn | None = None


class Points(BaseModel):
    """What a level counts in the mean of a rating."""

    LOW: int
    MED: int
    HIGH: int


class RatingFormula(BaseModel):
    """How ratings are computed."""

    version: str
    steps: list[str]
    weights: dict[str, int]
    points: Points
    high_from: float
    """Weighted mean from which a rating is HIGH."""
    low_below: float
    """Weighted mean below which a rating may be LOW."""


class Extraction(BaseModel):
    """What reads the texts."""

    version: str
    finding_from: float
    figures: Figures
    rating: RatingFormula


class DescribedCoverage(Coverage):
    """Coverage, and what reads the texts."""

    extraction: Extraction
    disclaimer: str


UNKNOWN: Final[dict[int | str, Json]] = {404: {"description": "Unknown"}}
"""Response of a route whose path names what may not be there."""


def answers(model: type[BaseModel]) -> dict[int | str, Json]:
    """Return the responses of a route that answers with a record.

    Parameters
    ----------
    model : type
    """
    return {200: {"model": model, "description": "Found"}}


def text_of(media_type: str) -> dict[int | str, Json]:
    """Return the responses of a route that answers with a text.

    Parameters
    ----------
    media_type : str
    """
    return {200: {"description": "Found", "content": {media_type: {"schema": {"type": "string"}}}}}


def json_of(schema: Json) -> Json:
    """Return the content of a request or a response that is JSON of a schema.

    Parameters
    ----------
    schema : dict
    """
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
    schemas["Problem"] = _PROBLEM
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
