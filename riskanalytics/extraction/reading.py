"""One text to its findings and leads.

Each clause is looked at alone; which clauses speak to a surface is then decided in the whole text, each clause in its
place. The paragraph around a training clause may add the plan that it speaks of, or a way out.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import Final, NamedTuple

import numpy as np

from riskanalytics.errors import ExtractionError
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS
from riskanalytics.surfaces.declared import RuleTable

from .evidence import EXPLICIT, as_unpaid, audience_of, grade_of, may_speak
from .features import Alone, alone, below, within
from .learned import MILLION, Kind, Reader, Table, load_head, load_reader, table
from .plain import banner_span, is_chinese, kind_of, language_of, plain
from .records import Clause, ClauseFinding, LeadIn, Reading
from .rules import ALONE, VERSION, surface_rules
from .segment import Part, Statement, parts_of
from .sense import (
    before_quote,
    effects_of,
    is_fragment,
    roles_of,
    says_something,
    scope_of,
    seldom_raises,
    shortened,
    without_idioms,
)

_BEFORE, _AFTER = 800, 400
"""Characters of the paragraph that are looked at, before and behind a clause."""
_OPENING: Final = re.compile(
    r"^\W{0,8}(?:[\d.]+\W+)?[^.:,]{3,60}[.:]|\b(?:if|when|where) you(?:'re| are)? [^.;,]{3,120},"
)
"""A title that runs into its paragraph, or whom the next words are for."""
_SENTENCE: Final = re.compile(r"(?<=[.!?])[\"')*\]]* +(?=[\"'(*\[]*[A-Z])|(?<=[。！？])")
_OUT: Final = re.compile(
    r"^(?!.*\b(?:not|cannot)\b).*?\b(?:opt(?:ing)?[- ]?out of|object to|disable|switch off|turn off) "
    r"(?:(?:this|such|these|the above|the foregoing)(?: [\w-]+)? (?:use|uses|training|processing|purposes?|setting)\b"
    r"|(?:this|such|the) (?:use|training)\b)"
)
_MENU: Final = re.compile(r"(?:\W{0,4}\[[^\[\]]{0,200}\]\([^()\s]{0,2000}\)){1,40}\W{0,4}$")
"""Links that are all there is: a row of a menu or of a table of contents."""
_LONGEST: Final = 4000
_SHORTEST: Final = 12
_SHORTEST_CHINESE: Final = 5
CODE_VERSION: Final = "20"
"""Raised by hand when code, not data, changes what is read."""
_HEAD: Final = load_head()
RULES_VERSION: Final = f"{VERSION}.{_HEAD['version']}.{CODE_VERSION}"
"""Version of what reads a text: rules and weights as data, and the code around them."""
FINDING_FROM: Final = float(_HEAD["shown"])
"""Confidence from which a clause is shown as a finding; below it is a lead at most."""
_WAYS_OUT: Final = ("trains_with_opt_out", "trains_with_opt_in", "does_not_train", "depends_on_plan")
_TRAINING: Final = "training_use"
_MAY_SPEAK: Final = 0.1
"""Confidence of a clause that could speak of training, and that nothing takes for a clause on it: a lead, so that no text
that holds it is called silent."""
_UNCLEAR: Final = 0.001
"""By how much a clause whose level or effect is not clear is below a finding."""
_CLEARLY, _DESPITE = 0.3, 1.0
"""How far level and effect must be ahead of all others; of findings nearer to them, half were right on both. The second:
where a clause raises the risk by the model, and not by its rule or some of its words."""


class Piece(NamedTuple):
    """A clause that is read: no heading, no menu, nothing too long or too short."""

    clause: Clause
    quote: str
    words: str
    alone: Alone

    @property
    def lower(self) -> tuple[str, str, str]:
        """Words, lead-in and heading in lower case."""
        return self.words.lower(), self.clause.lead_in.lower(), self.clause.heading.lower()


def extract(text: str, reader: Reader | None = None) -> Reading:
    """Read all findings out of one text.

    Parameters
    ----------
    text : str
        A snapshot's bytes decoded as UTF-8, not normalised.
    reader : Reader, optional
        Weights to read by, for measuring; those of the package without it.

    Returns
    -------
    Reading
        Findings in the order of the text; `text[finding.start:finding.end] == finding.quote` for each.

    Raises
    ------
    ExtractionError
        If a quote is not at its offsets; nothing is returned then.
    """
    reader, parts = reader or load_reader(), parts_of(text)
    document = kind_of(one.words.lower() for _, part in parts for one in part.statements)
    first, last = banner_span(text) or (0, 0)
    read = _placed(reader, parts, document)
    found = [one for one in (_found(text, reader, read, document) if read else ()) if not first <= one.start < last]
    if any(
        text[one.start : one.end] != one.quote
        for found_one in found
        for one in (found_one, found_one.lead_in or found_one)
    ):
        raise ExtractionError("a quote is not at its offsets: this is a fault of the extraction")
    leads = tuple(one for one in found if one.confidence < reader.shown)
    findings = tuple(one for one in found if one.confidence >= reader.shown)
    if not any(one.stance in _WAYS_OUT and one.scope.region is None for one in found):
        findings = tuple(one._replace(risk=ALONE.get(one.rule, one.risk)) for one in findings)
    return Reading(findings, language_of(text), sum(len(part.statements) for _, part in parts), leads)


@lru_cache(4_096)
def _pieces(reader: Reader, part: Part) -> tuple[Piece, ...]:
    """Return the clauses of a part that are read; kept, like all of a part, since versions repeat each other."""
    return tuple(piece for one in part.statements if (piece := _piece(reader, one)))


def _piece(reader: Reader, said: Statement) -> Piece | None:
    """A clause with what is known of it alone; None where it is not read."""
    clause, quote, words, _ = said
    if clause.kind == "heading" or len(quote) > _LONGEST or _MENU.match(quote):
        return None
    if len(words) < (_SHORTEST_CHINESE if is_chinese(words) else _SHORTEST):
        return None
    return Piece(clause, quote, words, alone(reader, words.lower(), clause.kind, clause.lead_in.lower()))


@dataclass(frozen=True, eq=False)
class Scored:
    """A part in its place: its clauses, scored by their words, their neighbours and the kind of the document."""

    text: str
    pieces: tuple[Piece, ...]
    scores: Table
    columns: Table


def _placed(reader: Reader, parts: Iterable[tuple[int, Part]], document: str) -> list[tuple[int, Scored]]:
    """Return the parts that hold clauses, each scored in its place, and where they begin."""
    read = [(start, part, pieces) for start, part in parts if (pieces := _pieces(reader, part))]
    before: list[tuple[int, ...]] = [(), *(pieces[-1].alone.neighbours["P"] for _, _, pieces in read)]
    after: list[tuple[int, ...]] = [*(pieces[0].alone.neighbours["N"] for _, _, pieces in read[1:]), ()]
    return [
        (start, _scored(reader, part, document, *near))
        for (start, part, _), *near in zip(read, before, after, strict=False)
    ]


@lru_cache(4_096)
def _scored(reader: Reader, part: Part, document: str, before: tuple[int, ...], after: tuple[int, ...]) -> Scored:
    """Score the clauses of a part between two neighbours."""
    pieces = _pieces(reader, part)
    previous = [before, *(one.alone.neighbours["P"] for one in pieces[:-1])]
    following = [*(one.alone.neighbours["N"] for one in pieces[1:]), after]
    features = [
        [
            *one.alone.known, *near[0], *near[1], *reader.known(below(one.clause.heading.lower())),
            *reader.known(within(document, one.alone.looks.signs)),
        ]
        for one, *near in zip(pieces, previous, following, strict=True)
    ]  # fmt: skip
    scores = reader.scores(features, [one.alone.size for one in pieces])
    return Scored(part.text, pieces, scores, np.array([one.alone.columns for one in pieces], dtype=np.int32))


def _found(text: str, reader: Reader, parts: Sequence[tuple[int, Scored]], document: str) -> Iterator[ClauseFinding]:
    """Yield the findings and leads of a text, in the order of its clauses."""
    places = [(start, part, at) for start, part in parts for at in range(len(part.pieces))]
    pieces = [piece for _, part in parts for piece in part.pieces]
    scores = np.concatenate([part.scores[:, : len(reader.surfaces)] for _, part in parts])
    columns = np.concatenate([part.columns for _, part in parts])
    rows, where = table(scores, [one.clause.heading for one in pieces], columns, document)
    sums = zip(where, reader.trees.sums(rows).tolist(), strict=True)
    likely = [(at, reader.surfaces[of], reader.calibration[of](total / MILLION)) for (at, of), total in sums]
    shown = [one for one in (*likely, *_not_learned(reader, pieces)) if one[2] >= reader.lead_from]
    for place, surface, confidence in sorted([*shown, *_to_read(reader, pieces, shown)], key=itemgetter(0)):
        start, part, at = places[place]
        if found := _finding(reader, part, at, surface, confidence):
            led = found.lead_in and slice(found.lead_in.start + start, found.lead_in.end + start)
            lead_in = led and LeadIn(text[led], led.start, led.stop)
            yield found._replace(start=found.start + start, end=found.end + start, lead_in=lead_in)


def _to_read(
    reader: Reader, pieces: Sequence[Piece], shown: Sequence[tuple[int, str, float]]
) -> Iterator[tuple[int, str, float]]:
    """Clauses that could speak of training, in a text without a finding on it: silence is earned."""
    training = {at: confidence for at, surface, confidence in shown if surface == _TRAINING}
    if not any(confidence >= reader.shown for confidence in training.values()):
        for at, piece in enumerate(pieces):
            if at not in training and may_speak(piece.quote, piece.clause.lead_in):
                yield at, _TRAINING, _MAY_SPEAK


def _not_learned(reader: Reader, pieces: Sequence[Piece]) -> Iterator[tuple[int, str, float]]:
    """Clause, surface and confidence of what rules alone take: nobody has measured how often they are right."""
    for surface, described in SURFACE_DESCRIPTIONS.items():
        if surface not in reader.surfaces:
            confidence = reader.shown if described.confidence is None else described.confidence
            yield from (
                (at, surface, confidence) for at, piece in enumerate(pieces) if surface in piece.alone.looks.rules
            )


@lru_cache(8_192)
def _finding(reader: Reader, part: Scored, at: int, surface: str, confidence: float) -> ClauseFinding | None:
    """Make a finding, with offsets in the part and its lead-in not yet quoted; None for part of a sentence.

    A clause is as sure as those that say in so many words whether the vendor trains models with users' material, where
    it is one of them. Where its level or effect is not clear, it is a lead; on training, its stance decides instead.
    """
    piece = part.pieces[at]
    clause, words, rule = piece.clause, piece.words, piece.alone.looks.rules.get(surface)
    lower, lead_in, heading = piece.lower
    name, kind, clear = decide(reader, surface, lower, lead_in, part.scores[at].tolist(), rule, confidence)
    scope = scope_of(f"{lead_in} {lower}".strip(), heading, rule and rule.product)
    before = before_quote(clause, words)
    if surface_rules()[surface].hides.search(lower) or not says_something(words, clause.kind, before is not None):
        confidence = min(confidence, reader.lead_from)
    if not clear and surface != _TRAINING:
        confidence = min(confidence, reader.shown - _UNCLEAR)
    roles = roles_of(words, clause.lead_in)
    unsure = surface == _TRAINING and _MAY_SPEAK < confidence < reader.explicit and scope.product is None
    if unsure and grade_of(piece.quote, roles).grade >= EXPLICIT:
        confidence = reader.explicit
    # part of a sentence whose beginning is too far away to be quoted
    hangs = clause.lead_in and clause.lead is None and is_fragment(words, clause.kind)
    if confidence < reader.shown and surface != _TRAINING and hangs:
        return None
    interval = reader.interval(confidence) if surface in reader.surfaces else (0.0, 1.0)
    found = ClauseFinding(
        surface, clause.start, clause.end, piece.quote, kind.risk, kind.polarity, name, confidence, interval, scope,
        kind.stance, roles, before and LeadIn("", *before),
    )  # fmt: skip
    return in_its_paragraph(part.text, found)


def decide(
    reader: Reader,
    surface: str,
    words: str,
    lead_in: str,
    scores: Sequence[int],
    rule: RuleTable | None,
    confidence: float,
) -> tuple[str, Kind, bool]:
    """Decide what a clause says of a surface that it speaks to.

    Parameters
    ----------
    reader : Reader
        Weights to read by.
    surface : str
    words, lead_in : str
        Plain and lower-case.
    scores : sequence of int
        By the weights.
    rule : RuleTable, optional
        The rule that takes it.
    confidence : float
        Chance that it speaks to the surface.

    Returns
    -------
    tuple of str, Kind and bool
        What decided, what it says, and whether that is clear: its words alone decide level and effect, or the model is far
        from any other. By the rule where the model reads level and effect as the rule does or does not know the surface,
        else by the model.
    """
    if rule is not None and surface not in reader.surfaces:
        return rule.id, Kind(rule.risk, rule.polarity, rule.stance), True
    effects, agreed = effects_of(words, lead_in), rule is not None and rule.risk == "HIGH"
    kind, ahead = reader.kind(surface, scores, effects, confidence=confidence, agreed=agreed)
    words, with_lead = without_idioms(words, lead_in)
    kinder = seldom_raises(with_lead) or (rule is not None and rule.polarity != kind.polarity)
    least = _DESPITE if kinder and kind.polarity == "raises_risk" else _CLEARLY
    name = f"{surface}.{kind.rule}"
    if rule is not None and (rule.risk, rule.polarity) == kind[:2]:
        name, kind = rule.id, Kind(rule.risk, rule.polarity, rule.stance)
    effect = surface_rules()[surface].effect(words, with_lead)
    if effect is not None and (effect.risk, effect.polarity) != kind[:2]:
        name, kind = effect.id, Kind(effect.risk, effect.polarity, effect.stance or kind.stance)
    return name, kind, effect is not None or ahead >= least


def in_its_paragraph(text: str, found: ClauseFinding) -> ClauseFinding:
    """Add to a training clause what its paragraph says of plan and way out.

    Parameters
    ----------
    text : str
        The whole text.
    found : ClauseFinding
        Of it.

    Returns
    -------
    ClauseFinding
        With `scope.audience` where title or opening of the paragraph names a plan, and with the way out of the next
        sentence as `roles.condition`; unchanged on other surfaces.
    """
    if found.surface != _TRAINING:
        return found
    if found.scope.audience in (None, "developer"):
        before = text[max(0, found.start - _BEFORE) : found.start].rpartition("\n")[2]
        named = [
            scope_of(one, "").audience or audience_of(one) for one in _OPENING.findall(as_unpaid(plain(before).lower()))
        ]
        if audience := next(filter(None, reversed(named)), None):  # the nearest decides
            found = found._replace(scope=found.scope._replace(audience=audience))
    after = text[found.end : found.end + _AFTER].partition("\n")[0]
    following = next((part for part in _SENTENCE.split(plain(after).strip(" .*_")) if part.strip()), "")
    if _OUT.search(following.lower()):
        found = found._replace(roles=found.roles._replace(condition=shortened(following)))
    return found
