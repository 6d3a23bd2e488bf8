"""The compliance report for download: a redirect to an address that holds the hash of the PDF (specification 4.2)."""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Callable, Hashable
from datetime import date
from typing import Annotated, Final, NamedTuple

from anyio import CapacityLimiter, to_thread
from cachetools import LRUCache
from fastapi import APIRouter, Depends, Query, Request, Response

from riskanalytics.errors import MissingExtraError, ReportError
from riskanalytics.service.compliance.report import draft
from riskanalytics.service.door.problems import Problem, unknown_platform
from riskanalytics.service.wire import Dated, Responses, Sent, Service, TheService, answer, each_once

MOST_KEPT: Final = 32 * 1024 * 1024
"""Bytes of recent reports that one process keeps."""
MOST_WAITING: Final = 8
"""Exports and questions that may wait when one more export is asked for."""
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_REFUSED: Final[Responses] = {
    404: {"description": "Unknown platform, or no report of it has this hash any more"},
    501: {"description": "The service runs without typst"},
    503: {"description": "Too many reports are being made, or this one takes too long"},
}
_REDIRECT: Final[Responses] = {
    303: {"description": "The report's address", "headers": {"Location": {"schema": {"type": "string"}}}}
}
_PDF: Final = {"application/pdf": {"schema": {"type": "string", "format": "binary"}}}


class Report(NamedTuple):
    """A report that was made, and the date of its data."""

    body: bytes
    sha256: str
    day: str


class Reports:
    """Recent reports of one process.

    Parameters
    ----------
    limiter : CapacityLimiter
        Of all that takes long.
    most : int
        Bytes that are kept.
    """

    def __init__(self, limiter: CapacityLimiter, most: int = MOST_KEPT) -> None:
        self._limiter = limiter
        self._kept: LRUCache[Hashable, Report] = LRUCache(most, lambda report: len(report.body))

    async def get(self, key: Hashable, make: Callable[[], Report]) -> Report:
        """Return a report, made only if it is not kept.

        Parameters
        ----------
        key : hashable
            What the report depends on.
        make : callable

        Raises
        ------
        Problem
            503 if too many requests wait already; nothing is done for this one then.
        """
        if (report := self._kept.get(key)) is not None:
            return report
        if self._limiter.statistics().tasks_waiting >= MOST_WAITING:
            raise Problem(503, "Too many reports are being made: try again in a few seconds.", {"Retry-After": "5"})
        async with self._limiter:
            if (report := self._kept.get(key)) is None:  # else it was made while this request waited
                report = await to_thread.run_sync(make)
                with contextlib.suppress(ValueError):  # one that is larger than all the room is not kept
                    self._kept[key] = report
        return report


async def _made(request: Request, service: TheService, slug: str, asked: Annotated[Dated, Query()]) -> Report:
    """Return the report that is asked for."""
    reports: Reports = request.app.state.reports
    key = slug, asked.as_of, await to_thread.run_sync(service.store.version)
    return await reports.get(key, lambda: _report(service, slug, asked.as_of))


async def _is_hash(sha256: str) -> None:
    """Refuse what no report can be called, before any is made."""
    if not _SHA256.fullmatch(sha256):
        raise _moved_on()


Made = Annotated[Report, Depends(_made)]
router = APIRouter(
    tags=["open"], dependencies=[Depends(each_once)], default_response_class=Response, responses=_REFUSED
)


@router.get("/api/verified/export/{slug}", status_code=303, responses=_REDIRECT)
async def export(service: TheService, made: Made, slug: str, asked: Annotated[Dated, Query()]) -> Response:
    """Lead to the compliance report of a platform, a PDF."""
    tail = "" if asked.as_of is None else f"?as_of={asked.as_of.isoformat()}"
    location = f"{service.public_url}/export/{made.sha256}/{slug}.pdf{tail}"
    return Response(status_code=303, headers={"Location": location, "Cache-Control": "no-cache"})


@router.get(
    "/export/{sha256}/{slug}.pdf",
    dependencies=[Depends(_is_hash)],
    responses={200: {"description": "The report", "content": _PDF}},
)
async def pdf(request: Request, made: Made, sha256: str, slug: str) -> Response:
    """Give the compliance report with this SHA-256; 404 if the data have changed since."""
    if made.sha256 != sha256:
        raise _moved_on()
    headers = {
        "Cache-Control": "public, max-age=31536000, immutable",
        "Content-Disposition": f'attachment; filename="{slug}-risk-{made.day}.pdf"',
    }
    return answer(request, made.body, Sent("application/pdf", headers=headers))


def _report(service: Service, slug: str, as_of: date | None) -> Report:
    """Make a report; 404 if the platform is not tracked, 501 if it cannot be typeset here."""
    with service.store.one_state():
        state = service.store.platform(slug, as_of)
        if state is None:
            raise unknown_platform()
        wanted = draft(service, state, as_of)
    try:
        body = wanted.pdf()
    except MissingExtraError as error:
        raise Problem(501, f"{error}.") from error
    except ReportError as error:
        raise Problem(503, f"{error}.") from error
    return Report(body, hashlib.sha256(body).hexdigest(), wanted.captured_at[:10])


def _moved_on() -> Problem:
    """Return the problem of a hash that no report has."""
    return Problem(404, "No report has this SHA-256 now; /api/verified/export/ and the slug lead to the current one.")
