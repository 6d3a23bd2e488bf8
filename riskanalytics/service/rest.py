"""The keyed endpoints under `/api/v1` (specification sections 2.1 to 2.3, 4.1 and 5)."""

from __future__ import annotations

from datetime import date
from typing import Final

from fastapi import APIRouter, FastAPI, Request, Response

from riskanalytics.models import CHANGE_CLASSES, DISCLAIMER, PlatformDetail
from riskanalytics.service.description import ChangeList, PlatformList, answers
from riskanalytics.service.gate import VARY
from riskanalytics.service.problems import Problem, unknown_platform
from riskanalytics.service.store.records import Json
from riskanalytics.service.store.search import search_names
from riskanalytics.service.wire import Query, Service, described

_CITED: Final = ("pro", "enterprise")
_PRIVATE: Final = {"Cache-Control": "private, no-cache"}
"""No shared cache keeps what one subscriber was given (RFC 9111 section 5.2.2.7)."""
_SECURITY: Final[list[dict[str, list[str]]]] = [{"bearer": []}, {"key": []}]


def mount(app: FastAPI, service: Service) -> None:
    """Add the keyed endpoints to an application.

    Parameters
    ----------
    app : FastAPI
    service : Service
    """
    router = APIRouter(prefix="/api/v1", tags=["keyed"])

    @router.get("/platforms", openapi_extra=_described("limit", "offset", "as_of"), responses=answers(PlatformList))
    def platforms(request: Request) -> Response:
        """List the platforms with their current rating, by slug."""
        query = Query(request, "limit", "offset", "as_of")
        (limit, offset), as_of = query.page(), query.day("as_of")

        def build() -> Json:
            rows = service.store.platforms(limit=limit, offset=offset, as_of=as_of)
            data = [service.listed(row) for row in rows]
            return service.envelope(data, service.store.count(as_of), (limit, offset), as_of)

        return service.reply(request, build, vary=VARY, headers=_PRIVATE)

    @router.get(
        "/platforms/{id}",
        openapi_extra=_described("as_of"),
        responses=answers(PlatformDetail, status_404={"description": "Unknown"}),
    )
    def platform(request: Request, id: str) -> Response:  # noqa: A002 (the specification's name)
        """Show one platform: rating, reason, counts by surface; citations on Pro."""
        tier = request.state.tier
        as_of = Query(request, "as_of").day("as_of")

        form = "cited" if tier in _CITED else "counted"
        return service.reply(request, lambda: _detail(service, id, as_of, tier), form=form, vary=VARY, headers=_PRIVATE)

    @router.get("/search", openapi_extra=_described("q", "limit", "offset"), responses=answers(PlatformList))
    def search(request: Request) -> Response:
        """Search platforms by name, best match first."""
        query = Query(request, "q", "limit", "offset")
        (limit, offset), wanted = query.page(), query.wanted("q")

        def build() -> Json:
            total, rows = search_names(service.store, wanted, limit=limit, offset=offset)
            return service.envelope([service.listed(row) for row in rows], total, (limit, offset))

        return service.reply(request, build, vary=VARY, headers=_PRIVATE)

    @router.get(
        "/changes",
        openapi_extra=_described("limit", "offset", "since", "until", "class"),
        responses=answers(ChangeList, status_403={"description": "Pro only"}),
    )
    def changes(request: Request) -> Response:
        """List what reviews found different, newest first; Pro only."""
        if request.state.tier not in _CITED:
            raise Problem(403, "Changes need a Pro key.")
        query = Query(request, "limit", "offset", "since", "until", "class")
        limit, offset = query.page()
        change_class = query.text("class")
        if change_class is not None and change_class not in CHANGE_CLASSES:
            raise Problem(400, f"class is one of {', '.join(CHANGE_CLASSES)}.")
        since, until, classes = query.day("since"), query.day("until"), (change_class,) if change_class else ()

        def build() -> Json:
            total, rows = service.store.changes(limit=limit, offset=offset, since=since, until=until, classes=classes)
            return service.envelope([_change(service, row) for row in rows], total, (limit, offset))

        return service.reply(request, build, vary=VARY, headers=_PRIVATE)

    app.include_router(router)


def _described(*names: str) -> Json:
    """Return the OpenAPI description of a keyed route."""
    return described(*names) | {"security": _SECURITY}


def _detail(service: Service, slug: str, as_of: date | None, tier: str) -> Json:
    """Return a platform's detail (specification section 2.3)."""
    state = service.store.platform(slug, as_of)
    if state is None:
        raise unknown_platform()
    from_list = ("id", "name", "website", "rating", "risk_reason", "last_reviewed", "verification")
    record = service.listed({name: state[name] for name in from_list})
    record["surfaces"] = {
        name: {"count": surface["count"], "risk": surface["risk"]} for name, surface in state["surfaces"].items()
    }
    record["citation_count"] = state["citation_count"]
    record["citations_available"] = tier in _CITED
    if tier in _CITED:
        record["citations"] = [_citation(service.resolved(finding)) for finding in service.store.findings(state)]
    echo = {} if as_of is None else {"as_of": as_of.isoformat()}
    return echo | record | {"disclaimer": DISCLAIMER}


def _change(service: Service, row: Json) -> Json:
    """Return a change with its addresses."""
    resolved = {side: [service.resolved(finding) for finding in row[side]] for side in ("added", "removed")}
    return row | resolved | {"url": service.address(row["platform"])}


def _citation(finding: Json) -> Json:
    """Return a finding as the keyed API shows it."""
    source = finding["provenance"]
    return {
        "quote": finding["quote"],
        "surface": finding["surface"],
        "risk": finding["risk"],
        "source": {
            "document": source["document"],
            "url": source["archive_url"],
            "snapshot_sha256": source["snapshot_sha256"],
            "start": source["start"],
            "end": source["end"],
        },
    }
