"""What people and agents read at open addresses: the page of a platform, its Markdown form, the discovery files."""

from __future__ import annotations

import re
from typing import Final, Literal

from fastapi import APIRouter, Depends, Request, Response

from riskanalytics.models import DISCLAIMER
from riskanalytics.models.records import MachinePlatform
from riskanalytics.service.door.problems import Problem
from riskanalytics.service.pages.platform import PAGE_POLICY, platform_markdown, platform_page, template
from riskanalytics.service.routes import machine_platform
from riskanalytics.service.wire import (
    UNKNOWN,
    Dated,
    Responses,
    Sent,
    Service,
    TheService,
    each_once,
    no_query,
    text_of,
)
from riskanalytics.surfaces import SURFACES

Form = Literal["html", "json", "markdown"]
VARY: Final = "Accept, User-Agent"
"""What the form depends on."""
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
_QUALITY: Final = re.compile(r"q=(0(?:\.[0-9]*)?|1(?:\.0{0,3})?)")
_PLAIN: Final = Sent("text/plain; charset=utf-8")
_SENT: Final[dict[Form, Sent]] = {
    "html": Sent("text/html; charset=utf-8", VARY, {"Content-Security-Policy": PAGE_POLICY}),
    "json": Sent(vary=VARY),
    "markdown": Sent("text/markdown; charset=utf-8", VARY),
}
_FORMS: Final[Responses] = {
    200: {
        "model": MachinePlatform,
        "description": "HTML for people, JSON for agents, Markdown where it is asked for",
        "content": {name: {"schema": {"type": "string"}} for name in ("text/html", "text/markdown")},
    },
    406: {"description": "Not acceptable"},
}
_SUMMARY: Final = (
    "> Computed intellectual-property and privacy risk ratings of AI platforms, each with verbatim clauses of the "
    "platforms' own policies, their snapshot's SHA-256, text offsets and archive address."
)
router = APIRouter(tags=["open"], dependencies=[Depends(each_once), Depends(no_query)], default_response_class=Response)


@router.get("/platform/{slug}", responses=_FORMS | UNKNOWN)
def public_page(request: Request, service: TheService, slug: str) -> Response:
    """Show one platform: a page for people, JSON for agents."""
    form = negotiated(request.headers.get("accept"), request.headers.get("user-agent", ""))

    def build() -> MachinePlatform | bytes:
        record = machine_platform(service, slug, Dated())
        if form == "json":
            return record
        page = platform_page if form == "html" else platform_markdown
        return page(service, record.model_dump()).encode()

    return service.reply(request, build, _SENT[form])


@router.get("/llms.txt", responses=text_of("text/plain"))
def index(request: Request, service: TheService) -> Response:
    """List for agents what is here: live coverage, surfaces, canonical endpoints (llmstxt.org)."""
    return service.reply(
        request,
        lambda: _rendered("llms.txt.jinja", service, counts=service.store.coverage(), surfaces=SURFACES),
        _PLAIN,
    )


@router.get("/llms-full.txt", responses=text_of("text/plain"))
def full_index(request: Request, service: TheService) -> Response:
    """List for agents every platform with its verification status and machine address."""
    return service.reply(
        request,
        lambda: _rendered("llms-full.txt.jinja", service, rows=service.store.platforms(limit=1_000_000)),
        _PLAIN,
    )


def _rendered(name: str, service: Service, **values: object) -> bytes:
    """Return a discovery file with what both of them say."""
    day = (service.store.newest or "no capture yet")[:10]
    values |= {"at": service.public_url, "day": day, "summary": _SUMMARY, "disclaimer": DISCLAIMER}
    return template(name).render(**values).encode()


def negotiated(accept: str | None, user_agent: str) -> Form:
    """Return the form that suits a request best (specification section 4.2; RFC 9110 section 12.5.1).

    Parameters
    ----------
    accept : str or None
        The header; None or empty accepts everything.
    user_agent : str
        Agents get JSON wherever they accept it, unless they ask for Markdown by name.

    Returns
    -------
    {'html', 'json', 'markdown'}

    Raises
    ------
    Problem
        406 if none of them is accepted.
    """
    ranges = _weights(accept or "*/*")
    quality = dict.fromkeys(_TYPES.values(), 0.0)
    for name, form in _TYPES.items():
        holding = (name, name.partition("/")[0] + "/*", "*/*")  # the most specific range counts
        quality[form] = max(quality[form], next((ranges[one] for one in holding if one in ranges), 0.0))
    best = max(quality.values())
    if best == 0:
        raise Problem(406, "This address speaks text/html, application/json and text/markdown.", {"Vary": VARY})
    named = [_TYPES[name] for name, weight in ranges.items() if name in _TYPES and weight == best]
    if _AGENT.search(user_agent[:500]):
        if "markdown" in named:
            return "markdown"
        if quality["json"] > 0:
            return "json"
    return named[0] if named else next(form for form in _SENT if quality[form] == best)


def _weights(header: str) -> dict[str, float]:
    """Return the media ranges of a header with their weights, in its order; the first mention counts."""
    named: dict[str, float] = {}
    for part in header.lower().split(","):
        name, *parameters = (piece.replace(" ", "") for piece in part.split(";"))
        found = [float(match[1]) for piece in parameters if (match := _QUALITY.fullmatch(piece))]
        named.setdefault(name, found[0] if found else 1.0)
    return named
