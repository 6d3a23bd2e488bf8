"""Answers about many platforms: which of them state a practice, its opposite or neither, and how they are rated."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from riskanalytics.models import RATINGS, STANCE_CLAUSES, STANCE_NAMES, STANCES, UNDETERMINED, UNRATED
from riskanalytics.models.records import Answer
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS, surface_name

from ..store.evidence import live_findings, newest_states
from ..store.records import Json, Rows
from ..wire import Service
from .answer import AUDIENCES, MOST_NAMED, answered, for_whom, listed, quoted, stance_of, subjects
from .question import Question
from .retrieval import ASKS, fits_audience, folded_quote, holds, on_surface, passing
from .vocabulary import Topic, vocabulary

MOST_CITED: Final = 20
"""Maximum number of clauses cited in an answer about all platforms."""
_UNSPOKEN: Final = {
    "to_read": "with only leads on it (clauses too uncertain to count)",
    "unread": "with unread documents",
}
"""Surface state -> words for platforms without a clause that answers."""


def about_all(service: Service, question: Question) -> Answer:
    """Answer a question about all platforms, such as "which platforms sell data?", from recorded stances or from clauses."""
    lacking = "lacking" in question.intents
    if "which" in question.intents and question.stances and (not lacking or question.stances == ("silent",)):
        return census(service, question)
    findings = live_findings(service.store, question.searched)
    held = passing(question, findings)
    quiet, others = _unspoken(service, question, held)
    if lacking:
        speaking = len({row["platform"] for row in held})
        named = f": {listed(quiet)}" if quiet else ""
        first = f"{len(quiet)} of {len(question.names)} tracked platforms have no clause on it{named}."
        lines = [first, *_rest([f"{speaking} with a clause on it"] * bool(speaking) + others)]
        return answered(service, question, lines, findings=findings, held=held)
    others = [f"{len(quiet)} without a clause on it"] * bool(quiet) + others
    if question.intents & {"clauses", "mentions"}:
        return _who_says(service, question, findings, held, "platforms have a clause on this", others)
    deciding = _deciding_topics(question)
    sides: dict[str, dict[str, Json]] = defaultdict(dict)
    for row in held:
        sides[row["platform"]].setdefault(_side(question, deciding, row), row)
    wanted, opposite = ("denies", "affirms") if "negated" in question.intents else ("affirms", "denies")
    by_side: dict[str, list[str]] = defaultdict(list)
    for slug, said in sides.items():
        taken = said.keys() - {"open"}
        by_side["both" if len(taken) > 1 else next(iter(taken), "open")].append(slug)
    saying = [sides[slug][wanted] for slug in by_side[wanted]]
    rest = [f"{len(by_side[opposite])} with a clause that says the opposite"] if by_side[opposite] else []
    unclear = "with unclear clauses on it" if deciding else "with clauses on it"
    for side, words in (("both", "with clauses that say both"), ("open", unclear)):
        rest += [_named(sorted(question.names[slug] for slug in by_side[side]), words)] if by_side[side] else []
    words = "platforms have a clause that says so" if deciding else ""
    return _who_says(service, question, findings, saying, words, rest + others, on_it=held)


def ratings(service: Service, question: Question) -> Answer:
    """Answer a question about ratings: how many platforms have which rating, and their names.

    Parameters
    ----------
    service : Service
    question : Question
        If it names surfaces, the answer gives the levels on the first of them, else the overall ratings. If it names
        platforms, the answer covers only these platforms, else all platforms.
    """
    surface, about = next(iter(question.surfaces), None), question.slugs or list(question.names)
    rated: dict[str, list[str]] = {level: [] for level in (*reversed(RATINGS), UNRATED)}
    for slug, state in newest_states(service.store).items():
        level = state["surfaces"][surface]["risk"] if surface else state["rating"]
        if slug in about:
            rated.setdefault(level or UNRATED, []).append(question.names[slug])
    where = f" on {surface_name(surface)}" if surface else ""
    lines = [
        f"{level}{where}: {len(found)} of {len(about)} tracked platforms ({listed(found) or 'none'})."
        for level, found in rated.items()
        if level in question.levels or (found and (question.slugs or not question.levels))
    ]
    few = question.surfaces and len(about) <= MOST_NAMED
    held = live_findings(service.store, question.surfaces, about) if few else ()
    return answered(service, question, ["Recorded ratings.", *lines], findings=(), held=held)


def _unspoken(service: Service, question: Question, held: Rows) -> tuple[list[str], list[str]]:
    """Return the platforms without a clause that answers: names of the quiet platforms, and phrases on the others."""
    states, groups = newest_states(service.store), defaultdict(list)
    for slug in sorted(question.names.keys() - {row["platform"] for row in held}):
        known = {states[slug]["surfaces"][name]["state"] for name in question.searched}
        groups[next((state for state in ("unread", "to_read") if state in known), "quiet")].append(question.names[slug])
    return groups["quiet"], [_named(groups[state], words) for state, words in _UNSPOKEN.items() if groups[state]]


def _named(names: Sequence[str], words: str) -> str:
    """Return the size of a group of platforms and their names."""
    return f"{len(names)} {words}: {listed(names)}"


def _rest(others: Sequence[str]) -> list[str]:
    """Return the line on the other platforms."""
    return [f"Of the others, {'; '.join(others)}."] if others else []


def _who_says(
    service: Service, question: Question, findings: Rows, held: Rows, words: str, others: list[str], on_it: Rows = ()
) -> Answer:
    """Return an answer that counts platforms with findings and cites the best finding of each; without findings, a refusal."""
    names = question.names
    if not held:
        why = "No clause says so." if words else "Clauses on this give no yes or no."
        text = f"{why} Of {len(names)} tracked platforms, on {subjects(question)}: {'; '.join(others)}."
        return answered(service, question, [text], findings=findings, held=on_it, reason="no_evidence")
    best: dict[str, Json] = {}
    for row in held:
        best.setdefault(row["platform"], row)
    citations = list(best.values())[:MOST_CITED]
    marked = [f"{names[slug]} [{place}]" if place <= MOST_CITED else names[slug] for place, slug in enumerate(best, 1)]
    lines = [f"{len(best)} of {len(names)} tracked {words}: {listed(marked)}.", *_rest(others), *quoted(citations)]
    return answered(service, question, lines, citations, findings=findings, held=on_it or held)


def _deciding_topics(question: Question) -> list[Topic]:
    """Return the topics whose clauses answer a question with yes or no; empty if the vocabulary has no such topic."""
    topics = [topic for topic in question.topics if not topic.object] or list(question.topics)
    topics = [topic for topic in topics if topic.shows] or topics
    if _on_choice(question):
        return [] if "negated" in question.intents else topics
    sides = {topic.yes for topic in topics}
    alike = len(sides) == 1 and None not in sides and set.intersection(*(set(topic.surfaces) for topic in topics))
    return topics if alike else []


def _on_choice(question: Question) -> bool:
    """Return whether a question asks for an opt-out."""
    return any(modifier.id == "opt_out" for modifier in question.modifiers)


def _side(question: Question, deciding: Sequence[Topic], row: Json) -> str:
    """Return the side of a clause: `affirms`, `denies` or `open`; a choice left to the user affirms an opt-out."""
    if not deciding:
        return "open"
    if _on_choice(question):
        return "affirms" if row["polarity"] == "mitigates_risk" else "open"
    quote = folded_quote(row["quote"])
    about_some = any(SURFACE_DESCRIPTIONS[name].about_some for topic in deciding for name in topic.surfaces)
    if ASKS.search(quote) or (vocabulary().limited.search(quote) and not about_some):
        return "open"
    here = on_surface(deciding, row["surface"])
    sides = {topic.side(quote, row["polarity"]) for topic in here}
    sure = all(topic.shown_by(quote) and _says_there(question, topic, quote) for topic in here)
    return sides.pop() if len(sides) == 1 and sure else "open"


def _says_there(question: Question, topic: Topic, quote: str) -> bool:
    """Return whether the words that affirm a topic also contain the question's own terms."""
    if topic.yes != "any" or topic.affirms is None:
        return True
    return any(all(holds(term, said[0]) for term in question.terms) for said in topic.affirms.finditer(quote))


def census(service: Service, question: Question) -> Answer:
    """Answer a question about all platforms from their recorded stances; undetermined stances are not counted.

    Parameters
    ----------
    service : Service
    question : Question
        The platforms with one of its `stances` are counted.
    """
    names, recorded = question.names, newest_states(service.store)
    findings = live_findings(service.store, ("training_use",))
    groups: dict[str, list[str]] = defaultdict(list)
    for slug in names:
        groups[stance_of(recorded[slug], question.audience)].append(slug)
    wanted = {stance: groups.pop(stance) for stance in STANCES if stance in question.stances and groups[stance]}
    others = _others(question, groups)
    apart = () if question.audience or "depends_on_plan" in question.stances else ("consumer", "business")
    partly = [
        (slug, stance, audience)
        for audience in apart
        for slug in groups["depends_on_plan"]
        if (stance := stance_of(recorded[slug], audience)) in question.stances
    ]
    if not wanted and not partly:
        none = f"None of {len(names)} tracked platforms says so{for_whom(question.audience)}."
        return answered(service, question, [" ".join([none, *others])], findings=findings, reason="no_evidence")
    whole = [(slug, stance, question.audience) for stance, slugs in wanted.items() for slug in slugs]
    cited = _deciding(findings, recorded, [*whole, *partly])
    places = {(row["platform"], whom): f" [{place}]" for place, (row, whom) in enumerate(cited, 1)}
    marked = {(slug, whom): names[slug] + places.get((slug, whom), "") for slug, _, whom in (*whole, *partly)}
    lines = _counts(question, wanted, marked)
    for audience in apart:
        some = [text for (slug, whom), text in marked.items() if whom == audience]
        says = "says" if len(some) == 1 else "say"
        lines += [f"{len(some)} {says} so{for_whom(audience)} only: {listed(some)}."] if some else []
    citations = [row for row, _ in cited]
    return answered(service, question, [*lines, *others, *quoted(citations)], citations, findings=findings)


def _deciding(
    findings: Rows, recorded: Mapping[str, Json], named: Iterable[tuple[str, str, str | None]]
) -> list[tuple[Json, str | None]]:
    """Return up to `MOST_CITED` clauses, each of which decided a platform's stance for an audience."""
    by_id = {finding["id"]: finding for finding in findings}
    cited: list[tuple[Json, str | None]] = []
    for slug, stance, audience in named:
        side = "mitigates_risk" if stance in ("trains_with_opt_in", "does_not_train") else "raises_risk"
        whom = ("business", "developer") if audience == "business" else (audience,)
        decided = [by_id[public] for public in recorded[slug]["decided_by"] if public in by_id]
        fitting = [row for row in decided if any(fits_audience(one, row) for one in whom)]
        fitting.sort(key=lambda row: stance != "trains_with_opt_out" and row["polarity"] != side)
        cited += [(row, audience) for row in fitting[:1]]
    return cited[:MOST_CITED]


def _counts(question: Question, wanted: dict[str, list[str]], marked: dict[tuple[str, str | None], str]) -> list[str]:
    """Return one line per wanted stance: how many platforms have it, and their names."""
    whom = f"{for_whom(question.audience).strip().capitalize()}, " if question.audience else ""
    of_all = f"of {len(question.names)} tracked platforms"
    lines = [f"{whom}{sum(map(len, wanted.values()))} {of_all} fit the question:"] if len(wanted) > 1 else []
    for stance, slugs in wanted.items():
        many = len(slugs)
        said = f"{many} {_said(stance, many)}" if lines else f"{whom}{many} {of_all} {_said(stance)}"
        lines.append(f"{said}: {listed([marked[slug, question.audience] for slug in slugs])}.")
    return lines


def _others(question: Question, groups: Mapping[str, list[str]]) -> list[str]:
    """Return lines on the other platforms: their stances, and those that are not counted."""
    doubtful = listed([question.names[slug] for slug in groups.get("undetermined", ())])
    open_ = {
        "undetermined": f"undetermined: {doubtful}",
        "silent": f"with {STANCE_NAMES['silent'].lower()}",
        "unread": "not read",
        "unsaid": f"without a separate stance for {AUDIENCES[question.audience or 'business']}",
    }
    counts = {stance: len(slugs) for stance, slugs in groups.items() if slugs}
    said = [f"{counts[stance]} {_said(stance, counts[stance])}" for stance in STANCE_CLAUSES if stance in counts]
    unsettled = [f"{counts[stance]} {words}" for stance, words in open_.items() if stance in counts]
    return _rest(said) + ([f"Not counted either way: {'; '.join(unsettled)}."] if unsettled else [])


def _said(stance: str, many: int = 0) -> str:
    """Return a stance as a predicate; in the singular if `many` is 1."""
    if stance not in STANCE_CLAUSES:
        return UNDETERMINED if stance == "undetermined" else "do not say whether they train on user content"
    clause = STANCE_CLAUSES[stance]
    if many == 1:
        return f"says that it {clause}"
    return f"say that they {clause.replace('does not', 'do not', 1).replace('trains', 'train', 1)}"
