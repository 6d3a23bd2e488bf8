"""Records that the service sends as JSON (specification section 2), with each field declared once.

The OpenAPI description, the tool server's results and the check of other servers' answers are derived from these declarations. All
records are frozen, keep unknown fields, and accept unknown values, so that identifiers that a later service
adds, such as a new rating or surface, are kept unchanged.
"""

from typing import Any, Final, Literal

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
from .parts import Cited, Extraction, Finding, FoundClause, Lead, LeadIn, Provenance, Quoted, StatedDate


class Dated(Record):
    """An answer that repeats the requested day as `as_of`; without a requested day, `as_of` is absent."""

    as_of: Sometimes[str]


class Listed(Dated):
    """Base class of an answer that is one page of a list, whose items are in `data` (specification section 2.1)."""

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
    risk_reason: str = means("Reason; begins with the rating and the number of citations.")
    last_reviewed: Time = means("Day of the newest capture reviewed.")
    url: str = means("Public page of the platform.")
    verification: Verification = means("verified, partial, stale or unverified.", "verification", "verification_status")


class PlatformList(Listed):
    """A page of a list of platforms."""

    data: list[Platform]


class SurfaceCount(Record):
    """The number of findings on one surface of a platform, and the level of the surface."""

    count: int = means("Findings.")
    risk: Maybe[Level] = means("Its level; null if nothing was found.")


class CitationSource(Record):
    """The place of a cited quote: document, address, hash of the snapshot, and offsets."""

    document: str
    url: str
    snapshot_sha256: str
    start: int
    end: int


class Citation(Record):
    """A finding as the service sends it to callers with a key: quote, surface, level and place (specification section 2.3)."""

    quote: str
    lead_in: Maybe[LeadIn] = means("The words that the clause continues, to be quoted before it.")
    surface: Surface
    risk: Level
    source: CitationSource


class PlatformDetail(Platform, Dated):
    """One platform with its surfaces and, if the key's tier includes them, its citations (specification section 2.3)."""

    surfaces: dict[Surface, SurfaceCount]
    citation_count: int
    citations_available: bool
    citations: Sometimes[list[Citation]] = means("Absent if the key's tier does not include them.")
    disclaimer: str


class ClauseList(Listed):
    """A page of the findings that match a search, best match first."""

    data: list[FoundClause]


class Rewritten(Record):
    """A sentence before and after a change."""

    before: str
    after: str
    surface: Maybe[Surface] = means("Null if it is not a finding.")


class Cause(Record):
    """A finding that was added, removed or rewritten in a change, and its effect on the platform's rating, stance and levels."""

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
    """A difference between two captures of a document (specification section 2.5, which does not prescribe the fields)."""

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
    direction: Direction = means("Effect on the risk: up, down, mixed, unclear (read both texts) or none.")
    directions: dict[Surface, str] = means("Surface -> its direction; the weightiest first.")
    rating_before: Rating = means("Rating before.", "rating_before", "previous_rating", "before.rating")
    rating_after: Rating = means("Rating after.", "rating_after", "new_rating", "after.rating")
    stance_before: Maybe[Stance] = means("Stance before; null if not known.")
    stance_after: Maybe[Stance] = means("Stance after.")
    snapshot_before: str = means("SHA-256 of the text before.")
    snapshot_after: str = means("SHA-256 of the text after.")
    added: list[Quoted] = means("New or rewritten findings.")
    removed: list[Quoted] = means("Removed or rewritten findings.")
    altered: list[Rewritten] = means("Rewritten sentences.")
    cause: list[Cause] = means("Findings that changed, the weightiest first.")
    silent_edit: Maybe[bool] = means("Whether the stated date of the last update did not move; null if not known.")
    summary: str = means("The change in one line.")
    url: str = means("Public page of the platform.")


class ChangeList(Listed):
    """A page of a list of changes, newest first."""

    data: list[Change]


class TrainingUse(Record):
    """A platform's stance on training use."""

    stance: Maybe[Stance] = means("Stance on training use; null if nothing was read.")
    consumer_stance: Maybe[Stance] = means("Stance for consumers.")
    business_stance: Maybe[Stance] = means("Stance for business users.")
    decided_by: list[str] = means("Ids of the findings that decided.")


class SurfaceRisk(SurfaceCount):
    """The number of findings on one surface of a platform, and the level of the surface with its reason."""

    explanation: str
    state: SurfaceState = means(
        "found, to_read (clauses that a person must read), quiet (all read, no clause found) or "
        "unread (no clause found, and a document is in a language that is not read)."
    )
    to_read: int = means("Clauses that a person must read.")


class SurfaceLevel(SurfaceRisk):
    """The level of one surface of a platform, with its reason and the findings that decided it."""

    decided_by: list[str] = means("Ids of the findings that decided.")
    read_by: Sometimes[str] = means("On training_use: readers (language models) whose answers decided the stance.")


class Document(Record):
    """A document with the state of its newest capture."""

    document: str = means("Name of the document.")
    captured_at: Time = means("Capture of the text read: ISO 8601, UTC.")
    newest_capture_at: Time = means("Newest capture, good or broken.", "newest_capture_at", "captured_at")
    snapshot_sha256: str = means("SHA-256 of the text read.")
    archive_url: str = means("Public copy of the document.")
    state: DocumentState = means("good, stale, broken or not_a_policy.")
    check: str = means("Check of the newest capture that decided.")
    document_url: Maybe[str] = means("The vendor's page that was captured.")
    language: Maybe[str] = means("ISO 639-1 code; null without a good text.")
    read: bool = means("Whether the text is good and its language is read.")


class QuietSurface(Record):
    """A surface on which no clause was found, although all documents of the platform were read."""

    surface: Surface
    snapshots: list[str] = means("SHA-256 of the texts that were read.")


class PlatformHead(Record):
    """A platform with its rating and its stance on training use."""

    slug: str = means("Slug of the platform.", "slug", "id")
    name: str = means("Name of the platform.")
    website: Maybe[str]
    rating: Rating = means("HIGH, MED, LOW or UNRATED (nothing could be read).")
    risk_reason: str
    last_reviewed: str
    verification_status: Verification = means("verified, partial, stale or unverified.")
    training_use: TrainingUse


class MachinePlatform(PlatformHead, Dated):
    """All data of one platform, for software agents: JSON-LD (specification section 2.4)."""

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
    dates: list[StatedDate] = means("Dates and periods that the documents state.")
    searched_without_result: list[QuietSurface]
    review: dict[str, Any] = means("The rating, as in schema.org.")
    disclaimer: str


ROUTES: Final = ("consumer", "business", "api")
"""Ways to use a platform: with a personal account, with a contract of an organisation, through the API."""

YES, NO, OPT_IN, ON_REQUEST, PARTLY = "yes", "no", "not_by_default", "on_request", "partly"
"""Values of facts (see `PostureFact`)."""


class PostureFact(Record):
    """A fact with the clause that states it.

    If no clause states the fact, the value is `undetermined` and all other fields are missing.

    `partly`: the clause states the fact for some users, content, models, features or products only, or with an exception.
    """

    value: str = means(
        "yes, partly, no, not_by_default, on_request, undetermined; of `retention`, an ISO 8601 duration."
    )
    days: Sometimes[float] = means("Of `retention`: the period in days, if the clause gives hours, days or weeks.")
    finding: Sometimes[str] = means("Identifier of the finding.")
    quote: Sometimes[str] = means("The clause, verbatim: untrusted text.")
    lead_in: Sometimes[LeadIn] = means("The words that the clause continues, to be quoted before it.")
    provenance: Sometimes[Provenance] = means("Place of the quote.")


class PostureRoute(Record):
    """The facts on one way to use a platform (`route`); if `product` is given, the facts on that product only."""

    route: str = Field(json_schema_extra={"enum": [*ROUTES]})
    product: Maybe[str] = means("Product to which the clauses are limited; null for the platform as a whole.")
    trains: PostureFact = means("Whether the vendor trains models with users' content; `yes` also with an opt-out.")
    opt_out: PostureFact = means("Whether users can opt out of training.")
    retention: PostureFact = means("How long the vendor keeps users' content after it was submitted.")
    zero_retention: PostureFact = means("Whether users' content is not kept: always (`yes`) or `on_request`.")
    human_review: PostureFact = means("Whether people may read users' content, if only for named purposes.")
    subprocessor_training: PostureFact = means("Whether other companies may train their models with users' content.")


FACTS: Final = tuple(name for name, field in PostureRoute.model_fields.items() if field.annotation is PostureFact)
"""Names of the six facts, in order."""


class PlatformPosture(Record):
    """A platform with its facts by route."""

    platform: str = means("Slug.")
    name: str
    routes: list[PostureRoute] = means("Three routes; a route occurs again for each product with a fact of its own.")


POSTURE_VERSION: Final = "1"
"""Version of the posture feed; it changes if a field is removed or changes its meaning."""


class Posture(Listed):
    """A page of the posture feed: what platforms do with users' content, by route, each fact with the clause that states it."""

    schema_version: Literal["1"] = Field(POSTURE_VERSION, alias="schema", description="Version of this format.")
    data: list[PlatformPosture]


class Coverage(Record):
    """Counts of tracked and verified platforms (specification section 4.2), and the version and accuracy of the extraction."""

    tracked: int = means("Tracked platforms.", "tracked", "tracked_platforms")
    verified: int = means("Platforms with all documents read.", "verified", "verified_platforms")
    partial: int = means("Platforms with a document that is not a policy or cannot be read.")
    stale: int = means("Platforms with a broken newest capture.")
    unverified: int = means("Platforms that were not read.")
    surfaces: dict[Surface, int] = means("Surface -> number of platforms with a finding.")
    extraction: Extraction
    as_of: Sometimes[Time | None] = means("Day of the counts: YYYY-MM-DD.", "as_of", "date")
    unfinished: bool = means("Whether an ingest is running or was interrupted; remaining platforms are `unverified`.")
    disclaimer: str


class Silence(Record):
    """A platform and a surface on which it has no clause."""

    platform: str
    surface: Surface


class Looked(Record):
    """What was searched to answer a question: platforms, surfaces, words, number of findings; and where nothing was found."""

    platforms: list[str]
    surfaces: list[Surface]
    words: list[str]
    findings: int
    without_result: list[Silence]


class Answer(Record):
    """An answer to a question, or a refusal with its reason."""

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
    """A new review of a platform that a user requested as a correction, with its state and, when finished, its outcome."""

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
    """Whether the service is usable, and which parts fail."""

    status: str = Field(json_schema_extra={"enum": ["ok", "degraded"]})
    newest_capture: Maybe[str]
    faults: list[str]


class ProblemDocument(Record):
    """What is wrong with a request, and what to do (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
