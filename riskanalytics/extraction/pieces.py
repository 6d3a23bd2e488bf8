"""The blocks of a text, with what is known of each of their clauses alone.

A text is read block by block (stretches between empty lines). What a block gives by itself depends on nothing but its
characters and the heading and lead-ins above it, so it is kept, and the many versions of one document cost only their
new blocks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from threading import Lock
from typing import Final, NamedTuple

import numpy as np
from cachetools import LRUCache, cached
from numpy.typing import NDArray

from riskanalytics.extraction.deciding import Looks, by_patterns
from riskanalytics.extraction.learned import Reader, load_reader, scored, sums
from riskanalytics.extraction.learned.context import Reads, read, told_columns
from riskanalytics.extraction.learned.features import below, beside, see, size_of, within
from riskanalytics.extraction.plain import forgets, is_chinese, may_hold_banner, plain, remembered, sentence_key
from riskanalytics.extraction.records import Clause
from riskanalytics.extraction.segment import Context, blocks, read_block
from riskanalytics.extraction.sense import form_of

_MENU: Final = re.compile(r"(?:\W{0,4}\[[^\[\]]{0,200}\]\([^()\s]{0,2000}\)){1,40}\W{0,4}$")
"""Links that are all there is: a row of a menu or of a table of contents."""
_LONGEST: Final = 4000
_SHORTEST: Final = 12
_SHORTEST_CHINESE: Final = 5
_KEPT: Final = 16_000_000
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


class Alone(NamedTuple):
    """What is known of a clause wherever it stands, the heading above it left out."""

    looks: Looks
    told: tuple[int, ...]
    """See `context.told_columns`."""
    stems: int
    """Words that the model counts."""
    total: int
    """Weights of its own features, as `Weights.packed` gives them."""
    as_before: int
    """What it adds to the clause after it."""
    as_after: int
    """What it adds to the clause before it."""


@dataclass(frozen=True, eq=False, slots=True)
class Piece:
    """A clause that is read; equal to itself only, so that what is told of it is kept by it.

    Parameters
    ----------
    clause : Clause
        At offsets of its block.
    quote : str
    statement : Statement
    alone : Alone
    """

    clause: Clause
    quote: str
    statement: Statement
    alone: Alone


class ReadBlock:
    """The clauses of a block that are read: no headings, no menus, nothing too long or too short.

    Parameters
    ----------
    pieces : tuple of Piece
    """

    __slots__ = ("pieces", "rows")

    def __init__(self, pieces: tuple[Piece, ...]) -> None:
        self.pieces = pieces
        self.rows: dict[str, bytes] = {}
        """Kind of the document -> a row of int32 for each piece; see `in_rows`."""


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
    banner : bool
        It has words without which a text holds no consent dialogue.
    """

    text: str
    clauses: tuple[Clause, ...]
    statements: tuple[Statement, ...]
    context: Context
    banner: bool

    def read_by(self, reader: Reader) -> ReadBlock:
        """Read the clauses; what other weights than the package's give is not kept."""
        return self._kept if reader is load_reader() else self._read(reader)

    @cached_property
    def _kept(self) -> ReadBlock:
        return self._read(load_reader())

    def _read(self, reader: Reader) -> ReadBlock:
        pairs = zip(self.clauses, self.statements, strict=True)
        read = (_piece(self.text[clause.start : clause.end], clause, said, reader) for clause, said in pairs)
        return ReadBlock(tuple(piece for piece in read if piece is not None))


@remembered(2)
def placed(text: str) -> tuple[tuple[int, Block], ...]:
    """Return the blocks of a text with their offsets; the last are kept, since a text is read and then compared.

    Parameters
    ----------
    text : str
    """
    context, above = Context(), 0
    found = []
    for start, end in blocks(text):
        block = _block(text[start:end], context.moved(start - above))
        context, above = block.context, start
        found.append((start, block))
    return tuple(found)


@cached(LRUCache(_KEPT, getsizeof=lambda block: 2 * len(block.text) + _OF_A_BLOCK), lock=Lock())
def _block(text: str, above: Context) -> Block:
    """Cut one block; kept, since versions repeat each other."""
    clauses, after = read_block(text, above)
    said = tuple(statement(text[clause.start : clause.end], clause.kind) for clause in clauses)
    return Block(text, clauses, said, after, may_hold_banner(text))


forgets(_block.cache_clear)


@remembered(50_000)
def statement(quote: str, kind: str) -> Statement:
    """Give a clause as the comparison sees it; kept, since versions repeat each other.

    Parameters
    ----------
    quote : str
        A clause as it stands in the snapshot.
    kind : str
        `sentence`, `item`, `row` or `heading`.

    Returns
    -------
    Statement
    """
    words = plain(quote)
    return Statement(sentence_key(words), words, kind)


def _piece(quote: str, clause: Clause, statement: Statement, reader: Reader) -> Piece | None:
    """A clause with what is known of it alone; None where it is not read."""
    words = statement.words.lower()
    if clause.kind == "heading" or len(quote) > _LONGEST or _MENU.match(quote):
        return None
    if len(words) < (_SHORTEST_CHINESE if is_chinese(words) else _SHORTEST):
        return None
    return Piece(clause, quote, statement, _alone(reader, words, clause.kind, clause.lead_in.lower()))


@remembered(20_000)
def _alone(reader: Reader, words: str, kind: str, lead_in: str) -> Alone:
    """Read a clause without its heading; kept, since the same clause stands under many headings."""
    weights, looks = reader.weights, by_patterns(words, lead_in, reader.surfaces)
    form = form_of(words, kind, lead_in)
    seen = see(words, lead_in, "", form, looks.signs, looks.names)
    told = told_columns(read("", form, looks.signs, looks.names, reader.trust, reader.surfaces))
    as_before, as_after = (weights.packed(beside(mark, kind, looks.signs)) for mark in "PN")
    return Alone(looks, told, seen.stems, weights.packed(seen.features), as_before, as_after)


@remembered(20_000)
def _heading_weights(reader: Reader, heading: str) -> int:
    """What the heading adds to the clauses below it."""
    return reader.weights.packed(below(heading))


@remembered(20_000)
def _document_weights(reader: Reader, document: str, signs: tuple[str, ...]) -> int:
    """What the kind of the document adds to a clause with such signs."""
    return reader.weights.packed(within(document, signs))


def in_rows(reader: Reader, read_blocks: Sequence[ReadBlock], document: str) -> tuple[NDArray[np.int32], Reads]:
    """Return the scores of all clauses of a text, each between its neighbours, and what the table needs of them.

    Parameters
    ----------
    reader : Reader
    read_blocks : sequence of ReadBlock
        In the order of the text, with at least one clause.
    document : str
        Its kind.
    """
    _fill(reader, [block for block in read_blocks if document not in block.rows], document)
    packed = b"".join([block.rows[document] for block in read_blocks])
    pieces = list(chain.from_iterable([block.pieces for block in read_blocks]))
    rows = np.frombuffer(packed, dtype=np.int32).reshape(len(pieces), -1)
    count = len(reader.surfaces)
    totals = rows[:, :count].copy()
    totals[1:] += rows[:-1, count : 2 * count]
    totals[:-1] += rows[1:, 2 * count : 3 * count]
    reads = Reads([piece.clause.heading for piece in pieces], rows[:, 3 * count : -1])
    return scored(totals, size_of(rows[:, -1]), reader.bias), reads


def _fill(reader: Reader, read_blocks: Sequence[ReadBlock], document: str) -> None:
    """Write the rows of blocks, all at once: weights alone, as the one before, as the one after; what the table needs; stems."""
    pieces = [piece for block in read_blocks for piece in block.pieces]
    packed = [
        piece.alone.total
        + _heading_weights(reader, piece.clause.heading.lower())
        + _document_weights(reader, document, piece.alone.looks.signs)
        for piece in pieces
    ]
    parts = (packed, [piece.alone.as_before for piece in pieces], [piece.alone.as_after for piece in pieces])
    told = np.array([(*piece.alone.told, piece.alone.stems) for piece in pieces], dtype=np.int32)
    columns = [sums(part, len(reader.surfaces)) for part in parts]
    rows = np.concatenate([*columns, told], axis=1).astype(np.int32) if pieces else np.zeros((0, 0), dtype=np.int32)
    at = 0
    for block in read_blocks:
        block.rows[document] = rows[at : at + len(block.pieces)].tobytes()
        at += len(block.pieces)
