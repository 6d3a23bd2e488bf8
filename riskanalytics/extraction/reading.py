"""One text to its findings and leads.

A text is read block by block (stretches between empty lines). What a block gives by itself depends on nothing but its
characters and the heading and lead-ins above it, so it is kept, and the many versions of one document cost only their
new blocks. Which clauses speak to a surface is then decided in the whole text, each clause in its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from operator import itemgetter
from typing import Final, NamedTuple

from riskanalytics.errors import ExtractionError
from riskanalytics.extraction.banner import banner_span
from riskanalytics.extraction.cache import TextCache
from riskanalytics.extraction.deciding import RULES, Decision, Looks, Said, by_patterns, decide
from riskanalytics.extraction.document_kind import kind_of
from riskanalytics.extraction.evidence import EXPLICIT, grade
from riskanalytics.extraction.form import form_of
from riskanalytics.extraction.learned import Reader, load_reader, unpacked
from riskanalytics.extraction.learned.context import Read, read, table
from riskanalytics.extraction.learned.features import Seen, beside, see, within
from riskanalytics.extraction.paragraph import in_its_paragraph
from riskanalytics.extraction.plain import is_chinese, language_of, plain, sentence_key
from riskanalytics.extraction.records import Clause, ClauseFinding, Reading, Roles
from riskanalytics.extraction.roles import roles_of
from riskanalytics.extraction.segment import Context, blocks, read_block
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS

CODE_VERSION: Final = "14"
"""Raised by hand when code, not data, changes what is read."""
RULES_VERSION: Final = f"{RULES.version}.{load_reader().version}.{CODE_VERSION}"
"""Version of what reads a text: rules and weights as data, and the code around them."""

FINDING_FROM: Final = load_reader().shown
"""Confidence from which a clause is shown as a finding; below it is a lead at most."""
_MENU: Final = re.compile(r"(?:\W{0,4}\[[^\[\]]{0,200}\]\([^()\s]{0,2000}\)){1,40}\W{0,4}$")
"""Links that are all there is: a row of a menu or of a table of contents."""
_WAYS_OUT: Final = ("trains_with_opt_out", "trains_with_opt_in", "does_not_train", "depends_on_plan")
_LONGEST: Final = 4000
_SHORTEST: Final = 12
_SHORTEST_CHINESE: Final = 5
_KEPT: Final = 64_000_000
"""Characters of blocks kept, with what was read out of them."""


class Statement(NamedTuple):
    """A clause as the comparison of two texts sees it."""

    key: str
    """What makes it the same statement in another version; see `plain.sentence_key`."""
    words: str
    """What a reader sees."""
    kind: str


class Piece(NamedTuple):
    """A clause with what is known of it alone."""

    clause: Clause
    quote: str
    words: str
    """Plain and lower-case."""
    looks: Looks
    read: Read
    size: float
    total: int
    """Weights of its own features, as `Weights.packed` gives them."""
    as_before: int
    """What it adds to the clause after it."""
    as_after: int
    """What it adds to the clause before it."""


class Cut(NamedTuple):
    """A block cut into its clauses, at offsets of the block."""

    clauses: tuple[Clause, ...]
    statements: tuple[Statement, ...]
    context: Context
    """What the next block must know."""


Pieces = tuple[Piece | None, ...]
"""None for a heading, a menu, or what is too long or too short to be read."""

_CUTS: Final[TextCache[tuple[str, Context], Cut]] = TextCache(_KEPT)
_PIECES: Final[TextCache[tuple[str, Context], Pieces]] = TextCache(_KEPT)


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
    placed, opening, clauses = _placed(text, reader)
    findings, leads = _decided(reader, placed, kind_of(opening))
    if (span := banner_span(text)) is not None:
        findings, leads = (
            [finding for finding in some if not span[0] <= finding.start < span[1]] for some in (findings, leads)
        )
    findings, leads = ([in_its_paragraph(text, finding) for finding in some] for some in (findings, leads))
    findings = _settled(findings, leads)
    if any(text[finding.start : finding.end] != finding.quote for finding in (*findings, *leads)):
        raise ExtractionError("a quote does not stand at its offsets: this is a fault of the extraction")
    return Reading(tuple(findings), language_of(text), clauses, tuple(leads))


def _placed(text: str, reader: Reader) -> tuple[list[tuple[int, Piece]], list[str], int]:
    """The clauses that are read, each with the offset of its block; the first words of all; and how many there are."""
    placed: list[tuple[int, Piece]] = []
    opening: list[str] = []
    clauses = 0
    for offset, part, above, cut in _cuts(text):
        clauses += len(cut.statements)
        if len(opening) < 20:
            opening += [statement.words.lower() for statement in cut.statements]
        placed += [(offset, piece) for piece in _pieces(part, above, cut, reader) if piece is not None]
    return placed, opening, clauses


def _decided(
    reader: Reader, placed: Sequence[tuple[int, Piece]], document: str
) -> tuple[list[ClauseFinding], list[ClauseFinding]]:
    """Findings and leads among the clauses of a text."""
    pieces: list[Piece | None] = [None, *(piece for _, piece in placed), None]
    triples = list(zip(pieces, pieces[1:], pieces[2:], strict=False))
    totals = [_total(reader, *triple, document) for triple in triples]
    scores = unpacked(totals, [piece.size for _, piece in placed], reader.bias)
    candidates = table(scores, [piece.read for _, piece in placed], document)
    findings: list[ClauseFinding] = []
    leads: list[ClauseFinding] = []
    chances = [
        (at, reader.surfaces[which], reader.calibration[which](total / 1e6))
        for (at, which), total in zip(candidates.places, reader.trees.sums(candidates.rows), strict=True)
    ]
    for at, surface, confidence in sorted([*chances, *_not_learned(reader, placed)], key=itemgetter(0)):
        if confidence >= reader.lead_from:
            offset, piece = placed[at]
            before, _, after = triples[at]
            said = _said_of(reader, before, piece, after, document, surface, confidence)
            interval = reader.interval(confidence) if surface in reader.surfaces else (0.0, 1.0)
            found = _stated(reader, _finding(offset, piece, said, surface, confidence, interval))
            (findings if found.confidence >= reader.shown else leads).append(found)
    return findings, leads


def _not_learned(reader: Reader, placed: Sequence[tuple[int, Piece]]) -> Iterator[tuple[int, str, float]]:
    """Clause, surface and confidence of what rules alone take: nobody has measured how often they are right."""
    for surface, told in SURFACE_DESCRIPTIONS.items():
        if surface not in reader.surfaces:
            confidence = reader.shown if told.confidence is None else told.confidence
            yield from (
                (at, surface, confidence) for at, (_, piece) in enumerate(placed) if surface in piece.looks.rules
            )


def _stated(reader: Reader, found: ClauseFinding) -> ClauseFinding:
    """A clause as sure as those that say in so many words whether the vendor trains models with users' material."""
    if found.surface != "training_use" or found.confidence >= reader.explicit or grade(found).grade < EXPLICIT:
        return found
    return replace(found, confidence=reader.explicit, confidence_interval=reader.interval(reader.explicit))


def _total(reader: Reader, before: Piece | None, piece: Piece | None, after: Piece | None, document: str) -> int:
    """The weights of a clause between its neighbours."""
    assert piece is not None  # noqa: S101 (only neighbours are missing)
    total = piece.total + _document_weights(reader, document, piece.looks.signs)
    return total + (before.as_before if before else 0) + (after.as_after if after else 0)


@lru_cache(maxsize=20_000)
def _document_weights(reader: Reader, document: str, signs: tuple[str, ...]) -> int:
    """What the kind of the document adds to a clause with such signs."""
    return reader.weights.packed(within(document, signs))


def _said_of(
    reader: Reader,
    before: Piece | None,
    piece: Piece,
    after: Piece | None,
    document: str,
    surface: str,
    confidence: float,
) -> tuple[Decision, Roles]:
    """What a clause between its neighbours says of a surface."""
    sides = tuple(None if one is None else (one.clause.kind, one.looks.signs) for one in (before, after))
    clause = piece.clause
    return _said(
        reader, (piece.quote, clause.kind, clause.lead_in, clause.heading), sides, document, surface, confidence
    )


def _finding(
    offset: int,
    piece: Piece,
    said: tuple[Decision, Roles],
    surface: str,
    confidence: float,
    interval: tuple[float, float],
) -> ClauseFinding:
    """A finding at offsets of the text."""
    decision, roles = said
    return ClauseFinding(
        surface=surface,
        start=offset + piece.clause.start,
        end=offset + piece.clause.end,
        quote=piece.quote,
        risk=decision.kind.risk,
        polarity=decision.kind.polarity,
        rule=decision.rule,
        confidence=confidence,
        confidence_interval=interval,
        scope=decision.scope,
        stance=decision.kind.stance,
        roles=roles,
    )


@lru_cache(maxsize=50_000)
def _said(
    reader: Reader, told: tuple[str, str, str, str], sides: tuple[tuple[str, tuple[str, ...]] | None, ...],
    document: str, surface: str, confidence: float,
) -> tuple[Decision, Roles]:  # fmt: skip
    """What a clause between its neighbours says of a surface; kept, since versions repeat each other."""
    quote, kind, lead_in, heading = told
    words = _statement(quote, kind).words
    looks, seen = _seen(reader, words.lower(), lead_in.lower(), heading.lower(), kind)
    around = [name for mark, side in zip("PN", sides, strict=True) if side for name in beside(mark, *side)]
    features = frozenset((*seen.features, *within(document, looks.signs), *around))
    said = Said(words.lower(), lead_in.lower(), heading.lower(), features, seen.size)
    return decide(reader, surface, said, looks.rules.get(surface), confidence), roles_of(words, lead_in)


def _seen(reader: Reader, words: str, lead_in: str, heading: str, kind: str) -> tuple[Looks, Seen]:
    """What the patterns say of a clause, and what the model sees of it alone."""
    looks = by_patterns(words, lead_in, reader.surfaces)
    return looks, see(words, lead_in, heading, form_of(words, kind, lead_in), looks.signs, looks.names)


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
    return [statement for _, _, _, cut in _cuts(text) for statement in cut.statements]


def _cuts(text: str) -> Iterator[tuple[int, str, Context, Cut]]:
    """Give the blocks of a text: offset, text, what stands above it, and its clauses."""
    context = Context()
    for start, end in blocks(text):
        part, above = text[start:end], context
        cut = _CUTS.get((part, above), 2 * len(part) + 200, lambda: _cut(part, above))  # noqa: B023 (called at once)
        context = cut.context
        yield start, part, above, cut


def _cut(part: str, above: Context) -> Cut:
    """Cut one block."""
    clauses, after = read_block(part, above)
    said = tuple(_statement(part[clause.start : clause.end], clause.kind) for clause in clauses)
    return Cut(clauses, said, after)


def _pieces(part: str, above: Context, cut: Cut, reader: Reader) -> Pieces:
    """Read the clauses of one block; what other weights than the package's give is not kept."""

    def made() -> Pieces:
        pairs = zip(cut.clauses, cut.statements, strict=True)
        return tuple(_piece(part, clause, statement, reader) for clause, statement in pairs)

    return _PIECES.get((part, above), len(part) + 200, made) if reader is load_reader() else made()


def _piece(part: str, clause: Clause, statement: Statement, reader: Reader) -> Piece | None:
    """A clause with what is known of it alone; None where it is not read."""
    quote, words = part[clause.start : clause.end], statement.words.lower()
    if clause.kind == "heading" or len(quote) > _LONGEST or _MENU.match(quote):
        return None
    if len(words) < (_SHORTEST_CHINESE if is_chinese(words) else _SHORTEST):
        return None
    lead_in, weights = clause.lead_in.lower(), reader.weights
    looks, seen = _seen(reader, words, lead_in, clause.heading.lower(), clause.kind)
    form = form_of(words, clause.kind, lead_in)
    told = read(clause.heading, lead_in, form, looks.signs, looks.names, reader.trust, reader.surfaces)
    as_before, as_after = (weights.packed(beside(mark, clause.kind, looks.signs)) for mark in "PN")
    return Piece(clause, quote, words, looks, told, seen.size, weights.packed(seen.features), as_before, as_after)


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
    return _statement(quote, "").key


@lru_cache(maxsize=100_000)
def _statement(quote: str, kind: str) -> Statement:
    """Give a clause as the comparison sees it."""
    words = plain(quote)
    return Statement(sentence_key(words), words, kind)


def _settled(findings: list[ClauseFinding], leads: list[ClauseFinding]) -> list[ClauseFinding]:
    """Give training clauses the level they have where the text names no way out, not even an unsure one."""
    if any(finding.stance in _WAYS_OUT and finding.scope.region is None for finding in (*findings, *leads)):
        return findings
    return [
        replace(finding, risk=alone) if (alone := RULES.alone.get(finding.rule)) else finding for finding in findings
    ]
