"""Whom or what a clause limits itself to."""

from __future__ import annotations

from typing import Final

from riskanalytics.extraction.memory import remembered
from riskanalytics.extraction.records import Scope
from riskanalytics.extraction.rules import patterns_of

_PATTERNS: Final = patterns_of("scope.toml")
_AUDIENCES: Final = ("business", "developer", "consumer")
_REGIONS: Final = ("EU", "UK", "US", "CN")
_PRODUCTS: Final = ("feedback", "temporary")


@remembered(20_000)
def scope_of(words: str, heading: str, product: str | None = None) -> Scope:
    """Read the limits that a clause sets itself; kept, since versions repeat each other.

    Parameters
    ----------
    words : str
        Lead-in and clause, plain and lower-case.
    heading : str
        Nearest heading, lower-case; it tells the audience where the clause does not.
    product : str, optional
        What the rule knows already.

    Returns
    -------
    Scope
    """
    audience = _first(_AUDIENCES, words) or _first(_AUDIENCES, heading)
    return Scope(audience, _first(_REGIONS, words), product or _first(_PRODUCTS, words))


def _first(names: tuple[str, ...], words: str) -> str | None:
    """The first of the named patterns that is found."""
    return next((name for name in names if _PATTERNS[name].search(words)), None)
