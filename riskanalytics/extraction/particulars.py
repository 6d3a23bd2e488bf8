"""What a clause names: recipients, purposes, conditions, periods.

Two versions of a policy often say the same in other words. A finding is new in substance, or gone, only where it names
something that what it replaced, or what still stands, does not name.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from riskanalytics.extraction.align import periods
from riskanalytics.extraction.evidence import grade
from riskanalytics.extraction.memory import remembered
from riskanalytics.extraction.plain import plain
from riskanalytics.extraction.records import ClauseFinding
from riskanalytics.extraction.rules import compiled, shared_words
from riskanalytics.extraction.rules.needed import Pattern
from riskanalytics.surfaces.declared import declared


@cache
def _patterns() -> dict[str, dict[str, Pattern]]:
    """What clauses of each surface may name."""
    shared = shared_words()
    words, who = shared.words | shared.recipients, shared.recipients
    return {
        surface.id: {
            name: compiled(f"{surface.id}.toml: particulars", pattern, words)
            for name, pattern in ({**who, **surface.particulars} if surface.recipients else surface.particulars).items()
        }
        for surface in declared()
    }


def particulars(finding: ClauseFinding) -> frozenset[str]:
    """Give what a finding names.

    Parameters
    ----------
    finding : ClauseFinding

    Returns
    -------
    frozenset of str
        What of the particulars of its surface it names, the periods in days, whom it is for, and on training use what
        holds.
    """
    held = grade(finding) if finding.surface == "training_use" else None
    more = {finding.scope.audience or "", finding.scope.product or "", held.effect if held else ""} - {""}
    return _named(finding.surface, finding.quote) | more


@remembered(20_000)
def _named(surface: str, quote: str) -> frozenset[str]:
    """Give what words name; kept, since versions repeat each other."""
    words = plain(quote).lower()
    named = {name for name, pattern in _patterns()[surface].items() if pattern.search(words)}
    return frozenset(named | {f"{days:g} days" for days in periods(words)})


def covered(finding: ClauseFinding, others: Iterable[ClauseFinding]) -> bool:
    """Say whether all that a finding names is named by others of its surface and effect.

    Parameters
    ----------
    finding : ClauseFinding
    others : iterable of ClauseFinding

    Returns
    -------
    bool
        False where none of the others is of its level: a level that is new is something new. A promise is covered only by
        a single one that is no narrower.
    """
    same = [other for other in others if (other.surface, other.polarity) == (finding.surface, finding.polarity)]
    if not any(other.risk == finding.risk for other in same):
        return False
    named = particulars(finding)
    if finding.polarity == "mitigates_risk":
        return any(named <= particulars(other) and _as_wide(other, finding) for other in same)
    return named <= frozenset().union(*map(particulars, same))


def _as_wide(other: ClauseFinding, finding: ClauseFinding) -> bool:
    """Say whether a promise is for everybody that another one is for."""
    return all(theirs in (None, ours) for theirs, ours in zip(other.scope, finding.scope, strict=True)) and not (
        other.roles.condition and not finding.roles.condition
    )
