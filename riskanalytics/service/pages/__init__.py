"""Public page of a platform in HTML, JSON and Markdown, and the discovery files for agents."""

import re
from collections.abc import Callable
from typing import Final, Literal

from fastapi import APIRouter, Request, Response

from riskanalytics.models import DISCLAIMER
from riskanalytics.models.records import MachinePlatform
from riskanalytics.surfaces import SURFACES

from ..door.problems import Problem
from ..routes import machine_platform
from ..store.records import Json
from ..wire import AS_JSON, UNCHANGED, Dated, Responses, Service, TheService, text_of
from .platform import PAGE_POLICY, platform_markdown, platform_page, templates

Form = Literal["html", "json", "markdown"]
VARY: Final = "Accept, User-Agent"
"""Value of the Vary header: the request headers that decide the form of a response."""
_TYPES: Final[dict[str, Form]] = {
    "text/html": "html",
    "application/json": "json",
    "application/ld+json": "json",
    "text/markdown": "markdown",
}
_AGENT: Final = re.compile(
    r"bot\b|crawl|spider|agent|assistant|\bgpt|claude|llm|curl|wget|httpx?/|python|\bgo-http|\bnode|axios|okhttp|java/",
    re.IGNORECASE,
)
_QUALITY: Final = re.compile(r"\bq=([01](?:\.[0-9]*)?)")
_HEADERS: Final[dict[Form, dict[str, str]]] = {
    "html": {"Content-Type": "text/html; charset=utf-8", "Vary": VARY, "Content-Security-Policy": PAGE_POLICY},
    "json": AS_JSON | {"Vary": VARY},
    "markdown": {"Content-Type": "text/markdown; charset=utf-8", "Vary": VARY},
}
_FORMS: Final[Responses] = {
    200: {
        "model": MachinePlatform,
        "description": "HTML for people, JSON for agents, Markdown on request",
        "content": {name: {"schema": {"type": "string"}} for name in ("text/html", "text/markdown")},
    }
}
router = APIRouter(tags=["open"], default_response_class=Response, responses=UNCHANGED)


@router.get("/platform/{slug}", responses=_FORMS)
def public_page(request: Request, service: TheService, slug: str) -> Response:
    """Return one platform as an HTML page for people, as JSON for agents, or as Markdown on request."""
    form = negotiated(request.headers.get("accept"), request.headers.get("user-agent", ""))

    def build() -> MachinePlatform | bytes:
        record = machine_platform(service, slug, Dated())
        if form == "json":
            return record
        page = platform_page if form == "html" else platform_markdown
        return page(service, record.model_dump()).encode()

    return service.reply(request, build, _HEADERS[form])


@router.get("/llms.txt", responses=text_of("text/plain"))
def index(request: Request, service: TheService) -> Response:
    """Return the index for agents (llmstxt.org): current counts of platforms, names of surfaces, and addresses of endpoints."""
    return _listed(request, service, "llms", lambda: {"counts": service.store.coverage(), "surfaces": SURFACES})


@router.get("/llms-full.txt", responses=text_of("text/plain"))
def full_index(request: Request, service: TheService) -> Response:
    """Return a list of all platforms for agents: verification status, rating, and address of the machine-readable record."""
    return _listed(request, service, "llms-full", lambda: {"rows": service.store.platforms(limit=1_000_000)})


def _listed(request: Request, service: Service, name: str, values: Callable[[], Json]) -> Response:
    """Return a discovery file."""

    def build() -> bytes:
        day = (service.store.newest or "")[:10] or "no capture yet"
        shared = {"at": service.public_url, "day": day, "disclaimer": DISCLAIMER}
        return templates().get_template(f"{name}.txt.jinja").render(shared, **values()).encode()

    return service.reply(request, build, {"Content-Type": "text/plain; charset=utf-8"})


def negotiated(accept: str | None, user_agent: str) -> Form:
    """Return the format in which to answer a request for a platform (specification section 4.2; RFC 9110 section 12.5.1).

    Parameters
    ----------
    accept : str or None
        Accept header. None or empty accepts everything.
    user_agent : str
        User-Agent header. Agents get JSON if they accept it, unless their Accept header names Markdown and prefers no other
        format to it.

    Returns
    -------
    {'html', 'json', 'markdown'}

    Raises
    ------
    Problem
        406 if the request accepts none of the formats.
    """
    ranges = _weights(accept or "*/*")
    quality: dict[str, float] = {}
    for name in _TYPES:
        # the most specific range counts
        holding = (name, name.partition("/")[0] + "/*", "*/*")
        quality[name] = next((ranges[one] for one in holding if one in ranges), 0.0)
    best = max(quality.values())
    if not best:
        raise Problem(406, "This address returns text/html, application/json or text/markdown.", {"Vary": VARY})
    named = [name for name in ranges if quality.get(name) == best]
    if _AGENT.search(user_agent[:500]):
        if "text/markdown" in named:
            return "markdown"
        if any(quality[name] for name, form in _TYPES.items() if form == "json"):
            return "json"
    return _TYPES[next(name for name in (*named, *quality) if quality[name] == best)]


def _weights(header: str) -> dict[str, float]:
    """Return the media ranges of a header with their weights, in order; the first mention counts."""
    named: dict[str, float] = {}
    for part in header.lower().replace(" ", "").split(","):
        name, _, parameters = part.partition(";")
        quality = _QUALITY.search(parameters)
        named.setdefault(name, float(quality[1]) if quality else 1.0)
    return named
