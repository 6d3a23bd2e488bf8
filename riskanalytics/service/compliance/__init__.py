"""Download of the compliance report of a platform (specification section 4.2).

The export address redirects to an address that contains the SHA-256 of the PDF. FastAPI makes the
report of the requested platform and day, and passes it to both route functions as `made`.
"""

import hashlib
from collections.abc import Callable, Hashable
from contextlib import suppress
from datetime import date
from typing import Annotated, Final, NamedTuple

from anyio import CapacityLimiter, to_thread
from cachetools import LRUCache
from fastapi import APIRouter, Depends, Request, Response

from riskanalytics.errors import MissingExtraError, ReportError

from ..door.problems import Problem
from ..wire import KEPT_FOR_GOOD, UNCHANGED, AsOf, Responses, Service, TheService, answer, text_of
from .report import draft

MOST_WAITING: Final = 8
"""Maximum number of waiting exports and questions; further exports get 503."""
_REDIRECT: Final[Responses] = {
    303: {"description": "Redirect to the report", "headers": {"Location": {"schema": {"type": "string"}}}}
}


class Report(NamedTuple):
    """A report: its PDF, the SHA-256 of the PDF, and the date of its data."""

    body: bytes
    sha256: str
    day: str


class Reports:
    """Cache of recent reports of one process.

    Parameters
    ----------
    limiter : CapacityLimiter
        Limits how many reports and answers to questions the process makes at the same time.
    most : int
        Maximum size of the cached reports in bytes.
    """

    def __init__(self, limiter: CapacityLimiter, most: int = 32 * 1024 * 1024) -> None:
        self._limiter = limiter
        self._kept: LRUCache[Hashable, Report] = LRUCache(most, lambda report: len(report.body))

    async def get(self, key: Hashable, make: Callable[[], Report]) -> Report:
        """Return a report, from the cache if possible.

        Parameters
        ----------
        key : hashable
            All values that the report depends on.
        make : callable
            Creates the report.

        Raises
        ------
        Problem
            503 if too many requests are waiting.
        """
        if report := self._kept.get(key):
            return report
        if self._limiter.statistics().tasks_waiting >= MOST_WAITING:
            raise Problem(503, "Too many reports are being created; try again in a few seconds.", {"Retry-After": "5"})
        async with self._limiter:
            # another request may have created it in the meantime
            if not (report := self._kept.get(key)):
                report = await to_thread.run_sync(make)
                # raised if it is larger than the whole cache
                with suppress(ValueError):
                    self._kept[key] = report
        return report


async def _made(request: Request, service: TheService, slug: str, query: AsOf) -> Report:
    """Return the requested report."""
    reports: Reports = request.app.state.reports
    key = slug, query.as_of, await to_thread.run_sync(service.store.version)
    return await reports.get(key, lambda: _report(service, slug, query.as_of))


Made = Annotated[Report, Depends(_made)]
router = APIRouter(tags=["open"], default_response_class=Response)


@router.get("/api/verified/export/{slug}", status_code=303, responses=_REDIRECT)
async def export(service: TheService, made: Made, slug: str, query: AsOf) -> Response:
    """Redirect to the compliance report of a platform, a PDF; `as_of` selects the state at the end of that day."""
    day = f"?as_of={query.as_of}" if query.as_of else ""
    location = f"{service.public_url}/export/{made.sha256}/{slug}.pdf{day}"
    return Response(status_code=303, headers={"Location": location, "Cache-Control": "no-cache"})


@router.get("/export/{sha256}/{slug}.pdf", responses=text_of("application/pdf", format="binary") | UNCHANGED)
async def pdf(request: Request, made: Made, sha256: str, slug: str) -> Response:
    """Return the compliance report whose PDF has this SHA-256; 404 if new data have changed the platform's report since."""
    if made.sha256 != sha256:
        raise Problem(
            404, f"No current report has this SHA-256; /api/verified/export/{slug} redirects to the current one."
        )
    headers = {
        "Content-Type": "application/pdf",
        "Cache-Control": KEPT_FOR_GOOD,
        "Content-Disposition": f'attachment; filename="{slug}-risk-{made.day}.pdf"',
    }
    return answer(request, made.body, headers)


def _report(service: Service, slug: str, as_of: date | None) -> Report:
    """Create a report; 404 if the platform is not tracked, 501 if typst is not installed."""
    with service.store.one_state():
        wanted = draft(service, service.state(slug, as_of), as_of)
    try:
        body = wanted.pdf()
    except MissingExtraError as error:
        raise Problem(501, f"{error}.") from error
    except ReportError as error:
        raise Problem(503, f"{error}.") from error
    return Report(body, hashlib.sha256(body).hexdigest(), wanted.captured_at[:10])
