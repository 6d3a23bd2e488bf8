"""One text to its findings.

A text is read block by block (stretches between empty lines). What a block gives depends on nothing but its
characters and the heading and lead-ins above it, so it is kept, and the many versions of one document cost
only their new blocks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache, partial
from typing import Final, NamedTuple

from riskanalytics.errors import ExtractionError
from riskanalytics.extraction.banner import banner_span
from riskanalytics.extraction.cache import TextCache
from riskanalytics.extraction.confidence import confidence_of, counts_version
from riskanalytics.extraction.deciding import RULES, Decision, decide, decide_with
from riskanalytics.extraction.learned import Reader, load_reader
from riskanalytics.extraction.plain import is_chinese, plain, sentence_key
from riskanalytics.extraction.records import Clause, ClauseFinding, Reading
from riskanalytics.extraction.segment import Context, blocks, read_block

CODE_VERSION: Final = "4"
"""Raised by hand when code, not data, changes what is read."""
RULES_VERSION: Final = f"{RULES.version}.{load_reader().version}.{CODE_VERSION}.{counts_version()}"
"""Version of what reads a text: rules, weights and measured counts as data, and the code around them."""

_MENU: Final = re.compile(r"(?:\W{0,4}\[[^\[\]]{0,200}\]\([^()\s]{0,2000}\)){1,40}\W{0,4}$")
"""Links that are all there is: a row of a menu or of a table of contents."""
_WAYS_OUT: Final = ("trains_with_opt_out", "trains_with_opt_in", "does_not_train", "depends_on_plan")
_LONGEST: Final = 4000
_KEPT: Final = 64_000_000
"""Characters of blocks kept, with what was read out of them."""


Deciding = Callable[[str, str, str], tuple[Decision, ...]]
"""From words, lead-in and heading to what the clause says."""


class Statement(NamedTuple):
    """A clause as the comparison of two texts sees it."""

    key: str
    """What makes it the same statement in another version; see `plain.sentence_key`."""
    words: str
    """What a reader sees."""
    kind: str


class Block(NamedTuple):
    """All that was read out of one block, at offsets of the block."""

    findings: tuple[ClauseFinding, ...]
    statements: tuple[Statement, ...]
    context: Context
    """What the next block must know."""


_BLOCKS: Final[TextCache[tuple[str, Context], Block]] = TextCache(_KEPT)


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
    findings: list[ClauseFinding] = []
    clauses = 0
    for offset, block in read_blocks(text, reader):
        clauses += len(block.statements)
        findings += [_moved(finding, offset) for finding in block.findings]
    if (span := banner_span(text)) is not None:
        findings = [finding for finding in findings if not span[0] <= finding.start < span[1]]
    findings = _settled(findings)
    if any(text[finding.start : finding.end] != finding.quote for finding in findings):
        raise ExtractionError("a quote does not stand at its offsets: this is a fault of the extraction")
    return Reading(tuple(findings), _language(text), clauses)


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
    return [statement for _, block in read_blocks(text) for statement in block.statements]


def read_blocks(text: str, reader: Reader | None = None) -> Iterator[tuple[int, Block]]:
    """Read a text block by block.

    Parameters
    ----------
    text : str
    reader : Reader, optional
        Weights to read by; what they give is not kept.

    Yields
    ------
    tuple of int and Block
        Offset of the block in the text, and what it says.
    """
    context = Context()
    for start, end in blocks(text):
        part, above = text[start:end], context
        if reader is not None:
            block = _read(part, above, partial(decide_with, reader))
        else:
            size = 3 * len(part) + 400
            block = _BLOCKS.get((part, above), size, lambda: _read(part, above, decide))  # noqa: B023 (called at once)
        context = block.context
        yield start, block


def _read(part: str, context: Context, deciding: Deciding) -> Block:
    """Read one block."""
    clauses, after = read_block(part, context)
    findings = tuple(finding for clause in clauses for finding in _findings(part, clause, deciding))
    said = tuple(_statement(part[clause.start : clause.end], clause.kind) for clause in clauses)
    return Block(findings, said, after)


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


def _settled(findings: list[ClauseFinding]) -> list[ClauseFinding]:
    """Give training clauses the level they have where the text names no way out."""
    if any(finding.stance in _WAYS_OUT and finding.scope.region is None for finding in findings):
        return findings
    return [
        replace(finding, risk=alone) if (alone := RULES.alone.get(finding.rule)) else finding for finding in findings
    ]


def _moved(finding: ClauseFinding, offset: int) -> ClauseFinding:
    """Give a finding at offsets of the text."""
    return ClauseFinding(
        finding.surface,
        finding.start + offset,
        finding.end + offset,
        finding.quote,
        finding.risk,
        finding.polarity,
        finding.rule,
        finding.confidence,
        finding.confidence_interval,
        finding.scope,
        finding.stance,
    )


def _findings(part: str, clause: Clause, deciding: Deciding) -> list[ClauseFinding]:
    """Findings of one clause."""
    quote = part[clause.start : clause.end]
    if clause.kind == "heading" or len(quote) > _LONGEST or _MENU.match(quote):
        return []
    found = []
    for decision in deciding(
        _statement(quote, clause.kind).words.lower(), clause.lead_in.lower(), clause.heading.lower()
    ):
        confidence, interval = confidence_of(decision.rule)
        found.append(
            ClauseFinding(
                surface=decision.surface,
                start=clause.start,
                end=clause.end,
                quote=quote,
                risk=decision.kind.risk,
                polarity=decision.kind.polarity,
                rule=decision.rule,
                confidence=confidence,
                confidence_interval=interval,
                scope=decision.scope,
                stance=decision.kind.stance,
            )
        )
    return found


def _language(text: str) -> str:
    """`zh` or `en`; `und` for a text too short to tell."""
    sample = text[:5_000].lower()
    if len(sample.strip()) < 40:
        return "und"
    if is_chinese(sample):
        return "zh"
    common = sum(sample.count(f" {word} ") for word in ("the", "and", "of", "to", "you"))
    return "en" if common * 60 >= len(sample) // 8 else "und"
