"""Selection and ranking of the findings that answer a question."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import count
from typing import Final

from riskanalytics.models import audience_of_document
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS

from ..store.records import Json, Rows
from .question import Question, Term, normalised
from .vocabulary import Topic, digits, fold, matching, stem, units, vocabulary

MOST_CITATIONS: Final = 6
"""Maximum number of citations in an answer."""
MOST_NEAR: Final = 5
"""Maximum number of nearest clauses shown if no clause answers."""
_ENOUGH: Final = 3
"""Number of citations up to which leads are added to an answer; several platforms share this number."""
_LONGEST_READ: Final = 4000
"""Maximum number of characters read of a quote; only pages without sentences have longer ones."""
_RISK: Final = {"HIGH": 0.4, "MED": 0.2, "LOW": 0}
_COLLECTS: Final = re.compile(r"\b(?:collect|process|stor|retain|solicit)|收集|处理|保存|存储")
"""Verbs for processing sensitive data that imply keeping it."""
_TIME: Final = re.compile(
    r"\b(\w+)(?:\W{1,3}\d+\))?\W{1,3}(?:business |calendar |working |rolling |consecutive )?(hour|day|week|month|year)s?\b"
)
"""A length of time in a quote, such as "thirty (30) days"; both numbers are read."""
_LENGTH_OF_TIME: Final = re.compile(
    r"\b(?:\d+|one|two|three|six|seven|ten|twelve|thirty|sixty|ninety)\)?[ -](?:\w+ )?(?:hours?|days?|weeks?|months?|years?)\b"
    r"|\d+ ?(?:天|日|个月|年|小时)"
)
ASKS: Final = re.compile(r"\?\W*$")
"""Pattern of the end of a quote that is a question, which is a heading rather than a statement."""
_NEIGHBOURS: Final = (
    re.compile(
        r"\b(?:learn more|for (?:more|further) (?:information|details)|(?:please )?(?:see|refer to|contact) (?:us|our|the|this)|"
        r"as (?:described|set out) below|sections? (?:above|below) (?:details?|describes?|explains?|sets? out))\b"
    ),
    re.compile(
        r"^\W*(?:\(?\w{1,3}[).] )?(?:you|customers?|users?) "
        r"(?:must|may not|shall|should|agree not|will not|represent|warrant)\b"
    ),
    ASKS,
)
"""Patterns of clauses that rank below statements of the vendor: pointers to other texts, duties of users, and questions."""
_LEFT_OUT: Final = re.compile(
    r"\b(?:other than|except(?:ing)?(?: for)?|excluding|excludes?|unlike|non|not (?:for|to|on|by|in|apply to))\b[^,.;:]{0,60}"
)
"""Pattern of words that exclude groups from a clause; the clause does not apply to these groups."""


def passing(question: Question, findings: Rows) -> list[Json]:
    """Return the findings and leads that answer a question, best first.

    A finding answers a question if it matches the question's topics, limits, audience and specific words. A lead must also name
    a topic of the question that belongs to the lead's surface, if there is such a topic.

    Parameters
    ----------
    question : Question
        The analysed question.
    findings : iterable of dict
        Findings and leads (uncertain clauses) on the question's surfaces.
    """
    return _in_order(question, [row for row in findings if _is_evidence(question, row)])


def ranked(question: Question, rows: Rows) -> list[Json]:
    """Return all given findings and leads: first those that answer a question (`passing`), then the others, each best first.

    The platforms take turns.
    """
    fitting = passing(question, rows)
    ids = {row["id"] for row in fitting}
    others = _in_order(question, [row for row in rows if row["id"] not in ids])
    return _in_turn(fitting + others, lambda row: row["platform"])


def chosen(findings: Rows, decided_by: Sequence[str] = ()) -> list[Json]:
    """Return the findings to cite. Of each platform, they alternate between surfaces and polarities.

    If n platforms have findings, each platform gets up to 6 / n citations (rounded down, but at least one).

    Parameters
    ----------
    findings : sequence of dict
        Findings that answer the question, best first.
    decided_by : sequence of str
        Ids of the clauses that decided the platforms' stances on training use, if the question is about these stances. Findings
        with these ids come first: they are up to half of the citations of a platform, but at least one.

    Returns
    -------
    list of dict
        Findings, at most `MOST_CITATIONS` (6) for all platforms together.
    """
    of_each: dict[str, list[Json]] = defaultdict(list)
    for row in findings:
        of_each[row["platform"]].append(row)
    most = max(1, MOST_CITATIONS // (len(of_each) or 1))
    return [row for held in of_each.values() for row in _of_platform(held, decided_by, most)][:MOST_CITATIONS]


def with_leads(question: Question, citations: Rows, leads: Rows, decided_by: Sequence[str]) -> list[Json]:
    """Return the cited findings of an answer, followed by leads (uncertain clauses) of the platforms with too few citations.

    If n platforms have leads, each platform gets leads until it has 3 / n citations (rounded down, but at least one). No more
    leads are added when the answer has `MOST_CITATIONS` (6) citations in total.

    Parameters
    ----------
    question : Question
        The analysed question.
    citations : sequence of dict
        Cited findings.
    leads : sequence of dict
        Leads of the platforms that the question is about.
    decided_by : sequence of str
        Ids of the clauses that decided the platforms' stances on training use, or left them undetermined. Leads with
        these ids come first.
    """
    held = [lead for lead in leads if lead["id"] in decided_by]
    held += [lead for lead in passing(question, leads) if lead not in held]
    cited = list(citations)
    most = max(1, _ENOUGH // (len({lead["platform"] for lead in leads}) or 1))
    for lead in held:
        own = [row for row in cited if row["platform"] == lead["platform"]]
        if len(own) < most and len(cited) < MOST_CITATIONS and not _repeats(lead, own):
            cited.append(lead)
    return cited


def nearest(question: Question, clauses: Rows, among: int) -> list[Json]:
    """Return the clauses of a platform that come closest to a question that none of them answers: findings first, then leads.

    Parameters
    ----------
    question : Question
        The analysed question.
    clauses : sequence of dict
        Findings and leads of one platform on the question's surfaces.
    among : int
        Number of platforms in the question. Each may get `MOST_NEAR` (5) clauses divided by this number, but at least one.

    Returns
    -------
    list of dict
        Clauses that would answer the question if they contained its specific words (`question.terms`), if there are any;
        else clauses whose quote names the topic of the question, if there are any; else the best of all `clauses`. Empty if
        the question is about no surface.
    """
    near: list[Json] = []
    named = passing(question._replace(terms=()), clauses) or [row for row in clauses if _names_topic(question, row)]
    for row in sorted(_in_order(question, named or clauses), key=lambda row: "to_read" in row):
        if question.surfaces and len(near) < max(1, MOST_NEAR // among) and not _repeats(row, near):
            near.append(row)
    return near


def _of_platform(findings: Rows, decided_by: Sequence[str], most: int) -> list[Json]:
    """Return the findings of one platform to cite: those that decided its stance, then both sides of a conflict."""
    decided = _in_turn([row for row in findings if row["id"] in decided_by], lambda row: row["scope"]["audience"])
    first = decided[: max(1, most // 2)]
    picked = {finding["id"]: finding for finding in first}
    by_id = {finding["id"]: finding for finding in findings}
    for finding in _in_turn(findings, lambda row: (row["surface"], row["polarity"])):
        if len(picked) < most and not _repeats(finding, picked.values()):
            opposite = [name for name in finding["conflicts_with"] if name in by_id][:1]
            for name in (finding["id"], *opposite)[: most - len(picked)]:
                picked.setdefault(name, by_id[name])
    return [*first, *(row for row in findings if row["id"] in picked and row not in first)]


def _in_turn(findings: Rows, lane_of: Callable[[Json], object]) -> list[Json]:
    """Order findings in turn: the first of each lane, then the second of each lane, and so on."""
    lanes: dict[object, Iterator[int]] = defaultdict(count)
    return sorted(findings, key=lambda row: next(lanes[lane_of(row)]))


def _repeats(finding: Json, others: Iterable[Json]) -> bool:
    """Return whether the quote of a finding contains another quote or is contained in one."""
    words = folded_quote(finding["quote"])
    return any(words in other or other in words for other in map(folded_quote, (row["quote"] for row in others)))


def _is_evidence(question: Question, row: Json) -> bool:
    """Return whether a finding matches a question: its topics, limits, audience and every specific word."""
    quote = folded_quote(row["quote"])
    return (
        _speaks_to_topics(question, row["surface"], quote)
        and ("to_read" not in row or _names_topic(question, row))
        and all(modifier.shows.search(quote) for modifier in question.modifiers)
        and {(digits(number), unit) for number, unit in _TIME.findall(quote)} >= set(question.quantities)
        and fits_audience(question.audience, row)
        and all(holds(term, quote) for term in question.terms)
    )


def _speaks_to_topics(question: Question, surface: str, quote: str) -> bool:
    """Return whether a quote matches a topic of its surface and all objects of the question."""
    actions = [topic for topic in question.topics if not topic.object]
    objects = [topic for topic in question.topics if topic.object]
    if actions and not all(topic.shown_by(quote) for topic in objects):
        return False
    here = on_surface(actions or objects, surface)
    if not here and actions:
        kept = all(SURFACE_DESCRIPTIONS[name].collected_is_kept for topic in actions for name in topic.surfaces)
        named = (kept and _COLLECTS.search(quote)) or any(topic.named_in(quote) for topic in actions)
        return bool(named and on_surface(objects, surface))
    narrow = [topic for topic in here if topic.shows]
    return not narrow or any(topic.shown_by(quote) for topic in narrow)


def on_surface(topics: Iterable[Topic], surface: str) -> list[Topic]:
    """Return those of the given topics (subjects of questions) that belong to a surface."""
    return [topic for topic in topics if surface in topic.surfaces]


def _names_topic(question: Question, row: Json) -> bool:
    """Return whether the words of a clause name a topic of its surface."""
    here = on_surface(question.topics, row["surface"])
    return not here or any(topic.named_in(folded_quote(row["quote"])) for topic in here)


def fits_audience(audience: str | None, row: Json) -> bool:
    """Return whether a finding applies to the audience of a question.

    A clause without an audience applies to consumers. It applies to business users only if it names them or the whole
    document is for them. Users of a developer interface are business users, too.

    Parameters
    ----------
    audience : str or None
        `consumer`, `business` or `developer`. If None, every finding applies.
    row : dict
        The finding.
    """
    scope = row["scope"]["audience"]
    if audience is None or scope is not None:
        return audience in (None, scope) or (audience, scope) == ("developer", "business")
    of_document = audience_of_document(row["provenance"]["document"])
    quote = _LEFT_OUT.sub(" ", folded_quote(row["quote"]))
    named = matching(vocabulary().audiences, quote)
    if audience == "consumer":
        return of_document is None and (audience in named or "business" not in named)
    return of_document is not None or audience in named


def holds(term: Term, quote: str) -> bool:
    """Return whether a quote contains a specific word of a question, in any form, or a near synonym.

    Parameters
    ----------
    term : Term
        The word.
    quote : str
        Quote in lower case and without accents, from `folded_quote`.
    """
    if (same := vocabulary().same.get(term.word)) is not None:
        return bool(same.search(quote))
    held, alike = meanings(quote), vocabulary().alike
    if not term.word.isascii():
        return term.word in quote or alike.get(term.word, term.word) in held
    word = digits(term.word) or stem(term.word)
    return word in held or (not term.is_name and alike.get(word, word) in held)


def _in_order(question: Question, findings: Rows) -> list[Json]:
    """Order findings by how well they answer a question: shared words, topics and audience."""
    quotes, wanted = [folded_quote(finding["quote"]) for finding in findings], _meanings(question.content)
    shared = [meanings(quote) & wanted for quote in quotes]
    having = Counter(unit for held in shared for unit in held)
    mean = sum(map(len, quotes)) / (len(quotes) or 1)
    scored = []
    for finding, quote, held in zip(findings, quotes, shared, strict=True):
        # rare words count more; all words count less in a long quote
        score = math.fsum(math.log(1 + len(quotes) / having[unit]) for unit in held) / (0.5 + 0.5 * len(quote) / mean)
        source, fit = finding["provenance"], _fit(question, finding, quote)
        scored.append((round(-score - fit, 6), source["document"], source["start"], finding["id"], finding))
    return [finding for *_, finding in sorted(scored, key=lambda row: row[:-1])]


def _fit(question: Question, row: Json, quote: str) -> float:
    """Return how well a finding fits a question apart from shared words: topics, audience, kind of clause, level."""
    here = on_surface(question.topics, row["surface"])
    how_long = any(modifier.id == "how_long" for modifier in question.modifiers)
    points = (
        (1, sum(topic.shows is not None and topic.shown_by(quote) for topic in here)),
        (1, sum(bool(topic.best.search(quote)) for topic in here)),
        (1, bool(question.topics) and row["surface"] == question.topics[0].surfaces[0]),
        (1.5, question.audience is not None and row["scope"]["audience"] == question.audience),
        (2, how_long and bool(_LENGTH_OF_TIME.search(quote))),
        (-1, sum(bool(pattern.search(quote)) for pattern in _NEIGHBOURS) + (len(quote) < 40)),
        (0.5, row["confidence"]),
    )
    return _RISK[row["risk"]] + math.fsum(weight * times for weight, times in points)


@lru_cache(maxsize=16384)
def folded_quote(quote: str) -> str:
    """Return the text of a quote in the form that search patterns match.

    This form is in lower case, without accents, with straight quotation marks and single spaces. A very long text is cut.
    """
    return fold(normalised(quote[:_LONGEST_READ]))


@lru_cache(maxsize=16384)
def meanings(quote: str) -> frozenset[str | int]:
    """Return the word stems of a quote and, for each stem that has synonyms, the number of its group of synonyms.

    Parameters
    ----------
    quote : str
        Quote in lower case and without accents, from `folded_quote`.
    """
    return _meanings(units(quote))


def _meanings(stems: Sequence[str]) -> frozenset[str | int]:
    """Return stems and their synonym groups."""
    alike = vocabulary().alike
    return frozenset(stems) | {alike[unit] for unit in stems if unit in alike}
