"""One platform in full: its moves and changes, every clause in its paragraph, disagreements, silence, documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pandas as pd

from riskanalytics.analysis.clauses import clause_pairs
from riskanalytics.frames import rows_of
from riskanalytics.models import DOCUMENT_STATE_NAMES, stance_name, surface_name
from riskanalytics.reporting.blocks.changes import (
    anchor,
    card,
    class_name,
    direction,
    noise_folded,
    says,
    surfaces_named,
)
from riskanalytics.reporting.blocks.evidence import clause_weight
from riskanalytics.reporting.blocks.words import (
    Rows,
    clause_facts,
    day,
    grouped,
    is_missing,
    level,
    link,
    plural,
    question,
    quote,
    quoted,
    roles,
    snapshot_anchor,
    source,
    text,
)
from riskanalytics.reporting.display import Block

_MOVES_SHOWN: Final = 10
_MOVES_MOST: Final = 40
_LISTED: Final = 80
_CLAUSES_OPEN: Final = 2
_PAIRS_SHOWN: Final = 4
_SIDES_SHOWN: Final = 2


def platform_moves(moves: pd.DataFrame, changes: pd.DataFrame | None, shown: Sequence[Any] = ()) -> Block:
    """Show when the rating or the stance of a platform moved, and because of which words.

    Parameters
    ----------
    moves : pandas.DataFrame
        As `analysis.platform_moves` gives it.
    changes : pandas.DataFrame or None
        As `analysis.platform_changes` gives it; None where the changes are not known.
    shown : sequence
        Identifiers of the changes whose cards stand on the page.
    """
    rows = _together(rows_of(moves))
    if not rows:
        unknown = "" if changes is not None else " on the days read; the changes between them need a Pro key"
        html = f"<p>Neither its rating nor its stance on training use moved{unknown}.</p>"
        return Block(html, "no move")
    causes = {} if changes is None else {row["change_id"]: row for row in rows_of(changes)}
    lines = [_move(group, [causes.get(row["change_id"]) for row in group], shown) for group in rows[:_MOVES_MOST]]
    older = len(rows) - len(lines)
    rest = f"<p class=note>{plural(older, 'older move')} not shown.</p>" if older else ""
    label = plural(len(rows) - _MOVES_SHOWN, "older move")
    more = lines[_MOVES_SHOWN:]
    folded = f"<details><summary>{label}</summary>{_moves(more)}{rest}</details>" if more else ""
    return Block(
        f"<section aria-label=Moves>{_moves(lines[:_MOVES_SHOWN])}{folded}</section>", plural(len(rows), "move")
    )


def _together(rows: Rows) -> list[Rows]:
    """Return moves by review: several documents may have moved the rating together."""
    groups: dict[tuple[str, ...], Rows] = {}
    for row in rows:
        sides = (row[f"{key}_{side}"] for key in ("rating", "stance") for side in ("before", "after"))
        groups.setdefault((day(row["since"]), day(row["at"]), *map(str, sides)), []).append(row)
    return list(groups.values())


def _moves(lines: Sequence[str]) -> str:
    """Return moves as a table."""
    return (
        "<div class=wide><table class=text><caption>Moves of the rating and of the stance on training use, the latest first"
        "</caption><thead><tr><th scope=col>Date</th><th scope=col>Moved</th><th scope=col>Because of</th></tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def _move(rows: Rows, changes: Sequence[Mapping[str, Any] | None], shown: Sequence[Any]) -> str:
    """Return one move as a row, with all that caused it."""
    row = rows[0]
    when = day(row["at"]) if is_missing(row["since"]) else f"{day(row['since'])} to {day(row['at'])}"
    moved = []
    if row["rating_before"] != row["rating_after"]:
        moved.append(f"{level(row['rating_before'])} → {level(row['rating_after'])}")
    if not is_missing(row["stance_before"]) and row["stance_before"] != row["stance_after"]:
        before, after = (_stance(row[key]) for key in ("stance_before", "stance_after"))
        moved.append(f"<span class=meta>training: {before} → {after}</span>")
    because = "<br>".join(_because(change, shown) for change in changes)
    return f"<tr><th scope=row class=whole>{when}</th><td>{'<br>'.join(moved)}</td><td>{because}</td></tr>"


def _stance(value: Any) -> str:
    """Return a stance in the middle of a sentence."""
    return "not known" if is_missing(value) else text(stance_name(str(value)).lower())


def _because(change: Mapping[str, Any] | None, shown: Sequence[Any]) -> str:
    """Return the words that moved a rating; the kind of the change where they do not stand on the page."""
    if change is None:
        return "not known without the changes, which need a Pro key"
    pairs = clause_pairs(change)
    if pairs and change["change_id"] in shown:
        return says(change, pairs[0])
    kind = "" if change["change_class"] == "material" else f", {text(class_name(change['change_class']))}"
    return f"{text(change['document'])}{kind}: {text(change['summary'])}"


def platform_changes(
    changes: pd.DataFrame | None, noise: pd.DataFrame | None, checked: pd.DataFrame, shown: Sequence[Any]
) -> Block:
    """Show what changed on a platform, the latest first; the noise folded below.

    Parameters
    ----------
    changes : pandas.DataFrame or None
        As `analysis.platform_changes` gives it; None where the changes are not known.
    noise : pandas.DataFrame or None
        As `analysis.change_noise` gives it.
    checked : pandas.DataFrame
        As `changed_clauses` gives it for the changes shown, checked again.
    shown : sequence
        Identifiers of the changes to show in full; the others are listed.
    """
    if changes is None or noise is None:
        html = "<p>What changed is not known: the service shows changes to Pro keys only.</p>"
        return Block(html, "changes are not known: they need a Pro key")
    rows = rows_of(changes)
    if not rows:
        html = f"<p>No material change is recorded.</p>{noise_folded(noise)}"
        return Block(f"<section aria-label=Changes>{html}</section>", "no material change")
    states = dict(zip(checked["finding_id"], checked["verification_status"], strict=True))
    cards = "".join(card(row, states, named=False) for row in rows if row["change_id"] in shown)
    others = [row for row in rows if row["change_id"] not in shown]
    html = f"<section aria-label=Changes>{cards}{_others(others)}{noise_folded(noise)}</section>"
    return Block(html, "\n".join(f"{day(row['reviewed_at'])} {row['document']}: {row['summary']}" for row in rows[:20]))


def _others(rows: Rows) -> str:
    """Return the changes that are not shown in full, folded."""
    if not rows:
        return ""
    body = "".join(
        f'<tr id="{anchor(row)}"><th scope=row class=whole>{day(row["reviewed_at"])}</th><td>{text(row["document"])}</td>'
        f"<td class=whole>{direction(row)}</td><td class=roomy>{text(surfaces_named(row))}</td></tr>"
        for row in rows[:_LISTED]
    )
    rest = f"<p class=note>{len(rows) - _LISTED:,} older ones are not listed.</p>" if len(rows) > _LISTED else ""
    return (
        f"<details><summary>{plural(len(rows), 'more change')}</summary><div class=wide><table class=sortable><thead><tr>"
        "<th scope=col>Date</th><th scope=col>Document</th><th scope=col>Direction</th><th scope=col class=roomy>Surfaces"
        f"</th></tr></thead><tbody>{body}</tbody></table></div>{rest}</details>"
    )


def clauses(findings: pd.DataFrame, parts: pd.DataFrame) -> Block:
    """Show every clause of one platform in its paragraph: those that decided first, then the weightiest.

    Parameters
    ----------
    findings : pandas.DataFrame
        `frames.FINDINGS_COLUMNS`, as `sources.read_findings` gives it.
    parts : pandas.DataFrame
        As `analysis.rating_parts` gives it: the order of the surfaces, and which clauses decided.
    """
    by_surface = grouped(rows_of(findings), "surface")
    if not by_surface:
        return Block("<p>No clause was found.</p>", "no clause")
    told = {str(row["surface"]): row for row in rows_of(parts)}
    order = [*(surface for surface in told if surface in by_surface), *(key for key in by_surface if key not in told)]
    body = "".join(_surface(surface, by_surface[surface], told.get(surface)) for surface in order)
    return Block(f"<section aria-label=Clauses>{body}</section>", f"{plural(len(findings), 'clause')} in context")


def _surface(surface: str, rows: Rows, part: Mapping[str, Any] | None) -> str:
    """Return the clauses of one surface; the same words in another place stand below them, not again."""
    decided = [] if part is None else part["decided_by"]
    alone = [row for row in rows if is_missing(row["duplicate_of"]) or not _twin(row, rows)]
    listed = sorted(alone, key=lambda row: (row["finding_id"] not in decided, *clause_weight(row)))
    shown = [
        _clause(row, row["finding_id"] in decided, [twin for twin in rows if _copies(twin, row)]) for row in listed
    ]
    rest = shown[_CLAUSES_OPEN:]
    folded = (
        f"<details class=keep><summary>{plural(len(rest), 'more clause')}</summary>{''.join(rest)}</details>"
        if rest
        else ""
    )
    again = f", {plural(len(rows) - len(listed), 'near-copy', 'near-copies')}" if len(rows) > len(listed) else ""
    count = plural(len(listed), "clause") + again
    mark = level(part["risk"]) if part is not None and not is_missing(part["risk"]) else ""
    return (
        f'<h3 id="surface-{text(surface)}">{text(surface_name(surface))} {mark} <span class=thin>{count}</span></h3>'
        f"{''.join(shown[:_CLAUSES_OPEN])}{folded}"
    )


def _twin(row: Mapping[str, Any], rows: Rows) -> bool:
    """Say whether the clause of which this is a copy stands among these and is no copy itself."""
    return any(other["finding_id"] == row["duplicate_of"] and is_missing(other["duplicate_of"]) for other in rows)


def _copies(row: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Say whether a clause is told to be a copy of another."""
    return not is_missing(row["duplicate_of"]) and row["duplicate_of"] == other["finding_id"]


def _clause(row: Mapping[str, Any], decides: bool, copies: Rows) -> str:
    """Return one clause: its place, whether it decided, its confidence, scope and roles, and its copies."""
    more = "".join(f"<br><span class=meta>Same words: {source(copy)}</span>" for copy in copies)
    told = clause_facts(row, decides=decides)
    line = f"<br><span class=meta>{told}</span>{roles(row)}{more}"
    return quote(row["quote"], row, mark=level(row["risk"]), more=line)


def conflicts(pairs: pd.DataFrame, findings: pd.DataFrame) -> Block:
    """Show clauses that say the opposite of each other side by side.

    Parameters
    ----------
    pairs : pandas.DataFrame
        As `analysis.conflicts` gives it.
    findings : pandas.DataFrame
        `frames.FINDINGS_COLUMNS`, checked again.
    """
    rows, told = rows_of(pairs), {row["finding_id"]: row for row in rows_of(findings)}
    if not rows:
        return Block("<p>No two of its clauses are read as saying the opposite.</p>", "no conflict")
    groups: dict[tuple[Any, ...], Rows] = {}
    for row in rows:
        groups.setdefault((row["surface"], row["second"], row["documents"]), []).append(row)
    shown = [_conflict(group, told) for group in groups.values()]
    rest = shown[_PAIRS_SHOWN:]
    label = plural(len(rest), "more clause contradicted", "more clauses contradicted")
    folded = f"<details class=keep><summary>{label}</summary>{''.join(rest)}</details>" if rest else ""
    html = f"<section aria-label=Conflicts>{''.join(shown[:_PAIRS_SHOWN])}{folded}</section>"
    return Block(html, f"{plural(len(rows), 'pair')} of clauses in conflict")


def _conflict(pairs: Rows, told: Mapping[Any, Mapping[str, Any]]) -> str:
    """Return the clauses that one clause contradicts, beside it."""
    first = pairs[0]
    sides = [_side(told[pair["first"]]) for pair in pairs]
    left, rest = "".join(sides[:_SIDES_SHOWN]), sides[_SIDES_SHOWN:]
    if rest:
        left += f"<details class=keep><summary>{plural(len(rest), 'more clause')}</summary>{''.join(rest)}</details>"
    where = "across documents" if first["documents"] == 2 else "within one document"
    return (
        f"<p class=what><strong>{text(surface_name(str(first['surface'])))}</strong> {where}</p>"
        f"<div class=pair><div>{left}</div><div>{_side(told[first['second']])}</div></div>"
    )


def _side(row: Mapping[str, Any]) -> str:
    """Return one clause of a conflict."""
    return f"<blockquote>{quoted(row['quote'])}</blockquote><p>{level(row['risk'])} {source(row)}</p>"


def quiet_surfaces(standing: pd.DataFrame, documents: pd.DataFrame) -> Block:
    """Show on which surfaces nothing was found, what was asked, and where it was looked for.

    Parameters
    ----------
    standing : pandas.DataFrame
        As `analysis.peers` gives it.
    documents : pandas.DataFrame
        `frames.DOCUMENTS_COLUMNS` of the platform.
    """
    rows = rows_of(standing)
    quiet = [row for row in rows if row["state"] == "quiet"]
    unread = [surface_name(str(row["surface"])) for row in rows if row["state"] not in ("quiet", "found")]
    note = f"<p class=alarm>Not read, so not known: {text(', '.join(unread))}.</p>" if unread else ""
    if not quiet:
        said = "" if unread else "<p>Something was found on every surface.</p>"
        return Block(f"<section aria-label=Silence>{said}{note}</section>", "no quiet surface")
    body = "".join(
        f"<tr><th scope=row>{text(surface_name(str(row['surface'])))}</th><td>{text(question(row['surface']))}</td>"
        f"<td class=n>{_found(row):,} of {int(row['peers']):,}</td></tr>"
        for row in quiet
    )
    names = ", ".join(
        text(row["document"]) for row in rows_of(documents) if row["state"] not in ("broken", "not_a_policy")
    )
    html = (
        f"<section aria-label=Silence><p>Searched: {names or 'no document'}. That nothing was found there is no promise, and never "
        "counts as LOW.</p><div class=wide><table class=text><thead><tr><th scope=col>Surface</th><th scope=col>What was asked</th>"
        f"<th scope=col class=n>Peers who speak of it</th></tr></thead><tbody>{body}</tbody></table></div>{note}</section>"
    )
    return Block(html, f"nothing found on {plural(len(quiet), 'surface')}")


def _found(row: Mapping[str, Any]) -> int:
    """Return how many peers have a clause there."""
    return sum(int(row[key]) for key in ("high", "med", "low"))


def documents(fresh: pd.DataFrame, documents: pd.DataFrame, findings: pd.DataFrame) -> Block:
    """Show the documents of one platform: what was read, of when, its clauses and its hash.

    Parameters
    ----------
    fresh : pandas.DataFrame
        As `analysis.freshness` gives it.
    documents : pandas.DataFrame
        `frames.DOCUMENTS_COLUMNS` of the platform.
    findings : pandas.DataFrame
        `frames.FINDINGS_COLUMNS` of the platform.
    """
    if documents.empty:
        return Block("<p>Which documents were read is not told.</p>", "documents are not told")
    counts = findings["document"].value_counts()
    hashes = dict(zip(documents["document"], documents["snapshot_sha256"], strict=True))
    cited = set(findings["snapshot_sha256"].dropna())
    body = "".join(
        _document(row, counts.get(row["document"], 0), hashes.get(row["document"]), cited) for row in rows_of(fresh)
    )
    note = _unchanged(rows_of(fresh))
    html = (
        "<div class=wide><table><thead><tr><th scope=col>Document</th><th scope=col>Text of</th><th scope=col class=n>Days old"
        "</th><th scope=col class=n>Clauses</th><th scope=col>State</th><th scope=col class=roomy>SHA-256</th></tr></thead>"
        f"<tbody>{body}</tbody></table></div>{note}"
    )
    return Block(html, plural(len(documents), "document"))


def _document(row: Mapping[str, Any], count: int, sha256: Any, cited: set[Any]) -> str:
    """Return one document as a row."""
    state = str(row["state"])
    told = "" if is_missing(sha256) else f"<code>{text(str(sha256)[:12])}</code>"
    if sha256 in cited:
        told = f'<a href="#{snapshot_anchor(str(sha256))}">{told}</a>'
    age = "" if is_missing(row["age_days"]) else f"{int(row['age_days']):,}"
    words = text(DOCUMENT_STATE_NAMES.get(state, state.replace("_", " ")))
    style = "" if state == "good" else " class=bad"
    check = "" if state == "good" or is_missing(row["check"]) else f" ({text(str(row['check']).replace('_', ' '))})"
    return (
        f"<tr><th scope=row>{link(row['archive_url'], text(row['document']))}</th><td class=whole>{day(row['captured_at'])}</td>"
        f"<td class=n>{age}</td><td class=n>{int(count):,}</td><td><span{style}>{words}{check}</span></td>"
        f"<td class=roomy>{told}</td></tr>"
    )


def _unchanged(rows: Rows) -> str:
    """Return what an old text means, where there is one."""
    old = [row for row in rows if row["flag"] == "unchanged"]
    if not old:
        return ""
    days = int(old[0]["unchanged_days"])
    return (
        f"<p class=note>{len(old)} of {plural(len(rows), 'document')} have not changed for more than {days} days. "
        "An archive records a document when it changes, so an old text may well be today's.</p>"
    )
