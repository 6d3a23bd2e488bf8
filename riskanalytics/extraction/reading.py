"""One text to its findings and leads.

A text is read block by block (`pieces`). Which clauses speak to a surface is then decided in the whole text, each clause
in its place. The paragraph around a training clause may add the plan that it speaks of, or a way out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from operator import itemgetter
from typing import Final

import numpy as np

from riskanalytics.errors import ExtractionError
from riskanalytics.extraction.deciding import RULES, Said, decide
from riskanalytics.extraction.evidence import EXPLICIT, as_unpaid, audience_of, grade_of, may_speak
from riskanalytics.extraction.learned import Reader, load_head, load_reader
from riskanalytics.extraction.learned.context import table
from riskanalytics.extraction.learned.features import Seen, beside, see, within
from riskanalytics.extraction.pieces import Block, Piece, Statement, in_rows, placed, statement
from riskanalytics.extraction.plain import banner_span, kind_of, language_of, plain, remembered
from riskanalytics.extraction.records import ClauseFinding, LeadIn, Reading
from riskanalytics.extraction.sense import (
    before_quote,
    form_of,
    is_fragment,
    roles_of,
    says_something,
    scope_of,
    shortened,
)
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS

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
        sentence as `roles.condition`; as it was on other surfaces.
    """
    if found.surface != "training_use":
        return found
    if found.scope.audience in (None, "developer") and (audience := _plan(_line_before(text, found.start))):
        found = found._replace(scope=found.scope._replace(audience=audience))
    after = text[found.end : found.end + _AFTER].partition("\n")[0]
    following = next((part for part in _SENTENCE.split(plain(after).strip(" .*_")) if part.strip()), "")
    if _OUT.search(following.lower()):
        found = found._replace(roles=found.roles._replace(condition=shortened(following)))
    return found


def _line_before(text: str, start: int) -> str:
    """What stands in a paragraph before a clause."""
    first = max(0, start - _BEFORE)
    return text[max(first, text.rfind("\n", first, start) + 1) : start]


def _plan(before: str) -> str | None:
    """The plan that title or sentences before a clause name: the nearest decides."""
    words = as_unpaid(plain(before).lower())
    told = [scope_of(opening, "").audience or audience_of(opening) for opening in _OPENING.findall(words)]
    return next((audience for audience in reversed(told) if audience), None)


CODE_VERSION: Final = "20"
"""Raised by hand when code, not data, changes what is read."""
_HEAD: Final = load_head()
RULES_VERSION: Final = f"{RULES.version}.{_HEAD.version}.{CODE_VERSION}"
"""Version of what reads a text: rules and weights as data, and the code around them."""

FINDING_FROM: Final = _HEAD.shown
"""Confidence from which a clause is shown as a finding; below it is a lead at most."""
_WAYS_OUT: Final = ("trains_with_opt_out", "trains_with_opt_in", "does_not_train", "depends_on_plan")
_TRAINING: Final = "training_use"
_MAY_SPEAK: Final = 0.1
"""Confidence of a clause that could speak of training, and that nothing takes for a clause on it: a lead, so that no text
that holds it is called silent."""
_ROUNDED: Final = 0.001
"""What rounding may add to a chance."""
Sides = tuple[Piece | None, Piece | None]
"""The clauses before and after a clause."""


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
        If a quote did not stand at its offsets; nothing is returned then.
    """
    reader = reader or load_reader()
    blocks = placed(text)
    opening = (said.words.lower() for _, block in blocks for said in block.statements)
    first, last = (any(block.banner for _, block in blocks) and banner_span(text)) or (0, 0)
    found = [
        in_its_paragraph(text, one)
        for one in _found(text, reader, blocks, kind_of(opening))
        if not first <= one.start < last
    ]
    if any(text[part.start : part.end] != part.quote for one in found for part in (one, one.lead_in or one)):
        raise ExtractionError("a quote does not stand at its offsets: this is a fault of the extraction")
    leads = tuple(one for one in found if one.confidence < reader.shown)
    findings = tuple(_settled([one for one in found if one.confidence >= reader.shown], leads))
    return Reading(findings, language_of(text), sum(len(block.clauses) for _, block in blocks), leads)


def _found(text: str, reader: Reader, blocks: Sequence[tuple[int, Block]], document: str) -> Iterator[ClauseFinding]:
    """Yield the findings and leads of a text, in the order of its clauses."""
    read = [block.read_by(reader) for _, block in blocks]
    pieces = [piece for block in read for piece in block.pieces]
    if not pieces:
        return
    offsets = list(
        chain.from_iterable([offset] * len(one.pieces) for (offset, _), one in zip(blocks, read, strict=True))
    )
    candidates = table(*in_rows(reader, read, document), document)
    likely = _likely(reader, candidates.places, reader.trees.sums(candidates.rows))
    around = [None, *pieces, None]
    shown = [one for one in (*likely, *_not_learned(reader, pieces)) if one[2] >= reader.lead_from]
    for at, surface, confidence in sorted([*shown, *_to_read(reader, pieces, shown)], key=itemgetter(0)):
        found = _finding(reader, pieces[at], (around[at], around[at + 2]), document, surface, confidence)
        if found.confidence >= reader.shown or surface == _TRAINING or not _hangs(pieces[at]):
            yield _placed(text, offsets[at], pieces[at], found)


def _hangs(piece: Piece) -> bool:
    """Say whether a clause is part of a sentence whose beginning is too far away to be quoted."""
    clause = piece.clause
    return bool(clause.lead_in and clause.lead is None and is_fragment(piece.statement.words, clause.kind))


def _placed(text: str, offset: int, piece: Piece, found: ClauseFinding) -> ClauseFinding:
    """Return a finding at offsets of its text, with the words that must be quoted before it."""
    span = before_quote(piece.clause, piece.statement.words)
    lead_in = span and LeadIn(text[offset + span[0] : offset + span[1]], offset + span[0], offset + span[1])
    return found._replace(start=offset + found.start, end=offset + found.end, lead_in=lead_in)


def _to_read(
    reader: Reader, pieces: Sequence[Piece], shown: Sequence[tuple[int, str, float]]
) -> Iterator[tuple[int, str, float]]:
    """Clauses that could speak of training, in a text without a finding on it: silence is earned."""
    training = {at: confidence for at, surface, confidence in shown if surface == _TRAINING}
    if any(confidence >= reader.shown for confidence in training.values()):
        return
    for at, piece in enumerate(pieces):
        if at not in training and may_speak(piece.quote, piece.clause.lead_in):
            yield at, _TRAINING, _MAY_SPEAK


def _likely(
    reader: Reader, places: Sequence[tuple[int, int]], totals: Sequence[int]
) -> Iterator[tuple[int, str, float]]:
    """Clause, surface and confidence of the candidates that come up to a lead."""
    if not places:
        return
    slopes, shifts = np.array(reader.calibration)[[which for _, which in places]].T
    chances = 1 / (1 + np.exp(-np.clip(slopes * (np.array(totals) / 1e6) + shifts, -30, 30)))
    for row in np.flatnonzero(chances > reader.lead_from - _ROUNDED).tolist():  # most are far from it
        at, which = places[row]
        yield at, reader.surfaces[which], reader.calibration[which](totals[row] / 1e6)


def _not_learned(reader: Reader, pieces: Sequence[Piece]) -> Iterator[tuple[int, str, float]]:
    """Clause, surface and confidence of what rules alone take: nobody has measured how often they are right."""
    for surface, told in SURFACE_DESCRIPTIONS.items():
        if surface not in reader.surfaces:
            confidence = reader.shown if told.confidence is None else told.confidence
            yield from (
                (at, surface, confidence) for at, piece in enumerate(pieces) if surface in piece.alone.looks.rules
            )


@remembered(20_000)
def _finding(
    reader: Reader, piece: Piece, sides: Sides, document: str, surface: str, confidence: float
) -> ClauseFinding:
    """A finding at offsets of its block; kept, since versions repeat each other.

    A clause is as sure as those that say in so many words whether the vendor trains models with users' material, where
    it is one of them. Where its level or effect is not clear, it is a lead; on training, its stance decides instead.
    """
    clause, looks, words = piece.clause, piece.alone.looks, piece.statement.words
    seen = _seen(piece)
    around = [
        name
        for mark, one in zip("PN", sides, strict=True)
        if one is not None
        for name in beside(mark, one.clause.kind, one.alone.looks.signs)
    ]
    features = frozenset((*seen.features, *within(document, looks.signs), *around))
    told = Said(words.lower(), clause.lead_in.lower(), clause.heading.lower(), features, seen.size)
    rule, kind, scope, clear = decide(reader, surface, told, looks.rules.get(surface), confidence)
    beside_it = RULES.by_surface[surface].hides.search(words.lower())
    if beside_it or not says_something(words, clause.kind, before_quote(clause, words) is not None):
        confidence = min(confidence, reader.lead_from)
    if not clear and surface != _TRAINING:
        confidence = min(confidence, reader.shown - _ROUNDED)
    roles = roles_of(words, clause.lead_in)
    unsure = surface == _TRAINING and _MAY_SPEAK < confidence < reader.explicit and scope.product is None
    if unsure and grade_of(piece.quote, roles).grade >= EXPLICIT:
        confidence = reader.explicit
    interval = reader.interval(confidence) if surface in reader.surfaces else (0.0, 1.0)
    return ClauseFinding(
        surface, clause.start, clause.end, piece.quote, kind.risk, kind.polarity, rule, confidence, interval, scope,
        kind.stance, roles,
    )  # fmt: skip


@remembered(500)
def _seen(piece: Piece) -> Seen:
    """What the model sees of a clause alone; the last are kept, since a clause may speak to several surfaces."""
    clause, looks, words = piece.clause, piece.alone.looks, piece.statement.words.lower()
    lead_in = clause.lead_in.lower()
    return see(words, lead_in, clause.heading.lower(), form_of(words, clause.kind, lead_in), looks.signs, looks.names)


def statements(text: str) -> list[Statement]:
    """Return the clauses of a text as the comparison sees them.

    Parameters
    ----------
    text : str

    Returns
    -------
    list of Statement
        In the order of the text.
    """
    return [said for _, block in placed(text) for said in block.statements]


def statement_key(quote: str) -> str:
    """Return what makes a quote the same statement in another version.

    Parameters
    ----------
    quote : str
        A clause as it stands in the snapshot.

    Returns
    -------
    str
        See `plain.sentence_key`; kept, since versions repeat each other.
    """
    return statement(quote, "").key


def _settled(findings: list[ClauseFinding], leads: Sequence[ClauseFinding]) -> list[ClauseFinding]:
    """Give training clauses the level they have where the text names no way out, not even an unsure one."""
    if any(finding.stance in _WAYS_OUT and finding.scope.region is None for finding in (*findings, *leads)):
        return findings
    return [
        finding._replace(risk=alone) if (alone := RULES.alone.get(finding.rule)) else finding for finding in findings
    ]
