"""Make the answer to a question (fixed sentences around cited verbatim quotes), or the refusal with its reason."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from riskanalytics.models import DISCLAIMER, STANCE_CLAUSES, UNDETERMINED, document_words
from riskanalytics.models.parts import Finding
from riskanalytics.models.records import Answer
from riskanalytics.surfaces import SURFACES, surface_name
from riskanalytics.text.page_words import plain_words, without_marks
from riskanalytics.text.wording import plural

from ..store.evidence import all_leads, live_findings
from ..store.records import Json, Rows, documents_read, led, quiet_surfaces, training_use
from ..wire import Service
from .question import Question
from .retrieval import chosen, nearest, passing, ranked, with_leads

AUDIENCES: Final = {"business": "business users", "developer": "developers", "consumer": "consumers"}
"""Audience of a question or clause -> its name in sentences."""
MOST_NAMED: Final = 5
"""Maximum number of platforms that one question may name."""
MOST_LISTED: Final = 60
"""Maximum number of platform names in one line of an answer."""
Choose = Callable[[str, Rows], list[Json] | None]
"""Function that gets a question, and the findings and leads of its platforms (those that fit best first), and returns those that
answer the question, best first. None: it made no valid choice."""
BY_MODEL: Final = "A language model chose the clauses."
NONE_BY_MODEL: Final = "A language model found no clause that answers."
BY_RULES: Final = "No valid choice by the language model: the rules answer."
_SAID_OF: Final = {
    "undetermined": f"the documents {UNDETERMINED}",
    "silent": "no clause says whether user content trains models; nearest clauses:",
}


def answered(
    service: Service, question: Question, lines: Sequence[str], citations: Rows = (), *,
    findings: Rows | None = None, held: Rows | None = None, reason: str | None = None, surfaces: Sequence[str] = (),
) -> Answer:  # fmt: skip
    """Return the record of an answer, or of a refusal if there is a `reason`.

    Parameters
    ----------
    service : Service
    question : Question
    lines : sequence of str
        Lines of the answer's text.
    citations : sequence of dict
        Findings and leads that the text cites as [1], [2] and so on, in this order.
    findings : sequence of dict, optional
        Findings that were searched. None if nothing was searched.
    held : sequence of dict, optional
        All findings and leads that answer the question, including those that the text does not cite. If None, the citations.
    reason : str, optional
        Code of the reason for a refusal. None for an answer.
    surfaces : sequence of str, optional
        Surfaces that were searched. By default those of the question.
    """
    slugs = [] if findings is None else question.slugs or list(question.names)
    found = {(row["platform"], row["surface"]) for row in (citations if held is None else held)}
    few = slugs if len(slugs) <= MOST_NAMED else ()
    record = {
        "object": "answer",
        "question": question.text,
        "platform": question.slugs[0] if len(question.slugs) == 1 else None,
        "answer": "\n".join(lines),
        "refused": reason is not None,
        "reason": reason,
        "citations": [service.resolved(row) for row in citations],
        "searched": {
            "platforms": slugs,
            "surfaces": list(surfaces or question.searched) if slugs else [],
            "words": [term.word for term in question.terms],
            "findings": len(findings or ()),
            "without_result": [
                {"platform": slug, "surface": surface}
                for slug in few
                for surface in question.surfaces
                if (slug, surface) not in found
            ],
        },
        "disclaimer": DISCLAIMER,
    }
    return Answer.model_validate(record)


def about_platforms(service: Service, question: Question, choice: tuple[Rows, Rows] | None = None) -> Answer:
    """Answer a question about the platforms it names, from stored stances, findings and, if these are few, leads.

    Parameters
    ----------
    service : Service
    question : Question
    choice : tuple of sequences of dict, optional
        The clauses that a language model chose, best first, and all clauses among which it chose (`all_clauses`). By default
        fixed rules choose.
    """
    findings = live_findings(service.store, question.searched, question.slugs)
    states = list(filter(None, map(service.store.platform, question.slugs)))
    leads = [lead for state in states for lead in _leads(service, question, state)]
    recorded = {state["id"]: training_use(state) for state in states if _on_training(question, state)}
    # a question on an opt-out is answered by the clause on it, not by those that decided the stance
    decided = [] if question.modifiers else [public for stance in recorded.values() for public in stance["decided_by"]]
    if choice:
        held, citations = _held(*choice), chosen(_both_sides(*choice))
    else:
        held = passing(question, findings)
        citations = with_leads(question, chosen(held, decided), leads, decided)
    lines, shown = [], list(citations)
    for state in states:
        slug, name = state["id"], state["name"]
        own = {number: row for number, row in enumerate(citations, 1) if row["platform"] == slug}
        if slug in recorded and (stance := _stance_line(question, name, recorded[slug], own)):
            lines.append(stance)
        elif own and all("to_read" in row for row in own.values()):
            lines.append(f"{name}: no finding answers this. Leads (clauses too uncertain to count): {_marks(own)}.")
        if not own:
            clauses = [row for row in (*findings, *leads) if row["platform"] == slug]
            near = nearest(question, clauses, among=len(question.slugs))
            marks = _marks(range(len(shown) + 1, len(shown) + len(near) + 1))
            why = _why_nothing(question, [state], sum("to_read" in row for row in clauses))[1]
            lines.append(why + (f" Nearest clauses: {marks}." if near else ""))
            shown += near
    lines += quoted(shown) + _conflicts(shown)
    reason = None if citations else _why_nothing(question, states, len(leads))[0]
    surfaces = question.searched
    if choice:
        lines.append(BY_MODEL if citations else NONE_BY_MODEL)
        findings, surfaces = [row for row in choice[1] if "to_read" not in row], SURFACES
    held = [*held, *citations]
    return answered(service, question, lines, shown, findings=findings, held=held, reason=reason, surfaces=surfaces)


def all_clauses(service: Service, question: Question) -> list[Json]:
    """Return the findings and leads of a question's platforms on all surfaces: those that fit it by the rules first.

    A lead with the same words as a finding is left out.
    """
    states = filter(None, map(service.store.platform, question.slugs))
    anything = question._replace(surfaces=(), stances=())
    rows = live_findings(service.store, SURFACES, question.slugs)
    known = {(row["platform"], row["quote"]) for row in rows}
    leads = [lead for state in states for lead in _leads(service, anything, state)]
    return ranked(question, rows + [lead for lead in leads if (lead["platform"], lead["quote"]) not in known])


def _held(picked: Rows, every: Rows) -> list[Json]:
    """Return all clauses with the words of a chosen clause, on whatever surface."""
    words = {(row["platform"], row["quote"]) for row in picked}
    return [row for row in every if (row["platform"], row["quote"]) in words]


def _both_sides(picked: Rows, every: Rows) -> list[Json]:
    """Return the chosen clauses, each followed by the clauses that contradict it, also those that were not chosen."""
    by_id = {row["id"]: row for row in every}
    found = (one for row in picked for one in (row["id"], *row["conflicts_with"]) if one in by_id)
    return [by_id[one] for one in dict.fromkeys(found)]


def _on_training(question: Question, state: Json) -> bool:
    """Return whether a platform's recorded stance answers a question. An `undetermined` stance always does."""
    asks = {topic.id for topic in question.topics if not topic.object} == {"train"} and not question.terms
    return bool(question.stances) or (asks and state["stance"] == "undetermined")


def _leads(service: Service, question: Question, state: Json) -> list[Json]:
    """Return the leads of a platform on the question's surfaces, marked as leads.

    If the recorded stance is `silent`, no clause could concern training, so there are no leads on it.
    """
    if question.stances and state["stance"] == "silent":
        return []
    leads = all_leads(service.store, state, Finding)
    named = {"platform": state["id"], "name": state["name"], "to_read": True}
    return [named | lead for lead in leads if lead["surface"] in question.searched]


def stance_of(recorded: Json, audience: str | None) -> str:
    """Return a platform's stance for an audience.

    Parameters
    ----------
    recorded : dict
        Stances of the platform as stored: `stance` (overall), `consumer_stance`, `business_stance`.
    audience : str or None
        `consumer`, `business`, or `developer` (gets the stance for business users). None for the overall stance.

    Returns
    -------
    str
        The stored stance for the audience. Without one: `unsaid`, if the overall stance is a definite answer (not silent,
        undetermined or missing); else the overall stance, or `unread` if that is missing, too.
    """
    stance = str(recorded["stance"] or "unread")
    if audience is None:
        return stance
    own = recorded["consumer_stance" if audience == "consumer" else "business_stance"]
    return str(own or ("unsaid" if stance in STANCE_CLAUSES else stance))


def for_whom(audience: str | None) -> str:
    """Return an audience as the end of a phrase, such as " for consumers"; empty for None."""
    return f" for {AUDIENCES[audience]}" if audience else ""


def _stance_line(question: Question, name: str, recorded: Json, citations: dict[int, Json]) -> str:
    """Return the line with a platform's recorded stance; empty if the findings that decided it are not cited."""
    stance, whom = stance_of(recorded, question.audience), for_whom(question.audience)
    settled = STANCE_CLAUSES.get(stance)
    decided = {place for place, row in citations.items() if row["id"] in recorded["decided_by"]}
    speaking = {place for place, row in citations.items() if not settled and row["surface"] == "training_use"}
    marks = _marks(sorted(decided | speaking))
    said = f", recorded stance on training use{whom}: {settled}" if settled else f"{whom}: {_SAID_OF.get(stance)}"
    return f"{name}{said} {marks}." if marks and (settled or stance in _SAID_OF) else ""


def _marks(numbers: Iterable[int]) -> str:
    """Return citation numbers in brackets."""
    return " ".join(f"[{number}]" for number in numbers)


def listed(names: Sequence[str]) -> str:
    """Return names in one line; names beyond the first `MOST_LISTED` are only counted."""
    more = len(names) - MOST_LISTED
    return ", ".join(names[:MOST_LISTED]) + (f" and {more} more" if more > 0 else "")


def subjects(question: Question) -> str:
    """Return the names of the surfaces that a question searches, joined by commas."""
    return ", ".join(map(surface_name, question.searched))


def quoted(citations: Rows) -> list[str]:
    """Return one line of text per citation: its document, quote and number."""
    lines = []
    for number, finding in enumerate(citations, 1):
        source, audience = finding["provenance"], AUDIENCES.get(finding["scope"]["audience"] or "")
        whose = f"{finding['name']}'s {source['document']} ({source['captured_at'][:10]})"
        whom = f", for {audience}," if audience else ""
        mark = " (lead, not a finding)" if "to_read" in finding else ""
        lines.append(f'{whose}{whom} says{mark}: "{shown_quote(led(finding))}" [{number}].')
    return lines


def shown_quote(quote: str) -> str:
    """Return a quote in one line, without Markdown syntax."""
    return " ".join(without_marks(plain_words(quote)).replace("**", "").replace("\u200d", "").split())


def _conflicts(citations: Rows) -> list[str]:
    """Return the line that lists the pairs of cited findings that contradict each other."""
    numbers = {row["id"]: number for number, row in enumerate(citations, 1)}
    pairs = {
        tuple(sorted((numbers[row["id"]], numbers[other])))
        for row in citations
        for other in row["conflicts_with"]
        if other in numbers
    }
    named = ", ".join(f"[{one}] with [{other}]" for one, other in sorted(pairs))
    return [f"Conflicting clauses: {named}."] if named else []


def _why_nothing(question: Question, states: Rows, leads: int) -> tuple[str, str]:
    """Return the reason (code, sentence) why nothing answers a question about some platforms.

    The code is `silent` only if every document was read and contains no finding or lead.
    """
    read, unread = [], []
    for state in states:
        known = [row for row in documents_read(state) if row["read"]]
        others = [row for row in state["documents"] if row not in known]
        dated = ", ".join(f"{row['document']} ({row['captured_at'][:10]})" for row in known)
        whys = ", ".join(f"{row['document']} ({document_words(row).removeprefix('not read: ')})" for row in others)
        read.append(f"{state['name']}: {dated or 'none'}")
        unread += [f"{state['name']}: {whys}"] if whys else []
    on, where = subjects(question), f"Documents searched: {'; '.join(read)}."
    where += f" Not read: {'; '.join(unread)}." if unread else ""
    if leads:
        where += f" {plural(leads, 'lead')} on {on}: clauses too uncertain to count as findings."
    quiet = all(set(question.searched) <= set(quiet_surfaces(state)) for state in states)
    if quiet and any(map(documents_read, states)):
        return "silent", f"No clause found on {on}. {where}"
    return "no_evidence", f"No finding on {on} answers this question{for_whom(question.audience)}. {where}"
