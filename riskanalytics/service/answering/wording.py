"""Words and shape of answers and refusals: a line for each citation, what was read, and the record that goes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from riskanalytics.models import DISCLAIMER, DOCUMENT_STATE_NAMES
from riskanalytics.models.words import LANGUAGE_NAMES
from riskanalytics.service.answering.question import Question
from riskanalytics.service.store.records import READ, Json, documents_read, led, quiet_surfaces
from riskanalytics.service.wire import Service
from riskanalytics.surfaces import surface_name
from riskanalytics.text.page_words import plain_words, without_marks

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
        lines.append(f'{whose}{whom} says{mark}: "{shown(led(finding))}" [{number}].')
    return lines


def shown(quote: str) -> str:
    """Return a quote as an answer shows it: in one line, without the marks of Markdown."""
    return " ".join(without_marks(plain_words(quote)).replace("**", "").replace("\u200d", "").split())


def only_leads(name: str, slug: str, citations: Sequence[Json]) -> list[str]:
    """Return the line that says of a platform that leads alone are cited; none where a finding is, or nothing."""
    numbered = [(number, row) for number, row in enumerate(citations, 1) if row["platform"] == slug]
    if not numbered or not all(row.get("to_read") for _, row in numbered):
        return []
    marks = " ".join(f"[{number}]" for number, _ in numbered)
    return [f"{name}: no finding answers this. Leads to be read, not findings: {marks}."]


def nearest_to_read(before: int, near: Sequence[Json]) -> str:
    """Return the sentence that numbers the clauses nearest to a question that none answers, behind so many others."""
    marks = " ".join(f"[{number}]" for number, _ in enumerate(near, before + 1))
    return f" Nearest to the question, to be read: {marks}." if near else ""


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
    service: Service, asked: Question, lines: Sequence[str], citations: Sequence[Json], looked_at: Json,
    slug: str | None = None,
) -> Json:  # fmt: skip
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


def why_nothing(asked: Question, states: Mapping[str, Json | None], leads: Sequence[Json]) -> tuple[str, str]:
    """Say why nothing answers a question about some platforms.

    Parameters
    ----------
    asked : Question
    states : mapping
        Slug -> what `Store.platform` returned.
    leads : sequence of dict
        Of these platforms, on the question's surfaces.

    Returns
    -------
    reason, text : str
        `silent` only where every document was read and holds no finding and no lead; else `no_evidence`.
    """
    told = list(filter(None, states.values()))
    where = " ".join(filter(None, (_documents(told, read=True), _documents(told, read=False), _to_read(leads, asked))))
    if any(map(documents_read, told)) and all(set(asked.searched) <= set(quiet_surfaces(state)) for state in told):
        return "silent", f"Nothing was found on {subjects(asked)}. {where}"
    whom = f" for {AUDIENCES[asked.audience]}" if asked.audience else ""
    return "no_evidence", f"No finding on {subjects(asked)} answers this question{whom}. {where}"


def _is_read(document: Json) -> bool:
    """Say whether a document is good and in a language that is read."""
    return document["state"] in READ and document.get("read") is not False


def _documents(states: Sequence[Json], *, read: bool) -> str:
    """Return the sentence on the documents that were read, or on those that were not, and why; empty without any."""
    named = []
    for state in states:
        rows = [row for row in state["documents"] if _is_read(row) == read]
        parts = [f"{row['document']} ({row['captured_at'][:10] if read else _why(row)})" for row in rows]
        named += [f"{state['name']}: {', '.join(parts) or 'none'}"] if parts or read else []
    head = "Documents searched" if read else "Not read"
    return f"{head}: {'; '.join(named)}." if named else ""


def _why(document: Json) -> str:
    """Return why a document was not read."""
    if document["state"] in READ:
        language = str(document["language"])
        return f"in {LANGUAGE_NAMES.get(language, language)}"
    state = str(document["state"])
    return DOCUMENT_STATE_NAMES.get(state, state).removeprefix("not read: ")


def _to_read(leads: Sequence[Json], asked: Question) -> str:
    """Return the sentence on the leads that a person may read; empty where there is none."""
    if not leads:
        return ""
    many = f"{len(leads)} leads are" if len(leads) > 1 else "1 lead is"
    return f"{many} to be read on {subjects(asked)}: clauses that are not sure enough to be findings."
