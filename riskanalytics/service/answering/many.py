"""Questions about all platforms: who says something, who the opposite, and what has to be read to know."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from riskanalytics.service.answering.order import folded_quote, is_question
from riskanalytics.service.answering.question import Question
from riskanalytics.service.answering.retrieval import holds, passing
from riskanalytics.service.answering.training import MOST_CITED, census
from riskanalytics.service.answering.vocabulary import Topic, vocabulary
from riskanalytics.service.answering.wording import answered, listed, quoted, refused, searched, subjects
from riskanalytics.service.store.evidence import live_findings
from riskanalytics.service.store.records import Json
from riskanalytics.service.wire.service import Service
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS


def about_all(service: Service, asked: Question, names: dict[str, str]) -> Json:
    """Answer a question about all platforms: which of them, or which clauses.

    Parameters
    ----------
    service : Service
    asked : Question
    names : dict
        Slug -> name, of all tracked platforms.

    Returns
    -------
    dict
        From stances where it is one on training; else from clauses that answer it; a refusal where none does.
    """
    if asked.which and asked.stances:
        return census(service, asked, names)
    findings = live_findings(service.store, asked.searched)
    held = passing(asked, findings)
    if asked.clauses or asked.mentions:
        return _told(service, asked, names, findings, held, "have a clause that speaks of this", [])
    deciding = _deciding_topics(asked)
    sides = _sides(asked, deciding, held)
    wanted, opposite = ("denies", "affirms") if asked.negated else ("affirms", "denies")
    told = {slug: sides.get(slug, {}) for slug in names}
    both = [slug for slug, said in told.items() if {wanted, opposite} <= said.keys()]
    saying = [said[wanted] for slug, said in sides.items() if wanted in said and slug not in both]
    against = [slug for slug, said in told.items() if opposite in said and slug not in both]
    unsettled = [slug for slug, said in told.items() if said.keys() == {"open"}]
    rest = [
        f"{len(slugs)} {words}"
        for slugs, words in (
            (against, "say the opposite"),
            (both, f"say both, to be read: {listed([names[slug] for slug in both])}"),
            (unsettled, f"have clauses on it to be read: {listed([names[slug] for slug in unsettled])}"),
            ([slug for slug, said in told.items() if not said], "have no clause that speaks of it"),
        )
        if slugs
    ]
    if deciding and saying:
        counted = [f"Of the others, {'; '.join(rest)}."] if rest else []
        return _told(service, asked, names, findings, saying, "documents hold a clause that says so", counted)
    return _nothing_told(asked, names, findings, rest, decided=bool(deciding))


def _told(
    service: Service, asked: Question, names: dict[str, str], findings: Sequence[Json], held: Sequence[Json],
    words: str, more: list[str],
) -> Json:  # fmt: skip
    """Return an answer that counts the platforms of some findings and cites the best one of each."""
    best = {finding["platform"]: finding for finding in reversed(held)}
    order = {finding["id"]: place for place, finding in enumerate(held)}
    citations = sorted(best.values(), key=lambda finding: order[finding["id"]])[:MOST_CITED]
    if not citations:
        return _nothing_told(asked, names, findings, [], decided=True)
    marks = {finding["platform"]: f" [{place}]" for place, finding in enumerate(citations, 1)}
    slugs = [*marks, *(slug for slug in best if slug not in marks)]
    whose = "platforms'" if words.startswith("documents") else "platforms"
    counted = f"{len(best)} of {len(names)} tracked {whose} {words}"
    marked = listed([names[slug] + marks.get(slug, "") for slug in slugs])
    lines = [f"{counted}: {marked}.", *more]
    looked_at = searched(asked, list(names), findings, held)
    return answered(service, asked, lines + quoted(citations), citations, looked_at, None)


def _nothing_told(
    asked: Question, names: dict[str, str], findings: Sequence[Json], rest: Sequence[str], *, decided: bool
) -> Json:
    """Return a refusal that names what was read, and whose clauses a person has to read."""
    why = "No clause says so." if decided else "Clauses cannot be told apart by yes and no on this question."
    read = f"Read were the documents of {len(names)} tracked platforms on {subjects(asked)}."
    text = " ".join([why, read, *([f"Of them, {'; '.join(rest)}."] if rest else [])])
    return refused(asked, "no_evidence", text, looked_at=searched(asked, list(names), findings, []))


def _deciding_topics(asked: Question) -> list[Topic]:
    """Return the topics whose clauses tell yes from no on a question; none where the vocabulary cannot."""
    topics = [topic for topic in asked.topics if not topic.object] or list(asked.topics)
    topics = [topic for topic in topics if topic.shows is not None] or topics
    if any(modifier.id == "opt_out" for modifier in asked.modifiers):
        return [] if asked.negated else topics
    shared = set.intersection(*(set(topic.surfaces) for topic in topics)) if topics else set()
    return topics if shared and len({topic.yes for topic in topics}) == 1 and topics[0].yes is not None else []


def _sides(asked: Question, deciding: Sequence[Topic], held: Sequence[Json]) -> dict[str, dict[str, Json]]:
    """Return for each platform the best clause that affirms, denies, or leaves open what is asked."""
    sides: dict[str, dict[str, Json]] = defaultdict(dict)
    choice = any(modifier.id == "opt_out" for modifier in asked.modifiers)
    for finding in held:
        side = _side(asked, deciding, finding, choice=choice) if deciding else "open"
        sides[finding["platform"]].setdefault(side, finding)
    return sides


def _side(asked: Question, deciding: Sequence[Topic], finding: Json, *, choice: bool) -> str:
    """Return which side a clause takes; a choice that it leaves to the user affirms that there is one."""
    if choice:
        return "affirms" if finding["polarity"] == "mitigates_risk" else "open"
    quote = folded_quote(finding["quote"])
    about_some = any(SURFACE_DESCRIPTIONS[name].about_some for topic in deciding for name in topic.surfaces)
    if is_question(quote) or (vocabulary().limited.search(quote) and not about_some):
        return "open"
    here = [topic for topic in deciding if finding["surface"] in topic.surfaces]
    sides = {topic.side(quote, finding["polarity"]) for topic in here}
    sure = all(topic.shown_by(quote) and _says_there(asked, topic, quote) for topic in here)
    return sides.pop() if len(sides) == 1 and sure else "open"


def _says_there(asked: Question, topic: Topic, quote: str) -> bool:
    """Say whether what affirms a topic by its words alone holds the question's own words, too."""
    if topic.yes != "any" or topic.affirms is None:
        return True
    return any(all(holds(term, said[0]) for term in asked.terms) for said in topic.affirms.finditer(quote))
