"""Whether a clause speaks of what users must do or must not do, not of what the vendor does."""

from __future__ import annotations

import re
from typing import Final

from riskanalytics.extraction.records import ClauseFinding
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS

_VENDOR: Final = re.compile(r"\b(?:we|us|our|ours)\b|我们|本公司", re.IGNORECASE)
_AGE: Final = re.compile(r"\bage\b|\byears\b|岁", re.IGNORECASE)
_USER: Final = (
    r"(?:you|users?|customers?|subscribers?|developers?|advertisers?|affiliates?|members?|creators?|end users?)"
)
_BOUND: Final = (
    r"(?:must|shall|may|can|will|should|are|is|do|agree|undertake|represent|warrant)(?: \w+){0,3}? "
    r"(?:not|never|prohibited|forbidden|responsible|refrain|avoid|ensure|comply)\b|must|shall|cannot|agree to"
)
_DUTY: Final = re.compile(rf"(?:\W*\w+:)?\W*{_USER} (?:{_BOUND})\b|(?:do not|don't|never) \w", re.IGNORECASE)
_SIGN_UP: Final = re.compile(rf"\W*{_USER} (?:may|can) (?:also )?(?:sign up|subscribe|register)\b", re.IGNORECASE)
_ABOVE: Final = re.compile(
    rf"\b{_USER}\b.{{0,80}}?\b(?:must|shall|may not|will not|can ?not|not|agree|refrain|prohibited|forbidden|responsible)\b|"
    r"^\W*(?:do not|don't|never)\b|prohibit|not (?:be )?(?:allowed|permitted)|forbid|disallowed|unacceptable|restrictions on use|"
    r"you may not|不得|禁止",
    re.IGNORECASE,
)


def is_duty(finding: ClauseFinding, words: str, above: str) -> bool:
    """Say whether a finding only binds users, or tells them where to sign up.

    Parameters
    ----------
    finding : ClauseFinding
    words : str
        What a reader sees of its clause.
    above : str
        What stands above it: the words that lead in its list, else its heading; empty where it is no item.

    Returns
    -------
    bool
        False where the vendor is named as well, and on surfaces where the user's part is the term itself.
    """
    if _SIGN_UP.match(words):
        return True
    if SURFACE_DESCRIPTIONS[finding.surface].users_part or _VENDOR.search(words) or _VENDOR.search(above):
        return False
    if finding.roles.actor is not None and finding.roles.actor != "user":
        return False
    bound = finding.roles.actor == "user" and finding.polarity != "mitigates_risk"
    return bound or (not _AGE.search(words) and bool(_DUTY.match(words) or _ABOVE.search(above)))
