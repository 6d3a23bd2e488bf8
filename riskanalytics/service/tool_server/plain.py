"""The readable form of the results; quotes stand between fences, with everything invisible made visible."""

from __future__ import annotations

from typing import Final

from riskanalytics.models import DISCLAIMER, state_words
from riskanalytics.models.records import PlatformHead
from riskanalytics.page_words import plain_words
from riskanalytics.service.tool_server.results import (
    UNTRUSTED,
    ComparedPlatform,
    Count,
    PlatformRisk,
    QuotedClause,
    Searched,
    TrainingCheck,
)
from riskanalytics.untrusted import visible_line
from riskanalytics.wording import led_in

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
