"""One text to its findings."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from riskanalytics.errors import ExtractionError
from riskanalytics.extraction.confidence import confidence_of
from riskanalytics.extraction.plain import is_chinese, plain
from riskanalytics.extraction.records import Clause, ClauseFinding, Reading, Scope
from riskanalytics.extraction.rules import Rule, RuleSet, load_rules
from riskanalytics.extraction.scope import scope_of
from riskanalytics.extraction.segment import segment

RULES: Final[RuleSet] = load_rules()
CODE_VERSION: Final = "1"
"""Raised by hand when code, not data, changes what is read."""
RULES_VERSION: Final = f"{RULES.version}.{CODE_VERSION}"
"""Version of what reads a text: rules as data and the code around them."""

_LONGEST: Final = 4000
_SHORTEST: Final = 12
_SHORTEST_CHINESE: Final = 5


class Decision(NamedTuple):
    """What the rules decided on one clause for one surface."""

    surface: str
    rule: Rule
    scope: Scope


def extract(text: str) -> Reading:
    """Read all findings out of one text.

    Parameters
    ----------
    text : str
        A snapshot's bytes decoded as UTF-8, not normalised.

    Returns
    -------
    Reading
        Findings in the order of the text; `text[finding.start:finding.end] == finding.quote` for each.

    Raises
    ------
    ExtractionError
        If a quote did not stand at its offsets; nothing is returned then.
    """
    clauses = segment(text)
    findings = [finding for clause in clauses for finding in _findings(text, clause)]
    return Reading(tuple(findings), _language(text), len(clauses))


def _findings(text: str, clause: Clause) -> list[ClauseFinding]:
    """Findings of one clause."""
    if clause.kind == "heading" or clause.end - clause.start > _LONGEST:
        return []
    quote = text[clause.start : clause.end]
    found = []
    for decision in _decide(quote, clause.lead_in, clause.heading):
        confidence, interval = confidence_of(decision.rule.id)
        found.append(
            ClauseFinding(
                surface=decision.surface,
                start=clause.start,
                end=clause.end,
                quote=quote,
                risk=decision.rule.risk,
                polarity=decision.rule.polarity,
                rule=decision.rule.id,
                confidence=confidence,
                confidence_interval=interval,
                scope=decision.scope,
                stance=decision.rule.stance,
            )
        )
    if any(text[finding.start : finding.end] != finding.quote for finding in found):
        raise ExtractionError("a quote does not stand at its offsets: this is a fault of the extraction")
    return found


@lru_cache(maxsize=200_000)
def _decide(quote: str, lead_in: str, heading: str) -> tuple[Decision, ...]:
    """Decide on a clause by all surfaces; kept, since most clauses of a new version stood in the last."""
    words = plain(quote).lower()
    if len(words) < (_SHORTEST_CHINESE if is_chinese(words) else _SHORTEST):
        return ()
    with_lead = f"{lead_in} {words}".strip().lower() if lead_in else words
    return tuple(
        Decision(surface.id, rule, scope_of(with_lead, heading.lower(), rule.product))
        for surface in RULES.surfaces
        if (rule := surface.decide(words, with_lead)) is not None
    )


def _language(text: str) -> str:
    """`zh` or `en`; `und` for a text too short to tell."""
    sample = text[:20_000]
    if len(sample.strip()) < 40:
        return "und"
    if is_chinese(sample):
        return "zh"
    common = sum(sample.lower().count(f" {word} ") for word in ("the", "and", "of", "to", "you"))
    return "en" if common * 60 >= len(sample) // 8 else "und"
