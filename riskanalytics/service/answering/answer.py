"""The answer: fixed frames around verbatim quotes, each line with its citation; or a refusal that says why."""

from __future__ import annotations

from collections.abc import Sequence

from riskanalytics.models.clauses import Finding
from riskanalytics.service.answering.many import about_all, ratings, stance_line
from riskanalytics.service.answering.question import Question, read_question
from riskanalytics.service.answering.retrieval import chosen, leads_beside, nearest, passing, without_own_names
from riskanalytics.service.answering.wording import (
    MOST_NAMED,
    answered,
    conflicts,
    nearest_to_read,
    only_leads,
    quoted,
    refused,
    searched,
    why_nothing,
)
from riskanalytics.service.store.evidence import all_leads, live_findings
from riskanalytics.service.store.records import Json, training_use
from riskanalytics.service.wire import Service
from riskanalytics.surfaces import SURFACES


def answer_question(service: Service, question: str, platform: str | None = None) -> Json:
    """Answer a question from cited findings, and leads that are marked, or refuse it.

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
    asked = read_question(question, names, about_one=platform is not None)
    if platform is not None and platform not in {slug for slug, _ in names}:
        return refused(asked, "unknown_platform", "No platform with this slug is tracked.")
    slugs = _resolved(asked, platform)
    shown = slugs[0] if len(slugs) == 1 else platform
    refusal = _refused_before_search(asked, slugs, platform, dict(names))
    if refusal is not None:
        reason, text = refusal
        return refused(asked, reason, text, slug=shown)
    if _on_ratings(asked, slugs):
        return ratings(service, asked, dict(names), slugs)
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
    if "advice" in asked.intents:
        return "legal_advice", "This asks for legal advice; only what policies say can be answered, with citations."
    if "elsewhere" in asked.intents:
        return ("no_evidence" if asked.surfaces else "not_about_policies"), "No clause of a policy tells this."
    unclear = _unclear_platform(asked, slugs, platform, names)
    if unclear is not None:
        return "ambiguous_platform", unclear
    if not asked.surfaces and not ("clauses" in asked.intents and asked.terms) and not _on_ratings(asked, slugs):
        if asked.about_policies:
            return "no_evidence", "The question names none of the surfaces on which policies are read."
        return "not_about_policies", "Only questions about what policies say on IP and privacy can be answered."
    return None if slugs or "which" in asked.intents or "clauses" in asked.intents else _no_platform(asked)


def _on_ratings(asked: Question, slugs: Sequence[str]) -> bool:
    """Say whether a question is on ratings, of platforms that it names or of all."""
    return "rated" in asked.intents and not asked.terms and (bool(slugs) or "which" in asked.intents)


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
    """Answer a question about platforms that it names: from findings, then leads, and the recorded stance."""
    if any(term.is_name for term in asked.terms):
        asked = without_own_names(asked, live_findings(service.store, SURFACES, slugs))
    findings = live_findings(service.store, asked.searched, slugs)
    states = {slug: service.store.platform(slug) for slug in slugs}
    leads = [lead for state in states.values() if state for lead in _leads(service, asked, state)]
    recorded = {slug: training_use(state) for slug, state in states.items() if state and _on_training(asked, state)}
    plain = not asked.modifiers  # a question on a way out is answered by the clause on it
    decided = [name for stance in recorded.values() for name in stance["decided_by"] if plain]
    held = passing(asked, findings)
    citations = chosen(held, decided)
    citations += leads_beside(asked, leads, citations, decided)
    looked_at = searched(asked, slugs, findings, [*held, *citations])
    lines, shown = [], list(citations)
    for one in slugs:
        told = stance_line(asked, names[one], one, recorded.get(one), citations)
        lines += told or only_leads(names[one], one, citations)
        if all(row["platform"] != one for row in citations):
            own = [row for row in (*findings, *leads) if row["platform"] == one]
            near = nearest(asked, own, among=len(slugs))
            why = why_nothing(asked, {one: states[one]}, [row for row in own if row.get("to_read")])[1]
            lines.append(f"{why}{nearest_to_read(len(shown), near)}")
            shown += near
    lines += quoted(shown) + conflicts([row for row in shown if not row.get("to_read")])
    slug = slugs[0] if len(slugs) == 1 else None
    record = answered(service, asked, lines, shown, looked_at, slug)
    return record if citations else {**record, "refused": True, "reason": why_nothing(asked, states, leads)[0]}


def _on_training(asked: Question, state: Json) -> bool:
    """Say whether a platform's recorded stance answers a question; that nothing is settled holds of any content."""
    asks = {topic.id for topic in asked.topics if not topic.object} == {"train"} and not asked.words
    return bool(asked.stances) or (asks and state["stance"] == "undetermined")


def _leads(service: Service, asked: Question, state: Json) -> list[Json]:
    """Return the leads of a platform on the question's surfaces, marked; none where its stance is silence.

    Silence on training is told only where no clause could speak of it, so no lead does.
    """
    if asked.stances and state["stance"] == "silent":
        return []
    named = {"platform": state["id"], "name": state["name"]}
    leads = all_leads(service.store, state, Finding)
    return [{**named, **lead, "to_read": True} for lead in leads if lead["surface"] in asked.searched]
