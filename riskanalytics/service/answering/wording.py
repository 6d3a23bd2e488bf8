"""Words and shape of answers: a line for each citation, and the record that goes out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from riskanalytics.models import DISCLAIMER
from riskanalytics.page_words import plain_words
from riskanalytics.service.answering.question import Question
from riskanalytics.service.store.records import Json, led
from riskanalytics.service.wire.service import Service
from riskanalytics.surfaces import surface_name

AUDIENCES: Final = {"business": "business users", "developer": "developers", "consumer": "consumers"}
"""Whom a question or a clause is about, in words."""
MOST_NAMED: Final = 5
"""Platforms that one question may name."""
MOST_LISTED: Final = 60
"""Names that a line gives."""


def listed(names: Sequence[str]) -> str:
    """Return names in one line, those beyond `MOST_LISTED` only counted."""
    more = len(names) - MOST_LISTED
    return ", ".join(names[:MOST_LISTED]) + (f" and {more} more" if more > 0 else "")


def subjects(asked: Question) -> str:
    """Return the surfaces that are searched, in words."""
    return ", ".join(map(surface_name, asked.searched))


def quoted(citations: Sequence[Json]) -> list[str]:
    """Return one line for each citation: frame, quote, number."""
    lines = []
    for number, finding in enumerate(citations, 1):
        source, audience = finding["provenance"], AUDIENCES.get(finding["scope"]["audience"] or "")
        whose = f"{finding['name']}'s {source['document']} ({source['captured_at'][:10]})"
        whom = f", for {audience}," if audience else ""
        mark = ", to be read, not a finding" if finding.get("to_read") else ""
        lines.append(f'{whose}{whom} says{mark}: "{plain_words(led(finding))}" [{number}].')
    return lines


def only_leads(name: str, slug: str, citations: Sequence[Json]) -> list[str]:
    """Return the line that says of a platform that leads alone are cited; none where a finding is, or nothing."""
    numbered = [(number, row) for number, row in enumerate(citations, 1) if row["platform"] == slug]
    if not numbered or not all(row.get("to_read") for _, row in numbered):
        return []
    marks = " ".join(f"[{number}]" for number, _ in numbered)
    return [f"{name}: no finding answers this. Leads to be read, not findings: {marks}."]


def conflicts(citations: Sequence[Json]) -> list[str]:
    """Return the line that names the pairs of citations which say the opposite of each other; none without one."""
    numbers = {finding["id"]: number for number, finding in enumerate(citations, 1)}
    pairs = {
        tuple(sorted((number, numbers[other])))
        for number, finding in enumerate(citations, 1)
        for other in finding["conflicts_with"]
        if other in numbers
    }
    named = ", ".join(f"[{one}] with [{other}]" for one, other in sorted(pairs))
    return [f"In conflict: {named}."] if named else []


def both_sides(asked: Question, citations: Sequence[Json]) -> list[str]:
    """Return a line for each platform whose clauses speak for and against what a question asks; "yes" is never said."""
    lines = []
    marks: dict[tuple[str, str], list[str]] = defaultdict(list)
    for number, finding in enumerate(citations, 1):
        marks[finding["name"], finding["polarity"]].append(f"[{number}]")
    for name in dict.fromkeys(finding["name"] for finding in citations if asked.polar):
        raising, mitigating = (" ".join(marks[name, side]) for side in ("raises_risk", "mitigates_risk"))
        if raising and mitigating:
            lines.append(f"{name} states both sides: {raising} against {mitigating}.")
    return lines


def searched(asked: Question, slugs: Sequence[str], findings: Sequence[Json], held: Sequence[Json]) -> Json:
    """Return what was looked at: platforms, surfaces, particular words, findings, and what stayed without result."""
    found = {(finding["platform"], finding["surface"]) for finding in held}
    few = slugs if len(slugs) <= MOST_NAMED else ()
    without = [(slug, surface) for slug in few for surface in asked.surfaces if (slug, surface) not in found]
    return {
        "platforms": list(slugs),
        "surfaces": list(asked.searched),
        "words": asked.words,
        "findings": len(findings),
        "without_result": [{"platform": slug, "surface": surface} for slug, surface in without],
    }


def answered(
    service: Service,
    asked: Question,
    lines: Sequence[str],
    citations: Sequence[Json],
    looked_at: Json,
    slug: str | None,
) -> Json:
    """Return an answer as the wire shows it."""
    resolved = [service.resolved(finding) for finding in citations]
    return _record(asked, slug, "\n".join(lines), looked_at) | {"citations": resolved}


def refused(asked: Question, reason: str, text: str, *, slug: str | None = None, looked_at: Json | None = None) -> Json:
    """Return a refusal as the wire shows it."""
    nothing = {"platforms": [], "surfaces": [], "words": asked.words, "findings": 0, "without_result": []}
    return _record(asked, slug, text, looked_at or nothing) | {"refused": True, "reason": reason}


def _record(asked: Question, slug: str | None, text: str, looked_at: Json) -> Json:
    """Return an answer without citations."""
    return {
        "object": "answer",
        "question": asked.text,
        "platform": slug,
        "answer": text,
        "refused": False,
        "reason": None,
        "citations": [],
        "searched": looked_at,
        "disclaimer": DISCLAIMER,
    }
