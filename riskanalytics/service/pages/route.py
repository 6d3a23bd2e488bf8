"""The public page of a platform and the discovery files (specification section 4.2)."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Depends, Request, Response

from riskanalytics.models.records import MachinePlatform
from riskanalytics.service.door.problems import unknown_platform
from riskanalytics.service.pages.discovery import llms, llms_full
from riskanalytics.service.pages.negotiation import VARY, negotiated
from riskanalytics.service.pages.platform import PAGE_POLICY, platform_markdown, platform_page
from riskanalytics.service.routes.machine import machine_platform
from riskanalytics.service.store.records import Json
from riskanalytics.service.wire.asked import each_once, no_query
from riskanalytics.service.wire.description import UNKNOWN, text_of
from riskanalytics.service.wire.service import Sent, TheService

_PLAIN: Final = Sent("text/plain; charset=utf-8")
_MEDIA_TYPES: Final = {
    "html": "text/html; charset=utf-8",
    "json": "application/json",
    "markdown": "text/markdown; charset=utf-8",
}
_FORMS: Final[dict[int | str, Json]] = {
    200: {
        "model": MachinePlatform,
        "description": "HTML for people, JSON for agents, Markdown where it is asked for",
        "content": {name: {"schema": {"type": "string"}} for name in ("text/html", "text/markdown")},
    }
}


_REFUSED: Final[dict[int | str, Json]] = UNKNOWN | {406: {"description": "Not acceptable"}}


router = APIRouter(
    tags=["open"],
    dependencies=[Depends(each_once), Depends(no_query)],
    default_response_class=Response,
)


@router.get("/platform/{slug}", responses=_FORMS | _REFUSED)
def public_page(request: Request, service: TheService, slug: str) -> Response:
    """Show one platform: a page for people, JSON for agents."""
    form = negotiated(request.headers.get("accept"), request.headers.get("user-agent", ""))

    def build() -> Json | bytes:
        state = service.store.platform(slug)
        if state is None:
            raise unknown_platform()
        record = machine_platform(service, state)
        if form == "json":
            return record
        return (platform_page if form == "html" else platform_markdown)(service, record).encode()

    headers = {"Content-Security-Policy": PAGE_POLICY} if form == "html" else {}
    return service.reply(request, build, Sent(_MEDIA_TYPES[form], VARY, headers))


@router.get("/llms.txt", responses=text_of("text/plain"))
def index(request: Request, service: TheService) -> Response:
    """Tell agents what is here: live coverage, surfaces, canonical endpoints."""
    return service.reply(request, lambda: llms(service).encode(), _PLAIN)


@router.get("/llms-full.txt", responses=text_of("text/plain"))
def full_index(request: Request, service: TheService) -> Response:
    """Tell agents every platform with its verification status and machine address."""
    return service.reply(request, lambda: llms_full(service).encode(), _PLAIN)
