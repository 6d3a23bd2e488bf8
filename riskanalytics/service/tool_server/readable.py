"""The readable form of results, their size, and the cursors of their pages.

Quotes are printed between fences, with invisible characters made visible.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable
from typing import Final

from mcp.server.mcpserver.exceptions import ToolError

from riskanalytics.models import DISCLAIMER, state_words
from riskanalytics.models.records import PlatformHead
from riskanalytics.service.tool_server.contract import (
    UNTRUSTED,
    ComparedPlatform,
    Count,
    PlatformRisk,
    QuotedClause,
    Searched,
    TrainingCheck,
)
from riskanalytics.text.page_words import plain_words
from riskanalytics.text.untrusted import visible_line
from riskanalytics.text.wording import led_in

MOST_TOKENS: Final = 15_000
"""Estimated tokens of one result, its structured content and its text form together."""
_BEGINNING: Final = 400
"""Tokens of what is written around the parts: notes, field names, counts."""
_CURSOR: Final = re.compile(r"([0-9]{1,9})\.([0-9a-f]{16})")


def tokens(text: str) -> int:
    """Estimate the tokens of a text: three characters of ASCII each, one of any other script.

    Parameters
    ----------
    text : str
    """
    plain = len(text.encode("ascii", "ignore"))
    return plain // 3 + 1 + len(text) - plain


def fitting(pieces: Iterable[tuple[str, ...]], *written: str) -> int:
    """Return how many pieces fit into one result, from the first on, which always does.

    Parameters
    ----------
    pieces : iterable of tuple of str
        Each in all forms in which it goes out.
    *written : str
        What stands in the result whatever follows.
    """
    left = MOST_TOKENS - _BEGINNING - sum(map(tokens, written))
    count = 0
    for piece in pieces:
        left -= sum(map(tokens, piece))
        if left < 0 and count:
            break
        count += 1
    return count


def fingerprint(*words: object) -> str:
    """Return what a cursor is bound to: the query and the state of the data.

    Parameters
    ----------
    *words : str or None
    """
    return hashlib.sha256(json.dumps(words).encode()).hexdigest()[:16]


def cursor_at(offset: int, bound_to: str) -> str:
    """Return the cursor of a place in a result.

    Parameters
    ----------
    offset : int
    bound_to : str
        What `fingerprint` returned.
    """
    return base64.urlsafe_b64encode(f"{offset}.{bound_to}".encode()).decode().rstrip("=")


def offset_of(cursor: str | None, bound_to: str) -> int:
    """Return the place that a cursor names, 0 without one.

    Parameters
    ----------
    cursor : str or None
    bound_to : str
        What `fingerprint` returned.

    Raises
    ------
    ToolError
        If it is malformed, of another query, or of data that have changed since.
    """
    if cursor is None:
        return 0
    try:
        written = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode("ascii")
    except ValueError:
        written = ""
    match = _CURSOR.fullmatch(written)
    if match is None or match[2] != bound_to:
        raise ToolError(
            "The cursor is not one of this query, or the data have changed since: leave cursor out to begin again."
        )
    return int(match[1])


MOST_SHOWN: Final = 4_000
"""Characters of a quote in the readable form; the structured content holds it whole."""
FRAME: Final = f"Note: {UNTRUSTED}\n{DISCLAIMER}"
"""What every readable form begins and ends with."""


def clause_lines(clause: QuotedClause, *head: str) -> str:
    """Return one finding: what it is, where it stands, and its quote between fences that bear its id.

    The id is a hash over the snapshot that holds the quote, so no quote can write the fence that ends it.

    Parameters
    ----------
    clause : QuotedClause
    *head : str
        What stands before it in the first line.
    """
    low, high = clause.confidence_interval
    scope = [f"{name} {visible_line(value)}" for name, value in clause.scope.model_dump().items() if value]
    actor = f"{visible_line(clause.roles.actor)} acts" if clause.roles.actor else ""
    facts = [*head, clause.surface, f"risk {clause.risk or 'none'}", clause.polarity or "", actor, *scope,
             f"confidence {clause.confidence:.2f} ({low:.2f} to {high:.2f})", clause.verification_status]  # fmt: skip
    source = clause.provenance
    lead_in = clause.lead_in
    before = "" if lead_in is None else led_in(lead_in.quote, lead_in.end, source.start)
    shown = visible_line(plain_words(before + clause.quote))
    if len(shown) > MOST_SHOWN:
        shown = shown[:MOST_SHOWN] + " [cut here; whole in the structured content]"
    return "\n".join((
        " | ".join(filter(None, facts)),
        f"rule {clause.rule}",
        f"source: {visible_line(source.document)}, captured {source.captured_at}, characters {source.start} to {source.end}",
        f"snapshot sha256 {source.snapshot_sha256}",
        f"archive: {visible_line(source.archive_url) if source.archive_url else 'no public copy is known'}",
        f"<<<QUOTE {clause.id} untrusted text>>>",
        shown,
        f"<<<END QUOTE {clause.id}>>>",
    ))  # fmt: skip


def head_lines(head: PlatformHead) -> str:
    """Return a platform's rating and stance.

    Parameters
    ----------
    head : PlatformHead
    """
    training = head.training_use
    stances = [f"{training.stance} in all" if training.stance else "not read"]
    stances += [f"{stance} for {who}" for who, stance in
                (("consumers", training.consumer_stance), ("businesses", training.business_stance)) if stance]  # fmt: skip
    return "\n".join((
        f"{visible_line(head.name)} ({head.slug}): {head.rating}",
        f"reason: {visible_line(head.risk_reason)}",
        f"last reviewed {head.last_reviewed}; evidence {head.verification_status}",
        f"training on user content: {', '.join(stances)}",
    ))  # fmt: skip


def platform_head(result: PlatformRisk) -> str:
    """Return what stands above the findings of `get_platform_risk`.

    Parameters
    ----------
    result : PlatformRisk
    """
    rows = [
        f"- {name}: {row.risk or state_words(row.state, row.to_read)}, {_counted(row.count, 'finding')}; "
        f"{visible_line(row.explanation)}"
        for name, row in result.surfaces.items()
    ]
    return "\n".join((head_lines(result), *rows, _silence(result.searched_without_result)))


def comparison_head(platforms: list[ComparedPlatform]) -> str:
    """Return what stands above the findings of `compare_platforms`: heads, and a table of the surfaces.

    Parameters
    ----------
    platforms : list of ComparedPlatform
    """
    names = list(dict.fromkeys(name for platform in platforms for name in platform.surfaces))
    rows = [" | ".join(("surface", *(platform.slug for platform in platforms)))]
    for name in names:
        cells = [platform.surfaces.get(name) for platform in platforms]
        rows.append(" | ".join((name, *map(_cell, cells))))
    heads = [head_lines(platform) for platform in platforms]
    return "\n\n".join((*heads, "\n".join(rows)))


def _cell(surface: Count | None) -> str:
    """Return a platform's level on a surface with its number of findings, or why it has none."""
    if surface is None:
        return "-"
    return f"{surface.risk} ({surface.count})" if surface.risk else state_words(surface.state, surface.to_read)


def training_head(result: TrainingCheck) -> str:
    """Return what stands above the findings of `check_training_use`.

    Parameters
    ----------
    result : TrainingCheck
    """
    return f"{head_lines(result)}\n{result.answer}\n{_silence(result.searched)}"


def whole(head: str, clauses: list[str], tail: str = "") -> str:
    """Return a readable form: the note, head, findings, what follows, the disclaimer.

    Parameters
    ----------
    head : str
    clauses : list of str
    tail : str
    """
    return "\n\n".join(part for part in (f"Note: {UNTRUSTED}", head, *clauses, tail, DISCLAIMER) if part)


def counted_tail(first: int, shown: int, total: int, cursor: str | None, noun: str = "finding") -> str:
    """Return which part of all findings is shown, and how to get the next.

    Parameters
    ----------
    first : int
        Findings before the first one shown.
    shown, total : int
    cursor : str or None
    noun : str
    """
    if total == 0:
        return f"No {noun}s."
    part = f"{noun.capitalize()}s {first + 1} to {first + shown} of {total}."
    return f"{part} Next page: cursor {cursor}" if cursor else part


def _silence(searched: Searched) -> str:
    """Return what was read, and on which surfaces without finding anything."""
    read = _counted(len(searched.snapshots), "document")
    quiet = ", ".join(searched.surfaces)
    silence = f"; nothing found on {quiet}" if quiet and searched.snapshots else ""
    return f"read: {read}{silence}" + (f"; not read: {searched.not_read}" if searched.not_read else "")


def _counted(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
