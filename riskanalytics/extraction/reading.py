"""Read the findings and leads of one text.

First, the rules and the model judge each clause by itself. Then the scores of the clause are compared with those of the clauses
around it; this decides on which surfaces the clause is a finding or lead. The paragraph around a clause on training may add the
plan of which the clause speaks, or an opt-out.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib import resources
from operator import itemgetter
from typing import Final, NamedTuple

import numpy as np

from riskanalytics.errors import ExtractionError
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS
from riskanalytics.surfaces.declared import RuleTable

from .dates import stated_dates
from .evidence import EXPLICIT, as_unpaid, audience_of, grade_of, may_speak
from .features import OwnFeatures, below, own_features, within
from .learned import MILLION, Kind, Reader, Table, load_head, load_reader, table
from .plain import banner_span, is_chinese, kind_of, language_of, plain
from .records import Clause, ClauseFinding, LeadIn, Reading
from .rules import ALONE, VERSION, surface_rules
from .segment import Part, parts_of
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
"""Number of characters of the paragraph that are read before and after a clause."""
_OPENING: Final = re.compile(
    r"^\W{0,8}(?:[\d.]+\W+)?[^.:,]{3,60}[.:]|\b(?:if|when|where) you(?:'re| are)? [^.;,]{3,120},"
)
"""A title at the beginning of a paragraph, or a condition that names the users for whom the next words hold."""
_SENTENCE: Final = re.compile(r"(?<=[.!?])[\"')*\]]* +(?=[\"'(*\[]*[A-Z])|(?<=[。！？])")
_OUT: Final = re.compile(
    r"^(?!.*\b(?:not|cannot)\b).*?\b(?:opt(?:ing)?[- ]?out of|object to|disable|switch off|turn off) "
    r"(?:(?:this|such|these|the above|the foregoing)(?: [\w-]+)? (?:use|uses|training|processing|purposes?|setting)\b"
    r"|(?:this|such|the) (?:use|training)\b)"
)
_MENU: Final = re.compile(r"(?:\W{0,4}\[[^\[\]]{0,200}\]\([^()\s]{0,2000}\)){1,40}\W{0,4}$")
"""A clause of links only: a row of a menu or of a table of contents."""
_LONGEST: Final = 4000
_SHORTEST: Final = 12
_SHORTEST_CHINESE: Final = 5
CODE_VERSION: Final = "24"
"""Version of the code; to be raised by hand when a change of the code, not of the data, changes readings."""
_HEAD: Final = load_head()
READINGS: Final = resources.files(__package__).joinpath("readings.json.gz").read_bytes()
"""The readings that the package ships, compressed (see `shipped`)."""
RULES_VERSION: Final = f"{VERSION}.{_HEAD['version']}.{CODE_VERSION}.{sha256(READINGS).hexdigest()[:6]}"
"""Version of the extraction: versions of the rules, of the weights and of the code, and a hash of the shipped readings."""
FINDING_FROM: Final = float(_HEAD["shown"])
"""Minimum confidence of a finding; a clause below it is a lead at most."""
_WAYS_OUT: Final = ("trains_with_opt_out", "trains_with_opt_in", "does_not_train", "depends_on_plan")
_TRAINING: Final = "training_use"
_MAY_SPEAK: Final = 0.1
"""Confidence of a clause that could speak of training, although neither rules nor model find that it does. The clause is a lead, so
that its text does not count as silent."""
_UNCLEAR: Final = 0.001
"""A clause whose level or effect is not clear has a confidence this much below a finding."""
_CLEARLY, _DESPITE = 0.3, 1.0
"""Minimum margin by which the model must prefer a level and effect; of findings with a smaller margin, half were right on both. The
second margin applies if the model says that a clause raises the risk, but its rule or some of its words speak against that."""


class Piece(NamedTuple):
    """A clause that the extraction reads, with its features; headings, menus, and very long or short clauses are not read.

    `own` holds the features of the clause that do not depend on its place in a text.
    """

    clause: Clause
    quote: str
    words: str
    own: OwnFeatures


def extract(text: str, reader: Reader | None = None) -> Reading:
    """Read the findings and leads of one text.

    Parameters
    ----------
    text : str
        A snapshot's bytes decoded as UTF-8, not normalised.
    reader : Reader, optional
        Another model, for measurements. The default is the model of the package.

    Returns
    -------
    Reading
        Findings and leads in the order of the text; `text[finding.start:finding.end] == finding.quote` for each.

    Raises
    ------
    ExtractionError
        If a quote is not at its offsets.
    """
    reader, parts = reader or load_reader(), parts_of(text)
    document = kind_of(statement.words.lower() for _, part in parts for statement in part.statements)
    first, last = banner_span(text) or (0, 0)
    scored = _scored_parts(reader, parts, document)
    found = [row for row in (_found(text, reader, scored, document) if scored else ()) if not first <= row.start < last]
    if any(text[quoted.start : quoted.end] != quoted.quote for row in found for quoted in (row, row.lead_in or row)):
        raise ExtractionError("a quote is not at its offsets: this is a bug of the extraction, please report it")
    leads = tuple(row for row in found if row.confidence < reader.shown)
    findings = tuple(row for row in found if row.confidence >= reader.shown)
    if not any(row.stance in _WAYS_OUT and row.scope.region is None for row in found):
        findings = tuple(row._replace(risk=ALONE.get(row.rule, row.risk)) for row in findings)
    clauses = sum(len(part.statements) for _, part in parts)
    return Reading(findings, language_of(text), clauses, leads, dates=stated_dates(text))


@lru_cache(4_096)
def _pieces(reader: Reader, part: Part) -> tuple[Piece, ...]:
    """Return the clauses of a part that are read; cached, since versions of a text repeat each other."""
    found = []
    for clause, quote, words, _ in part.statements:
        if clause.kind == "heading" or len(quote) > _LONGEST or _MENU.match(quote):
            continue
        if len(words) >= (_SHORTEST_CHINESE if is_chinese(words) else _SHORTEST):
            own = own_features(reader, words.lower(), clause.kind, clause.lead_in.lower())
            found.append(Piece(clause, quote, words, own))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class Scored:
    """A paragraph with its list or table, and the scores that the linear model gives its clauses on each surface."""

    text: str
    pieces: tuple[Piece, ...]
    scores: Table
    columns: Table


def _scored_parts(reader: Reader, parts: Iterable[tuple[int, Part]], document: str) -> list[tuple[int, Scored]]:
    """Return the parts that contain clauses, scored in their context, with the offsets of their beginnings."""
    read = [(start, part, pieces) for start, part in parts if (pieces := _pieces(reader, part))]
    before: list[tuple[int, ...]] = [(), *(pieces[-1].own.neighbours["P"] for _, _, pieces in read)]
    after: list[tuple[int, ...]] = [*(pieces[0].own.neighbours["N"] for _, _, pieces in read[1:]), ()]
    return [
        (start, _scored(reader, part, document, *near))
        for (start, part, _), *near in zip(read, before, after, strict=False)
    ]


@lru_cache(4_096)
def _scored(reader: Reader, part: Part, document: str, before: tuple[int, ...], after: tuple[int, ...]) -> Scored:
    """Score the clauses of a part, given the features of the clauses before and after the part."""
    pieces = _pieces(reader, part)
    previous = [before, *(piece.own.neighbours["P"] for piece in pieces[:-1])]
    following = [*(piece.own.neighbours["N"] for piece in pieces[1:]), after]
    features = [
        [
            *piece.own.known, *near[0], *near[1], *reader.known(below(piece.clause.heading.lower())),
            *reader.known(within(document, piece.own.looks.signs)),
        ]
        for piece, *near in zip(pieces, previous, following, strict=True)
    ]  # fmt: skip
    scores = reader.scores(features, [piece.own.size for piece in pieces])
    return Scored(part.text, pieces, scores, np.array([piece.own.columns for piece in pieces], dtype=np.int32))


def _found(text: str, reader: Reader, parts: Sequence[tuple[int, Scored]], document: str) -> Iterator[ClauseFinding]:
    """Yield the findings and leads of a text, in the order of its clauses."""
    places = [(start, part, at) for start, part in parts for at in range(len(part.pieces))]
    pieces = [piece for _, part in parts for piece in part.pieces]
    scores = np.concatenate([part.scores[:, : len(reader.surfaces)] for _, part in parts])
    columns = np.concatenate([part.columns for _, part in parts])
    rows, where = table(scores, [piece.clause.heading for piece in pieces], columns, document)
    sums = zip(where, reader.trees.sums(rows).tolist(), strict=True)
    learned = [(at, reader.surfaces[of], reader.calibration[of](total / MILLION)) for (at, of), total in sums]
    likely = [row for row in (*learned, *_not_learned(reader, pieces)) if row[2] >= reader.lead_from]
    for place, surface, confidence in sorted([*likely, *_to_read(reader, pieces, likely)], key=itemgetter(0)):
        start, part, at = places[place]
        if found := _finding(reader, part, at, surface, confidence):
            span = found.lead_in and slice(found.lead_in.start + start, found.lead_in.end + start)
            lead_in = span and LeadIn(text[span], span.start, span.stop)
            yield found._replace(start=found.start + start, end=found.end + start, lead_in=lead_in)


def _to_read(
    reader: Reader, pieces: Sequence[Piece], likely: Sequence[tuple[int, str, float]]
) -> Iterator[tuple[int, str, float]]:
    """Yield clauses that could speak of training, if the text has no finding on it; then the text is not silent."""
    training = {at: confidence for at, surface, confidence in likely if surface == _TRAINING}
    if not any(confidence >= reader.shown for confidence in training.values()):
        for at, piece in enumerate(pieces):
            if at not in training and may_speak(piece.quote, piece.clause.lead_in):
                yield at, _TRAINING, _MAY_SPEAK


def _not_learned(reader: Reader, pieces: Sequence[Piece]) -> Iterator[tuple[int, str, float]]:
    """Yield clause, surface and confidence for the surfaces that only rules read; their confidence is not measured."""
    for surface, described in SURFACE_DESCRIPTIONS.items():
        if surface not in reader.surfaces:
            confidence = reader.shown if described.confidence is None else described.confidence
            matched = (at for at, piece in enumerate(pieces) if surface in piece.own.looks.rules)
            yield from ((at, surface, confidence) for at in matched)


@lru_cache(8_192)
def _finding(reader: Reader, part: Scored, at: int, surface: str, confidence: float) -> ClauseFinding | None:
    """Return a finding or lead, with offsets in the part and without the quote of its lead-in; None for part of a sentence.

    An uncertain training clause gets the confidence `reader.explicit` if its words are graded `EXPLICIT`. A clause whose level
    or effect is unclear becomes a lead, except on training use, where the stance decides.
    """
    piece = part.pieces[at]
    clause, words, rule = piece.clause, piece.words, piece.own.looks.rules.get(surface)
    lower, lead_in, heading = words.lower(), clause.lead_in.lower(), clause.heading.lower()
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
    incomplete = clause.lead_in and clause.lead is None and is_fragment(words, clause.kind)
    if confidence < reader.shown and surface != _TRAINING and incomplete:
        return None
    interval = reader.interval(confidence) if surface in reader.surfaces else (0.0, 1.0)
    found = ClauseFinding(
        surface, clause.start, clause.end, piece.quote, kind.risk, kind.polarity, name, confidence, interval, scope,
        kind.stance, roles, before and LeadIn("", *before),
    )  # fmt: skip
    return in_its_paragraph(part.text, found)


def decide(
    reader: Reader, surface: str, words: str, lead_in: str, scores: list[int], rule: RuleTable | None, confidence: float
) -> tuple[str, Kind, bool]:
    """Decide what a clause says (level, polarity, stance) on a surface that it speaks to.

    The rule decides if the model does not know the surface, or if rule and model agree on level and polarity; else the model
    decides. On surfaces that the model knows, a matching `effect` rule of the surface's file overrides rule and model.

    Parameters
    ----------
    reader : Reader
        The model.
    surface : str
    words, lead_in : str
        The clause and its lead-in, plain and lower-case.
    scores : list of int
        Scores of the clause by the model, one for each column of its weights.
    rule : RuleTable or None
        The rule of the surface that matches the clause; None if no rule matches.
    confidence : float
        Chance that the clause speaks to the surface.

    Returns
    -------
    tuple of str, Kind and bool
        Identifier of the rule that decided; what the clause says (level, polarity, stance); and whether this is clear: the model
        does not know the surface, or an `effect` rule matches, or the model prefers one level and polarity by a sufficient margin.
    """
    if rule is not None and surface not in reader.surfaces:
        return rule.id, Kind(rule.risk, rule.polarity, rule.stance), True
    effects, agreed = effects_of(words, lead_in), rule is not None and rule.risk == "HIGH"
    kind, margin = reader.kind(surface, scores, effects, confidence=confidence, agreed=agreed)
    words, with_lead = without_idioms(words, lead_in)
    doubtful = seldom_raises(with_lead) or (rule is not None and rule.polarity != kind.polarity)
    least = _DESPITE if doubtful and kind.polarity == "raises_risk" else _CLEARLY
    name = f"{surface}.{kind.rule}"
    if rule is not None and (rule.risk, rule.polarity) == kind[:2]:
        name, kind = rule.id, Kind(rule.risk, rule.polarity, rule.stance)
    effect = surface_rules()[surface].effect(words, with_lead)
    if effect is not None and (effect.risk, effect.polarity) != kind[:2]:
        name, kind = effect.id, Kind(effect.risk, effect.polarity, effect.stance or kind.stance)
    return name, kind, effect is not None or margin >= least


def in_its_paragraph(text: str, found: ClauseFinding) -> ClauseFinding:
    """Complete a finding on training use with what its paragraph adds: the plan for which the clause holds, and a way out.

    Parameters
    ----------
    text : str
        The text that contains the paragraph.
    found : ClauseFinding
        A finding of this text.

    Returns
    -------
    ClauseFinding
        The finding, with `scope.audience` if the title or an opening condition of the paragraph names a plan or audience, and with
        the next sentence as `roles.condition` if that sentence offers a way out. Unchanged otherwise, and on other surfaces.
    """
    if found.surface != _TRAINING:
        return found
    if found.scope.audience in (None, "developer"):
        before = text[max(0, found.start - _BEFORE) : found.start].rpartition("\n")[2]
        named = [
            scope_of(opening, "").audience or audience_of(opening)
            for opening in _OPENING.findall(as_unpaid(plain(before).lower()))
        ]
        if audience := next(filter(None, reversed(named)), None):  # the nearest decides
            found = found._replace(scope=found.scope._replace(audience=audience))
    after = text[found.end : found.end + _AFTER].partition("\n")[0]
    following = next((part for part in _SENTENCE.split(plain(after).strip(" .*_")) if part.strip()), "")
    if _OUT.search(following.lower()):
        found = found._replace(roles=found.roles._replace(condition=shortened(following)))
    return found
