"""Whether a clause speaks of what users must do or must not do, not of what the vendor does."""

from __future__ import annotations

from typing import Final

from riskanalytics.extraction.evidence import CLEAR, grade
from riskanalytics.extraction.records import ClauseFinding
from riskanalytics.extraction.rules import patterns_of
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS

_PATTERNS: Final = patterns_of("duties.toml")


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
    if _PATTERNS["sign_up"].match(words):
        return True
    if finding.surface == "training_use" and grade(finding).grade >= CLEAR:  # its words say that the vendor trains
        return False
    users_part = SURFACE_DESCRIPTIONS[finding.surface].users_part or _PATTERNS["grants"].match(words)
    if users_part or any(map(_PATTERNS["vendor"].search, (words, above))):
        return False
    if finding.roles.actor is not None and finding.roles.actor != "user":
        return False
    bound = finding.roles.actor == "user" and finding.polarity != "mitigates_risk"
    if bound or _PATTERNS["age"].search(words):
        return bound
    return bool(_PATTERNS["duty"].match(words) or _PATTERNS["above"].search(above))
