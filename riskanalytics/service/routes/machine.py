"""The open endpoints for agents and readers (specification section 4.2, the reading ones)."""

from __future__ import annotations

import re
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Query, Request, Response

from riskanalytics.extraction import FINDING_FROM, RULES_VERSION, accuracy, published_formula
from riskanalytics.models import DISCLAIMER, Coverage
from riskanalytics.models.records import ClauseList, MachinePlatform, SurfaceLevel
from riskanalytics.service.door.problems import Problem, unknown_platform
from riskanalytics.service.routes.jsonld import CONTEXT
from riskanalytics.service.store.readings import leads
from riskanalytics.service.store.records import UNFINISHED, Json
from riskanalytics.service.store.search import search_clauses
from riskanalytics.service.store.state import quiet_surfaces, training_use
from riskanalytics.service.wire.asked import ClauseQuery, Dated, each_once, no_query
from riskanalytics.service.wire.description import UNKNOWN, answers, text_of
from riskanalytics.service.wire.service import Sent, Service, TheService, answer, echo

_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_ORDINAL: Final = {"LOW": 1, "MED": 2, "HIGH": 3}


router = APIRouter(tags=["open"], dependencies=[Depends(each_once)])
archive = APIRouter(tags=["open"], dependencies=[Depends(each_once), Depends(no_query)])


@router.get("/api/machine/platform/{slug}", responses=answers(MachinePlatform) | UNKNOWN)
def platform(request: Request, service: TheService, slug: str, asked: Annotated[Dated, Query()]) -> Response:
    """Show one platform with all findings and their provenance, as JSON-LD."""

    def build() -> Json:
        state = service.store.platform(slug, asked.as_of)
        if state is None:
            raise unknown_platform()
        return machine_platform(service, state) | echo(asked)

    return service.reply(request, build)


@router.get("/api/machine/search", responses=answers(ClauseList))
def search(request: Request, service: TheService, asked: Annotated[ClauseQuery, Query()]) -> Response:
    """Search verified clauses, best match first."""

    def build() -> bytes:
        total, rows = search_clauses(
            service.store, asked.q, surface=asked.surface, limit=asked.limit, offset=asked.offset
        )
        data = (service.resolved(row) | {"url": service.address(row["platform"])} for row in rows)
        return service.envelope(data, total, asked)

    return service.reply(request, build)


@router.get("/api/coverage", responses=answers(Coverage))
def coverage(request: Request, service: TheService, asked: Annotated[Dated, Query()]) -> Response:
    """Count tracked and verified platforms."""

    def build() -> Json:
        extraction = {
            "version": RULES_VERSION,
            "finding_from": FINDING_FROM,
            "figures": accuracy(),
            "rating": published_formula(),
        }
        newest = (service.store.newest or "")[:10] or None
        return {
            **service.store.coverage(asked.as_of),
            "extraction": extraction,
            "as_of": asked.as_of.isoformat() if asked.as_of else newest,
            "unfinished": service.store.meta(UNFINISHED) is not None,
            "disclaimer": DISCLAIMER,
        }

    return service.reply(request, build)


@archive.get(
    "/archive/{sha256}",
    response_class=Response,
    responses=text_of("text/markdown") | UNKNOWN,
)
def snapshot(request: Request, service: TheService, sha256: str) -> Response:
    """Give a snapshot byte for byte."""
    body = service.store.snapshot(sha256) if _SHA256.fullmatch(sha256) else None
    if body is None:
        raise Problem(404, "No snapshot with this SHA-256 is kept.")
    headers = {"Cache-Control": "public, max-age=31536000, immutable", "Content-Security-Policy": "sandbox"}
    return answer(request, body, Sent("text/markdown; charset=utf-8", headers=headers))


def machine_platform(service: Service, state: Json) -> Json:
    """Return one platform for agents (specification section 2.4), with schema.org JSON-LD.

    Parameters
    ----------
    service : Service
    state : dict
        What `Store.platform` returned.
    """
    documents = [
        document | {"archive_url": document["archive_url"] or service.snapshot_address(document["snapshot_sha256"])}
        for document in state["documents"]
    ]
    hashes = [document["snapshot_sha256"] for document in state["documents"] if document["read"]]
    return {
        "@context": CONTEXT,
        "@type": "SoftwareApplication",
        "@id": service.address(state["id"]),
        "slug": state["id"],
        "name": state["name"],
        "website": state["website"],
        "url": service.address(state["id"]),
        "rating": state["rating"],
        "risk_reason": state["risk_reason"],
        "last_reviewed": state["last_reviewed"],
        "verification_status": state["verification"],
        "citation_count": state["citation_count"],
        "training_use": training_use(state),
        "surfaces": {
            name: {key: surface[key] for key in SurfaceLevel.model_fields}
            for name, surface in state["surfaces"].items()
        },
        "rules": state["rules"],
        "documents": documents,
        "findings": [service.resolved(finding) for finding in service.store.findings(state)],
        "leads": [service.resolved(lead) for lead in leads(service.store, state)],
        "searched_without_result": [{"surface": name, "snapshots": hashes} for name in quiet_surfaces(state) if hashes],
        "review": _review(state),
        "disclaimer": DISCLAIMER,
    }


def _review(state: Json) -> Json:
    """Return the rating as a schema.org Review."""
    rating: Json = {"@type": "Rating", "name": state["rating"], "ratingExplanation": state["risk_reason"]}
    if state["rating"] in _ORDINAL:
        rating |= {"ratingValue": _ORDINAL[state["rating"]], "bestRating": 1, "worstRating": 3}
    return {
        "@type": "Review",
        "reviewAspect": "intellectual-property and privacy risk",
        "datePublished": state["last_reviewed"],
        "reviewRating": rating,
    }
