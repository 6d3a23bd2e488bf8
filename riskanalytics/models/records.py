"""Records of the service as they are on the wire (specification section 2): each field is declared here, once.

OpenAPI, the tools' results and the comparison of other servers' answers with ours are made from these declarations.
All records are frozen, keep fields that they do not know, and accept values that were never seen before:
a rating, a surface or a verification tier that a later service invents passes through unchanged.
"""

from typing import Any

from pydantic import Field

from . import REFUSALS
from .base import (
    Direction,
    DocumentState,
    KindOfChange,
    Level,
    Maybe,
    Polarity,
    Rating,
    Record,
    Sometimes,
    Stance,
    Surface,
    SurfaceState,
    Time,
    Verification,
    means,
)
from .parts import Cited, Extraction, Finding, FoundClause, Lead, LeadIn, Quoted


class Dated(Record):
    """The day that was asked for, echoed."""

    as_of: Sometimes[str]


class Listed(Dated):
    """The list envelope (specification section 2.1)."""

    object: str = Field(json_schema_extra={"const": "list"})
    total: int = Field(ge=0)
    limit: int = Field(ge=1)
    offset: int = Field(ge=0)
    disclaimer: str


class Platform(Record):
    """A platform as list endpoints show it (specification section 2.2)."""

    id: str = means("Slug of the platform.", "id", "slug")
    name: str = means("Name of the platform.")
    website: Maybe[str] = means("The vendor's site.")
    rating: Rating = means("HIGH, MED, LOW or UNRATED (nothing could be read).")
    risk_reason: str = means("Why; begins with rating and number of citations.")
    last_reviewed: Time = means("Day of the newest capture reviewed.")
    url: str = means("Public page of the platform.")
    verification: Verification = means("verified, partial, stale or unverified.", "verification", "verification_status")


class PlatformList(Listed):
    """Platforms."""

    data: list[Platform]


class SurfaceCount(Record):
    """What a platform's documents say on one surface."""

    count: int = means("Findings.")
    risk: Maybe[Level] = means("Its level; null where nothing was found.")


class CitationSource(Record):
    """Where a citation is."""

    document: str
    url: str
    snapshot_sha256: str
    start: int
    end: int


class Citation(Record):
    """A finding as the keyed API shows it (specification section 2.3)."""

    quote: str
    lead_in: Maybe[LeadIn] = means("What the clause continues: quote it before.")
    surface: Surface
    risk: Level
    source: CitationSource


class PlatformDetail(Platform, Dated):
    """One platform with its surfaces and, on Pro, its citations (specification section 2.3)."""

    surfaces: dict[Surface, SurfaceCount]
    citation_count: int
    citations_available: bool
    citations: Sometimes[list[Citation]] = means("Absent where the key's tier lacks them.")
    disclaimer: str


class ClauseList(Listed):
    """Clauses, best match first."""

    data: list[FoundClause]


class Rewritten(Record):
    """A sentence before and after."""

    before: str
    after: str
    surface: Maybe[Surface] = means("Null where it is no finding.")


class Cause(Record):
    """A finding that makes a change, and what of the platform it moved."""

    finding: Maybe[str]
    rule: str
    surface: Surface
    kind: str = means("`added`, `removed` or `rewritten`.")
    before: Maybe[str] = means("Id of the finding before.")
    after: Maybe[str] = means("Id of the finding after.")
    effect: Maybe[Polarity]
    direction: Direction
    moved: list[str]


class Change(Record):
    """What a review found different (specification section 2.5 leaves the fields open)."""

    id: str = means("Identifier of the change.")
    platform: str = means("Slug of the platform.", "platform", "platform_id", "slug")
    name: str = means("Name of the platform.")
    document: str = means("Name of the document.")
    reviewed_at: Time = means(
        "Capture that showed it: ISO 8601, UTC.", "reviewed_at", "date", "changed_at", "detected_at"
    )
    change_class: KindOfChange = means(
        "material, wording, format, revert, capture_failure or technical.", "class", "change_class", alias="class"
    )
    surfaces: list[Surface] = means("Surfaces that moved, the weightiest first.")
    direction: Direction = means("What it does to the risk: up, down, mixed, unclear (read both texts) or none.")
    directions: dict[Surface, str] = means("Surface -> its direction; the weightiest first.")
    rating_before: Rating = means("Rating before.", "rating_before", "previous_rating", "before.rating")
    rating_after: Rating = means("Rating after.", "rating_after", "new_rating", "after.rating")
    stance_before: Maybe[Stance] = means("Stance before; null where not read.")
    stance_after: Maybe[Stance] = means("Stance after.")
    snapshot_before: str = means("SHA-256 of the text before.")
    snapshot_after: str = means("SHA-256 of the text after.")
    added: list[Quoted] = means("New or rewritten findings.")
    removed: list[Quoted] = means("Findings gone or rewritten.")
    altered: list[Rewritten] = means("Rewritten sentences.")
    cause: list[Cause] = means("Findings that make the change, the weightiest first.")
    summary: str = means("The change in one line.")
    url: str = means("Public page of the platform.")


class ChangeList(Listed):
    """Changes, newest first."""

    data: list[Change]


class TrainingUse(Record):
    """A platform's answer on training use."""

    stance: Maybe[Stance] = means("Answer on training use; null where nothing was read.")
    consumer_stance: Maybe[Stance] = means("Answer for consumers.")
    business_stance: Maybe[Stance] = means("Answer for business users.")
    decided_by: list[str] = means("Ids of the findings that decided.")


class SurfaceRisk(SurfaceCount):
    """What a platform's documents say on one surface, and why it has its level."""

    explanation: str
    state: SurfaceState = means(
        "found, to_read (clauses that a person must read), quiet (all read, nothing found) or "
        "unread (nothing found, a document in a language not read)."
    )
    to_read: int = means("Clauses that a person must read.")


class SurfaceLevel(SurfaceRisk):
    """A surface, and the findings that decided its level."""

    decided_by: list[str] = means("Ids of the findings that decided.")


class Document(Record):
    """A document as it was read."""

    document: str = means("Name of the document.")
    captured_at: Time = means("Capture of the text read: ISO 8601, UTC.")
    newest_capture_at: Time = means("Newest capture, good or broken.", "newest_capture_at", "captured_at")
    snapshot_sha256: str = means("SHA-256 of the text read.")
    archive_url: str = means("Public copy of the document.")
    state: DocumentState = means("good, stale, broken or not_a_policy.")
    check: str = means("Check of the newest capture that decided.")
    document_url: Maybe[str] = means("The vendor's page that was captured.")
    language: Maybe[str] = means("ISO 639-1 code; null where no text is good.")
    read: bool = means("Whether the text is good and its language read.")


class QuietSurface(Record):
    """A surface on which all documents were read and nothing was found."""

    surface: Surface
    snapshots: list[str] = means("SHA-256 of what was read.")


class PlatformHead(Record):
    """A platform and its rating."""

    slug: str = means("Slug of the platform.", "slug", "id")
    name: str = means("Name of the platform.")
    website: Maybe[str]
    rating: Rating = means("HIGH, MED, LOW or UNRATED (nothing could be read).")
    risk_reason: str
    last_reviewed: str
    verification_status: Verification = means("verified, partial, stale or unverified.")
    training_use: TrainingUse


class MachinePlatform(PlatformHead, Dated):
    """One platform for agents (specification section 2.4), as JSON-LD."""

    context: dict[str, Any] = Field(alias="@context")
    kind: str | list[str] = Field(alias="@type")
    iri: str = Field(alias="@id")
    url: str
    citation_count: int
    surfaces: dict[Surface, SurfaceLevel] = means("Surface -> its level.", "surfaces", "surface_counts")
    rules: list[str]
    documents: list[Document]
    findings: list[Finding] = means("Clauses that count.", "findings", "citations")
    leads: list[Lead] = means("Clauses worth reading, the surest first; too unsure to count.")
    searched_without_result: list[QuietSurface]
    review: dict[str, Any] = means("The rating, as in schema.org.")
    disclaimer: str


class Coverage(Record):
    """Counts of tracked and verified platforms (specification section 4.2), and what reads the texts."""

    tracked: int = means("Tracked platforms.", "tracked", "tracked_platforms")
    verified: int = means("Those with all documents read.", "verified", "verified_platforms")
    partial: int = means("Those with a document that is no policy or unreadable.")
    stale: int = means("Those with a broken newest capture.")
    unverified: int = means("Those not read.")
    surfaces: dict[Surface, int] = means("Surface -> platforms with a finding.")
    extraction: Extraction
    as_of: Sometimes[Time | None] = means("Day of the counts: YYYY-MM-DD.", "as_of", "date")
    unfinished: bool = means("Whether an ingest was cut off or goes on: the rest is `unverified`.")
    disclaimer: str


class Silence(Record):
    """A platform that does not speak to a surface."""

    platform: str
    surface: Surface


class Looked(Record):
    """What a question was looked up in."""

    platforms: list[str]
    surfaces: list[Surface]
    words: list[str]
    findings: int
    without_result: list[Silence]


class Answer(Record):
    """An answer to a question, or a refusal that says why."""

    object: str = Field(json_schema_extra={"const": "answer"})
    question: str
    platform: Maybe[str] = means("Slug.")
    answer: str
    refused: bool
    reason: str | None = Field(None, json_schema_extra={"enum": [*REFUSALS, None]})
    citations: list[Cited]
    searched: Looked
    disclaimer: str


class Review(Record):
    """A correction: the review of a platform, run again on request."""

    object: str = Field(json_schema_extra={"const": "review"})
    id: str
    platform: str = means("Slug.")
    state: str = Field(json_schema_extra={"enum": ["queued", "running", "done", "failed"]})
    requested_at: str
    finished_at: Maybe[str]
    outcome: dict[str, Any] = means(
        "When done: `findings` (`added`, `removed`, `kept`), `rating_before`, `rating_after`, `reread`; or `reason`."
    )
    url: str
    disclaimer: str


class Health(Record):
    """Whether the service can be used, and what does not work."""

    status: str = Field(json_schema_extra={"enum": ["ok", "degraded"]})
    newest_capture: Maybe[str]
    faults: list[str]


class ProblemDocument(Record):
    """What was wrong with a request, and what to do (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
