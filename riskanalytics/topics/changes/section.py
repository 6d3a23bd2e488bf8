"""Changes on a page: an overview, each change with its clauses before and after, and the noise folded below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import pandas as pd

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.models import stance_name
from riskanalytics.pages import values as v
from riskanalytics.pages.quoted import evidence_of
from riskanalytics.pages.rows import Rows, Shown, cut, day, level, name, quoted, rows_table, separated, source, text
from riskanalytics.pages.section import Section, of_data, section
from riskanalytics.surfaces import surface_name
from riskanalytics.text.wording import dated, joined, listed, plural
from riskanalytics.topics.changes.clauses import Clause, ClausePair, clause_pairs
from riskanalytics.topics.changes.moves import marked
from riskanalytics.topics.shape import NOT_GIVEN, items_of

__all__ = ["changed_platforms", "equal_periods"]

Change = Mapping[str, object]
"""A row of `analysis.material_changes`, or of another frame."""
States = Mapping[object, Mapping[str, object]]
"""Identifier of a finding -> what its check found."""
_CHECKED: Final = ("verification_status", "live_url")
"""Identifier of a finding -> what its check found."""

PRO_ONLY: Final = "the service shows changes to Pro keys only"

_DIRECTIONS: Final = {
    "up": ("▲", "risk up"),
    "down": ("▼", "risk down"),
    "mixed": ("◆", "up and down"),
    "unclear": ("?", "changed: read both"),
    "none": ("", "no direction"),
}
_CLASSES: Final = {
    "wording": "wording only",
    "format": "format only",
    "revert": "back to earlier words",
    "capture_failure": "failed captures",
    "technical": "changes of the archive itself",
}
_KINDS: Final = {"reread": "unchanged, read otherwise beside what changed"}
_BACK: Final = "moved and came back, at the end of the period it is what it was at its beginning"
_PAIRS_SHOWN: Final = 2
_PAIRS_MOST: Final = 12
_SURFACES_NAMED: Final = 3
_QUOTE_MOST: Final = 240


@of_data(noise="change_noise", checked="changed_clauses", period="days_called")
def changed_platforms(
    material: pd.DataFrame | None,
    noise: pd.DataFrame | None,
    checked: pd.DataFrame | None = None,
    *,
    most: int = 20,
    period: str = "month",
) -> Section:
    """Show the material changes of a period, worst first, and the noise folded below them.

    Parameters
    ----------
    material : pandas.DataFrame or None
        As `analysis.material_changes` gives it; None where the changes are not known.
    noise : pandas.DataFrame or None
        As `analysis.change_noise` gives it.
    checked : pandas.DataFrame, optional
        As `changed_clauses` gives it, checked again: `finding_id`, `verification_status`.
    most : int
        Changes shown in full; the overview lists all.
    period : str
        What the period is called: a `month`, or a `period`.

    Examples
    --------
    >>> changes = data.changes()
    >>> material = analysis.material_changes(changes, "2026-10-01", "2026-10-10")
    >>> print(sections.changed_platforms(material, analysis.change_noise(changes)).text)
    Corzothorn Chat: Findings on Cross-border transfer: 1 added, 1 removed.
    """
    label = "Material changes"
    if material is None or noise is None:
        rest = f"The ratings before the {period} are compared below, where they are known."
        return unknown(f"What changed is not known: {PRO_ONLY}. {rest}")
    rows = rows_of(material)
    if not rows:
        quiet = v.Paragraph(f"No material change was found in this {period}: it was quiet.")
        return section(label, quiet, *noise_folded(noise), text="no material change")
    states = states_of(checked)
    overview = changes_listed(rows, rows[:most], f"Material changes of the {period}, worst first")
    note = v.Paragraph(f"The {most} worst are shown in full below." if len(rows) > most else "", "note")
    said = "\n".join(f"{row['name']}: {text(row['summary'])}" for row in rows[:most])
    return section(label, overview, note, *_cards(rows[:most], states), *noise_folded(noise), text=said)


def unknown(words: str) -> Section:
    """Return a section that says that changes are not known, because the key does not see them."""
    return Section((v.Paragraph(words),), "changes are not known: they need a Pro key")


def states_of(checked: pd.DataFrame | None) -> States:
    """Return what the check of each finding of a frame found: state and live page; none without a frame."""
    if checked is None:
        return {}
    return {row["finding_id"]: {name: row.get(name) for name in _CHECKED} for row in rows_of(checked)}


def _cards(rows: Rows, states: States) -> v.Parts:
    """Return changes in full; those that move the risk neither up nor down are folded behind the others."""
    loud = [row for row in rows if row["direction"] in ("up", "down", "mixed", "unclear") or row["rating_moved"]]
    calm = tuple(_card(group, states) for group in same_changes([row for row in rows if row not in loud]))
    label = f"{plural(len(calm), 'change that moves', 'changes that move')} the risk neither up nor down"
    return (*(_card(group, states) for group in same_changes(loud)), *((v.Fold(label, calm, "keep"),) if calm else ()))


def _card(group: Sequence[Change], states: States) -> v.Group:
    """Return one card for the same change of several platforms."""
    return card({**group[0], "name": listed([text(row["name"]) for row in group], len(group))}, states)


def same_changes(rows: Sequence[Change]) -> list[list[Change]]:
    """Group changes of several platforms in the same document and words, as of several products of one vendor."""
    groups: dict[object, list[Change]] = {}
    for row in rows:
        told = [(side, one) for side in ("added", "removed") for one in items_of(row[side]) if isinstance(one, Mapping)]
        quotes = frozenset((side, one.get("quote")) for side, one in told)
        moved = row["direction"], row["rating_before"], row["rating_after"], row["stance_before"], row["stance_after"]
        key = (row["document"], *map(str, moved), quotes) if quotes else anchor(row)
        groups.setdefault(key, []).append(row)
    return list(groups.values())


def changes_listed(rows: Sequence[Change], shown: Sequence[Change], caption: str) -> v.Table:
    """Return changes as one table; those that are shown in full lead to their cards."""
    anchors = {anchor(row): anchor(group[0]) for group in same_changes(shown) for row in group}

    def platform(row: Change) -> v.Words:
        label = name(row["name"])
        return v.Link(label, f"#{anchors[anchor(row)]}") if anchor(row) in anchors else label

    return rows_table(caption, rows, ("Platform", platform), *CHANGE_SHOWN, ("whole:Date", "reviewed_at"))


def anchor(row: Change) -> str:
    """Return the address of a change's card on the page."""
    return f"change-{text(row['change_id'])}"


def surfaces_named(row: Change) -> v.Words:
    """Return the first surfaces of a change in words, and how many more there are."""
    names = [surface_name(str(surface)) for surface in items_of(row["surfaces"])]
    return cut(names, _SURFACES_NAMED) if names else "no surface named"


def direction(value: object) -> v.Text:
    """Return where a change moved the risk (`up`, `down`, `mixed`, `none`): a sign and words, never colour alone."""
    sign, words = _DIRECTIONS.get(str(value), ("?", "direction not known"))
    style = str(value) if value in ("up", "down", "mixed") else ""
    return v.Text((v.Text(f"{sign} ", "sign") if sign else "", words), style)


CHANGE_SHOWN: Final[tuple[tuple[str, Shown], ...]] = (
    ("Document", "document"),
    ("whole:Direction", lambda row: direction(row["direction"])),
    ("roomy:Surfaces", surfaces_named),
)
"""What tables show of a change."""


def _directions(row: Change) -> v.Words:
    """Return where a change moved the risk on each surface; nothing where there is only one."""
    directions = row.get("directions")
    if not isinstance(directions, Mapping) or len(directions) < 2:
        return ""
    return separated(
        v.Text((surface_name(str(surface)), " ", direction(word)), "whole") for surface, word in directions.items()
    )


def card(row: Change, states: States, *, named: bool = True) -> v.Group:
    """Return one change in full: when, where the risk went, what moved, and its clauses before and after.

    Parameters
    ----------
    row : mapping
        A row of `analysis.material_changes`.
    states : mapping
        Identifier of a finding -> what its check found.
    named : bool
        Whether the platform's name stands in the title; False on a page that is about this platform alone.
    """
    document = text(row["document"])
    title: v.Words = (name(row["name"]), " ", v.Text(document, "thin")) if named else document
    pairs = clause_pairs(row)
    facts = (v.Paragraph(separated(_facts(row)), "meta"), v.Paragraph(_directions(row), "meta"))
    parts = (v.Heading(title), *facts, v.Paragraph(told(pairs), "why"), *clauses_of(pairs, states))
    return v.Group(parts, "article", anchor=anchor(row))


def _facts(row: Change) -> list[v.Words]:
    """Return the day and direction of a change, its class unless material, and where the rating and the stance went."""
    facts: list[v.Words] = [day(row["reviewed_at"]), direction(row["direction"])]
    if row.get("change_class", "material") != "material":
        facts.append(class_name(row["change_class"]))
    if not is_missing(row["rating_before"]) and row["rating_before"] != row["rating_after"]:
        back = f": {_BACK}" if row["came_back"] else ""
        facts.append(("rating ", level(row["rating_before"]), " → ", level(row["rating_after"]), back))
    if not is_missing(row["stance_before"]) and row["stance_before"] != row["stance_after"]:
        facts.append(f"training: {stance_said(row['stance_before'])} → {stance_said(row['stance_after'])}")
    return facts


def stance_said(value: object) -> str:
    """Return a stance in the middle of a sentence."""
    return "not known" if is_missing(value) else stance_name(str(value)).lower()


def clauses_of(pairs: Sequence[ClausePair], states: States) -> v.Parts:
    """Return the clauses of a change, the first in full, the others folded."""
    shown = [part for pair in pairs[:_PAIRS_SHOWN] for part in _pair(pair, states)]
    if len(pairs) > _PAIRS_SHOWN:
        rest = [part for pair in pairs[_PAIRS_SHOWN:_PAIRS_MOST] for part in _pair(pair, states)]
        if len(pairs) > _PAIRS_MOST:
            rest.append(v.Paragraph(f"{plural(len(pairs) - _PAIRS_MOST, 'clause')} of lower weight not shown.", "note"))
        shown.append(v.Fold(f"{plural(len(pairs) - _PAIRS_SHOWN, 'more clause')} of this change", tuple(rest)))
    return tuple(shown)


def class_name(value: object) -> str:
    """Return a class of changes in words, such as `wording only` for `wording`."""
    return _CLASSES.get(text(value)) or text(value).replace("_", " ") or NOT_GIVEN


def told(pairs: Sequence[ClausePair]) -> str:
    """Return one sentence that counts the clauses added, removed, rewritten and read otherwise."""
    kinds = [pair.kind for pair in pairs]
    told = [kind for kind in ("added", "removed", "rewritten", "reread") if kind in kinds]
    parts = [f"{plural(kinds.count(kind), 'clause')} {_KINDS.get(kind, kind)}" for kind in told]
    return f"{joined(parts)}." if parts else "The service names no clause for this change."


def _pair(pair: ClausePair, states: States) -> v.Parts:
    """Return a clause before and after; a side that is not there takes no room."""
    moved: v.Words = level(pair.risk)
    if pair.risk != pair.risk_before:
        moved = (level(pair.risk_before), " → ", moved)
    surfaces = ", ".join(surface_name(surface) for surface in pair.surfaces)
    kind = v.Text(_KINDS.get(pair.kind, pair.kind).capitalize(), "strong")
    head = v.Paragraph((kind, " ", moved, f" {surfaces}", " · protective" if pair.protective else ""), "what")
    before, after = pair.before, pair.after
    if before is None or after is None:
        style = "ins" if before is None else "del"
        return head, *(_quote(side, states, style=style, gone=after is None) for side in pair.sides)
    if pair.kind == "reread":
        return head, _quote(after, states)
    told = marked(before.quote, after.quote)
    was = v.Group((v.Paragraph("Before", "side"), _quote(before, states, told[0], gone=True)))
    return head, v.Pair((was, v.Group((v.Paragraph("After", "side"), _quote(after, states, told[1])))))


def _quote(
    side: Clause, states: States, words: v.Words | None = None, *, style: str = "", gone: bool = False
) -> v.Quote:
    """Return one side of a clause with its source below it.

    Parameters
    ----------
    side : Clause
    states : mapping
        Identifier of a finding -> what its check found.
    words : Words, optional
        Its words with the differences marked; as they are where not given.
    style : str
        Of the quote.
    gone : bool
        Whether the document says it no longer: then no live page shows it.
    """
    found = {name: told for name, told in states.get(side.id, {}).items() if name != "live_url" or not gone}
    cite = source({**side.provenance, **found})
    told = evidence_of({**side.provenance, "quote": side.quote, "finding_id": side.id, "surface": side.surface})
    words = quoted(side.quote) if words is None else words
    led = (v.Text(quoted(side.lead_in), "around"), words) if side.lead_in else words
    return v.Quote(led, cite, style=style, evidence=told)


def noise_folded(noise: pd.DataFrame) -> v.Parts:
    """Return the counts of recorded differences that changed no finding, folded; nothing where there are none."""
    rows = noise[~noise["material"].astype(bool) & (noise["changes"] > 0)]
    if rows.empty:
        return ()
    count, total = int(rows["changes"].sum()), int(noise["changes"].sum())
    shown: tuple[tuple[str, Shown], ...] = (
        ("Kind", lambda row: class_name(row["change_class"])),
        ("n:Count", "changes"),
        ("n:Share", lambda row: f"{100 * row['share']:.0f} %"),
    )
    counts = rows_table("", rows_of(rows), *shown, style="", named=False)
    return (v.Fold(f"{count:,} of {plural(total, 'recorded difference')} changed no finding", (counts,)),)


def says(row: Change, pair: ClausePair) -> v.Words:
    """Return what a document now says, or no longer says, leading to the change's card."""
    verb = "no longer says" if pair.after is None else "now says"
    words = quoted(pair.sides[-1].quote)
    short = words if len(words) <= _QUOTE_MOST else f"{words[:_QUOTE_MOST].rsplit(' ', 1)[0]} […]"
    return text(row["document"]), " ", v.Link(verb, f"#{anchor(row)}"), ": ", v.Text(short, "quote")


@of_data(periods="equal_periods")
def equal_periods(periods: pd.DataFrame) -> Section:
    """Say how unusual the material changes of a period are; that it has no day; nothing where changes are not known.

    Parameters
    ----------
    periods : pandas.DataFrame
        As `analysis.equal_periods` gives it.

    Examples
    --------
    >>> periods = analysis.equal_periods(data.changes(), "2026-08-16", "2026-11-01", most=3)
    >>> print(sections.equal_periods(periods).text)
    16 material changes in 77 days; 17 to 31 in each of the 3 periods of 77 days before.
    """
    asked, earlier = periods.iloc[-1], periods["changes"].iloc[:-1]
    days = (asked["until"] - asked["since"]).days
    if not days:
        said = f"No day of the data lies after {dated(asked['since'] - pd.Timedelta(1, 'D'))}."
        return Section((v.Paragraph(said),), said)
    if pd.isna(asked["changes"]):
        return Section((), "no earlier period is compared")
    first = asked["first_change"]
    begun = "no change is on record" if pd.isna(first) else f"the first change on record is of {dated(first)}"
    told = f"{plural(asked['changes'], 'material change')} in {plural(days, 'day')}"
    if len(earlier) < 2:
        said = f"{told}; how unusual that is cannot be told: {begun}."
    else:
        least, most = earlier.min(), earlier.max()
        span = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        said = f"{told}; {span} in each of the {len(earlier)} periods of {plural(days, 'day')} before."
        return Section((v.Paragraph(said), v.Paragraph(_tracked(periods), "note")), said)
    return Section((v.Paragraph(said),), said)


def _tracked(periods: pd.DataFrame) -> str:
    """Say how many platforms were tracked before the periods: one that was not yet has no changes there."""
    told, now = periods["platforms"].iloc[:-1].dropna(), periods["platforms"].iloc[-1]
    rule = "a platform that was not tracked yet has no changes there"
    if told.empty or pd.isna(now):
        return f"How many platforms were tracked in these periods is not known; {rule}."
    least, most = told.min(), told.max()
    span = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    left = len(periods) - 1 - len(told)
    unknown = f" (not known of {left:,} of them)" if left else ""
    return (
        f"Tracked at the end of the month before: {plural(now, 'platform')} for this period, {span} for the earlier "
        f"ones{unknown}; {rule}."
    )
