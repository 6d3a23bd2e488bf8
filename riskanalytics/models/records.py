"""Records of the service as they are on the wire (specification section 2): each field is declared here, once.

OpenAPI, the tools' results and the comparison of other servers' answers with ours are made from these declarations.
All records are frozen, keep fields that they do not know, and accept values that were never seen before:
a rating, a surface or a verification tier that a later service invents passes through unchanged.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AliasChoices, AliasPath, Field

from riskanalytics.models import REFUSALS
from riskanalytics.models.base import (
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
)
from riskanalytics.models.parts import Cited, Extraction, Finding, FoundClause, Lead, LeadIn, Quoted


class Dated(Record):
    """The day that was asked for, echoed."""

    as_of: Sometimes[str] = None


class Listed(Dated):
    """The list envelope (specification section 2.1)."""

    object: Annotated[Told[str], Field(json_schema_extra={"const": "list"})]
    total: Told[Annotated[int, Field(ge=0)]]
    limit: Told[Annotated[int, Field(ge=1)]]
    offset: Told[Annotated[int, Field(ge=0)]]
    disclaimer: Told[str]


class Platform(Record):
    """A platform as list endpoints show it (specification section 2.2)."""

    id: str = Field(validation_alias=AliasChoices("id", "slug"), description="Slug: identifier of the platform.")
    name: Told[str] = Field(description="Display name of the platform.")
    website: str | None = Field(None, description="Absolute URL of the vendor's site; null where not known.")
    rating: Told[Rating] = Field(description="HIGH, MED, LOW, or UNRATED where nothing could be read.")
    risk_reason: Told[str] = Field(description="Why; begins with the rating and the number of citations.")
    last_reviewed: Told[Time] = Field(description="Day of the newest capture reviewed: YYYY-MM-DD.")
    url: Told[str] = Field(description="Public page of the platform.")
    verification: Told[Verification] = Field(
        validation_alias=AliasChoices("verification", "verification_status"),
        description="State of the evidence: verified, partial, stale or unverified.",
    )


class PlatformList(Listed):
    """Platforms."""

    data: Told[list[Platform]]


class SurfaceCount(Record):
    """What a platform's documents say on one surface."""

    count: Told[int] = Field(description="Number of findings.")
    risk: Level | None = Field(None, description="Level of the surface; null where nothing was found.")


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
    lead_in: LeadIn | None = Field(None, description="What the clause continues; null if it needs nothing before it.")
    surface: Told[Surface]
    risk: Told[Level]
    source: Told[CitationSource]


class PlatformDetail(Platform, Dated):
    """One platform with its surfaces and, on Pro, its citations (specification section 2.3)."""

    surfaces: Told[dict[Surface, SurfaceCount]]
    citation_count: Told[int]
    citations_available: Told[bool]
    citations: Sometimes[list[Citation]] = Field(None, description="None where the key's tier does not include them.")
    disclaimer: Told[str]


class ClauseList(Listed):
    """Clauses, best match first."""

    data: Told[list[FoundClause]]


class Rewritten(Record):
    """A sentence before and after."""

    before: Told[str]
    after: Told[str]
    surface: Told[Surface | None] = Field(description="Null where the sentence is no finding.")


class Cause(Record):
    """A finding that makes a change, and what of the platform it moved."""

    finding: str | None = None
    rule: Told[str]
    surface: Told[Surface]
    kind: Told[str] = Field(description="`added`, `removed` or `rewritten`.")
    before: str | None = Field(None, description="Id of the finding before.")
    after: str | None = Field(None, description="Id of the finding after.")
    effect: Polarity | None = None
    direction: Told[Direction]
    moved: Told[list[str]]


class Change(Record):
    """What a review found different (specification section 2.5 leaves the fields open)."""

    id: Told[str] = Field(description="Identifier of the change.")
    platform: Told[str] = Field(
        validation_alias=AliasChoices("platform", "platform_id", "slug"),
        description="Slug: identifier of the platform.",
    )
    name: Told[str] = Field(description="Display name of the platform.")
    document: Told[str] = Field(description="Name of the document.")
    reviewed_at: Told[Time] = Field(
        validation_alias=AliasChoices("reviewed_at", "date", "changed_at", "detected_at"),
        description="Time of the capture that showed the change: ISO 8601, UTC.",
    )
    change_class: Annotated[Told[KindOfChange], Field(alias="class")] = Field(
        validation_alias=AliasChoices("class", "change_class"),
        description="material, wording, format, revert, capture_failure or technical.",
    )
    surfaces: Told[list[Surface]] = Field(description="Surfaces that moved, the weightiest first.")
    direction: Told[Direction] = Field(
        description="up, down, mixed (up and down), unclear (both texts must be read) or none: what the change does to the "
        "risk on the whole."
    )
    directions: Told[dict[Surface, str]] = Field(
        description="Surface -> `up`, `down`, `mixed`, `unclear` or `none`; the weightiest surface first."
    )
    rating_before: Told[Rating] = Field(
        validation_alias=AliasChoices("rating_before", "previous_rating", AliasPath("before", "rating")),
        description="Rating before.",
    )
    rating_after: Told[Rating] = Field(
        validation_alias=AliasChoices("rating_after", "new_rating", AliasPath("after", "rating")),
        description="Rating after.",
    )
    stance_before: Stance | None = Field(None, description="Stance before; null where a document was not read.")
    stance_after: Stance | None = Field(None, description="Stance after; null where a document was not read.")
    snapshot_before: Told[str] = Field(description="SHA-256 of the text before.")
    snapshot_after: Told[str] = Field(description="SHA-256 of the text after.")
    added: Told[list[Quoted]] = Field(description="Findings that are new or rewritten.")
    removed: Told[list[Quoted]] = Field(description="Findings that are gone or were rewritten.")
    altered: Told[list[Rewritten]] = Field(description="Rewritten sentences, before and after.")
    cause: Told[list[Cause]] = Field(
        description="Findings that make the change, the weightiest first, and what each of them moved."
    )
    summary: Told[str] = Field(description="The change in one line.")
    url: Told[str] = Field(description="Public page of the platform.")


class ChangeList(Listed):
    """Changes, newest first."""

    data: Told[list[Change]]


class TrainingUse(Record):
    """A platform's answer on training use."""

    stance: Stance | None = Field(None, description="Answer on training use; null where no document could be read.")
    consumer_stance: Stance | None = Field(None, description="Answer for consumers.")
    business_stance: Stance | None = Field(None, description="Answer for business users.")
    decided_by: Told[list[str]] = Field(description="Ids of the findings that decided.")


class SurfaceRisk(SurfaceCount):
    """What a platform's documents say on one surface, and why it has its level."""

    explanation: Told[str]
    state: Told[SurfaceState] = Field(
        description="found; to_read (no answer, and clauses that a person must read); quiet (all documents read, nothing "
        "found) or unread (nothing found, and a document is in a language that is not read)."
    )
    to_read: Told[int] = Field(description="Clauses that a person must read, where the state is to_read.")


class SurfaceLevel(SurfaceRisk):
    """A surface, and the findings that decided its level."""

    decided_by: Told[list[str]] = Field(description="Ids of the findings that decided the level.")


class Document(Record):
    """A document as it was read."""

    document: Told[str] = Field(description="Name of the document.")
    captured_at: Told[Time] = Field(description="Time of the text that was read: ISO 8601, UTC.")
    newest_capture_at: Told[Time] = Field(
        validation_alias=AliasChoices("newest_capture_at", "captured_at"),
        description="Time of the newest capture, good or broken: ISO 8601, UTC.",
    )
    snapshot_sha256: Told[str] = Field(description="SHA-256 of the text that was read.")
    archive_url: Told[str] = Field(description="Public copy of the document.")
    state: Told[DocumentState] = Field(description="good, stale, broken or not_a_policy.")
    check: Told[str] = Field(description="Name of the check of the newest capture that decided.")
    document_url: str | None = Field(None, description="Vendor's page that was captured; null where it is not known.")
    language: str | None = Field(None, description="ISO 639-1 code of the text; null where no text is good.")
    read: Told[bool] = Field(description="Whether the text is good and in a language that is read.")


class QuietSurface(Record):
    """A surface on which all documents were read and nothing was found."""

    surface: Told[Surface]
    snapshots: Told[list[str]] = Field(description="SHA-256 of the documents that were read.")


class PlatformHead(Record):
    """A platform and its rating."""

    slug: Told[str] = Field(validation_alias=AliasChoices("slug", "id"), description="Identifier of the platform.")
    name: Told[str] = Field(description="Display name of the platform.")
    website: str | None = None
    rating: Told[Rating] = Field(description="HIGH, MED, LOW, or UNRATED where nothing could be read.")
    risk_reason: Told[str]
    last_reviewed: Told[str]
    verification_status: Told[Verification] = Field(description="verified, partial, stale or unverified.")
    training_use: Told[TrainingUse]


class MachinePlatform(PlatformHead, Dated):
    """One platform for agents (specification section 2.4), as JSON-LD."""

    context: Annotated[Told[dict[str, Any]], Field(alias="@context")]
    kind: Annotated[Told[str | list[str]], Field(alias="@type")]
    iri: Annotated[Told[str], Field(alias="@id")]
    url: Told[str]
    citation_count: Told[int]
    surfaces: Told[dict[Surface, SurfaceLevel]] = Field(validation_alias=AliasChoices("surfaces", "surface_counts"))
    rules: Told[list[str]]
    documents: Told[list[Document]]
    findings: Told[list[Finding]] = Field(validation_alias=AliasChoices("findings", "citations"))
    leads: Told[list[Lead]] = Field(
        description="Clauses worth reading that are not sure enough to be findings, the surest first; never counted."
    )
    searched_without_result: Told[list[QuietSurface]]
    review: Told[dict[str, Any]] = Field(description="The rating as a schema.org Review.")
    disclaimer: Told[str]


class Coverage(Record):
    """Counts of tracked and verified platforms (specification section 4.2), and what reads the texts."""

    tracked: Told[int] = Field(
        validation_alias=AliasChoices("tracked", "tracked_platforms"), description="Platforms that are tracked."
    )
    verified: Told[int] = Field(
        validation_alias=AliasChoices("verified", "verified_platforms"),
        description="Of them, those whose documents were all read.",
    )
    partial: Told[int] = Field(description="Of them, those with a document that is no policy or not readable.")
    stale: Told[int] = Field(description="Of them, those with a broken newest capture.")
    unverified: Told[int] = Field(description="Of them, those not read.")
    surfaces: Told[dict[Surface, int]] = Field(description="Surface -> number of platforms with a finding.")
    extraction: Told[Extraction]
    as_of: Sometimes[Time | None] = Field(
        None, validation_alias=AliasChoices("as_of", "date"), description="Day that the counts speak of: YYYY-MM-DD."
    )
    unfinished: Told[bool] = Field(
        description="Whether an ingest was cut off, or goes on: platforms that it has not read are `unverified`."
    )
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

    object: Annotated[Told[str], Field(json_schema_extra={"const": "answer"})]
    question: Told[str]
    platform: str | None = Field(None, description="Slug.")
    answer: Told[str]
    refused: Told[bool]
    reason: Annotated[str | None, Field(json_schema_extra={"enum": [*REFUSALS, None]})] = None
    citations: Told[list[Cited]]
    searched: Told[Looked]
    disclaimer: Told[str]


class Review(Record):
    """A correction: the review of a platform, run again on request."""

    object: Annotated[Told[str], Field(json_schema_extra={"const": "review"})]
    id: Told[str]
    platform: Told[str] = Field(description="Slug.")
    state: Annotated[Told[str], Field(json_schema_extra={"enum": ["queued", "running", "done", "failed"]})]
    requested_at: Told[str]
    finished_at: str | None = None
    outcome: Told[dict[str, Any]] = Field(
        description="Of a finished one: `findings` (`added`, `removed`, `kept`), `rating_before`, `rating_after`, "
        "`reread`; or `reason`."
    )
    url: Told[str]
    disclaimer: Told[str]


class Health(Record):
    """Whether the service can be used, and what does not work."""

    status: Annotated[Told[str], Field(json_schema_extra={"enum": ["ok", "degraded"]})]
    newest_capture: str | None = None
    faults: Told[list[str]]


class ProblemDocument(Record):
    """What was wrong with a request, and what to do (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
