"""One text to its findings and leads.

A text is read block by block (stretches between empty lines). What a block gives by itself depends on nothing but its
characters and the heading and lead-ins above it, so it is kept, and the many versions of one document cost only their
new blocks. Which clauses speak to a surface is then decided in the whole text, each clause in its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from operator import itemgetter
from threading import Lock
from typing import Final, NamedTuple

from cachetools import LRUCache, cached

from riskanalytics.errors import ExtractionError
from riskanalytics.extraction.banner import banner_span
from riskanalytics.extraction.deciding import RULES, Decision, Looks, Said, by_patterns, decide
from riskanalytics.extraction.document_kind import kind_of
from riskanalytics.extraction.evidence import EXPLICIT, grade_of
from riskanalytics.extraction.form import form_of
from riskanalytics.extraction.learned import Reader, load_reader, unpacked
from riskanalytics.extraction.learned.context import Read, read, table
from riskanalytics.extraction.learned.features import Seen, below, beside, see, within
from riskanalytics.extraction.paragraph import in_its_paragraph
from riskanalytics.extraction.plain import is_chinese, language_of, plain, sentence_key
from riskanalytics.extraction.records import Clause, ClauseFinding, Reading, Roles
from riskanalytics.extraction.roles import roles_of
from riskanalytics.extraction.segment import Context, blocks, read_block
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS

CODE_VERSION: Final = "15"
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
_OF_A_BLOCK: Final = 400
"""Characters that a block costs beside its own."""


class Statement(NamedTuple):
    """A clause as the comparison of two texts sees it."""

    key: str
    """What makes it the same statement in another version; see `plain.sentence_key`."""
    words: str
    """What a reader sees."""
    kind: str


@dataclass(frozen=True, eq=False)
class Piece:
    """A clause with what is known of it alone; equal to itself only, so that what is told of it is kept by it.

    Parameters
    ----------
    clause : Clause
        At offsets of its block.
    quote : str
    statement : Statement
    looks : Looks
    read : Read
    size : float
    total : int
        Weights of its own features, as `Weights.packed` gives them.
    as_before, as_after : int
        What it adds to the clause after it, and to the clause before it.
    """

    clause: Clause
    quote: str
    statement: Statement
    looks: Looks
    read: Read
    size: float
    total: int
    as_before: int
    as_after: int


Pieces = tuple[Piece | None, ...]
"""None for a heading, a menu, or what is too long or too short to be read."""
Sides = tuple[Piece | None, Piece | None]
"""The clauses before and after a clause."""


@dataclass(frozen=True, eq=False)
class Block:
    """A stretch between empty lines, cut into its clauses.

    Parameters
    ----------
    text : str
    clauses : tuple of Clause
        At offsets of the block.
    statements : tuple of Statement
        The same as the comparison sees them.
    context : Context
        What the next block must know.
    """

    text: str
    clauses: tuple[Clause, ...]
    statements: tuple[Statement, ...]
    context: Context

    def pieces(self, reader: Reader) -> Pieces:
        """Read the clauses; what other weights than the package's give is not kept."""
        return self._kept if reader is load_reader() else self._read(reader)

    @cached_property
    def _kept(self) -> Pieces:
        return self._read(load_reader())

    def _read(self, reader: Reader) -> Pieces:
        pairs = zip(self.clauses, self.statements, strict=True)
        return tuple(_piece(self.text[clause.start : clause.end], clause, said, reader) for clause, said in pairs)


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
    placed = list(_blocks(text))
    said = [statement for _, block in placed for statement in block.statements]
    first, last = banner_span(text) or (0, 0)
    found = [
        in_its_paragraph(text, one)
        for one in _found(reader, placed, kind_of(statement.words.lower() for statement in said))
        if not first <= one.start < last
    ]
    if any(text[one.start : one.end] != one.quote for one in found):
        raise ExtractionError("a quote does not stand at its offsets: this is a fault of the extraction")
    leads = tuple(one for one in found if one.confidence < reader.shown)
    findings = tuple(_settled([one for one in found if one.confidence >= reader.shown], leads))
    return Reading(findings, language_of(text), len(said), leads)


def _found(reader: Reader, blocks_placed: Sequence[tuple[int, Block]], document: str) -> Iterator[ClauseFinding]:
    """Give what may be a finding or a lead among the clauses of a text, in their order."""
    placed = [(offset, piece) for offset, block in blocks_placed for piece in block.pieces(reader) if piece is not None]
    pieces = [piece for _, piece in placed]
    around = [None, *pieces, None]
    sides: list[Sides] = list(zip(around, around[2:], strict=False))
    totals = [_total(reader, piece, *beyond, document) for piece, beyond in zip(pieces, sides, strict=True)]
    scores = unpacked(totals, [piece.size for piece in pieces], reader.bias)
    candidates = table(scores, [piece.read for piece in pieces], document)
    chances = [
        (at, reader.surfaces[which], reader.calibration[which](total / 1e6))
        for (at, which), total in zip(candidates.places, reader.trees.sums(candidates.rows), strict=True)
    ]
    for at, surface, confidence in sorted([*chances, *_not_learned(reader, pieces)], key=itemgetter(0)):
        if confidence >= reader.lead_from:
            yield _finding(reader, *placed[at], sides[at], document, surface, confidence)


def _not_learned(reader: Reader, pieces: Sequence[Piece]) -> Iterator[tuple[int, str, float]]:
    """Clause, surface and confidence of what rules alone take: nobody has measured how often they are right."""
    for surface, told in SURFACE_DESCRIPTIONS.items():
        if surface not in reader.surfaces:
            confidence = reader.shown if told.confidence is None else told.confidence
            yield from ((at, surface, confidence) for at, piece in enumerate(pieces) if surface in piece.looks.rules)


def _total(reader: Reader, piece: Piece, before: Piece | None, after: Piece | None, document: str) -> int:
    """The weights of a clause between its neighbours."""
    total = piece.total + _document_weights(reader, document, piece.looks.signs)
    return total + (before.as_before if before else 0) + (after.as_after if after else 0)


@lru_cache(maxsize=20_000)
def _document_weights(reader: Reader, document: str, signs: tuple[str, ...]) -> int:
    """What the kind of the document adds to a clause with such signs."""
    return reader.weights.packed(within(document, signs))


def _finding(
    reader: Reader, offset: int, piece: Piece, sides: Sides, document: str, surface: str, confidence: float
) -> ClauseFinding:
    """A finding at offsets of the text.

    A clause is as sure as those that say in so many words whether the vendor trains models with users' material, where
    it is one of them.
    """
    (rule, kind, scope), roles = _said(reader, piece, sides, document, surface, confidence)
    measured = surface in reader.surfaces
    unsure = surface == "training_use" and confidence < reader.explicit and scope.product is None
    if unsure and grade_of(piece.quote, roles).grade >= EXPLICIT:
        confidence, measured = reader.explicit, True
    return ClauseFinding(
        surface=surface,
        start=offset + piece.clause.start,
        end=offset + piece.clause.end,
        quote=piece.quote,
        risk=kind.risk,
        polarity=kind.polarity,
        rule=rule,
        confidence=confidence,
        confidence_interval=reader.interval(confidence) if measured else (0.0, 1.0),
        scope=scope,
        stance=kind.stance,
        roles=roles,
    )


@lru_cache(maxsize=50_000)
def _said(
    reader: Reader, piece: Piece, sides: Sides, document: str, surface: str, confidence: float
) -> tuple[Decision, Roles]:
    """What a clause between its neighbours says of a surface; kept, since versions repeat each other."""
    clause, looks, words = piece.clause, piece.looks, piece.statement.words
    seen = _seen(words.lower(), clause, looks)
    around = [
        name
        for mark, one in zip("PN", sides, strict=True)
        if one is not None
        for name in beside(mark, one.clause.kind, one.looks.signs)
    ]
    features = frozenset((*seen.features, *within(document, looks.signs), *around))
    said = Said(words.lower(), clause.lead_in.lower(), clause.heading.lower(), features, seen.size)
    return decide(reader, surface, said, looks.rules.get(surface), confidence), roles_of(words, clause.lead_in)


def _seen(words: str, clause: Clause, looks: Looks) -> Seen:
    """What the model sees of a clause alone."""
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
    return [statement for _, block in _blocks(text) for statement in block.statements]


def _blocks(text: str) -> Iterator[tuple[int, Block]]:
    """Give the blocks of a text with their offsets."""
    context = Context()
    for start, end in blocks(text):
        block = _block(text[start:end], context)
        context = block.context
        yield start, block


@cached(LRUCache(_KEPT, getsizeof=lambda block: 2 * len(block.text) + _OF_A_BLOCK), lock=Lock())
def _block(text: str, above: Context) -> Block:
    """Cut one block; kept, since versions repeat each other."""
    clauses, after = read_block(text, above)
    said = tuple(_statement(text[clause.start : clause.end], clause.kind) for clause in clauses)
    return Block(text, clauses, said, after)


def _piece(quote: str, clause: Clause, statement: Statement, reader: Reader) -> Piece | None:
    """A clause with what is known of it alone; None where it is not read."""
    words = statement.words.lower()
    if clause.kind == "heading" or len(quote) > _LONGEST or _MENU.match(quote):
        return None
    if len(words) < (_SHORTEST_CHINESE if is_chinese(words) else _SHORTEST):
        return None
    alone = _alone(reader, words, clause.kind, clause.lead_in.lower())
    told = alone.read._replace(heading=clause.heading)
    total = alone.total + _heading_weights(reader, clause.heading.lower())
    return Piece(clause, quote, statement, alone.looks, told, alone.size, total, alone.as_before, alone.as_after)


class _Alone(NamedTuple):
    """What is known of a clause wherever it stands; see `Piece`."""

    looks: Looks
    read: Read
    size: float
    total: int
    as_before: int
    as_after: int


@lru_cache(maxsize=20_000)
def _alone(reader: Reader, words: str, kind: str, lead_in: str) -> _Alone:
    """Read a clause without its heading; kept, since the same clause stands under many headings."""
    weights, looks = reader.weights, by_patterns(words, lead_in, reader.surfaces)
    form = form_of(words, kind, lead_in)
    seen = see(words, lead_in, "", form, looks.signs, looks.names)
    told = read("", lead_in, form, looks.signs, looks.names, reader.trust, reader.surfaces)
    as_before, as_after = (weights.packed(beside(mark, kind, looks.signs)) for mark in "PN")
    return _Alone(looks, told, seen.size, weights.packed(seen.features), as_before, as_after)


@lru_cache(maxsize=20_000)
def _heading_weights(reader: Reader, heading: str) -> int:
    """What the heading adds to the clauses below it."""
    return reader.weights.packed(below(heading))


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


def _settled(findings: list[ClauseFinding], leads: Sequence[ClauseFinding]) -> list[ClauseFinding]:
    """Give training clauses the level they have where the text names no way out, not even an unsure one."""
    if any(finding.stance in _WAYS_OUT and finding.scope.region is None for finding in (*findings, *leads)):
        return findings
    return [
        replace(finding, risk=alone) if (alone := RULES.alone.get(finding.rule)) else finding for finding in findings
    ]
