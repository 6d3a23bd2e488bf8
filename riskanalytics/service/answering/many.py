"""What recorded states and clauses answer of many platforms: who says something, who the opposite or nothing, ratings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from riskanalytics.models import RATINGS, STANCE_CLAUSES, STANCE_NAMES, STANCES, UNDETERMINED, UNRATED
from riskanalytics.models.records import Answer
from riskanalytics.service.answering.answer import (
    AUDIENCES,
    OPEN,
    answered,
    for_whom,
    listed,
    quoted,
    stance_of,
    subjects,
)
from riskanalytics.service.answering.question import Question
from riskanalytics.service.answering.retrieval import fits_audience, folded_quote, holds, is_question, passing
from riskanalytics.service.answering.vocabulary import Topic, vocabulary
from riskanalytics.service.store.evidence import live_findings, newest_states
from riskanalytics.service.store.records import Json
from riskanalytics.service.wire import Service
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS, surface_name

MOST_CITED: Final = 20
"""Clauses that an answer over all platforms cites; names are counted beyond it."""
_PROTECTS: Final = ("trains_with_opt_in", "does_not_train")
_APART: Final = {"consumer": "consumer_stance", "business": "business_stance"}
_UNSPOKEN: Final = {
    "quiet": "without a clause that speaks of it",
    "to_read": "with leads to be read that may speak of it",
    "unread": "with documents that are not read",
}
"""What is said of platforms without a clause that answers, by the state of the surfaces."""
Names = Mapping[str, str]
"""Slug -> name, of all tracked platforms."""


def about_all(service: Service, asked: Question, names: Names) -> Answer:
    """Answer a question about all platforms, which of them or which clauses: from stances, or from clauses that say so.

    Parameters
    ----------
    service : Service
    asked : Question
    names : mapping
    """
    lacking = "lacking" in asked.intents
    if "which" in asked.intents and asked.stances and (not lacking or asked.stances == ("silent",)):
        return census(service, asked, names)
    findings = live_findings(service.store, asked.searched)
    held = passing(asked, findings)
    unspoken = _unspoken(service, asked, names, held)
    counted = {state: f"{len(named)} {_UNSPOKEN[state]}" + ("" if state == "quiet" else f": {listed(named)}")
               for state, named in unspoken.items() if named}  # fmt: skip
    if lacking:
        return _lacking(service, asked, names, findings, unspoken, counted)
    open_ones = list(counted.values())
    if "clauses" in asked.intents or "mentions" in asked.intents:
        words = "platforms have a clause that speaks of this"
        return _who_says(service, asked, names, findings, held, words, open_ones)
    deciding = _deciding_topics(asked)
    sides: dict[str, dict[str, Json]] = defaultdict(dict)
    for finding in held:
        sides[finding["platform"]].setdefault(_side(asked, deciding, finding), finding)
    wanted, opposite = ("denies", "affirms") if "negated" in asked.intents else ("affirms", "denies")
    both = [slug for slug, said in sides.items() if {wanted, opposite} <= said.keys()]
    saying = [said[wanted] for slug, said in sides.items() if wanted in said and slug not in both]
    against = [slug for slug, said in sides.items() if opposite in said and slug not in both]
    unsettled = [slug for slug, said in sides.items() if said.keys() == {"open"}]
    rest = [f"{len(against)} say the opposite"] if against else []
    for slugs, words in ((both, "say both, to be read"), (unsettled, "with clauses on it to be read")):
        rest += [f"{len(slugs)} {words}: {listed(sorted(names[slug] for slug in slugs))}"] if slugs else []
    words = "platforms' documents hold a clause that says so" if deciding else ""
    return _who_says(service, asked, names, findings, saying if deciding else [], words, rest + open_ones)


def ratings(service: Service, asked: Question, names: Names, slugs: Sequence[str]) -> Answer:
    """Answer a question about ratings from those on record: how many platforms have which, and which ones.

    Parameters
    ----------
    service : Service
    asked : Question
        On the first surface that it names; on the platforms as a whole if it names none.
    names : mapping
    slugs : sequence of str
        The platforms that it names; all are meant if it names none.
    """
    surface, about = next(iter(asked.surfaces), None), slugs or list(names)
    rated: dict[str, list[str]] = {level: [] for level in (*reversed(RATINGS), UNRATED)}
    for slug, state in newest_states(service.store).items():
        level = state["surfaces"][surface]["risk"] if surface else state["rating"]
        if slug in about:
            rated.setdefault(level or UNRATED, []).append(names[slug])
    where = f" on {surface_name(surface)}" if surface else ""
    lines = [
        f"{level}{where}: {len(found)} of {len(about)} tracked platforms ({listed(found) or 'none'})."
        for level, found in rated.items()
        if level in asked.levels or (found and (slugs or not asked.levels))
    ]
    one = slugs[0] if len(slugs) == 1 else None
    return answered(service, asked, ["Recorded ratings.", *lines], slugs=about, slug=one)


def _unspoken(service: Service, asked: Question, names: Names, held: Sequence[Json]) -> dict[str, list[str]]:
    """Return the names of the platforms without a clause that answers, by what is known of them there."""
    speaking, states = {finding["platform"] for finding in held}, newest_states(service.store)
    groups: dict[str, list[str]] = {state: [] for state in _UNSPOKEN}
    for slug in sorted(names.keys() - speaking):
        known = {states[slug]["surfaces"][name]["state"] for name in asked.searched} if slug in states else {"unread"}
        groups[next((state for state in ("unread", "to_read") if state in known), "quiet")].append(names[slug])
    return groups


def _lacking(
    service: Service, asked: Question, names: Names, findings: Sequence[Json], unspoken: dict[str, list[str]],
    counted: dict[str, str],
) -> Answer:  # fmt: skip
    """Answer who has no clause: only those whose documents are read, and hold no lead either."""
    speaking, quiet = len(names) - sum(map(len, unspoken.values())), unspoken["quiet"]
    others = [f"{speaking} with one"] if speaking else []
    others += [words for state, words in counted.items() if state != "quiet"]
    named = f": {listed(quiet)}" if quiet else ""
    lines = [f"{len(quiet)} of {len(names)} tracked platforms have no clause that speaks of it{named}.", *_rest(others)]
    return answered(service, asked, lines, slugs=list(names), findings=findings)


def _rest(others: Sequence[str]) -> list[str]:
    """Return the line on the other platforms."""
    return [f"Of the others, {'; '.join(others)}."] if others else []


def _who_says(
    service: Service, asked: Question, names: Names, findings: Sequence[Json], held: Sequence[Json], words: str,
    others: Sequence[str],
) -> Answer:  # fmt: skip
    """Return an answer that counts the platforms of some findings and cites the best one of each; a refusal without any."""
    every = list(names)
    if not held:
        why = "No clause says so." if words else "Clauses cannot be told apart by yes and no on this question."
        text = f"{why} Of {len(names)} tracked platforms, on {subjects(asked)}: {'; '.join(others)}."
        return answered(service, asked, [text], slugs=every, findings=findings, reason="no_evidence")
    best: dict[str, Json] = {}
    for finding in held:
        best.setdefault(finding["platform"], finding)
    citations = list(best.values())[:MOST_CITED]
    marked = [f"{names[slug]} [{place}]" if place <= MOST_CITED else names[slug] for place, slug in enumerate(best, 1)]
    lines = [f"{len(best)} of {len(names)} tracked {words}: {listed(marked)}.", *_rest(others)]
    return answered(service, asked, lines + quoted(citations), citations, slugs=every, findings=findings, held=held)


def _deciding_topics(asked: Question) -> list[Topic]:
    """Return the topics whose clauses decide between yes and no on a question; none if the vocabulary cannot."""
    topics = [topic for topic in asked.topics if not topic.object] or list(asked.topics)
    topics = [topic for topic in topics if topic.shows is not None] or topics
    if _on_choice(asked):
        return [] if "negated" in asked.intents else topics
    shared = set.intersection(*(set(topic.surfaces) for topic in topics)) if topics else set()
    return topics if shared and len({topic.yes for topic in topics}) == 1 and topics[0].yes is not None else []


def _on_choice(asked: Question) -> bool:
    """Say whether a question asks for a way out."""
    return any(modifier.id == "opt_out" for modifier in asked.modifiers)


def _side(asked: Question, deciding: Sequence[Topic], finding: Json) -> str:
    """Return which side a clause takes; a choice that it leaves to the user affirms that there is one."""
    if not deciding:
        return "open"
    if _on_choice(asked):
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


def census(service: Service, asked: Question, names: Names) -> Answer:
    """Answer a question about all platforms from their recorded stances; what is not settled counts for no side.

    Parameters
    ----------
    service : Service
    asked : Question
        Whose `stances` are the ones asked for.
    names : mapping
    """
    recorded = newest_states(service.store)
    findings = live_findings(service.store, ("training_use",))
    groups: dict[str, list[str]] = defaultdict(list)
    for slug in names:
        groups[stance_of(recorded.get(slug), asked.audience)].append(slug)
    wanted = {stance: groups[stance] for stance in STANCES if stance in asked.stances and groups[stance]}
    apart = {} if asked.audience or "depends_on_plan" in asked.stances else _APART
    partly = [
        (slug, stance, audience)
        for audience, key in apart.items()
        for slug in groups["depends_on_plan"]
        if (stance := recorded[slug][key]) in asked.stances
    ]
    whole = [(slug, stance, asked.audience) for stance, slugs in wanted.items() for slug in slugs]
    cited = _deciding(findings, recorded, [*whole, *partly])
    others, citations = _others(names, groups, wanted, asked.audience), [finding for finding, _ in cited]
    if not wanted and not partly:
        none = f"0 of {len(names)} tracked platforms' documents say so{for_whom(asked.audience)}."
        text = " ".join([none, *others])
        return answered(service, asked, [text], slugs=list(names), findings=findings, reason="no_evidence")
    marks = {(finding["platform"], whom): f" [{place}]" for place, (finding, whom) in enumerate(cited, 1)}
    lines = _counts(names, wanted, marks, asked.audience)
    for audience in apart:
        marked = [f"{names[slug]}{marks.get((slug, audience), '')}" for slug, _, whom in partly if whom == audience]
        says = "says" if len(marked) == 1 else "say"
        lines += [f"{len(marked)} {says} so{for_whom(audience)} only: {listed(marked)}."] if marked else []
    return answered(
        service, asked, [*lines, *others, *quoted(citations)], citations, slugs=list(names), findings=findings
    )


def _deciding(
    findings: Iterable[Json], recorded: Mapping[str, Json], named: Iterable[tuple[str, str, str | None]]
) -> list[tuple[Json, str | None]]:
    """Return for each platform the clause that decided its stance for an audience, while there is room."""
    by_id = {finding["id"]: finding for finding in findings}
    cited: list[tuple[Json, str | None]] = []
    for slug, stance, audience in named:
        decided = [by_id[public] for public in recorded[slug]["decided_by"] if public in by_id]
        whom = ("business", "developer") if audience == "business" else (audience,)
        fitting = [row for row in decided if any(fits_audience(one, row, folded_quote(row["quote"])) for one in whom)]
        side = "mitigates_risk" if stance in _PROTECTS else "raises_risk"
        fitting.sort(key=lambda row: stance != "trains_with_opt_out" and row["polarity"] != side)
        cited += [(fitting[0], audience)] if fitting else []
    return cited[:MOST_CITED]


def _counts(
    names: Names, wanted: dict[str, list[str]], marks: Mapping[tuple[str, str | None], str], audience: str | None
) -> list[str]:
    """Return a line for each stance asked for: how many platforms, and which."""
    whom = f"{for_whom(audience).strip().capitalize()}, " if audience else ""
    of_all = f"of {len(names)} tracked platforms' documents"
    lines = [f"{whom}{sum(map(len, wanted.values()))} {of_all} fit the question:"] if len(wanted) > 1 else []
    for stance, slugs in wanted.items():
        many = len(slugs)
        said = f"{whom}{many} {of_all} {_said(stance)}" if len(wanted) == 1 else f"{many} {_said(stance, many)}"
        lines.append(f"{said}: {listed([names[slug] + marks.get((slug, audience), '') for slug in slugs])}.")
    return lines


def _others(
    names: Names, groups: Mapping[str, list[str]], wanted: dict[str, list[str]], audience: str | None
) -> list[str]:
    """Return what the other platforms' documents say, and which of them settle nothing."""
    rest = {stance: slugs for stance, slugs in groups.items() if slugs and stance not in wanted}
    settled = [stance for stance in STANCES if stance in rest and stance not in OPEN]
    said = [f"{len(rest[stance])} {_said(stance, len(rest[stance]))}" for stance in settled]
    unsettled = {
        "undetermined": f"undetermined, to be read: {listed([names[slug] for slug in groups.get('undetermined', ())])}",
        "silent": f"with {STANCE_NAMES['silent'].lower()}",
        "unread": "not read",
        "unsaid": f"without a word on {AUDIENCES[audience or 'business']} of their own",
    }
    open_ones = [f"{len(rest[stance])} {words}" for stance, words in unsettled.items() if stance in rest]
    return _rest(said) + ([f"Counted for no side: {'; '.join(open_ones)}."] if open_ones else [])


def _said(stance: str, many: int = 0) -> str:
    """Return what the documents of so many platforms say."""
    if stance not in STANCE_CLAUSES:
        return UNDETERMINED if stance == "undetermined" else "do not say whether they train on user content"
    clause = STANCE_CLAUSES[stance]
    if many == 1:
        return f"says that it {clause}"
    return f"say that they {clause.replace('does not', 'do not', 1).replace('trains', 'train', 1)}"
