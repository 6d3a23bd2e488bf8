"""How the findings of one platform stand to each other: near-copies, and clauses that say the opposite.

Near-copies are the same statement in two documents, or in the two regional versions that one page holds one
after the other: same surface, same reading (rule, stance, audience, product), and words that agree but for
few. They count once. Contradictions keep both sides: rules name the rules they oppose (`opposes` in the rule
data), and two findings conflict where they stand for the same audience and product.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from rapidfuzz import fuzz

from riskanalytics.extraction.deciding import RULES
from riskanalytics.extraction.reading import statement_key
from riskanalytics.extraction.records import ClauseFinding, DocumentReading, FindingKey, Relations

_BUSINESS: Final = re.compile(
    r"\b(?:business|commercial|enterprise|data process\w*|customer agreement)\b(?! notice)", re.I
)
_ALIKE: Final = 92.0
"""Share of equal characters, in per cent, from which two statements of the same reading are near-copies."""
_SHORTEST: Final = 40
"""Shorter statements are copies only when they are equal."""
_COMPARED: Final = 40
"""Statements compared with each new one at most: the work stays linear."""
_CONFLICTS: Final = 5
"""Opposite findings named at most: the list is for a person."""


class Located(NamedTuple):
    """A finding with the snapshot it stands in."""

    document: str
    snapshot_sha256: str
    finding: ClauseFinding

    @property
    def audience(self) -> str | None:
        """Whom it speaks to, by the clause or else by the document's name."""
        return self.finding.scope.audience or ("business" if _BUSINESS.search(self.document) else None)

    @property
    def key(self) -> FindingKey:
        """What tells it from all others of the platform."""
        return self.snapshot_sha256, self.finding.start, self.finding.end, self.finding.surface


def located(documents: Sequence[DocumentReading]) -> Iterator[Located]:
    """Give all findings with their snapshots; a text that stands under two names gives them under the first.

    Parameters
    ----------
    documents : sequence of DocumentReading

    Yields
    ------
    Located
    """
    firsts: dict[str, DocumentReading] = {}
    for document in documents:
        firsts.setdefault(document.snapshot_sha256, document)
    for document in firsts.values():
        for finding in document.reading.findings:
            yield Located(document.document, document.snapshot_sha256, finding)


def relate(documents: Sequence[DocumentReading]) -> Relations:
    """Mark near-copies and contradictions among a platform's findings.

    Parameters
    ----------
    documents : sequence of DocumentReading
        All current documents, in a stable order; the first that says something keeps it.

    Returns
    -------
    Relations
    """
    items = list(located(documents))
    duplicates = near_copies(items)
    return Relations(_conflicts([item for item in items if item.key not in duplicates]), duplicates)


def near_copies(items: Sequence[Located]) -> dict[FindingKey, FindingKey]:
    """Return the findings that repeat another, and the first that says it.

    Parameters
    ----------
    items : sequence of Located
        In a stable order.

    Returns
    -------
    dict of FindingKey to FindingKey
    """
    firsts: dict[tuple[object, ...], FindingKey] = {}
    alike: dict[tuple[object, ...], list[tuple[str, FindingKey]]] = defaultdict(list)
    found: dict[FindingKey, FindingKey] = {}
    for item in items:
        finding, key = item.finding, item.key
        words = statement_key(finding.quote)
        reading = finding.polarity, finding.stance, item.audience, finding.scope.product
        first = firsts.setdefault((finding.surface, words, *reading), key)
        if first != key:
            found[key] = first
            continue
        scope = finding.scope
        beginning = words.split(" ", 2)[:2]
        kin = alike[(finding.rule, finding.stance, scope.audience, scope.product, *beginning)]
        same = next((known for other, known in kin[-_COMPARED:] if _near_copy(words, other)), None) if kin else None
        if same is None:
            kin.append((words, key))
        else:
            found[key] = same
    return found


def _near_copy(words: str, other: str) -> bool:
    """Say whether two statements of the same reading agree but for few words."""
    if min(len(words), len(other)) < _SHORTEST:
        return False
    return fuzz.ratio(words, other, score_cutoff=_ALIKE) > 0


def _conflicts(items: Sequence[Located]) -> dict[FindingKey, tuple[FindingKey, ...]]:
    """Findings and those that say the opposite for the same audience."""
    by_rule: dict[tuple[str, str | None, str | None], list[FindingKey]] = defaultdict(list)
    for item in items:
        scope = item.finding.scope
        by_rule[item.finding.rule, scope.audience, scope.product].append(item.key)
    opposed: dict[FindingKey, list[FindingKey]] = defaultdict(list)
    for (rule, audience, product), keys in by_rule.items():
        for other in sorted(RULES.opposed.get(rule, ())):
            against = by_rule.get((other, audience, product), ())[:_CONFLICTS]
            if against:
                for key in keys:
                    opposed[key].extend(against)
    return {key: tuple(others[:_CONFLICTS]) for key, others in opposed.items()}
