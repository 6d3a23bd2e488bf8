"""One platform in full: its moves and changes, every clause in its paragraph, disagreements, silence, documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Final

import pandas as pd

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.models import document_words, in_other_language
from riskanalytics.pages.composing import below, columns, first_shown, separated, table
from riskanalytics.pages.quoted import evidence_of
from riskanalytics.pages.rows import (
    Rows,
    clause_facts,
    day,
    grouped,
    in_paragraph,
    level,
    link,
    quote,
    snapshot_anchor,
    source,
    text,
    written,
)
from riskanalytics.pages.section import Section, of_data, section
from riskanalytics.pages.values import (
    BREAK,
    Fold,
    Group,
    Heading,
    Link,
    Pair,
    Paragraph,
    Parts,
    Quote,
    Row,
    Table,
    Text,
    Words,
)
from riskanalytics.surfaces import surface_name
from riskanalytics.topics.changes.clauses import clause_pairs
from riskanalytics.topics.changes.section import (
    Change,
    anchor,
    card,
    class_name,
    direction,
    noise_folded,
    says,
    stance_said,
    states_of,
    surfaces_named,
)
from riskanalytics.topics.quotes.section import clause_weight
from riskanalytics.topics.shape import items_of
from riskanalytics.wording import plural

__all__ = [
    "clause_conflicts",
    "platform_changes",
    "platform_clauses",
    "platform_documents",
    "platform_moves",
]

_MOVES_SHOWN: Final = 10
_MOVES_MOST: Final = 40
_LISTED: Final = 80
_CLAUSES_OPEN: Final = 2
_PAIRS_SHOWN: Final = 4
_SIDES_SHOWN: Final = 2


@of_data(moves="platform_moves", changes="platform_changes", shown="shown")
def platform_moves(moves: pd.DataFrame, changes: pd.DataFrame | None, shown: Sequence[object] = ()) -> Section:
    """Show when the rating of a platform or its stance on training use moved, and because of which words.

    Parameters
    ----------
    moves : pandas.DataFrame
        As `analysis.platform_moves` gives it.
    changes : pandas.DataFrame or None
        As `analysis.platform_changes` gives it; None where the changes are not known.
    shown : sequence
        Identifiers of the changes whose cards stand on the page.

    Examples
    --------
    >>> changes = data.of(["alalix-chat"]).changes()
    >>> moves = analysis.platform_moves(data.past_states("alalix-chat", quarters=4).states, changes)
    >>> sections.platform_moves(moves, analysis.platform_changes(changes)).text
    '3 moves'
    """
    rows = rows_of(moves)
    if not rows:
        unknown = "" if changes is not None else " on the days read; the changes between them need a Pro key"
        return Section((Paragraph(f"Neither its rating nor its stance on training use moved{unknown}."),), "no move")
    causes = {} if changes is None else {row["change_id"]: row for row in rows_of(changes)}
    lines = [_move(row, causes, shown) for row in rows[:_MOVES_MOST]]
    parts: Parts = (_moves(lines[:_MOVES_SHOWN]),)
    if older := lines[_MOVES_SHOWN:]:
        hidden = len(rows) - len(lines)
        rest = Paragraph(f"{plural(hidden, 'older move')} not shown." if hidden else "", "note")
        parts += (Fold(plural(len(rows) - _MOVES_SHOWN, "older move"), (_moves(older), rest)),)
    return section("Moves", *parts, text=plural(len(rows), "move"))


def _moves(lines: Sequence[Sequence[Words]]) -> Table:
    """Return moves as a table."""
    caption = "Moves of the rating and of the stance on training use, the latest first"
    return table(caption, lines, "whole:Date", "Moved", "Because of", style="text")


def _move(row: Change, changes: Mapping[object, Change], shown: Sequence[object]) -> tuple[Words, ...]:
    """Return one move as the cells of a row: when, what moved, and all that caused it."""
    when = day(row["at"]) if is_missing(row["since"]) else f"{day(row['since'])} to {day(row['at'])}"
    moved: list[Words] = []
    if row["rating_before"] != row["rating_after"]:
        moved.append((level(row["rating_before"]), " → ", level(row["rating_after"])))
    if not is_missing(row["stance_before"]) and row["stance_before"] != row["stance_after"]:
        said = f"training: {stance_said(row['stance_before'])} → {stance_said(row['stance_after'])}"
        moved.append(Text(said, "meta"))
    causes = [_because(changes.get(change_id), shown) for change_id in items_of(row["change_ids"])[::-1] or [None]]
    return when, separated(moved, BREAK), separated(causes, BREAK)


def _because(change: Change | None, shown: Sequence[object]) -> Words:
    """Return the words that moved a rating; the kind of the change where they do not stand on the page."""
    if change is None:
        return "not known without the changes, which need a Pro key"
    pairs = clause_pairs(change)
    if pairs and change["change_id"] in shown:
        return says(change, pairs[0])
    kind = "" if change["change_class"] == "material" else f", {class_name(change['change_class'])}"
    return f"{text(change['document'])}{kind}: {text(change['summary'])}"


@of_data(changes="platform_changes", noise="change_noise", checked="platform_change_clauses")
def platform_changes(
    changes: pd.DataFrame | None, noise: pd.DataFrame | None, checked: pd.DataFrame, shown: Sequence[object]
) -> Section:
    """Show what changed on a platform, the latest first; the noise folded below.

    Parameters
    ----------
    changes, noise : pandas.DataFrame or None
        As `analysis.platform_changes` and `analysis.change_noise` give them; None where the changes are not known.
    checked : pandas.DataFrame
        As `changed_clauses` gives it for the changes shown, checked again.
    shown : sequence
        Identifiers of the changes to show in full; the others are listed.

    Examples
    --------
    >>> recorded = data.of(["orvewick-voice"]).changes()
    >>> changes = analysis.platform_changes(recorded)
    >>> said, noise = data.verify(analysis.changed_clauses(changes)), analysis.change_noise(recorded)
    >>> print(sections.platform_changes(changes, noise, said, changes["change_id"]).text)
    2025-07-06 Terms of Service: Findings on IP liability: 1 added, 1 removed.
    2024-08-22 Privacy Policy: Findings on Web data training: 1 added, 2 removed.
    """
    if changes is None or noise is None:
        unknown = Paragraph("What changed is not known: the service shows changes to Pro keys only.")
        return Section((unknown,), "changes are not known: they need a Pro key")
    rows = rows_of(changes)
    if not rows:
        none = Paragraph("No material change is recorded.")
        return section("Changes", none, *noise_folded(noise), text="no material change")
    states = states_of(checked)
    cards = (card(row, states, named=False) for row in rows if row["change_id"] in shown)
    others = _others([row for row in rows if row["change_id"] not in shown])
    said = "\n".join(f"{day(row['reviewed_at'])} {text(row['document'])}: {text(row['summary'])}" for row in rows[:20])
    return section("Changes", *cards, *others, *noise_folded(noise), text=said)


def _others(rows: Rows) -> Parts:
    """Return the changes that are not shown in full as one folded table; nothing where there are none."""
    if not rows:
        return ()
    lines = tuple(
        Row(
            (day(row["reviewed_at"]), text(row["document"]), direction(row["direction"]), surfaces_named(row)),
            anchor(row),
        )
        for row in rows[:_LISTED]
    )
    listed = Table(lines, columns("whole:Date", "Document", "whole:Direction", "roomy:Surfaces"), style="sortable")
    hidden = len(rows) - len(lines)
    rest = Paragraph(f"{plural(hidden, 'older one is', 'older ones are')} not listed." if hidden else "", "note")
    return (Fold(plural(len(rows), "more change"), (listed, rest)),)


@of_data(findings="clauses", parts="rating_parts")
def platform_clauses(findings: pd.DataFrame, parts: pd.DataFrame) -> Section:
    """Show every clause of one platform in its paragraph: those that decided a level first, then the weightiest.

    Parameters
    ----------
    findings : pandas.DataFrame
        `frames.FINDINGS_COLUMNS`, as `Dataset.read` gives it.
    parts : pandas.DataFrame
        As `analysis.rating_parts` gives it: the order of the surfaces, and which clauses decided.

    Examples
    --------
    >>> one = data.of(["orvewick-voice"])
    >>> parts = analysis.rating_parts(one.surfaces, one.findings, data.extraction["rating"])
    >>> sections.platform_clauses(data.read(one.findings), parts).text
    '14 clauses in context'
    """
    by_surface = grouped(rows_of(findings), "surface")
    if not by_surface:
        if counted := int(parts["clauses"].sum()):
            hidden = f"{plural(counted, 'clause is', 'clauses are')} counted, and none is shown to this key."
            return Section((Paragraph(hidden, "alarm"),), "clauses are not shown")
        return Section((Paragraph("No clause was found."),), "no clause")
    told = {str(row["surface"]): row for row in rows_of(parts)}
    order = [*(surface for surface in told if surface in by_surface), *(key for key in by_surface if key not in told)]
    shown = (part for surface in order for part in _surface(surface, by_surface[surface], told.get(surface)))
    return section("Clauses", *shown, text=f"{plural(len(findings), 'clause')} in context")


def _surface(surface: str, rows: Rows, part: Change | None) -> Parts:
    """Return the clauses of one surface; the same words in another place stand below them, not again."""
    decided = [] if part is None else items_of(part["decided_by"])
    first = {row["finding_id"] for row in rows if is_missing(row["duplicate_of"])}
    copies = grouped([row for row in rows if row["duplicate_of"] in first], "duplicate_of")
    alone = [row for row in rows if row["duplicate_of"] not in first]
    listed = sorted(alone, key=lambda row: (row["finding_id"] not in decided, *clause_weight(row)))
    quotes = [_clause(row, row["finding_id"] in decided, copies.get(str(row["finding_id"]), [])) for row in listed]
    again = f", {plural(len(rows) - len(listed), 'near-copy', 'near-copies')}" if len(rows) > len(listed) else ""
    mark = level(part["risk"]) if part is not None and not is_missing(part["risk"]) else ""
    count = Text(f"{plural(len(listed), 'clause')}{again}", "thin")
    title = Heading((surface_name(surface), " ", mark, " ", count), anchor=f"surface-{surface}")
    return title, *first_shown(quotes, _CLAUSES_OPEN, "more clause")


def _clause(row: Change, decides: bool, copies: Rows) -> Quote:
    """Return one clause: its place, whether it decided, its confidence, scope, and its copies."""
    same = tuple(below(("Same words: ", source(copy))) for copy in copies)
    more = (below(clause_facts(row, decides=decides)), same)
    return quote(row, mark=level(row["risk"]), more=more)


@of_data(pairs="conflicts", findings="clauses")
def clause_conflicts(pairs: pd.DataFrame, findings: pd.DataFrame) -> Section:
    """Show clauses that say the opposite of each other side by side.

    Parameters
    ----------
    pairs : pandas.DataFrame
        As `analysis.conflicts` gives it.
    findings : pandas.DataFrame
        `frames.FINDINGS_COLUMNS`, checked again.

    Examples
    --------
    >>> sections.clause_conflicts(analysis.conflicts(data.findings), data.findings).text
    '1 pair of clauses in conflict'
    """
    rows, told = rows_of(pairs), {row["finding_id"]: row for row in rows_of(findings)}
    if not told:
        return Section((Paragraph("There is no clause to compare."),), "no clause to compare")
    if not rows:
        return Section((Paragraph("No two of its clauses are read as saying the opposite."),), "no conflict")
    groups: dict[tuple[object, ...], Rows] = {}
    for row in rows:
        groups.setdefault((row["surface"], row["second"], row["documents"]), []).append(row)
    shown = [_conflict(group, told) for group in groups.values()]
    parts = [part for conflict in shown[:_PAIRS_SHOWN] for part in conflict]
    if rest := shown[_PAIRS_SHOWN:]:
        label = plural(len(rest), "more clause contradicted", "more clauses contradicted")
        parts.append(Fold(label, tuple(part for conflict in rest for part in conflict), "keep"))
    return section("Conflicts", *parts, text=f"{plural(len(rows), 'pair')} of clauses in conflict")


def _conflict(pairs: Rows, told: Mapping[object, Change]) -> Parts:
    """Return the clauses that one clause contradicts, beside it."""
    one = pairs[0]
    left = first_shown([_side(told[pair["first"]]) for pair in pairs], _SIDES_SHOWN, "more clause")
    where = "across documents" if one["documents"] == 2 else "within one document"
    head = Paragraph((Text(surface_name(str(one["surface"])), "strong"), f" {where}"), "what")
    return head, Pair((Group(left), Group((_side(told[one["second"]]),))))


def _side(row: Change) -> Quote:
    """Return one clause of a conflict."""
    return Quote(in_paragraph(row), (level(row["risk"]), " ", source(row)), evidence=evidence_of(row))


@of_data(fresh="freshness", findings="clauses")
def platform_documents(fresh: pd.DataFrame, documents: pd.DataFrame, findings: pd.DataFrame) -> Section:
    """Show the documents of one platform: the state and day of each text, its clauses and its hash.

    Parameters
    ----------
    fresh : pandas.DataFrame
        As `analysis.freshness` gives it.
    documents, findings : pandas.DataFrame
        `frames.DOCUMENTS_COLUMNS` and `frames.FINDINGS_COLUMNS` of the platform.

    Examples
    --------
    >>> one = data.of(["orvewick-voice"])
    >>> fresh = analysis.freshness(one.documents, data.day)
    >>> sections.platform_documents(fresh, one.documents, one.findings).text
    '2 documents'
    """
    if documents.empty:
        return Section((Paragraph("Which documents were read is not told."),), "documents are not told")
    counts = findings["document"].value_counts()
    hashes = dict(zip(documents["document"], documents["snapshot_sha256"], strict=True))
    cited = set(findings["snapshot_sha256"].dropna())
    rows = rows_of(fresh)
    found = (counts.get(row["document"], 0 if cited else None) for row in rows)  # where none is shown, none is counted
    lines = (_document(row, count, hashes.get(row["document"]), cited) for row, count in zip(rows, found, strict=True))
    heads = ("Document", "whole:Text of", "n:Days old", "n:Clauses", "State", "roomy:SHA-256")
    listed = table("", lines, *heads, style="")
    return Section((listed, Paragraph(_unchanged(rows), "note")), plural(len(documents), "document"))


def _document(row: Change, count: int | None, sha256: object, cited: Set[object]) -> tuple[Words, ...]:
    """Return one document as the cells of a row; its hash leads to the list of texts quoted where it stands there."""
    state = str(row["state"])
    told: Words = "" if is_missing(sha256) else Text(str(sha256)[:12], "code")
    if sha256 in cited:
        told = Link(told, f"#{snapshot_anchor(str(sha256))}")
    words = document_words(row)
    if state != "good" and not is_missing(row["check"]):
        words += f" ({str(row['check']).replace('_', ' ')})"
    return (
        link(text(row["document"]), row["archive_url"]),
        day(row["captured_at"]),
        written(row["age_days"]),
        "" if count is None else f"{int(count):,}",
        words if state == "good" and not in_other_language(row) else Text(words, "bad"),
        told,
    )


def _unchanged(rows: Rows) -> str:
    """Return how many texts are old and what their age means; empty where none is old."""
    old = [row for row in rows if row["flag"] == "unchanged"]
    if not old:
        return ""
    days = int(old[0]["unchanged_days"])
    return (
        f"{len(old)} of {plural(len(rows), 'document')} {'has' if len(old) == 1 else 'have'} not changed for more than "
        f"{plural(days, 'day')}. "
        "An archive records a document when it changes, so an old text may well be today's."
    )
