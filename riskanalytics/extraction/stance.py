"""A platform's answers on training use, from explicit evidence only.

What each training clause says is graded by `evidence`; a clause decides from `CLEAR` on. The most explicit one decides,
among equals that of the newest document, then that of a document for everybody. Clauses for one region or product decide
for nobody else. Nothing is decided, and the clauses that a person must read are named, where

- clear clauses for the same audience say the opposite;
- clauses speak of training, and none is clear;
- a way out is hinted at, not stated clearly: "by default" claims that none exists;
- a single clause decides, and it is not sure enough (`SURE`);
- leads, which are never counted, say so clearly that with them the answer, or the silence, would be another;
- only business users are spoken of, in documents that are for everybody too;
- a finding or a lead speaks of training, and none of them explicitly enough.

Silence is earned: no finding and no lead, in documents that were all read.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import Final, NamedTuple

from rapidfuzz import fuzz

from riskanalytics.models import audience_of_document

from .evidence import CLEAR, VAGUE, Evidence, depends_on_plan, grade
from .plain import words_and_key
from .records import ClauseFinding, DocumentReading, FindingKey, Relations
from .rules import OPPOSED

_BUSINESS: Final = re.compile(
    r"\b(?:business|commercial|enterprise|data process\w*|customer agreement)\b(?! notice)", re.I
)
_ALIKE: Final = 92.0
"""Share of equal characters, in per cent, from which two statements of the same reading are near-copies."""
_SHORTEST: Final = 40
"""Shorter statements are copies only when they are equal."""
_COMPARED: Final = 40
"""Statements compared with each new one at most: the work stays linear."""
_CONFLICTS: Final = 5
"""Opposite findings named at most: the list is for a person."""


class Located(NamedTuple):
    """A finding with its snapshot."""

    document: str
    snapshot_sha256: str
    finding: ClauseFinding

    @property
    def audience(self) -> str | None:
        """Whom it speaks to, by the clause or else by the document's name."""
        return self.finding.scope.audience or ("business" if _BUSINESS.search(self.document) else None)

    @property
    def key(self) -> FindingKey:
        """Identifies it on the platform."""
        return self.snapshot_sha256, self.finding.start, self.finding.end, self.finding.surface


def located(documents: Sequence[DocumentReading]) -> Iterator[Located]:
    """Give all findings with their snapshots; a text with two names gives them under the first.

    Parameters
    ----------
    documents : sequence of DocumentReading

    Yields
    ------
    Located
    """
    firsts: dict[str, DocumentReading] = {}
    for document in documents:
        firsts.setdefault(document.snapshot_sha256, document)
    for document in firsts.values():
        for finding in document.reading.findings:
            yield Located(document.document, document.snapshot_sha256, finding)


def relate(documents: Sequence[DocumentReading]) -> Relations:
    """Mark near-copies and contradictions among a platform's findings.

    Parameters
    ----------
    documents : sequence of DocumentReading
        All current documents, in a stable order; the first that says something keeps it.

    Returns
    -------
    Relations
    """
    items = list(located(documents))
    duplicates = near_copies(items)
    return Relations(_conflicts([item for item in items if item.key not in duplicates]), duplicates)


def near_copies(items: Sequence[Located]) -> dict[FindingKey, FindingKey]:
    """Return the findings that repeat another, and the first that says it.

    Parameters
    ----------
    items : sequence of Located
        In a stable order.

    Returns
    -------
    dict of FindingKey to FindingKey
    """
    firsts: dict[tuple[object, ...], FindingKey] = {}
    alike: dict[tuple[object, ...], list[tuple[str, FindingKey]]] = defaultdict(list)
    found: dict[FindingKey, FindingKey] = {}
    for item in items:
        finding, key, scope = item.finding, item.key, item.finding.scope
        words = words_and_key(finding.quote)[1]
        reading = finding.polarity, finding.stance, item.audience, scope.product
        first = firsts.setdefault((finding.surface, words, *reading), key)
        if first != key:
            found[key] = first
            continue
        beginning = words.split(" ", 2)[:2]
        kin = alike[(finding.rule, finding.stance, scope.audience, scope.product, *beginning)]
        long = ((other, known) for other, known in kin[-_COMPARED:] if min(len(words), len(other)) >= _SHORTEST)
        same = next((known for other, known in long if fuzz.ratio(words, other, score_cutoff=_ALIKE)), None)
        if same is None:
            kin.append((words, key))
        else:
            found[key] = same
    return found


def _conflicts(items: Sequence[Located]) -> dict[FindingKey, tuple[FindingKey, ...]]:
    """Findings and those that say the opposite for the same audience."""
    by_rule: dict[tuple[str, str | None, str | None], list[FindingKey]] = defaultdict(list)
    for item in items:
        scope = item.finding.scope
        by_rule[item.finding.rule, scope.audience, scope.product].append(item.key)
    opposed: dict[FindingKey, tuple[FindingKey, ...]] = {}
    for (rule, audience, product), keys in by_rule.items():
        against = [by_rule.get((other, audience, product), [])[:_CONFLICTS] for other in sorted(OPPOSED.get(rule, ()))]
        if any(against):
            opposed |= dict.fromkeys(keys, tuple(chain(*against))[:_CONFLICTS])
    return opposed


SURE: Final = 0.9
"""Confidence below which a single clause decides nothing: no stance, and no HIGH level."""
UNDETERMINED: Final = "undetermined"
UNREAD: Final = "unread"
"""Answer where no clause speaks of training and a document is in a language that is not read."""
_TO_READ: Final = 4
"""Clauses named for one answer at most."""
_TRAINS: Final = frozenset(("trains_by_default", "trains_with_opt_out"))
_SETTLED: Final = ("does_not_train", "trains_with_opt_in", "trains_with_opt_out", "trains_by_default")
_BY_PLAN: Final = {
    "paid_opt_out": ("trains_by_default", "trains_with_opt_out"),
    "free_only": ("trains_by_default", "does_not_train"),
    "by_plan": (None, None),
}
"""Effect -> answers for consumers and for business users."""

Key = tuple[str, int, int]
"""(snapshot_sha256, start, end) of a finding."""


class Stances(NamedTuple):
    """Answers on training use: for everybody, for consumers, for business users."""

    platform: str
    consumer: str | None
    business: str | None
    decided_by: tuple[Key, ...]
    """The clauses that decided, or that a person must read; at most four, the most explicit first."""


class _Said(NamedTuple):
    """A training clause, and what its words say."""

    item: Located
    evidence: Evidence
    captured_at: str
    lead: bool = False

    @property
    def audience(self) -> str | None:
        """Whom it speaks to: by the plan that it names, else by its other words, else by its document."""
        named = self.evidence.audience or self.item.finding.scope.audience or self.item.audience
        return named or ("developer" if audience_of_document(self.item.document) == "developer" else None)

    @property
    def everywhere(self) -> bool:
        """Whether it is limited to no region and no product: `grade` gives nothing for those limited to a product."""
        scope = self.item.finding.scope
        return scope.region is None and (scope.product is None or self.evidence.grade >= CLEAR)

    @property
    def clear(self) -> bool:
        """Whether it may decide."""
        return self.everywhere and self.evidence.grade >= CLEAR

    @property
    def rank(self) -> tuple[int, str, bool]:
        """Its place: the most explicit first, among equals the newest, then what is for everybody."""
        return self.evidence.grade, self.captured_at[:10], self.item.audience is None


class _Answer(NamedTuple):
    stance: str
    by: tuple[_Said, ...] = ()


def stances(
    items: Iterable[Located],
    captured: Mapping[str, str],
    *,
    leads: Iterable[Located] = (),
    for_business_only: bool = False,
    all_read: bool = True,
) -> Stances:
    """Return a platform's answers on training use.

    Parameters
    ----------
    items : iterable of Located
        Its findings on training use, near-copies left out.
    captured : mapping of str to str
        Hash of each snapshot -> time of its capture, ISO 8601.
    leads : iterable of Located
        Clauses on training use that are no findings; they can leave an answer open, never give one.
    for_business_only : bool
        Whether all its documents are for business users or developers.
    all_read : bool
        Whether all its documents are in a language that is read.

    Returns
    -------
    Stances
        `silent` only where all documents are read and no finding or lead speaks of training with users' material; with
        such a clause `undetermined`, in a language that is not read `unread`.
    """
    items, leads = list(items), list(leads)
    answers = _decided(items, captured, leads, for_business_only=for_business_only)
    if answers.platform == "trains_by_default" and not all_read:  # a way out may be in what is not read
        return Stances(UNDETERMINED, UNDETERMINED, None, answers.decided_by)
    if answers.platform != "silent":
        return answers
    open_ = [item.key[:3] for item in (*items, *leads) if item.finding.scope.product is None]
    silence = "silent" if all_read else UNREAD
    stance = UNDETERMINED if open_ else silence
    return Stances(stance, stance, None, tuple(dict.fromkeys(open_))[:_TO_READ])


def _decided(
    items: Sequence[Located], captured: Mapping[str, str], leads: Sequence[Located], *, for_business_only: bool
) -> Stances:
    """The answers by what clauses say explicitly; `silent` where none does."""
    every = (
        _Said(item, evidence, captured.get(item.snapshot_sha256, ""), lead)
        for some, least, lead in ((items, VAGUE, False), (leads, CLEAR, True))
        for item in some
        if (evidence := grade(item.finding)).grade >= least
    )
    said = sorted(every, key=attrgetter("rank"), reverse=True)
    business = [one for one in said if one.audience in ("business", "developer")]
    everybody = [one for one in said if one.audience not in ("business", "developer")]
    if not everybody:  # a service for developers only: what holds for them holds for its users
        everybody = [one for one in business if one.audience == "developer"]
        business = [one for one in business if one.audience != "developer"]
    consumers, customers = _answer(everybody), _answer(business)
    return _by_plan(said, consumers, customers) or _together(consumers, customers, for_business_only=for_business_only)


def _by_plan(said: Sequence[_Said], consumers: _Answer, customers: _Answer) -> Stances | None:
    """The answers where a clause makes them depend on the plan; None where none does."""
    deciding = next((one for one in said if one.clear and not one.lead and one.evidence.effect in _BY_PLAN), None)
    if deciding is None:
        return None
    keys = _keys((deciding, *consumers.by))
    if deciding.item.finding.confidence < SURE or consumers.stance in ("does_not_train", "trains_with_opt_in"):
        return Stances(UNDETERMINED, UNDETERMINED, None, keys)
    consumer, business = _BY_PLAN[deciding.evidence.effect]
    if consumer is None and not depends_on_plan(deciding.item.finding.quote):
        consumer = "trains_with_opt_out"  # it excepts those who opted out, and other plans
        business = customers.stance if customers.stance in _SETTLED else None
    return Stances("depends_on_plan", consumer, business, keys)


def _together(consumers: _Answer, customers: _Answer, *, for_business_only: bool) -> Stances:
    """The platform's answer from those for consumers and for business users."""
    keys = _keys((*consumers.by[:2], *customers.by[:2]))
    if customers.stance == "silent":
        return Stances(consumers.stance, consumers.stance, None, _keys(consumers.by))
    if consumers.stance == "silent":
        platform = customers.stance if for_business_only else UNDETERMINED
        return Stances(platform, None, customers.stance, _keys(customers.by))
    settled = UNDETERMINED not in (consumers.stance, customers.stance)
    differs = settled and (consumers.stance in _TRAINS) != (customers.stance in _TRAINS)
    platform = "depends_on_plan" if differs else consumers.stance
    return Stances(platform, consumers.stance, customers.stance, keys)


def _answer(said: Sequence[_Said]) -> _Answer:
    """The answer for one audience; open where leads would make it another."""
    leads = [one for one in said if one.lead and one.everywhere][:2]
    answer = _added_up([one for one in said if not one.lead])
    if not leads or (answer.stance != UNDETERMINED and answer.stance == _added_up(said).stance):
        return answer
    return _Answer(UNDETERMINED, (*answer.by[: _TO_READ - len(leads)], *leads))


def _added_up(said: Sequence[_Said]) -> _Answer:
    """The answer that clauses for one audience add up to, the most explicit first."""
    by: dict[str, list[_Said]] = defaultdict(list)
    for one in said:
        if one.clear:
            by[one.evidence.effect].append(one)
    if not by.keys() - _BY_PLAN:  # a way out of who knows what is no word on training
        vague = [one for one in said if one.evidence.grade >= CLEAR or one.evidence.effect != "opt_out"]
        return _Answer(UNDETERMINED, tuple(vague[:_TO_READ])) if vague else _Answer("silent")
    used, never, consent, out = (by.get(effect, []) for effect in ("used", "never", "opt_in", "opt_out"))
    purpose = [one for one in said if (one.evidence.grade, one.evidence.effect) == (VAGUE, "used") and not one.lead]
    if by.keys() == {"choice"} and purpose:  # a switch beside a stated purpose is a way out
        return _sure("trains_with_opt_out", [*by["choice"], *purpose])
    way_out = out or by.get("choice", [])
    trains = [*out[:1], *used[:1]]
    if (never and trains) or (consent and out) or not (never or consent or trains):
        against = [*never[:1], *consent[:1], *trains, *way_out[:1]]
        return _Answer(UNDETERMINED, tuple(dict.fromkeys(against if trains else [*against, *said]))[:_TO_READ])
    same = not used or any(one.evidence.special == other.evidence.special for one in consent for other in used)
    if consent and same:  # consent is asked for the material that is used
        return _sure("trains_with_opt_in", consent)
    return _sure("does_not_train", never) if never else _training(said, used, way_out)


def _training(said: Sequence[_Said], used: Sequence[_Said], way_out: Sequence[_Said]) -> _Answer:
    """The answer where material trains models: with a way out, by default, or with one that is only hinted at."""
    if way_out:
        return _sure("trains_with_opt_out", [*way_out[:1], *used[:1], *way_out[1:], *used[1:]])
    hints = [one for one in said if one.everywhere and one.evidence.effect == "opt_out"]
    return _Answer(UNDETERMINED, (*used[:2], *hints[:2])) if hints else _sure("trains_by_default", used)


def _sure(stance: str, by: Sequence[_Said]) -> _Answer:
    """An answer, unless it hangs on a single clause that is not sure enough."""
    if len(by) == 1 and by[0].item.finding.confidence < SURE:
        return _Answer(UNDETERMINED, tuple(by))
    return _Answer(stance, tuple(by[:2]))


def _keys(said: Iterable[_Said]) -> tuple[Key, ...]:
    """Places of clauses."""
    return tuple(dict.fromkeys(one.item.key[:3] for one in said))[:_TO_READ]
