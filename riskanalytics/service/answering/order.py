"""The order of findings that answer a question: what they share with its words (BM25), then what they speak to."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Final

from riskanalytics.models import audience_of_document
from riskanalytics.service.answering.question import Question
from riskanalytics.service.answering.vocabulary import fold, units, vocabulary
from riskanalytics.service.store.records import Json

_LONGEST_READ: Final = 4000
"""Characters of a quote that are looked at; a clause is shorter, a page without sentences is not."""
_SATURATION: Final = 1.2
_LENGTH: Final = 0.6
"""The two constants of BM25: how soon a repeated word stops counting, how much a long quote is marked down."""
_RISK: Final = {"HIGH": 0.4, "MED": 0.2, "LOW": 0.0}
_LENGTH_OF_TIME: Final = re.compile(
    r"\b(?:\d+|one|two|three|six|seven|ten|twelve|thirty|sixty|ninety)\)?[ -](?:\w+ )?(?:hours?|days?|weeks?|months?|years?)\b"
    r"|\d+ ?(?:天|日|个月|年|小时)"
)
_POINTER: Final = re.compile(
    r"\b(?:learn more|for (?:more|further) (?:information|details)|(?:please )?(?:see|refer to|contact) (?:us|our|the|this)|"
    r"as (?:described|set out) below|sections? (?:above|below) (?:details?|describes?|explains?|sets? out))\b"
)
_DUTY: Final = re.compile(
    r"^\W*(?:\(?\w{1,3}[).] )?(?:you|customers?|users?) (?:must|may not|shall|should|agree not|will not|represent|warrant)\b"
)
_RULES_FOR_USERS: Final = re.compile(r"\b(?:acceptable use|usage polic|guidelines|prohibited)", re.IGNORECASE)
_CHOICE: Final = re.compile(
    r"\b(?:you|users?|customers?) (?:can|may|could|have the (?:right|option|choice|ability)|are able)\b|可以"
)
_ASKED: Final = re.compile(r"\?\W*$")


def in_order(question: Question, findings: Sequence[Json]) -> list[Json]:
    """Return findings, those that answer a question best first.

    Parameters
    ----------
    question : Question
    findings : sequence of dict
        That pass the test of evidence.

    Returns
    -------
    list of dict
    """
    shared = _bm25(question.content, [folded_quote(finding["quote"]) for finding in findings])
    scored = [(-one - _fit(question, finding), finding) for one, finding in zip(shared, findings, strict=True)]
    place = itemgetter("document", "start")
    scored.sort(key=lambda pair: (round(pair[0], 6), *place(pair[1]["provenance"]), pair[1]["id"]))
    return [finding for _, finding in scored]


def _bm25(asked: Sequence[str], quotes: Sequence[str]) -> list[float]:
    """Return how much each quote shares with the words of a question, rare words counting more."""
    alike = vocabulary().alike
    wanted: set[str | int] = {*asked, *(alike[unit] for unit in asked if unit in alike)}
    held = [_counted(quote) for quote in quotes]
    having = Counter(unit for counts, _ in held for unit in wanted & counts.keys())
    mean = sum(length for _, length in held) / max(1, len(held))
    weights = {unit: math.log(1 + (len(held) - many + 0.5) / (many + 0.5)) for unit, many in having.items()}
    return [
        math.fsum(
            weights[unit] * _saturated(counts[unit], length / max(1.0, mean)) for unit in weights if counts.get(unit)
        )
        for counts, length in held
    ]


def _saturated(times: int, length: float) -> float:
    """Return what a word counts that stands in a quote so many times, in a quote so long against the others."""
    return times * (_SATURATION + 1) / (times + _SATURATION * (1 - _LENGTH + _LENGTH * length))


def _fit(question: Question, finding: Json) -> float:
    """Return how well a finding fits a question beside its words: topics, audience, kind of clause, level."""
    quote, scope = folded_quote(finding["quote"]), finding["scope"]
    here = [topic for topic in question.topics if finding["surface"] in topic.surfaces]
    fit = 1.0 * sum(topic.shows is not None and topic.shown_by(quote) for topic in here)
    fit += 1.0 * sum(topic.best is not None and bool(topic.best.search(quote)) for topic in here)
    if question.topics and finding["surface"] == question.topics[0].surfaces[0]:
        fit += 1.0
    if question.audience is not None:
        fit += 1.5 * (scope["audience"] == question.audience)
    else:
        of_document = audience_of_document(finding["provenance"]["document"])
        fit -= 1.0 * bool({scope["audience"], of_document} & {"business", "developer"})
    if scope["product"] is not None and not set(units(fold(scope["product"]))) & set(question.content):
        fit -= 0.7
    if any(modifier.id == "how_long" for modifier in question.modifiers):
        fit += 2.0 * bool(_LENGTH_OF_TIME.search(quote))
    if any(modifier.id == "opt_out" for modifier in question.modifiers):
        fit += 1.0 * bool(_CHOICE.search(quote))
    fit -= 1.0 * sum(bool(pattern.search(quote)) for pattern in (_POINTER, _DUTY, _ASKED)) + 1.0 * (len(quote) < 40)
    fit -= 1.5 * bool(_RULES_FOR_USERS.search(finding["provenance"]["document"]))
    fit -= 0.5 * (len(quote) > 800) + 0.5 * (len(quote) > 1600)
    return fit + _RISK.get(finding["risk"], 0.0) + 0.5 * float(finding["confidence"])


@lru_cache(maxsize=16384)
def folded_quote(quote: str) -> str:
    """Return a quote as patterns look at it.

    Parameters
    ----------
    quote : str

    Returns
    -------
    str
    """
    return " ".join(fold(unicodedata.normalize("NFKC", quote[:_LONGEST_READ])).split())


def is_question(quote: str) -> bool:
    """Say whether a folded quote only asks: a heading, not a statement.

    Parameters
    ----------
    quote : str

    Returns
    -------
    bool
    """
    return bool(_ASKED.search(quote))


@lru_cache(maxsize=16384)
def meanings(quote: str) -> frozenset[str | int]:
    """Return the stems of a folded quote, and the groups of words of nearly one meaning that they are in.

    Parameters
    ----------
    quote : str

    Returns
    -------
    frozenset
    """
    return frozenset(_counted(quote)[0])


@lru_cache(maxsize=16384)
def _counted(quote: str) -> tuple[dict[str | int, int], int]:
    """Return how often a folded quote holds each meaning, and how many words it has."""
    alike, held = vocabulary().alike, units(quote)
    counts: Counter[str | int] = Counter([*held, *(alike[unit] for unit in held if unit in alike)])
    return dict(counts), len(held)
