"""Whom or what a clause limits itself to."""

from __future__ import annotations

import re
from typing import Final

from riskanalytics.extraction.records import Scope

_AUDIENCES: Final = (
    ("business", re.compile(
        r"\benterprise\b|\bbusiness (?:users?|customers?|data|plans?|tier|accounts?)|\bteams?\b plan|"
        r"\bcommercial customers?|"
        r"\borgani[sz]ations?['\u2019]?s? (?:data|plan|account)|\bworkspace\b|企业"
    )),
    ("developer", re.compile(r"\bapi\b|\bdevelopers?\b|\bsdk\b|开放平台")),
    ("consumer", re.compile(
        r"\bconsumers?\b|\bindividual (?:users?|plans?|accounts?|licen[cs]es?)|services for individuals|"
        r"\bfree (?:users?|plan|tier|version|services?|accounts?)|"
        r"\bpersonal (?:plan|edition|accounts?)|\bnon-?enterprise\b|个人版"
    )),
)  # fmt: skip
_REGIONS: Final = (
    ("EU", re.compile(r"\beea\b|\beuropean (?:union|economic)|\beu\b (?:users?|residents?)|\bgdpr\b")),
    ("UK", re.compile(r"\bunited kingdom\b|\buk\b (?:users?|residents?)")),
    ("US", re.compile(r"\bcalifornia\b|\bccpa\b|\bu\.s\. (?:residents?|states?)")),
    ("CN", re.compile(r"中华人民共和国|中国境内|\bmainland china\b")),
)
_PRODUCTS: Final = (
    (
        "feedback",
        re.compile(
            r"^(?!.*opt(?:ed)?[- ]?out).*(?:(?:submit|provide|send|give)s?[^.;]{0,20} feedback|as feedback|反馈)"
        ),
    ),
    ("temporary", re.compile(r"\b(?:temporary|private|incognito|ghost)[- ](?:chats?|mode|sessions?)\b")),
)


def scope_of(words: str, heading: str, product: str | None = None) -> Scope:
    """Read the limits that a clause sets itself.

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


def _first(choices: tuple[tuple[str, re.Pattern[str]], ...], words: str) -> str | None:
    """Name of the first pattern that is found."""
    return next((name for name, pattern in choices if pattern.search(words)), None)
