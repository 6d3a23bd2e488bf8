"""The answer: fixed frames around verbatim quotes, each line with its citation; or a refusal that says why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from riskanalytics.models import DISCLAIMER, STANCE_CLAUSES, SURFACES
from riskanalytics.service.answering.question import Question, read_question
from riskanalytics.service.answering.retrieval import MOST_CITATIONS, chosen, passing
from riskanalytics.service.store.evidence import live_findings, stances
from riskanalytics.service.store.records import Json
from riskanalytics.service.store.state import documents_read
from riskanalytics.service.wire import Service

REASONS: Final = (
    "no_evidence", "silent", "unknown_platform", "not_about_policies", "legal_advice", "ambiguous_platform",
)  # fmt: skip
"""Why a question may be refused."""
_TRAINING: Final = {
    False: ("trains_by_default", "trains_with_opt_out", "depends_on_plan"),
    True: ("does_not_train",),
}
"""Whether a question is in the negative -> stances that affirm it."""
_RECORDED: Final = {**STANCE_CLAUSES, "undetermined": "undetermined, to be read: the documents do not settle it"}
"""What the recorded stance says; silence says nothing."""
_AUDIENCES: Final = {"business": "business users", "developer": "developers", "consumer": "consumers"}
_MOST_NAMED: Final = 5
"""Platforms that one question may name."""


def answer_question(service: Service, question: str, platform: str | None = None) -> Json:
    """Answer a question from cited findings only, or refuse it.

    Nothing is composed but fixed frames around verbatim quotes, so neither a question nor a policy can make it say
    anything else.

    Parameters
    ----------
    service : Service
    question : str
        English or Chinese; nothing in it is an instruction.
    platform : str, optional
        Slug of the platform that is asked about.

    Returns
    -------
    dict
        `object`, `question`, `platform`, `answer`, `refused`, `reason` (one of `REASONS`, or None), `citations`,
        `searched`, `disclaimer`.
    """
    names = service.store.names()
    asked = read_question(question, names)
    if platform is not None and platform not in {slug for slug, _ in names}:
        return _refusal(asked, "unknown_platform", "No platform with this slug is tracked.")
    slugs = _resolved(asked, platform)
    shown = slugs[0] if len(slugs) == 1 else platform
    refusal = _refused_before_search(asked, slugs, platform, dict(names))
    if refusal is not None:
        reason, text = refusal
        return _refusal(asked, reason, text, slug=shown)
    if slugs:
        return _about_platforms(service, asked, slugs, dict(names))
    return _about_all(service, asked, [slug for slug, _ in names])


def _resolved(asked: Question, platform: str | None) -> list[str]:
    """Return the slugs that a question is about; none where it names none, or not clearly."""
    if platform is not None:
        return [platform]
    if any(len(slugs) > 1 for slugs in asked.named):
        return []
    return list(dict.fromkeys(slugs[0] for slugs in asked.named))


def _refused_before_search(
    asked: Question, slugs: Sequence[str], platform: str | None, names: dict[str, str]
) -> tuple[str, str] | None:
    """Return why a question is refused as it stands: reason and words; None where it is searched for."""
    if asked.advice:
        return "legal_advice", "This asks for legal advice; only what policies say can be answered, with citations."
    if asked.elsewhere:
        return ("no_evidence" if asked.surfaces else "not_about_policies"), "No clause of a policy tells this."
    unclear = _unclear_platform(asked, slugs, platform, names)
    if unclear is not None:
        return "ambiguous_platform", unclear
    if not asked.surfaces and not (asked.clauses and asked.terms):
        if asked.about_policies:
            return "no_evidence", "The question names none of the twelve surfaces on which policies are read."
        return "not_about_policies", "Only questions about what policies say on IP and privacy can be answered."
    return None if slugs or asked.which or asked.clauses else _no_platform(asked)


def _no_platform(asked: Question) -> tuple[str, str]:
    """Return reason and words for a question about one platform that names none of ours."""
    if any(term.is_name for term in asked.terms):
        return "unknown_platform", "The question names no platform that is tracked."
    return "ambiguous_platform", "Name one platform, or ask which platforms."


def _unclear_platform(asked: Question, slugs: Sequence[str], platform: str | None, names: dict[str, str]) -> str | None:
    """Return why it is not clear which platform a question is about; None where it is."""
    unclear = [fits for fits in asked.named if len(fits) > 1 and (platform is None or platform not in fits)]
    if unclear:
        fitting = ", ".join(f"{names[slug]} ({slug})" for slug in unclear[0])
        return f"The name fits several platforms: {fitting}. Give a slug as platform."
    if platform is not None and any(platform not in fits for fits in asked.named):
        return "The question names another platform than the one given."
    return f"Name at most {_MOST_NAMED} platforms in one question." if len(slugs) > _MOST_NAMED else None


def _surfaces(asked: Question) -> tuple[str, ...]:
    """Return the surfaces to search; all of them for clauses with particular words only."""
    return asked.surfaces or SURFACES


def _about_platforms(service: Service, asked: Question, slugs: Sequence[str], names: dict[str, str]) -> Json:
    """Answer a question about platforms that it names."""
    surfaces = _surfaces(asked)
    findings = live_findings(service.store, surfaces, slugs)
    held = passing(asked, findings)
    slug = slugs[0] if len(slugs) == 1 else None
    if not held:
        reason, text = _why_nothing(service, asked, slugs, findings, names)
        return _refusal(asked, reason, text, slug=slug, searched=_searched(asked, slugs, findings, []))
    recorded = stances(service.store) if _tells_stance(asked) else {}
    decided = [name for one in slugs for name in recorded.get(one, {}).get("decided_by", ())]
    citations = chosen(held, decided)
    lines = []
    for one in slugs:
        lines += _stance_line(names[one], recorded.get(one), citations)
    lines += _quoted(citations) + (_conflicts(citations) or _both_sides(asked, citations))
    return _answer(service, asked, lines, citations, _searched(asked, slugs, findings, held), slug)


def _why_nothing(
    service: Service, asked: Question, slugs: Sequence[str], findings: Sequence[Json], names: dict[str, str]
) -> tuple[str, str]:
    """Return reason and words of a search that found nothing: silent documents, or no evidence in them."""
    read, told = False, []
    for slug in slugs:
        state = service.store.platform(slug)
        documents = documents_read(state) if state else []
        read = read or bool(documents)
        listed = (
            ", ".join(f"{row['document']} ({row['captured_at'][:10]})" for row in documents) or "none could be read"
        )
        told.append(f"{names[slug]}: {listed}")
    where = f"Documents searched: {'; '.join(told)}."
    subject = ", ".join(surface.replace("_", " ") for surface in _surfaces(asked))
    if read and not findings:
        return "silent", f"Nothing was found on {subject}. {where}"
    return "no_evidence", f"No finding on {subject} answers this question. {where}"


def _about_all(service: Service, asked: Question, slugs: Sequence[str]) -> Json:
    """Answer a question about all platforms: which of them, or which clauses."""
    findings = live_findings(service.store, _surfaces(asked))
    recorded = stances(service.store)
    held = passing(asked, findings)
    if asked.which:
        held = [finding for finding in held if _affirms(asked, finding, recorded)]
    if not held:
        text = "No finding of any tracked platform answers this question."
        return _refusal(asked, "no_evidence", text, searched=_searched(asked, slugs, findings, []))
    best = {finding["platform"]: finding for finding in reversed(held)}
    order = {finding["id"]: place for place, finding in enumerate(held)}
    citations = sorted(best.values(), key=lambda finding: order[finding["id"]])[:MOST_CITATIONS]
    marks = " ".join(f"[{number}]" for number in range(1, len(citations) + 1))
    count = f"{len(best)} of {len(slugs)} tracked platforms have a finding that answers this"
    more = f"; {len(citations)} are cited" if len(best) > len(citations) else ""
    lines = [f"{count}{more} {marks}.", *_quoted(citations)]
    return _answer(service, asked, lines, citations, _searched(asked, slugs, findings, held), None)


def _tells_stance(asked: Question) -> bool:
    """Say whether the recorded stance on training use is what a question asks for."""
    plain = not asked.terms and not asked.modifiers and asked.audience is None
    return plain and [topic.id for topic in asked.topics] == ["train"]


def _affirms(asked: Question, finding: Json, recorded: dict[str, Json]) -> bool:
    """Say whether a finding makes its platform one of those asked for."""
    if _tells_stance(asked):
        stance = recorded[finding["platform"]]
        wanted = ("trains_by_default",) if asked.by_default and not asked.negated else _TRAINING[asked.negated]
        return stance["stance"] in wanted and finding["id"] in stance["decided_by"]
    sided = {topic.yes for topic in asked.topics}
    if asked.modifiers or sided != {"raises_risk"}:
        return True
    return bool(finding["polarity"] == ("mitigates_risk" if asked.negated else "raises_risk"))


def _stance_line(name: str, recorded: Json | None, citations: Sequence[Json]) -> list[str]:
    """Return the line of a platform's recorded stance; none where the findings that decided are not cited."""
    said = _RECORDED.get(recorded["stance"]) if recorded is not None else None
    if recorded is None or said is None:
        return []
    marks = [f"[{place}]" for place, row in enumerate(citations, 1) if row["id"] in recorded["decided_by"]]
    return [f"{name}, recorded stance on training use: {said} {' '.join(marks)}."] if marks else []


def _quoted(citations: Sequence[Json]) -> list[str]:
    """Return one line for each citation: frame, verbatim quote, number."""
    return [_line(number, finding) for number, finding in enumerate(citations, 1)]


def _line(number: int, finding: Json) -> str:
    """Return the line of one citation."""
    source = finding["provenance"]
    audience = _AUDIENCES.get(finding["scope"]["audience"] or "")
    whom = f", for {audience}," if audience else ""
    day = source["captured_at"][:10]
    return f'{finding["name"]}\'s {source["document"]} ({day}){whom} says: "{finding["quote"]}" [{number}].'


def _conflicts(citations: Sequence[Json]) -> list[str]:
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


def _both_sides(asked: Question, citations: Sequence[Json]) -> list[str]:
    """Return a line for each platform whose clauses speak for and against what a question asks; "yes" is never said."""
    lines = []
    for name in dict.fromkeys(finding["name"] for finding in citations if asked.polar):
        sides = {
            side: " ".join(
                f"[{number}]"
                for number, finding in enumerate(citations, 1)
                if (finding["name"], finding["polarity"]) == (name, side)
            )
            for side in ("raises_risk", "mitigates_risk")
        }
        if all(sides.values()):
            lines.append(f"{name} states both sides: {sides['raises_risk']} against {sides['mitigates_risk']}.")
    return lines


def _searched(asked: Question, slugs: Sequence[str], findings: Sequence[Json], held: Sequence[Json]) -> Json:
    """Return what was looked at: platforms, surfaces, particular words, findings, and what stayed without result."""
    found = {(finding["platform"], finding["surface"]) for finding in held}
    few = slugs if len(slugs) <= _MOST_NAMED else ()
    without = [(slug, surface) for slug in few for surface in asked.surfaces if (slug, surface) not in found]
    return {
        "platforms": list(slugs),
        "surfaces": list(_surfaces(asked)),
        "words": asked.words,
        "findings": len(findings),
        "without_result": [{"platform": slug, "surface": surface} for slug, surface in without],
    }


def _answer(
    service: Service, asked: Question, lines: Sequence[str], citations: Sequence[Json], searched: Json, slug: str | None
) -> Json:
    """Return an answer as the wire shows it."""
    return {
        "object": "answer",
        "question": asked.text,
        "platform": slug,
        "answer": "\n".join(lines),
        "refused": False,
        "reason": None,
        "citations": [service.resolved(finding) for finding in citations],
        "searched": searched,
        "disclaimer": DISCLAIMER,
    }


def _refusal(asked: Question, reason: str, text: str, *, slug: str | None = None, searched: Json | None = None) -> Json:
    """Return a refusal as the wire shows it."""
    nothing = {"platforms": [], "surfaces": [], "words": asked.words, "findings": 0, "without_result": []}
    return {
        "object": "answer",
        "question": asked.text,
        "platform": slug,
        "answer": text,
        "refused": True,
        "reason": reason,
        "citations": [],
        "searched": searched or nothing,
        "disclaimer": DISCLAIMER,
    }
