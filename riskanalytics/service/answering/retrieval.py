"""Findings that answer a question: the test that each must pass, and their order."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from riskanalytics.service.answering.question import Question, Term
from riskanalytics.service.answering.vocabulary import fold, stem, vocabulary
from riskanalytics.service.store.records import Json

MOST_CITATIONS: Final = 6
"""Of one answer."""
_LONGEST_READ: Final = 4000
"""Characters of a quote that are looked at; a clause is shorter, a page without sentences is not."""
_WORD: Final = re.compile(r"\w+")
_RISK: Final = {"HIGH": 0, "MED": 1, "LOW": 2}


def passing(question: Question, findings: Iterable[Json]) -> list[Json]:
    """Return the findings that pass the test of evidence, best first, no two with the same words of one platform.

    Parameters
    ----------
    question : Question
    findings : iterable of dict
        On the question's surfaces.

    Returns
    -------
    list of dict
    """
    held = [finding for finding in findings if _is_evidence(question, finding)]
    held.sort(key=lambda finding: _order(question, finding))
    seen: set[tuple[str, str]] = set()
    kept = []
    for finding in held:
        key = (finding["platform"], " ".join(finding["quote"].split()))
        if key not in seen and (finding["platform"], finding["duplicate_of"]) not in seen:
            seen |= {key, (finding["platform"], finding["id"])}
            kept.append(finding)
    return kept


def chosen(findings: Sequence[Json], decided_by: Sequence[str] = ()) -> list[Json]:
    """Return the findings that an answer cites: of each platform and surface in turn, both sides of a conflict.

    Parameters
    ----------
    findings : sequence of dict
        Passing, best first.
    decided_by : sequence of str
        Findings that come first, where they pass.

    Returns
    -------
    list of dict
        At most `MOST_CITATIONS`.
    """
    first = [finding for finding in findings if finding["id"] in decided_by][: MOST_CITATIONS // 2]
    lanes: dict[tuple[str, str, str], list[Json]] = defaultdict(list)
    for finding in findings:
        lanes[(finding["platform"], finding["surface"], finding["polarity"])].append(finding)
    picked = {finding["id"]: finding for finding in first}
    by_id = {finding["id"]: finding for finding in findings}
    turn = 0
    while len(picked) < MOST_CITATIONS and any(len(lane) > turn for lane in lanes.values()):
        for lane in lanes.values():
            if turn < len(lane):
                _pick(lane[turn], picked, by_id)
        turn += 1
    order = {finding["id"]: place for place, finding in enumerate(findings)}
    rest = sorted((finding for finding in picked.values() if finding not in first), key=lambda row: order[row["id"]])
    return [*first, *rest][:MOST_CITATIONS]


def _pick(finding: Json, picked: dict[str, Json], by_id: dict[str, Json]) -> None:
    """Take a finding, and one that says the opposite, while there is room."""
    opposite = next((name for name in finding["conflicts_with"] if name in by_id), None)
    for name in (finding["id"], opposite):
        if name is not None and len(picked) < MOST_CITATIONS:
            picked.setdefault(name, by_id[name])


def _is_evidence(question: Question, finding: Json) -> bool:
    """Say whether a finding speaks to what is asked: its topic, its limits and every particular word."""
    quote = _folded(finding["quote"])
    topics = [topic for topic in question.topics if finding["surface"] in topic.surfaces]
    actions = any(not topic.object for topic in question.topics)
    objects = [topic for topic in question.topics if topic.object] if actions else []
    narrow = [topic for topic in topics if topic.shows is not None and topic not in objects]
    if actions and not any(not topic.object for topic in topics):
        return False
    if narrow and not any(topic.shows is not None and topic.shows.search(quote) for topic in narrow):
        return False
    shown = [topic.shows for topic in objects] + [modifier.shows for modifier in question.modifiers]
    if not all(pattern.search(quote) for pattern in shown if pattern is not None):
        return False
    return _fits_audience(question.audience, finding, quote) and all(_holds(term, quote) for term in question.terms)


def _fits_audience(audience: str | None, finding: Json, quote: str) -> bool:
    """Say whether a finding speaks of those whom the question is about.

    A clause that limits itself to nobody speaks of consumers; what it means for a contract of a business is not said.
    """
    scope = finding["scope"]["audience"]
    if audience is None or scope == audience:
        return True
    if audience == "consumer":
        return scope is None
    return bool(vocabulary().audiences[audience].search(quote))


def _holds(term: Term, quote: str) -> bool:
    """Say whether a quote holds a particular word, in any of its forms."""
    if term.group:
        return bool(vocabulary().same[term.word].search(quote))
    if not term.word.isascii():
        return term.word in quote
    return stem(term.word) in _stems(quote)


def _order(question: Question, finding: Json) -> tuple[object, ...]:
    """Return what findings are sorted by: topics held, audience, level, confidence, place."""
    quote = _folded(finding["quote"])
    held = sum(
        topic.shows is not None and finding["surface"] in topic.surfaces and bool(topic.shows.search(quote))
        for topic in question.topics
    )
    audience = finding["scope"]["audience"]
    wanted = question.topics[0].surfaces[0] if question.topics else ""
    return (
        -held,
        audience not in (question.audience, None),
        finding["scope"]["product"] is not None,
        finding["surface"] != wanted,
        _RISK.get(finding["risk"], 3),
        -finding["confidence"],
        finding["provenance"]["document"],
        finding["provenance"]["start"],
        finding["id"],
    )


@lru_cache(maxsize=4096)
def _folded(quote: str) -> str:
    """Return a quote as patterns look at it."""
    return " ".join(fold(unicodedata.normalize("NFKC", quote[:_LONGEST_READ])).split())


@lru_cache(maxsize=4096)
def _stems(quote: str) -> frozenset[str]:
    """Return the stems of a folded quote's words."""
    return frozenset(stem(word) for word in _WORD.findall(quote))
