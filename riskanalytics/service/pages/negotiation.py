"""Which form of a platform's address a reader is given (specification section 4.2; RFC 9110 section 12.5.1)."""

from __future__ import annotations

import re
from typing import Final, Literal

from riskanalytics.service.door.problems import Problem
from riskanalytics.service.wire.accepted import weights

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


def negotiated(accept: str | None, user_agent: str) -> Form:
    """Return the form that suits a request best.

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
        406 where none of them is accepted.
    """
    ranges = weights(accept or "*/*")
    quality = {form: max(_quality(name, ranges) for name in _TYPES if _TYPES[name] == form) for form in _TYPES.values()}
    best = max(quality.values())
    if best == 0:
        raise Problem(406, "This address speaks text/html, application/json and text/markdown.", {"Vary": VARY})
    named = [_TYPES[name] for name, weight in ranges.items() if name in _TYPES and weight == best]
    if _AGENT.search(user_agent[:500]):
        if "markdown" in named:
            return "markdown"
        if quality["json"] > 0:
            return "json"
    return named[0] if named else next(form for form in ("html", "json", "markdown") if quality[form] == best)


def _quality(name: str, ranges: dict[str, float]) -> float:
    """Return the weight of a media type: that of the most specific range that holds it."""
    holding = (name, name.partition("/")[0] + "/*", "*/*")
    return next((ranges[candidate] for candidate in holding if candidate in ranges), 0.0)
