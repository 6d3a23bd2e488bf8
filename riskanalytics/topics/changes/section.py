"""Changes on a page: an overview, each change with its clauses before and after, and the noise folded below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import pandas as pd

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.models import stance_name
from riskanalytics.pages.composing import columns, cut, separated, table
from riskanalytics.pages.quoted import evidence_of
from riskanalytics.pages.rows import Rows, day, level, name, quoted, source, text
from riskanalytics.pages.section import Section, of_data, section
from riskanalytics.pages.values import (
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
from riskanalytics.topics.changes.clauses import Clause, ClausePair, clause_pairs
from riskanalytics.topics.changes.difference import marked
from riskanalytics.topics.shape import NOT_GIVEN, items_of
from riskanalytics.wording import joined, listed, plural

__all__ = ["changed_platforms"]

Change = Mapping[str, object]
"""A row of `analysis.material_changes`, or of another frame."""
States = Mapping[object, Mapping[str, object]]
"""Identifier of a finding -> what its check found."""
_CHECKED: Final = ("verification_status", "live_url")
"""Identifier of a finding -> what its check found."""

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
        unknown = (
            f"What changed is not known: the service shows changes to Pro keys only. The ratings before the {period} are "
            "compared below, where they are known."
        )
        return section(label, Paragraph(unknown), text="changes are not known: they need a Pro key")
    rows = rows_of(material)
    if not rows:
        quiet = Paragraph(f"No material change was found in this {period}: it was quiet.")
        return section(label, quiet, *noise_folded(noise), text="no material change")
    states = states_of(checked)
    overview = changes_listed(rows, rows[:most], f"Material changes of the {period}, worst first")
    note = Paragraph(f"The {most} worst are shown in full below." if len(rows) > most else "", "note")
    said = "\n".join(f"{row['name']}: {text(row['summary'])}" for row in rows[:most])
    return section(label, overview, note, *_cards(rows[:most], states), *noise_folded(noise), text=said)


def states_of(checked: pd.DataFrame | None) -> States:
    """Return what the check of each finding of a frame found: state and live page; none without a frame."""
    if checked is None:
        return {}
    return {row["finding_id"]: {name: row.get(name) for name in _CHECKED} for row in rows_of(checked)}


def _cards(rows: Rows, states: States) -> Parts:
    """Return changes in full; those that move the risk neither up nor down are folded behind the others."""
    loud = [row for row in rows if row["direction"] in ("up", "down", "mixed", "unclear") or row["rating_moved"]]
    calm = tuple(_card(group, states) for group in same_changes([row for row in rows if row not in loud]))
    label = f"{plural(len(calm), 'change that moves', 'changes that move')} the risk neither up nor down"
    return (*(_card(group, states) for group in same_changes(loud)), *((Fold(label, calm, "keep"),) if calm else ()))


def _card(group: Sequence[Change], states: States) -> Group:
    """Return one card for the same change of several platforms."""
    return card({**group[0], "name": listed([text(row["name"]) for row in group], len(group))}, states)


def same_changes(rows: Sequence[Change]) -> list[list[Change]]:
    """Group changes of several platforms in the same document and the same words, as of several products of one vendor.

    Parameters
    ----------
    rows : sequence of mapping
        Rows of `analysis.material_changes`.
    """
    groups: dict[object, list[Change]] = {}
    for row in rows:
        quotes = frozenset(
            (side, quote.get("quote")) for side in ("added", "removed") for quote in items_of(row[side])
            if isinstance(quote, Mapping)
        )  # fmt: skip
        moved = row["direction"], row["rating_before"], row["rating_after"], row["stance_before"], row["stance_after"]
        key = (row["document"], *map(str, moved), quotes) if quotes else anchor(row)
        groups.setdefault(key, []).append(row)
    return list(groups.values())


def changes_listed(rows: Sequence[Change], shown: Sequence[Change], caption: str) -> Table:
    """Return changes as one table; those that are shown in full lead to their cards.

    Parameters
    ----------
    rows, shown : sequence of mapping
        Rows of `analysis.material_changes`.
    caption : str
    """
    anchors = {anchor(row): anchor(group[0]) for group in same_changes(shown) for row in group}
    lines = (
        (
            Link(name(row["name"]), f"#{anchors[anchor(row)]}") if anchor(row) in anchors else name(row["name"]),
            text(row["document"]),
            direction(row["direction"]),
            surfaces_named(row),
            day(row["reviewed_at"]),
        )
        for row in rows
    )
    return table(caption, lines, "Platform", "Document", "whole:Direction", "roomy:Surfaces", "whole:Date")


def anchor(row: Change) -> str:
    """Return the address of a change's card on the page.

    Parameters
    ----------
    row : mapping
        A row of `analysis.material_changes`.
    """
    return f"change-{text(row['change_id'])}"


def surfaces_named(row: Change) -> Words:
    """Return the first surfaces of a change in words, and how many more there are.

    Parameters
    ----------
    row : mapping
        A row of `analysis.material_changes`.
    """
    names = [surface_name(str(surface)) for surface in items_of(row["surfaces"])]
    return cut(names, _SURFACES_NAMED) if names else "no surface named"


def direction(value: object) -> Text:
    """Return where a change moved the risk (`up`, `down`, `mixed`, `none`): a sign and words, never colour alone."""
    sign, words = _DIRECTIONS.get(str(value), ("?", "direction not known"))
    style = str(value) if value in ("up", "down", "mixed") else ""
    return Text((Text(f"{sign} ", "sign") if sign else "", words), style)


def _directions(row: Change) -> Words:
    """Return where a change moved the risk on each surface; nothing where there is only one."""
    directions = row.get("directions")
    if not isinstance(directions, Mapping) or len(directions) < 2:
        return ""
    return separated(
        Text((surface_name(str(surface)), " ", direction(word)), "whole") for surface, word in directions.items()
    )


def card(row: Change, states: States, *, named: bool = True) -> Group:
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
    title: Words = (name(row["name"]), " ", Text(document, "thin")) if named else document
    pairs = clause_pairs(row)
    parts = (
        Heading(title),
        Paragraph(separated(_facts(row)), "meta"),
        Paragraph(_directions(row), "meta"),
        Paragraph(told(pairs), "why"),
        *clauses_of(pairs, states),
    )
    return Group(parts, "article", anchor=anchor(row))


def _facts(row: Change) -> list[Words]:
    """Return the day and direction of a change, its class unless material, and where the rating and the stance went."""
    facts: list[Words] = [day(row["reviewed_at"]), direction(row["direction"])]
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


def clauses_of(pairs: Sequence[ClausePair], states: States) -> Parts:
    """Return the clauses of a change, the first in full, the others folded.

    Parameters
    ----------
    pairs : sequence of ClausePair
        As `clause_pairs` gives them.
    states : mapping
        Identifier of a finding -> what its check found.
    """
    shown = [part for pair in pairs[:_PAIRS_SHOWN] for part in _pair(pair, states)]
    if len(pairs) > _PAIRS_SHOWN:
        rest = [part for pair in pairs[_PAIRS_SHOWN:_PAIRS_MOST] for part in _pair(pair, states)]
        if len(pairs) > _PAIRS_MOST:
            rest.append(Paragraph(f"{plural(len(pairs) - _PAIRS_MOST, 'clause')} of lower weight not shown.", "note"))
        shown.append(Fold(f"{plural(len(pairs) - _PAIRS_SHOWN, 'more clause')} of this change", tuple(rest)))
    return tuple(shown)


def class_name(value: object) -> str:
    """Return a class of changes in words, such as `wording only` for `wording`."""
    return _CLASSES.get(text(value)) or text(value).replace("_", " ") or NOT_GIVEN


def told(pairs: Sequence[ClausePair]) -> str:
    """Return one sentence that counts the clauses added, removed, rewritten and read otherwise.

    Parameters
    ----------
    pairs : sequence of ClausePair
        As `clause_pairs` gives them.
    """
    kinds = [pair.kind for pair in pairs]
    parts = [
        plural(kinds.count(kind), f"clause {_KINDS.get(kind, kind)}", f"clauses {_KINDS.get(kind, kind)}")
        for kind in ("added", "removed", "rewritten", "reread")
        if kind in kinds
    ]
    return f"{joined(parts)}." if parts else "The service names no clause for this change."


def _pair(pair: ClausePair, states: States) -> Parts:
    """Return a clause before and after; a side that is not there takes no room."""
    moved: Words = level(pair.risk)
    if pair.risk != pair.risk_before:
        moved = (level(pair.risk_before), " → ", moved)
    surfaces = ", ".join(surface_name(surface) for surface in pair.surfaces)
    kind = Text(_KINDS.get(pair.kind, pair.kind).capitalize(), "strong")
    head = Paragraph((kind, " ", moved, f" {surfaces}", " · protective" if pair.protective else ""), "what")
    before, after = pair.before, pair.after
    if before is None or after is None:
        return head, *(
            _quote(side, states, style="ins" if before is None else "del", gone=after is None) for side in pair.sides
        )
    if pair.kind == "reread":
        return head, _quote(after, states)
    told = marked(before.quote, after.quote)
    sides = (
        Group((Paragraph("Before", "side"), _quote(before, states, told[0], gone=True))),
        Group((Paragraph("After", "side"), _quote(after, states, told[1]))),
    )
    return head, Pair(sides)


def _quote(side: Clause, states: States, words: Words | None = None, *, style: str = "", gone: bool = False) -> Quote:
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
    return Quote(
        (Text(quoted(side.lead_in), "around"), words) if side.lead_in else words, cite, style=style, evidence=told
    )


def noise_folded(noise: pd.DataFrame) -> Parts:
    """Return the counts of recorded differences that changed no finding, folded; nothing where there are none.

    Parameters
    ----------
    noise : pandas.DataFrame
        As `analysis.change_noise` gives it.
    """
    rows = noise[~noise["material"].astype(bool) & (noise["changes"] > 0)]
    if rows.empty:
        return ()
    count, total = int(rows["changes"].sum()), int(noise["changes"].sum())
    cells = tuple(
        Row((class_name(row["change_class"]), f"{row['changes']:,}", f"{100 * row['share']:.0f} %"))
        for row in rows_of(rows)
    )
    counts = Table(cells, columns("Kind", "n:Count", "n:Share"), named=False)
    return (Fold(f"{count:,} of {plural(total, 'recorded difference')} changed no finding", (counts,)),)


def says(row: Change, pair: ClausePair) -> Words:
    """Return what a document now says, or no longer says, leading to the change's card.

    Parameters
    ----------
    row : mapping
        A row of `analysis.material_changes`.
    pair : ClausePair
        The clause of this change to quote.
    """
    verb = "no longer says" if pair.after is None else "now says"
    words = quoted(pair.sides[-1].quote)
    short = words if len(words) <= _QUOTE_MOST else f"{words[:_QUOTE_MOST].rsplit(' ', 1)[0]} […]"
    return text(row["document"]), " ", Link(verb, f"#{anchor(row)}"), ": ", Text(short, "quote")
