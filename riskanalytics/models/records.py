"""Records of the service as they are on the wire (specification section 2): each field is declared here, once.

OpenAPI, the tools' results and the comparison of other servers' answers with ours are made from these declarations.
All records are frozen, keep fields that they do not know, and accept values that were never seen before:
a rating, a surface or a verification tier that a later service invents passes through unchanged.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AliasChoices, Field

from . import REFUSALS
from .base import (
    Direction,
    DocumentState,
    KindOfChange,
    Level,
    Polarity,
    Rating,
    Record,
    Sometimes,
    Stance,
    Surface,
    SurfaceState,
    Time,
    Told,
    Verification,
    means,
)
from .parts import Cited, Extraction, Finding, FoundClause, Lead, LeadIn, Quoted


class Dated(Record):
    """The day that was asked for, echoed."""

    as_of: Sometimes[str] = None


class Listed(Dated):
    """The list envelope (specification section 2.1)."""

    object: Told[str] = Field(json_schema_extra={"const": "list"})
    total: Told[Annotated[int, Field(ge=0)]]
    limit: Told[Annotated[int, Field(ge=1)]]
    offset: Told[Annotated[int, Field(ge=0)]]
    disclaimer: Told[str]


class Platform(Record):
    """A platform as list endpoints show it (specification section 2.2)."""

    id: str = Field(validation_alias=AliasChoices("id", "slug"), description="Slug of the platform.")
    name: Told[str] = means("Name of the platform.")
    website: str | None = means("The vendor's site.")
    rating: Told[Rating] = means("HIGH, MED, LOW or UNRATED (nothing could be read).")
    risk_reason: Told[str] = means("Why; begins with rating and number of citations.")
    last_reviewed: Told[Time] = means("Day of the newest capture reviewed.")
    url: Told[str] = means("Public page of the platform.")
    verification: Told[Verification] = means(
        "verified, partial, stale or unverified.", "verification", "verification_status"
    )


class PlatformList(Listed):
    """Platforms."""

    data: Told[list[Platform]]


class SurfaceCount(Record):
    """What a platform's documents say on one surface."""

    count: Told[int] = means("Findings.")
    risk: Level | None = means("Its level; null where nothing was found.")


class CitationSource(Record):
    """Where a citation is."""

    document: Told[str]
    url: Told[str]
    snapshot_sha256: Told[str]
    start: Told[int]
    end: Told[int]


class Citation(Record):
    """A finding as the keyed API shows it (specification section 2.3)."""

    quote: Told[str]
    lead_in: LeadIn | None = means("What the clause continues: quote it before.")
    surface: Told[Surface]
    risk: Told[Level]
    source: Told[CitationSource]


class PlatformDetail(Platform, Dated):
    """One platform with its surfaces and, on Pro, its citations (specification section 2.3)."""

    surfaces: Told[dict[Surface, SurfaceCount]]
    citation_count: Told[int]
    citations_available: Told[bool]
    citations: Sometimes[list[Citation]] = means("Absent where the key's tier lacks them.")
    disclaimer: Told[str]


class ClauseList(Listed):
    """Clauses, best match first."""

    data: Told[list[FoundClause]]


class Rewritten(Record):
    """A sentence before and after."""

    before: Told[str]
    after: Told[str]
    surface: Told[Surface | None] = means("Null where it is no finding.")


class Cause(Record):
    """A finding that makes a change, and what of the platform it moved."""

    finding: str | None = None
    rule: Told[str]
    surface: Told[Surface]
    kind: Told[str] = means("`added`, `removed` or `rewritten`.")
    before: str | None = means("Id of the finding before.")
    after: str | None = means("Id of the finding after.")
    effect: Polarity | None = None
    direction: Told[Direction]
    moved: Told[list[str]]


class Change(Record):
    """What a review found different (specification section 2.5 leaves the fields open)."""

    id: Told[str] = means("Identifier of the change.")
    platform: Told[str] = means("Slug of the platform.", "platform", "platform_id", "slug")
    name: Told[str] = means("Name of the platform.")
    document: Told[str] = means("Name of the document.")
    reviewed_at: Told[Time] = means(
        "Capture that showed it: ISO 8601, UTC.", "reviewed_at", "date", "changed_at", "detected_at"
    )
    change_class: Told[KindOfChange] = means(
        "material, wording, format, revert, capture_failure or technical.", "class", "change_class", alias="class"
    )
    surfaces: Told[list[Surface]] = means("Surfaces that moved, the weightiest first.")
    direction: Told[Direction] = means("What it does to the risk: up, down, mixed, unclear (read both texts) or none.")
    directions: Told[dict[Surface, str]] = means("Surface -> its direction; the weightiest first.")
    rating_before: Told[Rating] = means("Rating before.", "rating_before", "previous_rating", "before.rating")
    rating_after: Told[Rating] = means("Rating after.", "rating_after", "new_rating", "after.rating")
    stance_before: Stance | None = means("Stance before; null where not read.")
    stance_after: Stance | None = means("Stance after.")
    snapshot_before: Told[str] = means("SHA-256 of the text before.")
    snapshot_after: Told[str] = means("SHA-256 of the text after.")
    added: Told[list[Quoted]] = means("New or rewritten findings.")
    removed: Told[list[Quoted]] = means("Findings gone or rewritten.")
    altered: Told[list[Rewritten]] = means("Rewritten sentences.")
    cause: Told[list[Cause]] = means("Findings that make the change, the weightiest first.")
    summary: Told[str] = means("The change in one line.")
    url: Told[str] = means("Public page of the platform.")


class ChangeList(Listed):
    """Changes, newest first."""

    data: Told[list[Change]]


class TrainingUse(Record):
    """A platform's answer on training use."""

    stance: Stance | None = means("Answer on training use; null where nothing was read.")
    consumer_stance: Stance | None = means("Answer for consumers.")
    business_stance: Stance | None = means("Answer for business users.")
    decided_by: Told[list[str]] = means("Ids of the findings that decided.")


class SurfaceRisk(SurfaceCount):
    """What a platform's documents say on one surface, and why it has its level."""

    explanation: Told[str]
    state: Told[SurfaceState] = means(
        "found, to_read (clauses that a person must read), quiet (all read, nothing found) or "
        "unread (nothing found, a document in a language not read)."
    )
    to_read: Told[int] = means("Clauses that a person must read.")


class SurfaceLevel(SurfaceRisk):
    """A surface, and the findings that decided its level."""

    decided_by: Told[list[str]] = means("Ids of the findings that decided.")


class Document(Record):
    """A document as it was read."""

    document: Told[str] = means("Name of the document.")
    captured_at: Told[Time] = means("Capture of the text read: ISO 8601, UTC.")
    newest_capture_at: Told[Time] = means("Newest capture, good or broken.", "newest_capture_at", "captured_at")
    snapshot_sha256: Told[str] = means("SHA-256 of the text read.")
    archive_url: Told[str] = means("Public copy of the document.")
    state: Told[DocumentState] = means("good, stale, broken or not_a_policy.")
    check: Told[str] = means("Check of the newest capture that decided.")
    document_url: str | None = means("The vendor's page that was captured.")
    language: str | None = means("ISO 639-1 code; null where no text is good.")
    read: Told[bool] = means("Whether the text is good and its language read.")


class QuietSurface(Record):
    """A surface on which all documents were read and nothing was found."""

    surface: Told[Surface]
    snapshots: Told[list[str]] = means("SHA-256 of what was read.")


class PlatformHead(Record):
    """A platform and its rating."""

    slug: Told[str] = means("Slug of the platform.", "slug", "id")
    name: Told[str] = means("Name of the platform.")
    website: str | None = None
    rating: Told[Rating] = means("HIGH, MED, LOW or UNRATED (nothing could be read).")
    risk_reason: Told[str]
    last_reviewed: Told[str]
    verification_status: Told[Verification] = means("verified, partial, stale or unverified.")
    training_use: Told[TrainingUse]


class MachinePlatform(PlatformHead, Dated):
    """One platform for agents (specification section 2.4), as JSON-LD."""

    context: Told[dict[str, Any]] = Field(alias="@context")
    kind: Told[str | list[str]] = Field(alias="@type")
    iri: Told[str] = Field(alias="@id")
    url: Told[str]
    citation_count: Told[int]
    surfaces: Told[dict[Surface, SurfaceLevel]] = means("Surface -> its level.", "surfaces", "surface_counts")
    rules: Told[list[str]]
    documents: Told[list[Document]]
    findings: Told[list[Finding]] = means("Clauses that count.", "findings", "citations")
    leads: Told[list[Lead]] = means("Clauses worth reading, the surest first; too unsure to count.")
    searched_without_result: Told[list[QuietSurface]]
    review: Told[dict[str, Any]] = means("The rating, as in schema.org.")
    disclaimer: Told[str]


class Coverage(Record):
    """Counts of tracked and verified platforms (specification section 4.2), and what reads the texts."""

    tracked: Told[int] = means("Tracked platforms.", "tracked", "tracked_platforms")
    verified: Told[int] = means("Those with all documents read.", "verified", "verified_platforms")
    partial: Told[int] = means("Those with a document that is no policy or unreadable.")
    stale: Told[int] = means("Those with a broken newest capture.")
    unverified: Told[int] = means("Those not read.")
    surfaces: Told[dict[Surface, int]] = means("Surface -> platforms with a finding.")
    extraction: Told[Extraction]
    as_of: Sometimes[Time | None] = means("Day of the counts: YYYY-MM-DD.", "as_of", "date")
    unfinished: Told[bool] = means("Whether an ingest was cut off or goes on: the rest is `unverified`.")
    disclaimer: Told[str]


class Silence(Record):
    """A platform that does not speak to a surface."""

    platform: Told[str]
    surface: Told[Surface]


class Looked(Record):
    """What a question was looked up in."""

    platforms: Told[list[str]]
    surfaces: Told[list[Surface]]
    words: Told[list[str]]
    findings: Told[int]
    without_result: Told[list[Silence]]


class Answer(Record):
    """An answer to a question, or a refusal that says why."""

    object: Told[str] = Field(json_schema_extra={"const": "answer"})
    question: Told[str]
    platform: str | None = means("Slug.")
    answer: Told[str]
    refused: Told[bool]
    reason: str | None = Field(None, json_schema_extra={"enum": [*REFUSALS, None]})
    citations: Told[list[Cited]]
    searched: Told[Looked]
    disclaimer: Told[str]


class Review(Record):
    """A correction: the review of a platform, run again on request."""

    object: Told[str] = Field(json_schema_extra={"const": "review"})
    id: Told[str]
    platform: Told[str] = means("Slug.")
    state: Told[str] = Field(json_schema_extra={"enum": ["queued", "running", "done", "failed"]})
    requested_at: Told[str]
    finished_at: str | None = None
    outcome: Told[dict[str, Any]] = means(
        "When done: `findings` (`added`, `removed`, `kept`), `rating_before`, `rating_after`, `reread`; or `reason`."
    )
    url: Told[str]
    disclaimer: Told[str]


class Health(Record):
    """Whether the service can be used, and what does not work."""

    status: Told[str] = Field(json_schema_extra={"enum": ["ok", "degraded"]})
    newest_capture: str | None = None
    faults: Told[list[str]]


class ProblemDocument(Record):
    """What was wrong with a request, and what to do (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
