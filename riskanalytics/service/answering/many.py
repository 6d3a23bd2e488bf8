"""Questions about all platforms: who says something, who the opposite or nothing, what has to be read, and ratings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from riskanalytics.models import RATINGS, UNRATED
from riskanalytics.service.answering.order import folded_quote, is_question
from riskanalytics.service.answering.question import Question
from riskanalytics.service.answering.retrieval import holds, passing
from riskanalytics.service.answering.training import MOST_CITED, census
from riskanalytics.service.answering.vocabulary import Topic, vocabulary
from riskanalytics.service.answering.wording import answered, listed, quoted, refused, searched, subjects
from riskanalytics.service.store.evidence import live_findings, newest_states
from riskanalytics.service.store.records import Json
from riskanalytics.service.wire.service import Service
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS, surface_name

_UNSPOKEN: Final = {
    "quiet": "without a clause that speaks of it",
    "to_read": "with leads to be read that may speak of it",
    "unread": "with documents that are not read",
}
"""What is said of platforms without a clause that answers, by the state of the surfaces."""


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
    if "which" in asked.intents and asked.stances and not ("lacking" in asked.intents and asked.stances != ("silent",)):
        return census(service, asked, names)
    findings = live_findings(service.store, asked.searched)
    held = passing(asked, findings)
    unspoken = _unspoken(service, asked, names, held)
    if "lacking" in asked.intents:
        return _lacking(service, asked, names, findings, unspoken)
    open_ones = [_counted(state, unspoken[state]) for state in _UNSPOKEN if unspoken[state]]
    if "clauses" in asked.intents or "mentions" in asked.intents:
        return _told(service, asked, names, findings, held, "have a clause that speaks of this", open_ones)
    deciding = _deciding_topics(asked)
    sides = _sides(asked, deciding, held)
    wanted, opposite = ("denies", "affirms") if "negated" in asked.intents else ("affirms", "denies")
    both = [slug for slug, said in sides.items() if {wanted, opposite} <= said.keys()]
    saying = [said[wanted] for slug, said in sides.items() if wanted in said and slug not in both]
    against = [slug for slug, said in sides.items() if opposite in said and slug not in both]
    unsettled = [slug for slug, said in sides.items() if said.keys() == {"open"}]
    rest = [f"{len(against)} say the opposite"] if against else []
    for slugs, words in ((both, "say both, to be read"), (unsettled, "with clauses on it to be read")):
        rest += [f"{len(slugs)} {words}: {listed(sorted(names[slug] for slug in slugs))}"] if slugs else []
    if deciding and saying:
        return _told(service, asked, names, findings, saying, "documents hold a clause that says so", rest + open_ones)
    return _nothing_told(asked, names, findings, rest + open_ones, decided=bool(deciding))


def ratings(service: Service, asked: Question, names: dict[str, str], slugs: Sequence[str]) -> Json:
    """Answer a question about ratings from those on record: how many platforms have which, and which ones.

    Parameters
    ----------
    service : Service
    asked : Question
        On the first surface that it names; on the platforms as a whole where it names none.
    names : dict
        Slug -> name, of all tracked platforms.
    slugs : sequence of str
        The platforms that it names; all are meant where it names none.
    """
    surface, about = next(iter(asked.surfaces), None), slugs or list(names)
    rated: dict[str, list[str]] = {level: [] for level in (*reversed(RATINGS), UNRATED)}
    for slug, state in newest_states(service.store).items():
        level = state["surfaces"][surface]["risk"] if surface else state["rating"]
        if slug in about:
            rated.setdefault(level or UNRATED, []).append(names[slug])
    where = f" on {surface_name(surface)}" if surface else ""
    lines = [
        f"{listed(found)}: {level}{where}."
        if slugs
        else f"{level}{where}: {len(found)} of {len(about)} tracked platforms{': ' if found else ''}{listed(found)}."
        for level, found in rated.items()
        if found or level in asked.levels
        if slugs or not asked.levels or level in asked.levels
    ]
    looked_at = searched(asked, about, [], [])
    return answered(service, asked, ["Recorded ratings.", *lines], [], looked_at, slugs[0] if len(slugs) == 1 else None)


def _unspoken(service: Service, asked: Question, names: dict[str, str], held: Sequence[Json]) -> dict[str, list[str]]:
    """Return the names of the platforms without a clause that answers, by what is known of them there."""
    speaking, states = {finding["platform"] for finding in held}, newest_states(service.store)
    groups: dict[str, list[str]] = {state: [] for state in _UNSPOKEN}
    for slug in sorted(names.keys() - speaking):
        known = {states[slug]["surfaces"][name]["state"] for name in asked.searched} if slug in states else {"unread"}
        groups[next((state for state in ("unread", "to_read") if state in known), "quiet")].append(names[slug])
    return groups


def _counted(state: str, named: Sequence[str]) -> str:
    """Return how many platforms have no clause that answers; whom a person has to read is named."""
    return f"{len(named)} {_UNSPOKEN[state]}" + ("" if state == "quiet" else f": {listed(named)}")


def _lacking(
    service: Service, asked: Question, names: dict[str, str], findings: Sequence[Json], unspoken: dict[str, list[str]]
) -> Json:
    """Answer who has no clause: only those whose documents are read, and hold no lead either."""
    speaking = len(names) - sum(map(len, unspoken.values()))
    others = [f"{speaking} with one"] if speaking else []
    others += [_counted(state, unspoken[state]) for state in ("to_read", "unread") if unspoken[state]]
    quiet = unspoken["quiet"]
    lines = [
        f"{len(quiet)} of {len(names)} tracked platforms have no clause that speaks of it{': ' if quiet else ''}{listed(quiet)}."
    ]
    lines += [f"Of the others, {'; '.join(others)}."] if others else []
    return answered(service, asked, lines, [], searched(asked, list(names), findings, []))


def _told(
    service: Service, asked: Question, names: dict[str, str], findings: Sequence[Json], held: Sequence[Json],
    words: str, others: Sequence[str],
) -> Json:  # fmt: skip
    """Return an answer that counts the platforms of some findings and cites the best one of each."""
    best = {finding["platform"]: finding for finding in reversed(held)}
    order = {finding["id"]: place for place, finding in enumerate(held)}
    citations = sorted(best.values(), key=lambda finding: order[finding["id"]])[:MOST_CITED]
    if not citations:
        return _nothing_told(asked, names, findings, others, decided=True)
    marks = {finding["platform"]: f" [{place}]" for place, finding in enumerate(citations, 1)}
    slugs = [*marks, *(slug for slug in best if slug not in marks)]
    whose = "platforms'" if words.startswith("documents") else "platforms"
    marked = listed([names[slug] + marks.get(slug, "") for slug in slugs])
    lines = [f"{len(best)} of {len(names)} tracked {whose} {words}: {marked}."]
    lines += [f"Of the others, {'; '.join(others)}."] if others else []
    looked_at = searched(asked, list(names), findings, held)
    return answered(service, asked, lines + quoted(citations), citations, looked_at)


def _nothing_told(
    asked: Question, names: dict[str, str], findings: Sequence[Json], rest: Sequence[str], *, decided: bool
) -> Json:
    """Return a refusal that counts what was found, and names whose clauses a person has to read."""
    why = "No clause says so." if decided else "Clauses cannot be told apart by yes and no on this question."
    text = f"{why} Of {len(names)} tracked platforms, on {subjects(asked)}: {'; '.join(rest)}."
    return refused(asked, "no_evidence", text, looked_at=searched(asked, list(names), findings, []))


def _deciding_topics(asked: Question) -> list[Topic]:
    """Return the topics whose clauses tell yes from no on a question; none where the vocabulary cannot."""
    topics = [topic for topic in asked.topics if not topic.object] or list(asked.topics)
    topics = [topic for topic in topics if topic.shows is not None] or topics
    if any(modifier.id == "opt_out" for modifier in asked.modifiers):
        return [] if "negated" in asked.intents else topics
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
