"""Changes on a page: an overview, each material change with its clauses before and after, and counts of other changes (noise)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import Any, Final

import pandas as pd

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.frames.building import mapping_of, records_of
from riskanalytics.models import stance_name
from riskanalytics.pages import values as v
from riskanalytics.pages.quoted import evidence_of
from riskanalytics.pages.rows import Record, Rows, cut, day, level, name, quoted, rows_table, separated, source, text
from riskanalytics.pages.section import Section, of_data, section, sentence
from riskanalytics.surfaces import surface_name
from riskanalytics.text.wording import dated, joined, plural

from ..shape import NOT_GIVEN
from . import SIDES
from .clauses import Clause, ClausePair, clause_pairs

__all__ = ["changed_platforms", "equal_periods"]

States = Mapping[Any, Mapping[Any, Any]]
"""Identifier of a finding -> result of its verification."""

_DIRECTIONS: Final = {
    "up": ("▲ ", "risk up", "up"),
    "down": ("▼ ", "risk down", "down"),
    "mixed": ("◆ ", "up and down", "mixed"),
    "unclear": ("? ", "unclear: read both", ""),
    "none": ("", "no direction", ""),
}
"""Sign, words and style of a direction."""
_CLASSES: Final = {
    "wording": "wording only",
    "format": "format only",
    "revert": "back to an earlier text",
    "capture_failure": "failed captures",
    "technical": "changes of the archive itself",
}
_KINDS: Final = {
    "added": "added",
    "removed": "removed",
    "rewritten": "rewritten",
    "reread": "unchanged, read differently next to what changed",
}
_PAIRS_SHOWN: Final = 2
_PAIRS_MOST: Final = 12
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
    """Show the material changes of a period, worst first; a part below them that opens on a click counts other changes (noise).

    Parameters
    ----------
    material : pandas.DataFrame or None
        Result of `analysis.material_changes`; None if the changes are not known.
    noise : pandas.DataFrame or None
        Result of `analysis.change_noise`; None if the changes are not known.
    checked : pandas.DataFrame, optional
        Result of `analysis.changed_clauses`, verified with `data.verify`: `finding_id`, `verification_status`.
    most : int
        Number of changes to show in full; the overview lists all.
    period : str
        Noun for the period: `month` or `period`.

    Examples
    --------
    >>> changes = data.changes()
    >>> material = analysis.material_changes(changes, "2026-10-01", "2026-10-10")
    >>> print(sections.changed_platforms(material, analysis.change_noise(changes)).text)
    Corzothorn Chat: Findings on Cross-border transfer: 1 added, 1 removed.
    """
    if material is None or noise is None:
        return unknown("What changed")
    label, rows, folded = "Material changes", rows_of(material), noise_folded(noise)
    if not rows:
        quiet = v.Paragraph(f"No material change in this {period}.")
        return section(label, quiet, *folded, text="no material change")
    shown, states = rows[:most], states_of(checked)
    overview = changes_listed(rows, shown, f"Material changes of the {period}, worst first")
    note = v.Paragraph(f"The {most} worst are shown in full below." if len(rows) > most else "", "note")
    loud, calm = (_cards([row for row in shown if _moves(row) == moves], states) for moves in (True, False))
    head = f"{plural(len(calm), 'change that does', 'changes that do')} not move the risk"
    folded = (v.Fold(head, calm, "keep"), *folded) if calm else folded
    said = "\n".join(f"{row['name']}: {text(row['summary'])}" for row in shown)
    return section(label, overview, note, *loud, *folded, text=said)


def _moves(row: Record) -> bool:
    """Return whether a change moves, or may move, the risk or the rating."""
    return row["direction"] in ("up", "down", "mixed", "unclear") or row["rating_moved"] != ""


def _cards(rows: Rows, states: States) -> tuple[v.Group, ...]:
    """Return changes in full, one card for the same change of several platforms."""
    named = ((group[0], joined([text(row["name"]) for row in group])) for group in same_changes(rows))
    return tuple(card({**row, "name": names}, states) for row, names in named)


def unknown(what: str) -> Section:
    """Return a section that says that `what`, such as `What changed`, is not known, because changes need a Pro key."""
    said = f"{what} is not known: the service shows changes with a Pro key only."
    return Section((v.Paragraph(said),), "changes are not known: they need a Pro key")


def states_of(checked: pd.DataFrame | None) -> States:
    """Return a mapping: identifier of a finding -> dict of its `verification_status` and `live_url` (its quote on the live page).

    `checked` has the findings: result of `analysis.changed_clauses`, after `data.verify`. With None, the mapping is empty.
    """
    if checked is None:
        return {}
    return checked.set_index("finding_id").reindex(columns=["verification_status", "live_url"]).to_dict("index")


def same_changes(rows: Sequence[Record]) -> list[list[Record]]:
    """Group changes that are equal in document name, effect on risk, rating, stance, stated date and quotes."""
    groups: dict[object, list[Record]] = {}
    for row in rows:
        quotes = frozenset((side, one.get("quote")) for side in ("added", "removed") for one in records_of(row[side]))
        same = [text(row.get(name)) for name in ("document", "direction", *SIDES, "silent_edit")]
        key = (*same, quotes) if quotes else anchor(row)
        groups.setdefault(key, []).append(row)
    return list(groups.values())


def changes_listed(rows: Sequence[Record], shown: Sequence[Record], caption: str) -> v.Table:
    """Return a table of the changes in `rows`; changes that the page also shows in full (those in `shown`) have a link to it."""
    anchors = {anchor(row): anchor(group[0]) for group in same_changes(shown) for row in group}

    def platform(row: Record) -> v.Words:
        card = anchors.get(anchor(row))
        return v.Link(name(row["name"]), f"#{card}") if card else name(row["name"])

    heads = ("Platform", platform), *CHANGE_SHOWN, ("whole:Date", "reviewed_at")
    return rows_table(caption, rows, *heads, style="sortable stack")


def anchor(row: Record) -> str:
    """Return the HTML anchor at which a page shows a change in full."""
    return f"change-{text(row['change_id'])}"


def direction(value: object) -> v.Text:
    """Return the direction of the risk (`up`, `down`, `mixed`, `none`) as a sign with words, not only as a colour."""
    sign, words, style = _DIRECTIONS.get(text(value), ("? ", "direction not known", ""))
    return v.Text((v.Text(sign, "sign") if sign else "", words), style)


CHANGE_SHOWN: Final = (
    ("Document", "document"),
    ("whole:Direction", lambda row: direction(row["direction"])),
    ("roomy:Surfaces", lambda row: cut([surface_name(str(one)) for one in row["surfaces"]], 3)),
)
"""Columns of a table of changes: title, and column of the change or function that shows it."""


def card(row: Record, states: States, *, named: bool = True) -> v.Group:
    """Return one change in full, as a part of a page: day, direction, moves of rating and stance, clauses before and after.

    Parameters
    ----------
    row : mapping
        A row of `analysis.material_changes`.
    states : mapping
        Result of `states_of`: identifier of a finding -> result of its verification.
    named : bool
        Whether the title names the platform; False on a page about one platform.
    """
    document, directions = text(row["document"]), mapping_of(row.get("directions"))
    title: v.Words = (name(row["name"]), " ", v.Text(document, "thin")) if named else document
    went = [v.Text((surface_name(surface), " ", direction(word)), "whole") for surface, word in directions.items()]
    pairs = clause_pairs(row)
    facts = (separated(_facts(row)), separated(went if len(went) > 1 else ()))
    meta = (v.Paragraph(words, "meta") for words in facts)
    parts = (v.Heading(title), *meta, v.Paragraph(clauses_counted(pairs), "why"), *clauses_of(pairs, states))
    return v.Group(parts, "article", anchor=anchor(row))


def _facts(row: Record) -> list[v.Words]:
    """Return the day and direction of a change, its class unless material, and the moves of rating and stance."""
    rating, rated, stance, said = (row[side] for side in SIDES)
    facts: list[v.Words] = [day(row["reviewed_at"]), direction(row["direction"])]
    facts += ["as language models judge it"] if "language models" in text(row["summary"]).casefold() else []
    facts += [class_name(row["change_class"])] if row.get("change_class", "material") != "material" else []
    if not is_missing(rating) and rating != rated:
        back = ": moved and returned within the period" if row["came_back"] else ""
        facts.append(("rating ", level(rating), " → ", level(rated), back))
    if not is_missing(stance) and stance != said:
        facts.append(f"training: {stance_said(stance)} → {stance_said(said)}")
    facts += [v.Text("text changed, stated date unchanged", "bad")] if row.get("silent_edit") is True else []
    return facts


def stance_said(value: object) -> str:
    """Return the name of a stance in lower case, for use within a sentence."""
    return "not known" if is_missing(value) else stance_name(str(value)).lower()


def clauses_of(pairs: Sequence[ClausePair], states: States) -> v.Parts:
    """Return parts of a page that show the clauses of a change: the first two visible, the others in a part that opens on a click.

    `pairs` are these clauses before and after the change (result of `clause_pairs`). `states` has the verification status of each
    finding by identifier (result of `states_of`).
    """
    first, others = pairs[:_PAIRS_SHOWN], pairs[_PAIRS_SHOWN:_PAIRS_MOST]
    shown, more = ([part for pair in some for part in _pair(pair, states)] for some in (first, others))
    if len(pairs) > _PAIRS_MOST:
        more.append(v.Paragraph(f"{plural(len(pairs) - _PAIRS_MOST, 'clause')} of lower weight not shown.", "note"))
    label = f"{plural(len(pairs) - _PAIRS_SHOWN, 'more clause')} of this change"
    return (*shown, *((v.Fold(label, tuple(more)),) if more else ()))


def class_name(value: object) -> str:
    """Return a class of changes in words, such as `wording only` for `wording`."""
    return _CLASSES.get(text(value)) or text(value).replace("_", " ") or NOT_GIVEN


def clauses_counted(pairs: Sequence[ClausePair]) -> str:
    """Return a sentence that counts the clauses of a change by kind; it names language models if no clause is a finding."""
    kinds = [pair.kind for pair in pairs]
    parts = [f"{plural(kinds.count(kind), 'clause')} {words}" for kind, words in _KINDS.items() if kind in kinds]
    judged = "" if any(pair.surfaces for pair in pairs) else "; language models agree that the change matters"
    return f"{joined(parts)}{judged}." if parts else "The service lists no clause for this change."


def _pair(pair: ClausePair, states: States) -> v.Parts:
    """Return a clause before and after; a missing side takes no space."""
    was, now = level(pair.risk_before), level(pair.risk)
    moved: v.Words = now if was == now else (was, " → ", now)
    surfaces, protective = ", ".join(map(surface_name, pair.surfaces)), " · protective" if pair.protective else ""
    kind = v.Text(_KINDS[pair.kind].capitalize(), "strong")
    rated: v.Words = (" ", moved, f" {surfaces}", protective) if pair.surfaces else ""
    head = v.Paragraph((kind, rated), "what")
    before, after = pair.before, pair.after
    if not (before and after):
        return head, *(_quote(side, states, style="del" if before else "ins") for side in pair.sides)
    if pair.kind == "reread":
        return head, _quote(after, states)
    old, new = marked(before.quote, after.quote)
    left = v.Group((v.Paragraph("Before", "side"), _quote(before, states, old, gone=True)))
    return head, v.Pair((left, v.Group((v.Paragraph("After", "side"), _quote(after, states, new)))))


def _quote(side: Clause, states: States, words: v.Words = "", *, style: str = "", gone: bool = False) -> v.Quote:
    """Return one side of a clause, with its differences marked in `words`; a removed clause has no live page."""
    row = {**side.provenance, **states.get(side.id, {})}
    row |= {"quote": side.quote, "finding_id": side.id, "surface": side.surface}
    if gone or style == "del":
        row["live_url"] = None
    words = words or quoted(side.quote)
    led = (v.Text(quoted(side.lead_in), "around"), words) if side.lead_in else words
    return v.Quote(led, source(row), style=style, evidence=evidence_of(row))


def noise_folded(noise: pd.DataFrame) -> v.Parts:
    """Return a part of a page that opens on a click and counts, by class, the changes that are not material; empty without any."""
    rows = noise[~noise["material"] & (noise["changes"] > 0)]
    if rows.empty:
        return ()
    total = plural(int(noise["changes"].sum()), "recorded change")
    shown = (
        ("Kind", lambda row: class_name(row["change_class"])),
        ("n:Count", "changes"),
        ("n:Share", lambda row: f"{100 * row['share']:.0f} %"),
    )
    counts = rows_table("", rows_of(rows), *shown, style="", named=False)
    number = int(rows["changes"].sum())
    return (v.Fold(f"{number:,} of {total} {'is' if number == 1 else 'are'} not material", (counts,)),)


def says(row: Record, pair: ClausePair) -> v.Words:
    """Return a line of a page: the document, "now says" or "no longer says" as a link to the change in full, and the quote.

    `row` is the change (a row of `analysis.material_changes`), `pair` the clause that is quoted.
    """
    verb = "no longer says" if pair.after is None else "now says"
    words = quoted(pair.sides[-1].quote)
    short = words if len(words) <= _QUOTE_MOST else f"{words[:_QUOTE_MOST].rsplit(' ', 1)[0]} […]"
    return text(row["document"]), " ", v.Link(verb, f"#{anchor(row)}"), ": ", v.Text(short, "quote")


@of_data(periods="equal_periods")
def equal_periods(periods: pd.DataFrame) -> Section:
    """Compare the number of material changes of a period with earlier periods; empty if the changes are not known.

    Parameters
    ----------
    periods : pandas.DataFrame
        Result of `analysis.equal_periods`.

    Examples
    --------
    >>> periods = analysis.equal_periods(data.changes(), "2026-08-16", "2026-11-01", most=3)
    >>> print(sections.equal_periods(periods).text)
    16 material changes in 77 days; 17 to 31 in each of the 3 periods of 77 days before.
    """
    period, earlier = periods.iloc[-1], periods["changes"].iloc[:-1]
    days, first = (period["until"] - period["since"]).days, period["first_change"]
    if not days:
        return sentence(f"No day of the data lies after {dated(period['since'] - pd.Timedelta(1, 'D'))}.")
    if pd.isna(period["changes"]):
        return Section((), "there is no earlier period to compare")
    note, length = "", plural(days, "day")
    if len(earlier) < 2:
        begun = "no change is on record" if pd.isna(first) else f"the first change on record is from {dated(first)}"
        rest = f"there is no earlier period to compare: {begun}"
    else:
        rest, note = f"{_span(earlier)} in each of the {len(earlier)} periods of {length} before", _tracked(periods)
    said = f"{plural(period['changes'], 'material change')} in {length}; {rest}."
    return Section((v.Paragraph(said), v.Paragraph(note, "note")), said)


def _span(counts: pd.Series[int]) -> str:
    """Return the range of some counts."""
    return " to ".join(dict.fromkeys(f"{end:,}" for end in (counts.min(), counts.max())))


def _tracked(periods: pd.DataFrame) -> str:
    """Return a sentence on the number of platforms tracked before the periods."""
    before, now = periods["platforms"].iloc[:-1], periods["platforms"].iloc[-1]
    known, left = before.dropna(), before.isna().sum()
    earlier = _span(known) if len(known) else "not known"
    unknown = f" (not known for {left:,} of them)" if len(known) and left else ""
    ones = f"{'not known' if pd.isna(now) else now} for this period, {earlier} for the earlier ones{unknown}"
    return f"Platforms tracked at the end of the month before: {ones}. Platforms not tracked yet have no changes there."


_TOKEN: Final = re.compile(r"\s+|[\u3400-\u9fff]|[^\s\u3400-\u9fff]+")
_SAME: Final = str.maketrans({"\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " "})
_AROUND: Final = 40
"""Number of tokens (words and spaces) kept on each side of a difference; longer runs of equal words are shortened."""
LEFT_OUT: Final = " […] "


def marked(before: str, after: str) -> tuple[v.Words, v.Words]:
    """Compare two texts word by word and mark the deleted and inserted words.

    Parameters
    ----------
    before, after : str

    Returns
    -------
    tuple of Words
        The text before, with deleted words in the style `del`, and the text after, with inserted words in the style `ins`. The
        shape of quotation marks is ignored. `[…]` replaces long runs of equal words. If a text is empty or has more than 3,000
        words and spaces, both texts are returned whole and unmarked.
    """
    before, after = quoted(before), quoted(after)
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    if not old or not new or max(len(old), len(new)) > 3000:  # longer texts would take too long
        return before, after
    plain = [[token.translate(_SAME) for token in tokens] for tokens in (old, new)]
    codes = SequenceMatcher(a=plain[0], b=plain[1], autojunk=False).get_opcodes()

    def differs(place: int) -> bool:
        kind, start, end, _, _ = codes[place]  # differences with only a space between them are one
        return kind != "equal" or (0 < place < len(codes) - 1 and "".join(old[start:end]).isspace())

    sides: tuple[list[v.Words], list[v.Words]] = [], []
    for different, run in groupby(range(len(codes)), differs):
        first, *more = run
        last = (more or [first])[-1]
        tokens = old[codes[first][1] : codes[last][2]], new[codes[first][3] : codes[last][4]]
        for side, own, style in zip(sides, tokens, ("del", "ins"), strict=True):
            words = "".join(own)
            changed = v.Text(words, style) if words.strip() else words
            side.append(changed if different else _shortened(own, first > 0, last < len(codes) - 1))
    return tuple(sides[0]), tuple(sides[1])


def _shortened(tokens: list[str], after: bool, before: bool) -> v.Words:
    """Return words that both texts share; a mark replaces the middle of a long run next to a difference."""
    head, tail = _AROUND * after, len(tokens) - _AROUND * before
    if tail - head <= _AROUND or not (after or before):
        return "".join(tokens)
    return "".join(tokens[:head]), v.Text(LEFT_OUT, "meta"), "".join(tokens[tail:])
