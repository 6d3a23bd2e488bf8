"""The keyed endpoints under `/api/v1` (specification sections 2.1 to 2.3, 4.1 and 5)."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from riskanalytics.models import DISCLAIMER, PlatformDetail
from riskanalytics.models.records import ChangeList, PlatformList
from riskanalytics.service.door.gate import VARY
from riskanalytics.service.door.problems import Problem, unknown_platform
from riskanalytics.service.store.records import Json, lead_in_of
from riskanalytics.service.store.search import search_names
from riskanalytics.service.wire.asked import ChangeQuery, Dated, DatedPage, NameQuery, each_once
from riskanalytics.service.wire.description import UNKNOWN, answers
from riskanalytics.service.wire.service import Sent, Service, TheService, echo, is_cited

_PRIVATE: Final = Sent(vary=VARY, headers={"Cache-Control": "private, no-cache"})
"""No shared cache keeps what one subscriber was given (RFC 9111 section 5.2.2.7)."""


Cited = Annotated[bool, Depends(is_cited)]


async def _pro_only(cited: Cited) -> None:
    """Refuse other tiers."""
    if not cited:
        raise Problem(403, "Changes need a Pro key.")


router = APIRouter(prefix="/api/v1", tags=["keyed"], dependencies=[Depends(each_once)])


@router.get("/platforms", responses=answers(PlatformList))
def platforms(request: Request, service: TheService, asked: Annotated[DatedPage, Query()]) -> Response:
    """List the platforms with their current rating, by slug."""

    def build() -> bytes:
        rows = service.store.each_platform(limit=asked.limit, offset=asked.offset, as_of=asked.as_of)
        return service.envelope(map(service.listed, rows), service.store.count(asked.as_of), asked)

    return service.reply(request, build, _PRIVATE)


@router.get("/platforms/{id}", responses=answers(PlatformDetail) | UNKNOWN)
def platform(
    request: Request,
    service: TheService,
    cited: Cited,
    slug: Annotated[str, Path(alias="id")],
    asked: Annotated[Dated, Query()],
) -> Response:
    """Show one platform: rating, reason, counts by surface; citations on Pro."""
    return service.reply(request, lambda: _detail(service, slug, asked, cited=cited), _PRIVATE)


@router.get("/search", responses=answers(PlatformList))
def search(request: Request, service: TheService, asked: Annotated[NameQuery, Query()]) -> Response:
    """Search platforms by name, best match first."""

    def build() -> bytes:
        total, rows = search_names(service.store, asked.q, limit=asked.limit, offset=asked.offset)
        return service.envelope(map(service.listed, rows), total, asked)

    return service.reply(request, build, _PRIVATE)


@router.get(
    "/changes",
    dependencies=[Depends(_pro_only)],
    responses=answers(ChangeList) | {403: {"description": "Pro only"}},
)
def changes(request: Request, service: TheService, asked: Annotated[ChangeQuery, Query()]) -> Response:
    """List what reviews found different, newest first; Pro only."""

    def build() -> bytes:
        total, rows = service.store.changes(
            limit=asked.limit,
            offset=asked.offset,
            since=asked.since,
            until=asked.until,
            classes=(asked.change_class,) if asked.change_class else (),
        )
        return service.envelope((_change(service, row) for row in rows), total, asked)

    return service.reply(request, build, _PRIVATE)


def _detail(service: Service, slug: str, asked: Dated, *, cited: bool) -> Json:
    """Return a platform's detail (specification section 2.3)."""
    state = service.store.platform(slug, asked.as_of)
    if state is None:
        raise unknown_platform()
    from_list = ("id", "name", "website", "rating", "risk_reason", "last_reviewed", "verification")
    record = service.listed({name: state[name] for name in from_list})
    record["surfaces"] = {
        name: {"count": surface["count"], "risk": surface["risk"]} for name, surface in state["surfaces"].items()
    }
    record["citation_count"] = state["citation_count"]
    record["citations_available"] = cited
    if cited:
        record["citations"] = [_citation(service, *cited) for cited in service.store.citations(state)]
    return echo(asked) | record | {"disclaimer": DISCLAIMER}


def _change(service: Service, row: Json) -> Json:
    """Return a change with its addresses."""
    resolved = {side: [service.resolved(finding) for finding in row[side]] for side in ("added", "removed")}
    return row | resolved | {"url": service.address(row["platform"])}


def _citation(service: Service, document: Json, clause: Json) -> Json:
    """Return a finding as the keyed API shows it."""
    sha256 = document["snapshot_sha256"]
    return {
        **{name: clause[name] for name in ("quote", "surface", "risk")},
        "lead_in": lead_in_of(clause),
        "source": {
            "document": document["document"],
            "url": document["archive_url"] or service.snapshot_address(sha256),
            "snapshot_sha256": sha256,
            **{name: clause[name] for name in ("start", "end")},
        },
    }
