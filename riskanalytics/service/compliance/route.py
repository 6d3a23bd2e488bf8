"""The compliance report for download (specification section 4.2): a redirect to an address that holds its hash."""

from __future__ import annotations

import hashlib
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from typing import Final

from fastapi import APIRouter, FastAPI, Request, Response

from riskanalytics.errors import MissingExtraError
from riskanalytics.service.compliance.report import Draft, draft
from riskanalytics.service.problems import Problem, unknown_platform
from riskanalytics.service.store.records import Json
from riskanalytics.service.wire import Query, Service, answer, described

MOST_KEPT: Final = 32 * 1024 * 1024
"""Bytes of recent reports that one process keeps."""
MOST_WAITING: Final = 8
"""Requests that may wait for a report at once; the rest of the service's threads stay free."""
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_REFUSED: Final[dict[int | str, Json]] = {
    404: {"description": "Unknown platform, or no report of it has this hash any more"},
    501: {"description": "The service runs without typst"},
    503: {"description": "Too many reports are being made"},
}
_PDF: Final = {"application/pdf": {"schema": {"type": "string", "format": "binary"}}}


class Reports:
    """Recent reports of one process: each typeset once, one at a time.

    Parameters
    ----------
    most : int
        Bytes that are kept.
    """

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._most = most
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._lock = threading.Lock()
        self._typesetting = threading.Lock()
        self._waiting = threading.BoundedSemaphore(MOST_WAITING)

    def get(self, digest: str, make: Callable[[], bytes]) -> bytes:
        """Return the report of a draft, made only if it is not kept.

        Parameters
        ----------
        digest : str
            Hash of what goes into the report.
        make : callable
            Typesets it.

        Raises
        ------
        Problem
            503 where too many requests wait already.
        """
        if (body := self._recent(digest)) is not None:
            return body
        with self._turn():
            if (body := self._recent(digest)) is None:  # made by another request while this one waited
                body = make()
                self._keep(digest, body)
            return body

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait until nothing else is typeset."""
        if not self._waiting.acquire(blocking=False):
            raise Problem(503, "Too many reports are being made: try again in a few seconds.", {"Retry-After": "5"})
        try:
            with self._typesetting:
                yield
        finally:
            self._waiting.release()

    def _recent(self, digest: str) -> bytes | None:
        """Return a kept report and count it as the newest."""
        with self._lock:
            if digest in self._kept:
                self._kept.move_to_end(digest)
            return self._kept.get(digest)

    def _keep(self, digest: str, body: bytes) -> None:
        """Keep a report, and drop the oldest ones that no longer fit."""
        with self._lock:
            self._kept[digest] = body
            while len(self._kept) > 1 and sum(map(len, self._kept.values())) > self._most:
                self._kept.popitem(last=False)


def mount(app: FastAPI, service: Service) -> None:
    """Add the download of compliance reports to an application.

    Parameters
    ----------
    app : FastAPI
    service : Service
    """
    router = APIRouter(tags=["open"])
    reports = Reports()
    redirect: Json = {"description": "The report's address", "headers": {"Location": {"schema": {"type": "string"}}}}

    @router.get("/api/verified/export/{slug}", openapi_extra=described("as_of"), status_code=303,
                response_class=Response, responses=_REFUSED | {303: redirect})  # fmt: skip
    @service.of_one_state
    def export(request: Request, slug: str) -> Response:
        """Lead to the compliance report of a platform, a PDF."""
        as_of = Query(request, "as_of").day("as_of")
        body = _report(reports, _draft(service, slug, as_of))
        tail = "" if as_of is None else f"?as_of={as_of.isoformat()}"
        location = f"{service.public_url}/export/{hashlib.sha256(body).hexdigest()}/{slug}.pdf{tail}"
        return Response(status_code=303, headers={"Location": location, "Cache-Control": "no-cache"})

    @router.get("/export/{sha256}/{slug}.pdf", openapi_extra=described("as_of"), response_class=Response,
                responses=_REFUSED | {200: {"description": "The report", "content": _PDF}})  # fmt: skip
    @service.of_one_state
    def report(request: Request, sha256: str, slug: str) -> Response:
        """Give the compliance report with this SHA-256; 404 where the data have moved on since."""
        as_of = Query(request, "as_of").day("as_of")
        if not _SHA256.fullmatch(sha256):
            raise _moved_on()
        wanted = _draft(service, slug, as_of)
        body = _report(reports, wanted)
        if hashlib.sha256(body).hexdigest() != sha256:
            raise _moved_on()
        headers = {
            "Cache-Control": "public, max-age=31536000, immutable",
            "Content-Disposition": f'attachment; filename="{slug}-risk-{wanted.day}.pdf"',
        }
        return answer(request, body, media_type="application/pdf", headers=headers)

    app.include_router(router)


def _draft(service: Service, slug: str, as_of: date | None) -> Draft:
    """Return what the report of a platform says; 404 where the platform is not tracked."""
    state = service.store.platform(slug, as_of)
    if state is None:
        raise unknown_platform()
    return draft(service, state, as_of)


def _report(reports: Reports, wanted: Draft) -> bytes:
    """Return the report; 501 where it cannot be typeset here."""
    try:
        return reports.get(wanted.digest, wanted.pdf)
    except MissingExtraError as error:
        raise Problem(501, f"{error}.") from error


def _moved_on() -> Problem:
    """Return the problem of a hash that no report has."""
    return Problem(404, "No report has this SHA-256 now; /api/verified/export/ and the slug lead to the current one.")
