"""What the paragraph around a training clause adds to it: the plan that it speaks of, and the way out after it.

"Free services. If you have no paid subscription, we use ... For clarity, ..." limits each sentence to one plan, and "You
may opt out of this use" belongs to the sentence before it. Only training clauses are read so: whom they accuse depends
on it.
"""

from __future__ import annotations

import re
from typing import Final

from riskanalytics.extraction.evidence import as_unpaid, audience_of
from riskanalytics.extraction.plain import plain
from riskanalytics.extraction.records import ClauseFinding
from riskanalytics.extraction.roles import shortened
from riskanalytics.extraction.scope import scope_of

_BEFORE, _AFTER = 800, 400
"""Characters of the paragraph that are looked at, before and behind a clause."""
_OPENING: Final = re.compile(
    r"^\W{0,8}(?:[\d.]+\W+)?[^.:,]{3,60}[.:]|\b(?:if|when|where) you(?:'re| are)? [^.;,]{3,120},"
)
"""A title that runs into its paragraph, or whom the next words are for."""
_SENTENCE: Final = re.compile(r"(?<=[.!?])[\"')*\]]* +(?=[\"'(*\[]*[A-Z])|(?<=[。！？])")
_OUT: Final = re.compile(
    r"^(?!.*\b(?:not|cannot)\b).*?\b(?:opt(?:ing)?[- ]?out of|object to|disable|switch off|turn off) "
    r"(?:(?:this|such|these|the above|the foregoing)(?: [\w-]+)? (?:use|uses|training|processing|purposes?|setting)\b"
    r"|(?:this|such|the) (?:use|training)\b)"
)


def in_its_paragraph(text: str, found: ClauseFinding) -> ClauseFinding:
    """Add to a training clause what its paragraph says of plan and way out.

    Parameters
    ----------
    text : str
        The whole text.
    found : ClauseFinding
        Of it.

    Returns
    -------
    ClauseFinding
        With `scope.audience` where title or opening of the paragraph names a plan, and with the way out of the next
        sentence as `roles.condition`; as it was on other surfaces.
    """
    if found.surface != "training_use":
        return found
    if found.scope.audience in (None, "developer") and (audience := _plan(_line_before(text, found.start))):
        found = found._replace(scope=found.scope._replace(audience=audience))
    after = text[found.end : found.end + _AFTER].partition("\n")[0]
    following = next((part for part in _SENTENCE.split(plain(after).strip(" .*_")) if part.strip()), "")
    if _OUT.search(following.lower()):
        found = found._replace(roles=found.roles._replace(condition=shortened(following)))
    return found


def _line_before(text: str, start: int) -> str:
    """What stands in a paragraph before a clause."""
    first = max(0, start - _BEFORE)
    return text[max(first, text.rfind("\n", first, start) + 1) : start]


def _plan(before: str) -> str | None:
    """The plan that title or sentences before a clause name: the nearest decides."""
    words = as_unpaid(plain(before).lower())
    told = [scope_of(opening, "").audience or audience_of(opening) for opening in _OPENING.findall(words)]
    return next((audience for audience in reversed(told) if audience), None)
