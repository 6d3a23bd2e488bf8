"""The public page of a platform and the discovery files (specification section 4.2)."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, FastAPI, Request, Response

from riskanalytics.service.description import text_of
from riskanalytics.service.machine import machine_platform
from riskanalytics.service.pages import PAGE_POLICY, llms, llms_full, negotiated, platform_markdown, platform_page
from riskanalytics.service.pages.negotiation import VARY
from riskanalytics.service.problems import unknown_platform
from riskanalytics.service.store.read import Json
from riskanalytics.service.wire import Query, Service, answer

_PLAIN: Final = "text/plain; charset=utf-8"
_FORMS: Final[dict[int | str, Json]] = {
    200: {
        "description": "HTML for people, JSON for agents, Markdown where it is asked for",
        "content": {
            "text/html": {"schema": {"type": "string"}},
            "application/json": {"schema": {"type": "object", "required": ["slug", "rating", "findings"]}},
            "text/markdown": {"schema": {"type": "string"}},
        },
    }
}


def mount(app: FastAPI, service: Service) -> None:
    """Add the pages to an application.

    Parameters
    ----------
    app : FastAPI
    service : Service
    """
    router = APIRouter(tags=["open"], responses={400: {"description": "Bad parameter"}})
    refused: dict[int | str, Json] = {404: {"description": "Unknown"}, 406: {"description": "Not acceptable"}}

    @router.get("/platform/{slug}", response_class=Response, responses=refused | _FORMS)
    @service.of_one_state
    def public_page(request: Request, slug: str) -> Response:
        """Show one platform: a page for people, JSON for agents."""
        Query(request)
        state = service.store.platform(slug)
        if state is None:
            raise unknown_platform()
        accept, agent = request.headers.get("accept"), request.headers.get("user-agent", "")
        form = negotiated(accept, agent)
        record = machine_platform(service, state)
        if form == "json":
            return answer(request, record, vary=VARY)
        if form == "markdown":
            text = platform_markdown(service, record).encode()
            return answer(request, text, vary=VARY, media_type="text/markdown; charset=utf-8")
        page = platform_page(service, record).encode()
        headers = {"Content-Security-Policy": PAGE_POLICY}
        return answer(request, page, vary=VARY, media_type="text/html; charset=utf-8", headers=headers)

    @router.get("/llms.txt", response_class=Response, responses=text_of("text/plain"))
    @service.of_one_state
    def index(request: Request) -> Response:
        """Tell agents what is here: live coverage, surfaces, canonical endpoints."""
        Query(request)
        return answer(request, llms(service).encode(), media_type=_PLAIN)

    @router.get("/llms-full.txt", response_class=Response, responses=text_of("text/plain"))
    @service.of_one_state
    def full_index(request: Request) -> Response:
        """Tell agents every platform with its verification status and machine address."""
        Query(request)
        return answer(request, llms_full(service).encode(), media_type=_PLAIN)

    app.include_router(router)
