"""Decide a platform's answers on training use, from explicit evidence only.

`evidence` grades each training clause, and a clause of grade `CLEAR` or better may decide. Clauses are sorted by grade, the most
explicit first, then by date, the newest first; among clauses with the same grade and date, those for everybody come first. A
clause limited to one region or product does not decide.
In these cases the answer is `undetermined`, and `Stances.decided_by` names the clauses that a person must read:

- clear clauses for the same audience contradict each other;
- findings or leads speak of training, but none of them is clear;
- the only clear clauses offer a switch but do not give its default, and no clause says that the material is used;
- the material is used, and a way out is hinted at but not clearly stated (`trains_by_default` would claim that there is none);
- a single clause decides, and its confidence is below `SURE` (0.9);
- clear leads, which are never counted, would change the answer, or would be the only answer;
- clauses speak of business users only, but some documents are for everybody;
- training is by default, but a document was not read.

The answer is `silent` only if all documents were read and no finding or lead speaks of training with users' material.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
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
"""Two statements with the same rule, stance, audience, product and first two words are near-copies from this similarity, in
per cent."""
_SHORTEST: Final = 40
"""Statements of fewer characters are copies only if they are equal."""
_COMPARED: Final = 40
"""A new statement is compared with at most this many others, so that the work stays linear."""
_CONFLICTS: Final = 5
"""Maximum number of opposite findings in a list, since people read it."""


class Located(NamedTuple):
    """A finding with its document and snapshot."""

    document: str
    snapshot_sha256: str
    finding: ClauseFinding

    @property
    def audience(self) -> str | None:
        """Audience that the clause names; else `business` if the name of the document says so, else None."""
        return self.finding.scope.audience or ("business" if _BUSINESS.search(self.document) else None)

    @property
    def key(self) -> FindingKey:
        """Key that identifies the finding on its platform: snapshot_sha256, start, end, surface."""
        return self.snapshot_sha256, self.finding.start, self.finding.end, self.finding.surface


def located(documents: Iterable[DocumentReading], *, leads: bool = False) -> list[Located]:
    """Return all findings of a platform, each with its document; if two documents have the same text, only the first is used.

    Parameters
    ----------
    documents : iterable of DocumentReading
        All current documents of the platform.
    leads : bool
        Whether to return the leads instead of the findings.
    """
    firsts: dict[str, DocumentReading] = {}
    for document in documents:
        firsts.setdefault(document.snapshot_sha256, document)
    return [
        Located(one.document, one.snapshot_sha256, row)
        for one in firsts.values()
        for row in (one.reading.leads if leads else one.reading.findings)
    ]


def relate(documents: Sequence[DocumentReading]) -> Relations:
    """Find near-copies and contradictions among a platform's findings.

    Parameters
    ----------
    documents : sequence of DocumentReading
        All current documents, in the same order each time, because the first of several near-copies counts as the original.

    Returns
    -------
    Relations
    """
    items = located(documents)
    duplicates = near_copies(items)
    return Relations(_conflicts([item for item in items if item.key not in duplicates]), duplicates)


def near_copies(items: Sequence[Located]) -> dict[FindingKey, FindingKey]:
    """Return the findings that repeat an earlier finding in the same or nearly the same words.

    Parameters
    ----------
    items : sequence of Located
        In the same order each time, because the first of several near-copies counts as the original.

    Returns
    -------
    dict of FindingKey to FindingKey
        Near-copy -> the first finding that says the same.
    """
    firsts: dict[tuple[object, ...], FindingKey] = {}
    alike: dict[tuple[object, ...], list[tuple[str, FindingKey]]] = defaultdict(list)
    copies: dict[FindingKey, FindingKey] = {}
    for item in items:
        finding, key, scope = item.finding, item.key, item.finding.scope
        words = words_and_key(finding.quote)[1]
        reading = finding.polarity, finding.stance, item.audience, scope.product
        first = firsts.setdefault((finding.surface, words, *reading), key)
        if first != key:
            copies[key] = first
            continue
        beginning = words.split(" ", 2)[:2]
        similar = alike[(finding.surface, finding.rule, *reading[:2], scope.audience, scope.product, *beginning)]
        long = ((other, known) for other, known in similar[-_COMPARED:] if min(len(words), len(other)) >= _SHORTEST)
        same = next((known for other, known in long if fuzz.ratio(words, other, score_cutoff=_ALIKE)), None)
        if same is None:
            similar.append((words, key))
        else:
            copies[key] = same
    return copies


def _conflicts(items: Sequence[Located]) -> dict[FindingKey, tuple[FindingKey, ...]]:
    """Return, for each finding, the findings that say the opposite for the same audience and product."""
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
"""A clause below this confidence neither decides a stance alone nor makes a level HIGH."""
UNDETERMINED: Final = "undetermined"
UNREAD: Final = "unread"
"""Stance if no clause speaks of training and a document is in a language that is not read."""
MOST_TO_READ: Final = 4
"""Maximum number of clauses named for one answer."""
_TRAINS: Final = frozenset(("trains_by_default", "trains_with_opt_out"))
_SETTLED: Final = ("does_not_train", "trains_with_opt_in", "trains_with_opt_out", "trains_by_default")
_BY_PLAN: Final = {
    "paid_opt_out": ("trains_by_default", "trains_with_opt_out"),
    "free_only": ("trains_by_default", "does_not_train"),
    "by_plan": (None, None),
}
"""`Evidence.effect` -> answer for consumers and answer for business users."""

Key = tuple[str, int, int]
"""(snapshot_sha256, start, end) of a finding."""


class Stances(NamedTuple):
    """A platform's answers on training use (overall, for consumers, for business users), and the clauses that decided them."""

    platform: str
    consumer: str | None
    business: str | None
    decided_by: tuple[Key, ...]
    """Clauses that decided, or that a person must read; at most four, the most explicit first."""
    read_by: str | None = None
    """Names of the readers (language models) that decided; None if the package decided."""


class _Graded(NamedTuple):
    """A training clause with its graded evidence."""

    item: Located
    evidence: Evidence
    captured_at: str
    lead: bool = False

    @property
    def audience(self) -> str | None:
        """The audience: from the plan that the clause names, otherwise from its other words, otherwise from its document."""
        named = self.evidence.audience or self.item.finding.scope.audience or self.item.audience
        return named or ("developer" if audience_of_document(self.item.document) == "developer" else None)

    @property
    def everywhere(self) -> bool:
        """Whether the clause applies to all regions; `grade` has already excluded clauses limited to a product."""
        scope = self.item.finding.scope
        return scope.region is None and (scope.product is None or self.evidence.grade >= CLEAR)

    @property
    def clear(self) -> bool:
        """Whether the clause may decide."""
        return self.everywhere and self.evidence.grade >= CLEAR

    @property
    def rank(self) -> tuple[int, str, bool]:
        """Sort key: grade, then date of the capture, then whether the clause is for everybody."""
        return self.evidence.grade, self.captured_at[:10], self.item.audience is None


class _Answer(NamedTuple):
    stance: str
    by: tuple[_Graded, ...] = ()


def stances(
    documents: Sequence[DocumentReading], items: Sequence[Located], leads: Sequence[Located], *, all_read: bool
) -> Stances:
    """Return a platform's answers on training use.

    Parameters
    ----------
    documents : sequence of DocumentReading
        All current documents of the platform, ordered by name.
    items : sequence of Located
        The platform's findings on training use, without near-copies.
    leads : sequence of Located
        Leads on training use; they can leave an answer open, but never give one.
    all_read : bool
        Whether all documents of the platform were read: the extraction supports their languages, or language models read them.

    Returns
    -------
    Stances
        The answers, and the clauses that decided them. If no clause decides, the answer is `undetermined` if a finding or lead
        speaks of training with users' material; else `silent` if all documents were read; else `unread`.
    """
    answers = _decided(documents, items, leads)
    if answers.platform == "trains_by_default" and not all_read:  # the document that is not read may offer a way out
        return Stances(UNDETERMINED, UNDETERMINED, None, answers.decided_by)
    if answers.platform != "silent":
        return answers
    to_read = [item.key[:3] for item in (*items, *leads) if item.finding.scope.product is None]
    silence = "silent" if all_read else UNREAD
    stance = UNDETERMINED if to_read else silence
    return Stances(stance, stance, None, tuple(dict.fromkeys(to_read))[:MOST_TO_READ])


def _decided(documents: Sequence[DocumentReading], items: Sequence[Located], leads: Sequence[Located]) -> Stances:
    """Return the answers of the graded clauses; `silent` if no clause speaks of training."""
    captured = {document.snapshot_sha256: document.captured_at for document in documents}
    graded = (
        _Graded(item, evidence, captured[item.snapshot_sha256], lead)
        for located_items, least, lead in ((items, VAGUE, False), (leads, CLEAR, True))
        for item in located_items
        if (evidence := grade(item.finding)).grade >= least
    )
    clauses = sorted(graded, key=attrgetter("rank"), reverse=True)
    business = [clause for clause in clauses if clause.audience in ("business", "developer")]
    everybody = [clause for clause in clauses if clause.audience not in ("business", "developer")]
    if not everybody:  # a service for developers only: its developers count as its consumers
        everybody = [clause for clause in business if clause.audience == "developer"]
        business = [clause for clause in business if clause.audience != "developer"]
    consumers, customers = _answer(everybody), _answer(business)
    if by_plan := _by_plan(clauses, consumers, customers):
        return by_plan
    most = MOST_TO_READ if "silent" in (consumers.stance, customers.stance) else 2
    keys = _keys((*consumers.by[:most], *customers.by[:most]))
    together = joined(consumers.stance, customers.stance, for_business_only=are_for_business(documents))
    return Stances(*together, keys)


def _by_plan(clauses: Sequence[_Graded], consumers: _Answer, customers: _Answer) -> Stances | None:
    """Return the answers if a clear finding says that they depend on the plan; None otherwise."""
    by_plan = (clause for clause in clauses if clause.clear and not clause.lead and clause.evidence.effect in _BY_PLAN)
    deciding = next(by_plan, None)
    if deciding is None:
        return None
    keys = _keys((deciding, *consumers.by))
    if deciding.item.finding.confidence < SURE or consumers.stance in ("does_not_train", "trains_with_opt_in"):
        return Stances(UNDETERMINED, UNDETERMINED, None, keys)
    consumer, business = _BY_PLAN[deciding.evidence.effect]
    if consumer is None and not depends_on_plan(deciding.item.finding.quote):
        consumer = "trains_with_opt_out"  # the clause excepts users who opted out, and other plans
        business = customers.stance if customers.stance in _SETTLED else None
    return Stances("depends_on_plan", consumer, business, keys)


def are_for_business(documents: Iterable[DocumentReading]) -> bool:
    """Return whether all documents of a platform are for business users or developers, judged by their names."""
    return all(audience_of_document(document.document) for document in documents)


def joined(consumers: str, customers: str, *, for_business_only: bool) -> tuple[str, str | None, str | None]:
    """Return a platform's answer, and its answers for consumers and for business users if its documents give them.

    Parameters
    ----------
    consumers, customers : str
        The answers of the clauses for consumers and for business users; `silent` without such clauses.
    for_business_only : bool
        Whether all documents of the platform are for business users or developers.
    """
    if customers == "silent":
        return consumers, consumers, None
    if consumers == "silent":
        return customers if for_business_only else UNDETERMINED, None, customers
    plans = "depends_on_plan" in (consumers, customers) or (consumers in _TRAINS) != (customers in _TRAINS)
    differs = plans and UNDETERMINED not in (consumers, customers)
    return "depends_on_plan" if differs else consumers, consumers, customers


def _answer(clauses: Sequence[_Graded]) -> _Answer:
    """Return the answer for one audience; undetermined if leads would change it."""
    leads = [clause for clause in clauses if clause.lead and clause.everywhere][:2]
    answer = _added_up([clause for clause in clauses if not clause.lead])
    if not leads or (answer.stance != UNDETERMINED and answer.stance == _added_up(clauses).stance):
        return answer
    return _Answer(UNDETERMINED, (*answer.by[: MOST_TO_READ - len(leads)], *leads))


def _added_up(clauses: Sequence[_Graded]) -> _Answer:
    """Return the answer that all clauses for one audience give together; the most explicit clause comes first."""
    by: dict[str, list[_Graded]] = defaultdict(list)
    for clause in clauses:
        if clause.clear:
            by[clause.evidence.effect].append(clause)
    if not by.keys() - _BY_PLAN:  # a vague way out alone may be a way out of something else than training
        vague = [one for one in clauses if one.evidence.grade >= CLEAR or one.evidence.effect != "opt_out"]
        return _Answer(UNDETERMINED, tuple(vague[:MOST_TO_READ])) if vague else _Answer("silent")
    used, never, consent, out = (by.get(effect, []) for effect in ("used", "never", "opt_in", "opt_out"))
    purpose = [one for one in clauses if (one.evidence.grade, one.evidence.effect) == (VAGUE, "used") and not one.lead]
    if by.keys() == {"choice"} and purpose:  # a switch and a stated purpose together are a way out
        return _sure("trains_with_opt_out", [*by["choice"], *purpose])
    # consent to the use of special material, such as recordings, does not contradict a way out for other material
    if out:
        consent = [one for one in consent if not one.evidence.special or _shares(one, out)]
    way_out = out or by.get("choice", [])
    trains = [*out[:1], *used[:1]]
    if (never and trains) or (consent and out) or not (never or consent or trains):
        against = [*never[:1], *consent[:1], *trains, *way_out[:1]]
        return _Answer(UNDETERMINED, tuple(dict.fromkeys(against if trains else [*against, *clauses]))[:MOST_TO_READ])
    same = not used or any(_shares(one, used) for one in consent)
    if consent and same:  # the vendor asks for consent to the same material that it uses
        return _sure("trains_with_opt_in", consent)
    return _sure("does_not_train", never) if never else _training(clauses, used, way_out)


def _shares(clause: _Graded, others: Sequence[_Graded]) -> bool:
    """Return whether one of `others` speaks of the same special material as `clause`, or, like `clause`, of no special material."""
    own = clause.evidence.special
    return any(own & other.evidence.special or own == other.evidence.special for other in others)


def _training(clauses: Sequence[_Graded], used: Sequence[_Graded], way_out: Sequence[_Graded]) -> _Answer:
    """Return the answer if material trains models: with a way out, by default, or undetermined if a way out is only hinted at."""
    if way_out:
        return _sure("trains_with_opt_out", [*way_out[:1], *used[:1], *way_out[1:], *used[1:]])
    hints = [clause for clause in clauses if clause.everywhere and clause.evidence.effect == "opt_out"]
    return _Answer(UNDETERMINED, (*used[:2], *hints[:2])) if hints else _sure("trains_by_default", used)


def _sure(stance: str, by: Sequence[_Graded]) -> _Answer:
    """Return an answer; undetermined if it rests on a single clause with a confidence below `SURE`."""
    if len(by) == 1 and by[0].item.finding.confidence < SURE:
        return _Answer(UNDETERMINED, tuple(by))
    return _Answer(stance, tuple(by[:2]))


def _keys(clauses: Iterable[_Graded]) -> tuple[Key, ...]:
    """Return the keys of at most four clauses, each once."""
    return tuple(dict.fromkeys(clause.item.key[:3] for clause in clauses))[:MOST_TO_READ]
