"""One platform in full: its moves and changes, every clause in its paragraph, disagreements, silence, documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pandas as pd

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.models import document_words, in_other_language, languages_not_read
from riskanalytics.pages import rows as show
from riskanalytics.pages import values as v
from riskanalytics.pages.quoted import evidence_of
from riskanalytics.pages.rows import below, first_shown, separated
from riskanalytics.pages.section import Section, of_data, section
from riskanalytics.surfaces import surface_name
from riskanalytics.text.wording import plural
from riskanalytics.topics.changes import section as changed
from riskanalytics.topics.changes.clauses import clause_pairs
from riskanalytics.topics.dossier import own_words
from riskanalytics.topics.quotes import clause_weight
from riskanalytics.topics.ratings.matrix import mark_of
from riskanalytics.topics.shape import Record, found_share, items_of

__all__ = [
    "clause_conflicts", "platform_changes", "platform_clauses", "platform_documents", "platform_moves", "quiet_surfaces",
]  # fmt: skip

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
        Identifiers of the changes that the page shows in full.

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
        return Section((v.Paragraph(f"Neither its rating nor its stance on training use moved{unknown}."),), "no move")
    causes = {} if changes is None else {row["change_id"]: row for row in rows_of(changes)}

    def because(row: Record) -> v.Words:
        ids = items_of(row["change_ids"])[::-1] or [None]
        return separated([_because(causes.get(change_id), shown) for change_id in ids], v.BREAK)

    heads = (("whole:Date", _when), ("Moved", _moved), ("Because of", because))
    caption = "Moves of the rating and of the stance on training use, the latest first"
    shown_rows = (rows[:_MOVES_SHOWN], rows[_MOVES_SHOWN:_MOVES_MOST])
    tables = [show.rows_table(caption, part, *heads, style="text") for part in shown_rows]
    older, hidden = len(rows) - _MOVES_SHOWN, len(rows) - _MOVES_MOST
    rest = v.Paragraph(f"{plural(hidden, 'older move')} not shown." if hidden > 0 else "", "note")
    folded = (v.Fold(plural(older, "older move"), (tables[1], rest)),) if older > 0 else ()
    return section("Moves", tables[0], *folded, text=plural(len(rows), "move"))


def _when(row: Record) -> str:
    """Return the day of a move, or the days between which it happened."""
    return show.day(row["at"]) if is_missing(row["since"]) else f"{show.day(row['since'])} to {show.day(row['at'])}"


def _moved(row: Record) -> v.Words:
    """Return what moved: the rating, the stance, or both."""
    moved: list[v.Words] = []
    if row["rating_before"] != row["rating_after"]:
        moved.append((show.level(row["rating_before"]), " → ", show.level(row["rating_after"])))
    if not is_missing(row["stance_before"]) and row["stance_before"] != row["stance_after"]:
        was, now = (changed.stance_said(row[f"stance_{side}"]) for side in ("before", "after"))
        moved.append(v.Text(f"training: {was} → {now}", "meta"))
    return separated(moved, v.BREAK)


def _because(change: Record | None, shown: Sequence[object]) -> v.Words:
    """Return the words that moved a rating; the kind of the change where the page does not quote them."""
    if change is None:
        return "not known without the changes, which need a Pro key"
    pairs = clause_pairs(change)
    if pairs and change["change_id"] in shown:
        return changed.says(change, pairs[0])
    kind = "" if change["change_class"] == "material" else f", {changed.class_name(change['change_class'])}"
    return f"{show.text(change['document'])}{kind}: {show.text(change['summary'])}"


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
    2024-08-22 Privacy Policy: Findings on Web data training: 1 removed.
    """
    if changes is None or noise is None:
        return changed.unknown("What changed")
    rows = rows_of(changes)
    if not rows:
        none = v.Paragraph("No material change is recorded.")
        return section("Changes", none, *changed.noise_folded(noise), text="no material change")
    states = changed.states_of(checked)
    cards: list[v.Part] = [changed.card(row, states, named=False) for row in rows if row["change_id"] in shown]
    if others := [row for row in rows if row["change_id"] not in shown]:
        heads = (("whole:Date", "reviewed_at"), *changed.CHANGE_SHOWN)
        listed = show.rows_table("", others[:_LISTED], *heads, anchor=changed.anchor)
        hidden = len(others) - _LISTED
        rest = v.Paragraph(f"{plural(hidden, 'older change')} not listed." if hidden > 0 else "", "note")
        cards.append(v.Fold(plural(len(others), "more change"), (listed, rest)))
    said = "\n".join(
        f"{show.day(row['reviewed_at'])} {show.text(row['document'])}: {show.text(row['summary'])}" for row in rows[:20]
    )
    return section("Changes", *cards, *changed.noise_folded(noise), text=said)


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
    '13 clauses in context'
    """
    by_surface = show.grouped(rows_of(findings), "surface")
    if not by_surface and (counted := int(parts["clauses"].sum())):
        hidden = f"{plural(counted, 'clause is', 'clauses are')} counted, and none is shown to this key."
        return Section((v.Paragraph(hidden, "alarm"),), "clauses are not shown")
    if not by_surface:
        return Section((v.Paragraph("No clause was found."),), "no clause")
    told = {str(row["surface"]): row for row in rows_of(parts)}
    order = [surface for surface in dict.fromkeys((*told, *by_surface)) if surface in by_surface]
    shown = (part for surface in order for part in _surface(surface, by_surface[surface], told.get(surface, {})))
    return section("Clauses", *shown, text=f"{plural(len(findings), 'clause')} in context")


def _surface(surface: str, rows: show.Rows, part: Record) -> v.Parts:
    """Return the clauses of one surface; where else the same words are is said below them."""
    decided = items_of(part.get("decided_by"))
    first = {row["finding_id"] for row in rows if is_missing(row["duplicate_of"])}
    copies = show.grouped([row for row in rows if row["duplicate_of"] in first], "duplicate_of")
    alone = [row for row in rows if row["duplicate_of"] not in first]
    quotes = []
    for row in sorted(alone, key=lambda row: (row["finding_id"] not in decided, *clause_weight(row))):
        facts = below(show.clause_facts(row, decides=row["finding_id"] in decided))
        same = tuple(below(("Same words: ", show.source(copy))) for copy in copies.get(str(row["finding_id"]), []))
        quotes.append(show.quote(row, mark=show.level(row["risk"]), more=(facts, same)))
    again = f", {plural(len(rows) - len(alone), 'near-copy', 'near-copies')}" if len(rows) > len(alone) else ""
    mark = "" if is_missing(part.get("risk")) else show.level(part["risk"])
    count = v.Text(f"{plural(len(alone), 'clause')}{again}", "thin")
    title = v.Heading((surface_name(surface), " ", mark, " ", count), anchor=f"surface-{surface}")
    return title, *first_shown(quotes, _CLAUSES_OPEN, "more clause")


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
    if findings.empty:
        return Section((v.Paragraph("There is no clause to compare."),), "no clause to compare")
    if pairs.empty:
        return Section((v.Paragraph("No two of its clauses are read as saying the opposite."),), "no conflict")
    quotes = {}
    for row in rows_of(findings[findings["finding_id"].isin([*pairs["first"], *pairs["second"]])]):
        source = (show.level(row["risk"]), " ", show.source(row))
        quotes[row["finding_id"]] = v.Quote(show.in_paragraph(row), source, evidence=evidence_of(row))
    shown: list[v.Parts] = []  # the clauses that one clause contradicts, beside it
    for group in map(rows_of, dict(list(pairs.groupby(["surface", "second", "documents"], sort=False))).values()):
        left = first_shown([quotes[pair["first"]] for pair in group], _SIDES_SHOWN, "more clause")
        where = "across documents" if group[0]["documents"] == 2 else "within one document"
        head = v.Paragraph((v.Text(surface_name(str(group[0]["surface"])), "strong"), f" {where}"), "what")
        shown.append((head, v.Pair((v.Group(left), v.Group((quotes[group[0]["second"]],))))))
    parts = [part for conflict in shown[:_PAIRS_SHOWN] for part in conflict]
    if rest := shown[_PAIRS_SHOWN:]:
        label = plural(len(rest), "more clause contradicted", "more clauses contradicted")
        parts.append(v.Fold(label, tuple(part for conflict in rest for part in conflict), "keep"))
    return section("Conflicts", *parts, text=f"{plural(len(pairs), 'pair')} of clauses in conflict")


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
        return Section((v.Paragraph("Which documents were read is not reported."),), "documents are not reported")
    counts, cited = findings["document"].value_counts(), set(findings["snapshot_sha256"].dropna())
    hashes = dict(zip(documents["document"], documents["snapshot_sha256"], strict=True))

    def hashed(row: Record) -> v.Words:
        sha256 = hashes.get(row["document"])
        told: v.Words = "" if is_missing(sha256) else v.Text(str(sha256)[:12], "code")
        return v.Link(told, f"#{show.snapshot_anchor(str(sha256))}") if sha256 in cited else told

    listed = show.rows_table(
        "",
        rows_of(fresh),
        ("Document", lambda row: show.link(show.text(row["document"]), row["archive_url"])),
        ("whole:Text of", "captured_at"),
        ("n:Days old", "age_days"),
        ("n:Clauses", lambda row: f"{counts.get(row['document'], 0):,}" if cited else ""),  # a key may see no clause
        ("State", _state),
        ("roomy:SHA-256", hashed),
        style="",
    )
    note = ""
    if len(old := fresh[fresh["flag"] == "unchanged"]):
        days, verb = plural(int(old["unchanged_days"].iloc[0]), "day"), "has" if len(old) == 1 else "have"
        note = f"{len(old)} of {plural(len(fresh), 'document')} {verb} not changed for more than {days}. "
        note += "An archive records a document when it changes, so an old text may well be today's."
    return Section((listed, v.Paragraph(note, "note")), plural(len(documents), "document"))


def _state(row: Record) -> v.Words:
    """Return the state of a document, loudly where it is not read."""
    words, good = document_words(row), row["state"] == "good"
    if not good and not is_missing(row["check"]):
        words += f" ({str(row['check']).replace('_', ' ')})"
    return words if good and not in_other_language(row) else v.Text(words, "bad")


@of_data(standing="peer_levels", figures="figures")
def quiet_surfaces(standing: pd.DataFrame, documents: pd.DataFrame, *, figures: object = None) -> Section:
    """Show the surfaces without an answer of one platform: nothing found, clauses to read, or not read.

    Parameters
    ----------
    standing : pandas.DataFrame
        As `analysis.peer_levels` gives it.
    documents : pandas.DataFrame
        `frames.DOCUMENTS_COLUMNS` of the platform.
    figures : object, optional
        What the service reports of its extraction under `figures`: which share is found.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> standing = analysis.peer_levels(matrix, "alfisen-music")
    >>> sections.quiet_surfaces(standing, data.of(["alfisen-music"]).documents).text
    'nothing found on 3 surfaces'
    """
    rows, texts = rows_of(standing), rows_of(documents)
    quiet = [row for row in rows if mark_of(row) == "QUIET"]
    to_read = [f"{surface_name(str(row['surface']))} {own_words(row)}" for row in rows if mark_of(row) == "TO_READ"]
    unread = [surface_name(str(row["surface"])) for row in rows if mark_of(row) == "UNREAD"]
    languages = languages_not_read(texts)
    missing = f"Not read, so not known: {', '.join(unread)}{languages and f' ({languages})'}." if unread else ""
    settled = f"Not settled: {', '.join(to_read)}." if to_read else ""
    notes = (v.Paragraph(settled), v.Paragraph(missing, "alarm"))
    if not quiet:
        said = v.Paragraph("" if settled or missing else "Something was found on every surface.")
        return section("Silence", said, *notes, text="no quiet surface")
    good = [row for row in texts if row["state"] in ("good", "stale") and not in_other_language(row)]
    read = ", ".join(show.text(row["document"]) for row in good) or "no document"
    searched = f"Searched: {read}. Nothing found never counts as LOW. {found_share(figures)}"
    asked = show.rows_table(
        "",
        quiet,
        ("Surface", lambda row: surface_name(row["surface"])),
        ("What was asked", lambda row: show.question(row["surface"])),
        ("n:Peers who speak of it", lambda row: f"{row['high'] + row['med'] + row['low']:,} of {row['peers']:,}"),
        style="text",
    )
    words = f"nothing found on {plural(len(quiet), 'surface')}"
    return section("Silence", v.Paragraph(searched), asked, *notes, text=words)
