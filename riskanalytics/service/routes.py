"""Endpoints that read data: those under `/api/v1` need a key; all others, for agents, snapshots, coverage and status, need none.

FastAPI gives the route functions `service` (the database and public address of the service), `query` (the checked query
parameters) and `cited` (whether the tier of the request's key includes citations).
"""

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Path, Query, Request, Response, Security
from fastapi.security import APIKeyHeader, HTTPBearer

from riskanalytics.extraction import FINDING_FROM, RULES_VERSION, accuracy, published_formula
from riskanalytics.models import DISCLAIMER, RATINGS
from riskanalytics.models.records import (
    ChangeList,
    Citation,
    CitationSource,
    ClauseList,
    Coverage,
    Health,
    MachinePlatform,
    PlatformDetail,
    PlatformList,
    ProblemDocument,
    SurfaceCount,
)

from .door.gate import VARY
from .door.problems import Problem
from .store.evidence import dates, leads
from .store.records import UNFINISHED, Json, quiet_surfaces
from .store.search import search_clauses, search_names
from .wire import (
    AS_JSON,
    KEPT_FOR_GOOD,
    UNCHANGED,
    UNSTORED,
    AsOf,
    ChangeQuery,
    ClauseQuery,
    Dated,
    DatedPage,
    NameQuery,
    Page,
    Service,
    TheService,
    answer,
    answers,
    is_cited,
    refusals,
    text_of,
)

_PRIVATE: Final = AS_JSON | {"Cache-Control": "private, no-cache", "Vary": VARY}
"""Keeps responses to a subscriber out of shared caches (RFC 9111 section 5.2.2.7)."""
_SCHEMA: Final = (
    "SoftwareApplication", "Review", "Rating", "name", "review", "reviewAspect", "reviewRating", "ratingValue",
    "bestRating", "worstRating", "ratingExplanation",
)  # fmt: skip
_LISTS: Final = (
    "findings", "leads", "documents", "dates", "searched_without_result", "snapshots", "confidence_interval", "conflicts_with",
    "decided_by", "rules",
)  # fmt: skip
CONTEXT: Final[Json] = {
    "@version": 1.1,
    "@vocab": "urn:riskanalytics:terms:",
    "schema": "https://schema.org/",
    **{name: f"schema:{name}" for name in _SCHEMA},
    **{name: {"@id": f"urn:riskanalytics:terms:{name}", "@container": "@list"} for name in _LISTS},
    "url": {"@id": "schema:url", "@type": "@id"},
    "website": {"@id": "schema:sameAs", "@type": "@id"},
    "slug": "schema:identifier",
    "quote": "schema:text",
    "archive_url": {"@id": "schema:archivedAt", "@type": "@id"},
    "last_reviewed": {"@id": "schema:dateModified", "@type": "schema:Date"},
    "datePublished": {"@id": "schema:datePublished", "@type": "schema:Date"},
    "captured_at": {"@id": "schema:dateCreated", "@type": "schema:DateTime"},
    "disclaimer": "schema:usageInfo",
}
"""JSON-LD context of machine records: expanding and compacting a record loses only its nulls."""

Cited = Annotated[bool, Depends(is_cited)]


async def _pro_only(cited: Cited) -> None:
    """Refuse tiers below Pro."""
    if not cited:
        raise Problem(403, "Changes need a Pro key.")


keyed = APIRouter(
    prefix="/api/v1",
    tags=["keyed"],
    responses=UNCHANGED | refusals({401: "Key missing or invalid"}),
    dependencies=[
        Security(HTTPBearer(scheme_name="bearer", auto_error=False)),
        Security(APIKeyHeader(name="x-api-key", scheme_name="key", auto_error=False)),
    ],
)
router = APIRouter(tags=["open"], responses=UNCHANGED)


@keyed.get("/platforms", responses=answers(PlatformList))
def platforms(request: Request, service: TheService, query: Annotated[DatedPage, Query()]) -> Response:
    """List platforms with their current rating, or that of the day `as_of`, ordered by slug."""

    def build() -> PlatformList:
        rows = service.store.platforms(**query.model_dump())
        return _platform_list(service, rows, service.store.count(query.as_of), query)

    return service.reply(request, build, _PRIVATE)


@keyed.get("/platforms/{id}", responses=answers(PlatformDetail))
def platform(
    request: Request, service: TheService, cited: Cited, slug: Annotated[str, Path(alias="id")], query: AsOf
) -> Response:
    """Return one platform: rating, reason, citation counts per surface; for Pro and Enterprise keys also the citations."""

    def build() -> PlatformDetail:
        state = service.state(slug, query.as_of)
        surfaces = {name: SurfaceCount.part_of(surface) for name, surface in state["surfaces"].items()}
        record = PlatformDetail.part_of(state | query.model_dump(mode="json")) | {
            "url": service.address(slug), "surfaces": surfaces, "citations_available": cited, "disclaimer": DISCLAIMER,
        }  # fmt: skip
        if cited:
            record["citations"] = [_citation(service.resolved(finding)) for finding in service.store.findings(state)]
        return PlatformDetail.model_validate(record)

    return service.reply(request, build, _PRIVATE)


@keyed.get("/search", responses=answers(PlatformList))
def search(request: Request, service: TheService, query: Annotated[NameQuery, Query()]) -> Response:
    """Search platforms by name, best match first."""

    def build() -> PlatformList:
        total, rows = search_names(service.store, query.q, **query.model_dump(exclude={"q"}))
        return _platform_list(service, rows, total, query)

    return service.reply(request, build, _PRIVATE)


@keyed.get("/changes", dependencies=[Depends(_pro_only)], responses=answers(ChangeList))
def changes(request: Request, service: TheService, query: Annotated[ChangeQuery, Query()]) -> Response:
    """List changes found by reviews, newest first; needs a Pro or Enterprise key."""

    def build() -> ChangeList:
        classes = (query.change_class,) if query.change_class else ()
        total, rows = service.store.changes(**query.model_dump(exclude={"change_class"}), classes=classes)
        for row in rows:
            row |= {side: [service.resolved(finding) for finding in row[side]] for side in ("added", "removed")}
            row["url"] = service.address(row["platform"])
        return service.listed(ChangeList, rows, total, query)

    return service.reply(request, build, _PRIVATE)


@router.get("/api/machine/platform/{slug}", responses=answers(MachinePlatform))
def machine(request: Request, service: TheService, slug: str, query: AsOf) -> Response:
    """Return one platform with all findings and their provenance, as JSON-LD."""
    return service.reply(request, lambda: machine_platform(service, slug, query))


@router.get("/api/machine/search", responses=answers(ClauseList))
def clauses(request: Request, service: TheService, query: Annotated[ClauseQuery, Query()]) -> Response:
    """Search verified clauses, best match first."""

    def build() -> ClauseList:
        total, rows = search_clauses(service.store, query.q, **query.model_dump(exclude={"q"}))
        data = (service.resolved(row) | {"url": service.address(row["platform"])} for row in rows)
        return service.listed(ClauseList, data, total, query)

    return service.reply(request, build)


@router.get("/api/coverage", responses=answers(Coverage))
def coverage(request: Request, service: TheService, query: AsOf) -> Response:
    """Count the platforms of each verification status and those with findings on each surface; report how accurate findings are."""

    def build() -> Coverage:
        extraction = {"version": RULES_VERSION, "finding_from": FINDING_FROM, "figures": accuracy()}
        record = {
            **service.store.coverage(query.as_of),
            "extraction": extraction | {"rating": published_formula()},
            "as_of": query.as_of.isoformat() if query.as_of else (service.store.newest or "")[:10] or None,
            "unfinished": service.store.meta(UNFINISHED) is not None,
            "disclaimer": DISCLAIMER,
        }
        return Coverage.model_validate(record)

    return service.reply(request, build)


@router.get("/archive/{sha256}", response_class=Response, responses=text_of("text/markdown"))
def snapshot(request: Request, service: TheService, sha256: str) -> Response:
    """Return the text of a snapshot, byte for byte."""
    body = service.store.snapshot(sha256)
    if body is None:
        raise Problem(404, "No snapshot with this SHA-256 is stored.")
    headers = {
        "Content-Type": "text/markdown; charset=utf-8",
        "Cache-Control": KEPT_FOR_GOOD,
        "Content-Security-Policy": "sandbox",
    }
    return answer(request, body, headers)


@router.get("/health", responses=answers(Health))
def health(request: Request, service: TheService) -> Response:
    """Report whether the service works: `ok` or `degraded`, the time of the newest capture, and the present faults."""
    state = request.app.state
    faults = {
        "rate limits are not enforced: the key file cannot be written": state.limiter.trouble,
        "corrections and subscriptions must wait: the key file cannot be written": state.access.trouble,
        "an ingest is running, or was interrupted and must be repeated: platforms it has not read are unverified": (
            service.store.meta(UNFINISHED) is not None
        ),
    }
    found = [words for words, is_so in faults.items() if is_so]
    record = Health(status="degraded" if found else "ok", newest_capture=service.store.newest, faults=found)
    return answer(request, record, UNSTORED)


@router.get("/openapi.json", include_in_schema=False)
def openapi(request: Request) -> Response:
    """Describe the service (OpenAPI 3.1)."""
    document = request.app.openapi()
    document["components"]["schemas"]["Problem"] = ProblemDocument.model_json_schema(mode="serialization")
    return answer(request, document)


def machine_platform(service: Service, slug: str, query: Dated) -> MachinePlatform:
    """Return the machine-readable record of a platform (specification section 2.4), which includes schema.org JSON-LD.

    Parameters
    ----------
    service : Service
        Database and public address of the service.
    slug : str
        Slug of the platform.
    query : Dated
        Its `as_of` selects the state at the end of that day; without it, the newest state.

    Raises
    ------
    Problem
        404 if the platform is not tracked.
    """
    state = service.state(slug, query.as_of)
    documents = [
        document | {"archive_url": service.archived(document["snapshot_sha256"], document["archive_url"])}
        for document in state["documents"]
    ]
    hashes = [document["snapshot_sha256"] for document in documents if document["read"]]
    rating: Json = {"@type": "Rating", "name": state["rating"], "ratingExplanation": state["risk_reason"]}
    if state["rating"] in RATINGS:
        rating |= {"ratingValue": RATINGS.index(state["rating"]) + 1, "bestRating": 1, "worstRating": len(RATINGS)}
    record = {
        **MachinePlatform.part_of(state),
        **query.model_dump(mode="json"),
        **service.head(state),
        "@context": CONTEXT,
        "@type": "SoftwareApplication",
        "@id": service.address(slug),
        "documents": documents,
        "findings": [service.resolved(finding) for finding in service.store.findings(state)],
        "leads": [service.resolved(lead) for lead in leads(service.store, state)],
        "dates": [service.resolved(one) for one in dates(service.store, state)],
        "searched_without_result": [{"surface": name, "snapshots": hashes} for name in quiet_surfaces(state) if hashes],
        "review": {
            "@type": "Review",
            "reviewAspect": "intellectual-property and privacy risk",
            "datePublished": state["last_reviewed"],
            "reviewRating": rating,
        },
        "disclaimer": DISCLAIMER,
    }
    return MachinePlatform.model_validate(record)


def _platform_list(service: Service, rows: list[Json], total: int, query: Page) -> PlatformList:
    """Return platforms as a list response."""
    return service.listed(PlatformList, (row | {"url": service.address(row["id"])} for row in rows), total, query)


def _citation(finding: Json) -> Json:
    """Return a finding as the keyed API shows it."""
    source = finding["provenance"]
    return Citation.part_of(finding) | {"source": CitationSource.part_of(source) | {"url": source["archive_url"]}}
