"""The answer: fixed frames around verbatim quotes, each line with its citation; or a refusal that says why."""

from __future__ import annotations

from collections.abc import Sequence

from riskanalytics.models import languages_not_read
from riskanalytics.service.answering.many import about_all
from riskanalytics.service.answering.question import Question, read_question
from riskanalytics.service.answering.retrieval import chosen, passing
from riskanalytics.service.answering.training import stance_line
from riskanalytics.service.answering.wording import (
    AUDIENCES,
    MOST_NAMED,
    answered,
    both_sides,
    conflicts,
    quoted,
    refused,
    searched,
    subjects,
)
from riskanalytics.service.store.evidence import live_findings, stances
from riskanalytics.service.store.records import Json
from riskanalytics.service.wire.service import Service
from riskanalytics.wording import plural


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
        `object`, `question`, `platform`, `answer`, `refused`, `reason` (one of `models.REFUSALS`, or None), `citations`,
        `searched`, `disclaimer`.
    """
    names = service.store.names()
    asked = read_question(question, names)
    if platform is not None and platform not in {slug for slug, _ in names}:
        return refused(asked, "unknown_platform", "No platform with this slug is tracked.")
    slugs = _resolved(asked, platform)
    shown = slugs[0] if len(slugs) == 1 else platform
    refusal = _refused_before_search(asked, slugs, platform, dict(names))
    if refusal is not None:
        reason, text = refusal
        return refused(asked, reason, text, slug=shown)
    if slugs:
        return _about_platforms(service, asked, slugs, dict(names))
    return about_all(service, asked, dict(names))


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
            return "no_evidence", "The question names none of the surfaces on which policies are read."
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
    return f"Name at most {MOST_NAMED} platforms in one question." if len(slugs) > MOST_NAMED else None


def _about_platforms(service: Service, asked: Question, slugs: Sequence[str], names: dict[str, str]) -> Json:
    """Answer a question about platforms that it names."""
    findings = live_findings(service.store, asked.searched, slugs)
    held = passing(asked, findings)
    slug = slugs[0] if len(slugs) == 1 else None
    looked_at = searched(asked, slugs, findings, held)
    if not held:
        reason, text = _why_nothing(service, asked, slugs, findings, names)
        return refused(asked, reason, text, slug=slug, looked_at=looked_at)
    recorded = stances(service.store) if asked.stances else {}
    plain = not asked.modifiers  # a question on a way out is answered by the clause on it
    decided = [name for one in slugs for name in recorded.get(one, {}).get("decided_by", ()) if plain]
    citations = chosen(held, decided)
    cited = {finding["platform"] for finding in citations}
    lines = []
    for one in slugs:
        lines += stance_line(asked, names[one], one, recorded.get(one), citations)
        lines += [] if one in cited else [_why_nothing(service, asked, [one], findings, names)[1]]
    lines += quoted(citations) + (conflicts(citations) or both_sides(asked, citations))
    return answered(service, asked, lines, citations, looked_at, slug)


def _why_nothing(
    service: Service, asked: Question, slugs: Sequence[str], findings: Sequence[Json], names: dict[str, str]
) -> tuple[str, str]:
    """Return reason and words of a search that found nothing: silence, clauses to read, or no evidence."""
    states = [state for slug in slugs if (state := service.store.platform(slug))]
    told = "; ".join(f"{names[state['id']]}: {_searched(state)}" for state in states)
    where = f"Documents searched: {told}."
    on = subjects(asked)
    if not any(finding["platform"] in slugs for finding in findings):
        cells = [state["surfaces"][name] for state in states for name in asked.searched if name in state["surfaces"]]
        if to_read := sum(cell["to_read"] for cell in cells):
            return "no_evidence", f"Nothing is settled on {on}: to be read ({plural(to_read, 'clause')}). {where}"
        silent = cells and all(cell["state"] == "quiet" for cell in cells)
        return "silent" if silent else "no_evidence", f"Nothing was found on {on}. {where}"
    whom = f" for {AUDIENCES[asked.audience]}" if asked.audience else ""
    return "no_evidence", f"No finding on {on} answers this question{whom}. {where}"


def _searched(state: Json) -> str:
    """Return which documents of a platform are read, and that others are in languages that are not."""
    read = [f"{row['document']} ({row['captured_at'][:10]})" for row in state["documents"] if row["read"]]
    languages = languages_not_read(state["documents"])
    return f"{', '.join(read) or 'none is read'}{languages and f'; not read: {languages}'}"
