"""Page sections on one platform: changes, every clause in its paragraph, contradictions, surfaces without a level, documents."""

from collections.abc import Sequence

import pandas as pd

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.models import LEVELS, in_other_language, languages_not_read
from riskanalytics.pages import rows as show
from riskanalytics.pages import values as v
from riskanalytics.pages.quoted import evidence_of
from riskanalytics.pages.section import Section, of_data, section, sentence
from riskanalytics.surfaces import surface_name
from riskanalytics.text.wording import plural

from ..changes import section as changed
from ..changes.clauses import clause_pairs
from ..coverage.section import DOCUMENT, document_state, unchanged_note
from ..quotes import clause_weight
from ..ratings.matrix import mark_of
from ..shape import Record, found_share, items_of
from . import own_words

__all__ = [
    "clause_conflicts", "platform_changes", "platform_clauses", "platform_documents", "platform_moves", "quiet_surfaces",
]  # fmt: skip


@of_data(moves="platform_moves", changes="platform_changes", shown="shown")
def platform_moves(moves: pd.DataFrame, changes: pd.DataFrame | None, shown: Sequence[object] = ()) -> Section:
    """Return a section with the moves of a platform's rating or stance on training use, and the cause of each.

    Parameters
    ----------
    moves : pandas.DataFrame
        Result of `analysis.platform_moves`.
    changes : pandas.DataFrame or None
        Result of `analysis.platform_changes`; None if the changes are not known.
    shown : sequence
        Identifiers of the changes that the page shows in full. If one of them caused a move, the cause is shown as a quote; if
        another change did, as a summary of that change.

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
        return sentence(f"Neither its rating nor its stance on training use changed{unknown}.")
    causes = {} if changes is None else {row["change_id"]: row for row in rows_of(changes)}

    def because(row: Record) -> v.Words:
        said = [_because(causes[one], shown) for one in items_of(row["change_ids"])[::-1] if one in causes]
        return show.separated(said, v.BREAK) or "not known: changes need a Pro key"

    caption = "Changes of the rating and of the stance on training use, the latest first"
    heads = (
        ("whole:Date", lambda row: " to ".join(filter(None, (show.day(row["since"]), show.day(row["at"]))))),
        ("Change", _moved),
        ("Cause", because),
    )
    table = show.rows_table(caption, rows, *heads, style="text", most=40)
    return section("Changes of the rating or stance", table, text=plural(len(rows), "move"))


def _moved(row: Record) -> v.Words:
    """Return what changed: the rating, the stance, or both."""
    moved: list[v.Words] = []
    if row["rating_before"] != row["rating_after"]:
        moved.append((show.level(row["rating_before"]), " → ", show.level(row["rating_after"])))
    was, now = (changed.stance_said(row[f"stance_{side}"]) for side in ("before", "after"))
    if was not in (now, changed.stance_said(None)):
        moved.append(v.Text(f"training: {was} → {now}", "meta"))
    return show.separated(moved, v.BREAK)


def _because(change: Record, shown: Sequence[object]) -> v.Words:
    """Return the clauses that moved a rating, or a summary of the change if the page does not quote them."""
    pairs = clause_pairs(change)
    if pairs and change["change_id"] in shown:
        return changed.says(change, pairs[0])
    kind = "" if change["change_class"] == "material" else f", {changed.class_name(change['change_class'])}"
    return f"{show.text(change['document'])}{kind}: {show.text(change['summary'])}"


@of_data(changes="platform_changes", noise="change_noise", checked="platform_change_clauses")
def platform_changes(
    changes: pd.DataFrame | None, noise: pd.DataFrame | None, checked: pd.DataFrame, shown: Sequence[object]
) -> Section:
    """Return a section with the changes of a platform, the latest first.

    At its end a part that opens on a click counts the changes that are not material (noise).

    Parameters
    ----------
    changes, noise : pandas.DataFrame or None
        Results of `analysis.platform_changes` and `analysis.change_noise`; None if the changes are not known.
    checked : pandas.DataFrame
        Result of `analysis.changed_clauses` for the changes in `shown`, after `data.verify`.
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
    states = changed.states_of(checked)
    cards: list[v.Part] = [changed.card(row, states, named=False) for row in rows if row["change_id"] in shown]
    if others := [row for row in rows if row["change_id"] not in shown]:
        heads = (("whole:Date", "reviewed_at"), *changed.CHANGE_SHOWN)
        table = show.rows_table("", others, *heads, anchor=changed.anchor, most=80)
        cards.append(v.Fold(plural(len(others), "more change"), (table,)))
    said = "\n".join(
        f"{show.day(row['reviewed_at'])} {show.text(row['document'])}: {show.text(row['summary'])}" for row in rows[:20]
    )
    none = v.Paragraph("" if rows else "No material change is recorded.")
    return section("Changes", none, *cards, *changed.noise_folded(noise), text=said or "no material change")


@of_data(findings="clauses", parts="rating_parts")
def platform_clauses(findings: pd.DataFrame, parts: pd.DataFrame) -> Section:
    """Return a section with every clause of one platform in its paragraph, by surface.

    On each surface, the clauses that decided its level come first, then the others. Both groups are sorted: clauses that raise
    risk first, and then by level, the highest first.

    Parameters
    ----------
    findings : pandas.DataFrame
        The platform's findings with their paragraphs: result of `data.read`.
    parts : pandas.DataFrame
        Result of `analysis.rating_parts`: it gives the order of the surfaces and the deciding clauses.

    Examples
    --------
    >>> one = data.of(["orvewick-voice"])
    >>> parts = analysis.rating_parts(one.surfaces, one.findings, data.extraction["rating"])
    >>> sections.platform_clauses(data.read(one.findings), parts).text
    '13 clauses in context'
    """
    by_surface = show.grouped(rows_of(findings), "surface")
    if not by_surface:
        counted = int(parts["clauses"].sum())
        hidden = f"{plural(counted, 'clause is', 'clauses are')} counted, but not shown with this key."
        return sentence(hidden, "alarm") if counted else sentence("No clause was found.")
    decided = {row["surface"]: row for row in rows_of(parts)}
    order = [surface for surface in dict.fromkeys((*decided, *by_surface)) if surface in by_surface]
    shown = (part for surface in order for part in _surface(surface, by_surface[surface], decided.get(surface, {})))
    return section("Clauses", *shown, text=f"{plural(len(findings), 'clause')} in context")


def _surface(surface: str, rows: show.Rows, part: Record) -> v.Parts:
    """Return the clauses of one surface, each with the other places where the same words occur."""
    decided = items_of(part.get("decided_by"))
    first = {row["finding_id"] for row in rows if is_missing(row["duplicate_of"])}
    copies = show.grouped([row for row in rows if row["duplicate_of"] in first], "duplicate_of")
    alone = [row for row in rows if row["duplicate_of"] not in first]
    quotes = []
    for row in sorted(alone, key=lambda row: (row["finding_id"] not in decided, *clause_weight(row))):
        facts = show.below(show.clause_facts(row, decides=row["finding_id"] in decided))
        same = tuple(show.below(("Same words: ", show.source(copy))) for copy in copies.get(row["finding_id"], []))
        quotes.append(show.quote(row, mark=show.level(row["risk"]), more=(facts, same)))
    again = f", {plural(len(rows) - len(alone), 'near-copy', 'near-copies')}" if len(rows) > len(alone) else ""
    mark = () if is_missing(part.get("risk")) else (" ", show.level(part["risk"]))
    count = v.Text(f"{plural(len(alone), 'clause')}{again}", "thin")
    title = v.Heading((surface_name(surface), *mark, " ", count), anchor=f"surface-{surface}")
    return title, *show.first_shown(quotes, 2, "more clause")


@of_data(pairs="conflicts", findings="clauses")
def clause_conflicts(pairs: pd.DataFrame, findings: pd.DataFrame) -> Section:
    """Return a section with the clauses that contradict each other, side by side.

    Parameters
    ----------
    pairs : pandas.DataFrame
        Result of `analysis.conflicts`.
    findings : pandas.DataFrame
        The findings of the platform, after `data.verify`.

    Examples
    --------
    >>> sections.clause_conflicts(analysis.conflicts(data.findings), data.findings).text
    '1 pair of clauses in conflict'
    """
    if findings.empty:
        return sentence("There are no clauses to compare.")
    if pairs.empty:
        return sentence("No two clauses contradict each other.")
    quotes = {}
    for row in rows_of(findings[findings["finding_id"].isin([*pairs["first"], *pairs["second"]])]):
        source = (show.level(row["risk"]), " ", show.source(row))
        quotes[row["finding_id"]] = v.Quote(show.in_paragraph(row), source, evidence=evidence_of(row))
    shown: list[v.Part] = []  # each clause next to the clauses that it contradicts
    for (surface, second, documents), group in pairs.groupby(["surface", "second", "documents"], sort=False):
        left = show.first_shown([quotes[first] for first in group["first"]], 2, "more clause")
        where = "across documents" if documents == 2 else "within one document"
        head = v.Paragraph((v.Text(surface_name(str(surface)), "strong"), f" {where}"), "what")
        shown.append(v.Group((head, v.Pair((v.Group(left), v.Group((quotes[second],)))))))
    parts = show.first_shown(shown, 4, "more clause contradicted", "more clauses contradicted")
    return section("Conflicts", *parts, text=f"{plural(len(pairs), 'pair')} of clauses in conflict")


@of_data(fresh="freshness", findings="clauses")
def platform_documents(fresh: pd.DataFrame, findings: pd.DataFrame) -> Section:
    """Return a section with a table of one platform's documents: day, age, state and hash of each text, and number of clauses.

    Parameters
    ----------
    fresh : pandas.DataFrame
        Result of `analysis.freshness` for the platform.
    findings : pandas.DataFrame
        The findings of the platform (`frames.FINDINGS_COLUMNS`), to count the clauses of each document.

    Examples
    --------
    >>> one = data.of(["orvewick-voice"])
    >>> fresh = analysis.freshness(one.documents, data.day)
    >>> sections.platform_documents(fresh, one.findings).text
    '2 documents'
    """
    if fresh.empty:
        return sentence("The service does not report which documents were read.")
    counts, cited = findings["document"].value_counts(), set(findings["snapshot_sha256"].dropna())

    def hashed(row: Record) -> v.Words:
        sha256 = show.text(row["snapshot_sha256"])
        code = v.Text(sha256[:12], "code")
        return v.Link(code, f"#{show.snapshot_anchor(sha256)}") if sha256 in cited else code

    listed = show.rows_table(
        "",
        rows_of(fresh),
        DOCUMENT,
        ("whole:Text of", "captured_at"),
        ("n:Days old", "age_days"),
        ("n:Clauses", lambda row: f"{counts.get(row['document'], 0):,}" if cited else ""),  # a key may show no clauses
        ("State", document_state),
        ("roomy:SHA-256", hashed),
        style="",
    )
    return Section((listed, v.Paragraph(unchanged_note(fresh), "note")), plural(len(fresh), "document"))


@of_data(standing="peer_levels", figures="figures")
def quiet_surfaces(standing: pd.DataFrame, documents: pd.DataFrame, *, figures: object = None) -> Section:
    """Return a section with the surfaces on which one platform has no level, and why.

    Either no clause was found, or there are only clauses that a person must read, or the documents were not read.

    Parameters
    ----------
    standing : pandas.DataFrame
        Result of `analysis.peer_levels`.
    documents : pandas.DataFrame
        The platform's documents (`data.documents`).
    figures : object, optional
        Accuracy figures, `data.extraction.get("figures")`. A note states the share of clauses that the extraction finds.

    Examples
    --------
    >>> matrix = analysis.risk_matrix(data.findings, data.surfaces, data.platforms)
    >>> standing = analysis.peer_levels(matrix, "alfisen-music")
    >>> sections.quiet_surfaces(standing, data.of(["alfisen-music"]).documents).text
    'no clause found on 3 surfaces'
    """
    rows, texts = [row for row in rows_of(standing) if mark_of(row) not in LEVELS], rows_of(documents)
    if not rows:
        return sentence("A clause was found on every surface.")
    good = [row["document"] for row in texts if row["state"] in ("good", "stale") and not in_other_language(row)]
    languages = languages_not_read(texts)
    searched = f"Searched: {', '.join(good) or 'no document'}.{languages and f' Not read: {languages}.'}"
    shown = show.rows_table(
        "",
        rows,
        ("Surface", "surface"),
        ("State", lambda row: v.Text(own_words(row), "bad" if mark_of(row) == "UNREAD" else "")),
        ("Question", lambda row: show.question(row["surface"])),
        ("n:Peers with a clause", lambda row: f"{row['high'] + row['med'] + row['low']:,} of {row['peers']:,}"),
        style="text",
    )
    note = v.Paragraph(f"{searched} A surface without a clause never counts as LOW. {found_share(figures)}")
    quiet = sum(mark_of(row) == "QUIET" for row in rows)
    return section("Silence", note, shown, text=f"no clause found on {plural(quiet, 'surface')}")
