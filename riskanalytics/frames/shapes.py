"""What the answers of a service look like: the records of `models`, put together by endpoint.

Fields that the interface specification names stand in `SPECIFIED`; all others are additions that the README documents.
Nothing is read with these: the client takes what comes. They are what answers are compared with (`contract`).
"""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from riskanalytics.models import (
    CHANGE_CLASSES,
    DOCUMENT_STATE_NAMES,
    RATINGS,
    STANCES,
    SURFACES,
    VERIFICATIONS,
    Change,
    Coverage,
    Finding,
    Lead,
    Platform,
    PlatformDetail,
    Provenance,
    Record,
    Roles,
    SurfaceCount,
)
from riskanalytics.provenance import VERIFICATION_STATUSES


class Listed(Record):
    """The list envelope (specification section 2.1)."""

    object: str
    total: int
    limit: int
    offset: int
    disclaimer: str
    data: list[Any]
    as_of: str | None = None


class PlatformList(Listed):
    """Platforms."""

    data: list[Platform]


class ChangeList(Listed):
    """Changes."""

    data: list[Change]


class FoundClause(Finding):
    """A finding of a clause search."""

    platform: str | None = None
    name: str | None = None
    highlighted: str | None = None
    url: str | None = None


class ClauseList(Listed):
    """Clauses."""

    data: list[FoundClause]


class CitationSource(Record):
    """Where a citation stands."""

    document: str | None = None
    url: str | None = None
    snapshot_sha256: str | None = None
    start: int | None = None
    end: int | None = None


class Citation(Record):
    """A finding as the keyed API shows it (specification section 2.3)."""

    quote: str | None = None
    surface: str | None = None
    risk: str | None = None
    source: CitationSource


class Detail(PlatformDetail):
    """One platform with its surfaces; its citations are told to Pro keys only."""

    citations: list[Citation] | None = None  # type: ignore[assignment]
    citations_available: bool | None = None
    as_of: str | None = None
    disclaimer: str | None = None


class Stances(Record):
    """Stance on training use."""

    stance: str | None = None
    consumer_stance: str | None = None
    business_stance: str | None = None
    decided_by: list[str] | None = None


class SurfaceLevel(SurfaceCount):
    """A surface and why it has its level."""

    explanation: str | None = None
    decided_by: list[str] | None = None


class Document(Record):
    """A document as it was read."""

    document: str | None = None
    captured_at: str | None = None
    newest_capture_at: str | None = None
    snapshot_sha256: str | None = None
    archive_url: str | None = None
    state: str | None = None
    check: str | None = None


class QuietSurface(Record):
    """A surface on which nothing was found."""

    surface: str | None = None
    snapshots: list[str] | None = None


class MachinePlatform(Record):
    """One platform for agents (specification section 2.4)."""

    context: Any = Field(default=None, alias="@context")
    kind: str | list[str] | None = Field(default=None, alias="@type")
    identifier: str | None = Field(default=None, alias="@id")
    slug: str | None = None
    name: str | None = None
    website: str | None = None
    url: str | None = None
    rating: str | None = None
    risk_reason: str | None = None
    last_reviewed: str | None = None
    verification_status: str | None = None
    citation_count: int | None = None
    training_use: Stances | None = None
    surfaces: dict[str, SurfaceLevel] | None = None
    rules: list[str] | None = None
    documents: list[Document] | None = None
    findings: list[Finding]
    leads: list[Lead] | None = None
    searched_without_result: list[QuietSurface] | None = None
    review: dict[str, Any] | None = None
    as_of: str | None = None
    disclaimer: str | None = None


class Counts(Coverage):
    """Coverage, and what reads the texts."""

    extraction: dict[str, Any] | None = None
    disclaimer: str | None = None


ANSWERS: Final[dict[str, type[Record]]] = {
    "/api/v1/platforms": PlatformList,
    "/api/v1/platforms/{id}": Detail,
    "/api/v1/search": PlatformList,
    "/api/v1/changes": ChangeList,
    "/api/machine/platform/{slug}": MachinePlatform,
    "/api/machine/search": ClauseList,
    "/api/coverage": Counts,
}
"""Endpoint -> what its answer looks like."""

_ENVELOPE: Final = ("object", "total", "limit", "offset", "disclaimer", "data")
_RATED: Final = ("id", "name", "website", "rating", "risk_reason", "last_reviewed", "url", "verification")
_CLAUSE: Final = ("quote", "surface", "risk", "confidence", "verification_status", "provenance")
SPECIFIED: Final[dict[type[Record], tuple[str, ...]]] = {
    PlatformList: _ENVELOPE,
    ChangeList: _ENVELOPE,
    ClauseList: _ENVELOPE,
    Platform: _RATED,
    Detail: ("rating", "risk_reason", "surfaces", "disclaimer"),
    SurfaceCount: ("count",),
    Citation: ("quote", "source"),
    Finding: _CLAUSE,
    FoundClause: _CLAUSE,
    Provenance: ("snapshot_sha256", "archive_url", "start", "end"),
    MachinePlatform: ("@context", "@type", "findings", "disclaimer"),
    Counts: ("tracked", "verified", "disclaimer"),
}
"""Record -> the fields that the interface specification asks for; where it names none, under the names that are read."""

MAY_BE_NULL: Final = frozenset({"website"})
"""Specified fields that our service leaves null where it does not know (README, additions)."""

ONLY_SOMETIMES: Final = frozenset({"as_of", "citations"})
"""Fields that are there only where they were asked for, or for keys of some tiers: never missed."""

_CLAUSE_SETS: Final = {
    "surface": SURFACES,
    "risk": RATINGS,
    "verification_status": VERIFICATION_STATUSES,
    "polarity": ("raises_risk", "mitigates_risk", "neutral"),
}
_ACTORS: Final = ("vendor", "user", "third_party")
_RATINGS: Final = (*RATINGS, "UNRATED")
VALUES: Final[dict[type[Record], dict[str, tuple[str, ...]]]] = {
    Platform: {"rating": _RATINGS, "verification": VERIFICATIONS},
    Detail: {"rating": _RATINGS, "verification": VERIFICATIONS, "surfaces": SURFACES},
    MachinePlatform: {"rating": _RATINGS, "verification_status": VERIFICATIONS, "surfaces": SURFACES},
    Counts: {"surfaces": SURFACES},
    Lead: _CLAUSE_SETS,
    Roles: {"actor": _ACTORS},
    Citation: {"surface": SURFACES, "risk": RATINGS},
    SurfaceCount: {"risk": RATINGS},
    SurfaceLevel: {"risk": RATINGS},
    QuietSurface: {"surface": SURFACES},
    Stances: dict.fromkeys(("stance", "consumer_stance", "business_stance"), STANCES),
    Document: {"state": tuple(DOCUMENT_STATE_NAMES)},
    Change: {
        "class": CHANGE_CLASSES,
        "surfaces": SURFACES,
        "direction": ("up", "down", "mixed", "none"),
        "directions": SURFACES,
        "rating_before": _RATINGS,
        "rating_after": _RATINGS,
        "stance_before": STANCES,
        "stance_after": STANCES,
    },
}
"""Record -> field -> the values (of a mapping: its keys; of a list: its items) that are known so far."""
