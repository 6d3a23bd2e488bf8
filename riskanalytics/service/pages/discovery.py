"""The discovery files `/llms.txt` and `/llms-full.txt` (llmstxt.org), generated from the database as it stands."""

from __future__ import annotations

from typing import Final

from riskanalytics.models import DISCLAIMER
from riskanalytics.service.pages.templates import template
from riskanalytics.service.wire.service import Service
from riskanalytics.surfaces import SURFACES

_SUMMARY: Final = (
    "> Computed intellectual-property and privacy risk ratings of AI platforms, each with verbatim clauses of the "
    "platforms' own policies, their snapshot's SHA-256, text offsets and archive address."
)


def llms(service: Service) -> str:
    """Return the index for agents: live coverage, surfaces, canonical endpoints.

    Parameters
    ----------
    service : Service

    Returns
    -------
    str
        Markdown: one title, one quote, prose, then sections of links.
    """
    return _rendered("llms.txt.jinja", service, counts=service.store.coverage(), surfaces=SURFACES)


def llms_full(service: Service) -> str:
    """Return every platform with its verification status and machine address.

    Parameters
    ----------
    service : Service

    Returns
    -------
    str
        Markdown: one list item a platform, by slug.
    """
    return _rendered("llms-full.txt.jinja", service, rows=service.store.platforms(limit=1_000_000))


def _rendered(name: str, service: Service, **values: object) -> str:
    """Return a file with what both of them say."""
    day = (service.store.newest or "no capture yet")[:10]
    return template(name).render(at=service.public_url, day=day, summary=_SUMMARY, disclaimer=DISCLAIMER, **values)
