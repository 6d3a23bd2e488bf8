"""What recorded states and clauses answer of many platforms: who says something, who the opposite or nothing, ratings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from riskanalytics.models import RATINGS, STANCE_CLAUSES, STANCE_NAMES, STANCES, UNDETERMINED, UNRATED
from riskanalytics.service.answering.order import folded_quote, is_question
from riskanalytics.service.answering.question import Question
from riskanalytics.service.answering.retrieval import fits_audience, holds, passing
from riskanalytics.service.answering.vocabulary import Topic, vocabulary
from riskanalytics.service.answering.wording import AUDIENCES, answered, listed, quoted, refused, searched, subjects
from riskanalytics.service.store.evidence import live_findings, newest_states
from riskanalytics.service.store.records import Json
from riskanalytics.service.wire import Service
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS, surface_name

MOST_CITED: Final = 20
"""Clauses that an answer over all platforms cites; names are counted beyond it."""
_UNREAD, _UNTOLD = "unread", "untold"
_OPEN: Final = ("undetermined", "silent", _UNREAD, _UNTOLD)
"""What counts for no side of a question."""
_SAID_OF: Final = {
    "undetermined": f"the documents {UNDETERMINED}",
    "silent": "no clause says whether user content trains models; what comes nearest:",
}
_PROTECTS: Final = ("trains_with_opt_in", "does_not_train")
_STANCE_OF: Final = {"business": "business_stance", "developer": "business_stance", "consumer": "consumer_stance"}
_APART: Final = (("consumer", "consumer_stance"), ("business", "business_stance"))
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
        return _told(service, asked, names, findings, held, "platforms have a clause that speaks of this", open_ones)
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
        return _told(
            service, asked, names, findings, saying, "platforms' documents hold a clause that says so", rest + open_ones
        )
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
        f"{level}{where}: {len(found)} of {len(about)} tracked platforms ({listed(found) or 'none'})."
        for level, found in rated.items()
        if level in asked.levels or (found and (slugs or not asked.levels))
    ]
    shown = slugs[0] if len(slugs) == 1 else None
    return answered(service, asked, ["Recorded ratings.", *lines], [], searched(asked, about, [], []), shown)


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
    marked = listed([names[slug] + marks.get(slug, "") for slug in slugs])
    lines = [f"{len(best)} of {len(names)} tracked {words}: {marked}."]
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


def stance_line(asked: Question, name: str, slug: str, recorded: Json | None, citations: Sequence[Json]) -> list[str]:
    """Return the line of a platform's recorded stance; none where the findings that decided are not cited."""
    if recorded is None:
        return []
    stance, whom = _of(recorded, asked.audience), _for(asked.audience)
    numbered = [(place, row) for place, row in enumerate(citations, 1) if row["platform"] == slug]
    if stance in _SAID_OF:
        marks = " ".join(f"[{place}]" for place, _ in numbered)
        return [f"{name}{whom}: {_SAID_OF[stance]} {marks}."] if marks else []
    marks = " ".join(f"[{place}]" for place, row in numbered if row["id"] in recorded["decided_by"])
    if stance not in STANCE_CLAUSES or not marks:
        return []
    return [f"{name}, recorded stance on training use{whom}: {STANCE_CLAUSES[stance]} {marks}."]


def census(service: Service, asked: Question, names: dict[str, str]) -> Json:
    """Answer a question about all platforms from their recorded stances; what is not settled counts for no side.

    Parameters
    ----------
    service : Service
    asked : Question
        Whose `stances` are the ones asked for.
    names : dict
        Slug -> name, of all tracked platforms.

    Returns
    -------
    dict
        Answer, or refusal where no platform has one of these stances.
    """
    recorded = newest_states(service.store)
    findings = live_findings(service.store, ("training_use",))
    groups: dict[str, list[str]] = defaultdict(list)
    for slug in names:
        groups[_of(recorded.get(slug), asked.audience)].append(slug)
    wanted = {stance: groups[stance] for stance in STANCES if stance in asked.stances and groups[stance]}
    partly = _partly(asked, recorded, groups["depends_on_plan"])
    whole = [(slug, stance, asked.audience) for stance, slugs in wanted.items() for slug in slugs]
    cited = _deciding(findings, recorded, [*whole, *partly])
    others = _others(names, groups, wanted, asked.audience)
    citations = [finding for finding, _ in cited]
    looked_at = searched(asked, list(names), findings, citations)
    if not wanted and not partly:
        none = f"0 of {len(names)} tracked platforms' documents say so{_for(asked.audience)}."
        return refused(asked, "no_evidence", " ".join([none, *others]), looked_at=looked_at)
    marks = {(finding["platform"], whom): f" [{place}]" for place, (finding, whom) in enumerate(cited, 1)}
    lines = _counts(names, wanted, marks, asked.audience) + _parts(names, partly, marks) + others
    return answered(service, asked, lines + quoted(citations), citations, looked_at)


def _of(recorded: Json | None, audience: str | None) -> str:
    """Return a platform's stance for an audience, or why there is none."""
    stance: str | None = None if recorded is None else recorded["stance"]
    if recorded is None or stance is None:
        return _UNREAD
    if audience is None:
        return stance
    return str(recorded[_STANCE_OF[audience]] or (stance if stance in _OPEN else _UNTOLD))


def _for(audience: str | None) -> str:
    """Return an audience as the end of a phrase."""
    return f" for {AUDIENCES[audience]}" if audience else ""


def _partly(asked: Question, recorded: dict[str, Json], depending: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return the platforms that have a stance asked for on some plans only: slug, stance and audience."""
    if asked.audience is not None or "depends_on_plan" in asked.stances:
        return []
    return [
        (slug, stance, audience)
        for audience, key in _APART
        for slug in depending
        if (stance := recorded[slug][key]) in asked.stances
    ]


def _deciding(
    findings: Sequence[Json], recorded: dict[str, Json], named: Sequence[tuple[str, str, str | None]]
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
        if fitting and len(cited) < MOST_CITED:
            cited.append((fitting[0], audience))
    return cited


def _counts(
    names: dict[str, str], wanted: dict[str, list[str]], marks: dict[tuple[str, str | None], str], audience: str | None
) -> list[str]:
    """Return a line for each stance asked for: how many platforms, and which."""
    of_all = f"{_for(audience).strip().capitalize()}{', ' if audience else ''}{{}} of {len(names)} tracked platforms'"
    every = sum(map(len, wanted.values()))
    lines = [f"{of_all.format(every)} documents fit the question:"] if len(wanted) > 1 else []
    for stance, slugs in wanted.items():
        many = len(slugs)
        said = (
            f"{of_all.format(many)} documents {_said(stance)}" if len(wanted) == 1 else f"{many} {_said(stance, many)}"
        )
        marked = [names[slug] + marks.get((slug, audience), "") for slug in slugs]
        lines.append(f"{said}: {listed(marked)}.")
    return lines


def _parts(
    names: dict[str, str], partly: Sequence[tuple[str, str, str]], marks: dict[tuple[str, str | None], str]
) -> list[str]:
    """Return a line for each audience for which alone platforms have a stance asked for."""
    lines = []
    for audience, _ in _APART:
        marked = [f"{names[slug]}{marks.get((slug, audience), '')}" for slug, _, whom in partly if whom == audience]
        if marked:
            says = "says" if len(marked) == 1 else "say"
            lines.append(f"{len(marked)} {says} so for {AUDIENCES[audience]} only: {listed(marked)}.")
    return lines


def _others(
    names: dict[str, str], groups: dict[str, list[str]], wanted: dict[str, list[str]], audience: str | None
) -> list[str]:
    """Return what the other platforms' documents say, and which of them settle nothing."""
    rest = [stance for stance in groups if stance not in wanted and groups[stance]]
    said = [
        f"{(many := len(groups[stance]))} {_said(stance, many)}"
        for stance in STANCES
        if stance in rest and stance not in _OPEN
    ]
    unsettled = {
        "undetermined": f"undetermined, to be read: {listed([names[slug] for slug in groups['undetermined']])}",
        "silent": f"with {STANCE_NAMES['silent'].lower()}",
        _UNREAD: "not read",
        _UNTOLD: f"without a word on {AUDIENCES[audience or 'business']} of their own",
    }
    open_ones = [f"{len(groups[stance])} {words}" for stance, words in unsettled.items() if stance in rest]
    lines = [f"Of the others, {'; '.join(said)}."] if said else []
    return lines + ([f"Counted for no side: {'; '.join(open_ones)}."] if open_ones else [])


def _said(stance: str, many: int = 0) -> str:
    """Return what the documents of so many platforms say."""
    if stance not in STANCE_CLAUSES:
        return UNDETERMINED if stance == "undetermined" else "do not say whether they train on user content"
    clause = STANCE_CLAUSES[stance]
    if many == 1:
        return f"says that it {clause}"
    return f"say that they {clause.replace('does not', 'do not', 1).replace('trains', 'train', 1)}"
