"""Training use on pages: consumers beside business users, the clauses behind each answer, and who changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pandas as pd

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.models import stance_name
from riskanalytics.pages import values as v
from riskanalytics.pages.rows import (
    Rows,
    below,
    columns,
    cut,
    day,
    grouped,
    level,
    name,
    quote,
    rows_table,
    separated,
    text,
)
from riskanalytics.pages.section import Section, of_data, section
from riskanalytics.text.wording import plural
from riskanalytics.topics.changes.clauses import clause_pairs
from riskanalytics.topics.changes.section import PRO_ONLY, Change, States, clauses_of, states_of, told, unknown
from riskanalytics.topics.shape import found_share
from riskanalytics.topics.training_use.history import STANCE_DIRECTIONS

__all__ = ["stance_moves", "stance_table", "training_clauses", "training_use"]

_USERS: Final = {"consumer": "Consumers", "business": "Business users"}
_APART: Final = "not told apart"
_CAPTION: Final = (
    "Platforms that answer apart stand first, the most exposed above. "
    f"“{_APART.capitalize()}”: nothing is said apart for these users; what is said for all may hold for them."
)
_UNDETERMINED: Final = "undetermined"
_TO_READ: Final = v.Paragraph(
    "These documents conflict or leave out what would decide. Nobody is accused and nobody is cleared: a person must read "
    "the sentences below.",
    "note",
)
_WITHOUT_CLAUSE: Final = (
    "No clause on training use came or went: the answer follows from all clauses together, and the words of {} changed."
)
_OPEN: Final = 3
_STEPS_SHOWN: Final = 3
_MOST_NAMES: Final = 60


@of_data(stances="stances_quoted", shares="stance_shares", figures="figures")
def training_use(
    stances: pd.DataFrame, shares: pd.DataFrame | None = None, *, most: int = 6, figures: object = None
) -> Section:
    """Show who trains on content: platforms by stance, the deciding clause of each.

    Parameters
    ----------
    stances : pandas.DataFrame
        As `analysis.training_use` gives it.
    shares : pandas.DataFrame, optional
        As `analysis.stance_shares` gives it; puts the share and its interval beside each stance.
    most : int
        Platforms of one stance shown before the reader asks for more; their number doubled is shown with clauses.
    figures : object, optional
        What the service tells of its extraction under `figures`: which share is found.

    Examples
    --------
    >>> sections.training_use(analysis.training_use(data.training_use, data.findings)).text
    '320 platforms by stance'
    """
    parts: list[v.Part] = []
    for stance, rows in stances.groupby("stance", sort=False, dropna=False):
        listed = rows_of(rows)
        parts.append(_title(stance, rows, stances, shares))
        if _is_silent(listed[0]):
            note = () if is_missing(stance) else (v.Paragraph(found_share(figures), "note"),)
            parts += [*note, v.Paragraph((cut([name(row["name"]) for row in listed], _MOST_NAMES), "."))]
        else:
            parts += [*map(_beside_clause, listed[:most]), *_more(listed[most:], most)]
    return section("Training use by stance", *parts, text=f"{plural(len(stances), 'platform')} by stance")


def _title(stance: object, rows: pd.DataFrame, stances: pd.DataFrame, shares: pd.DataFrame | None) -> v.Heading:
    """Return a stance with how many platforms of how many give it, and the interval where the shares tell it.

    Parameters
    ----------
    stance : object
        Missing where no answer is known.
    rows, stances : pandas.DataFrame
        The platforms with that stance, and all: those whose answer is not known are in no other denominator.
    shares : pandas.DataFrame or None
    """
    known = stances["stance"].notna().sum()
    unread = len(stances) > known and not is_missing(stance)
    words = f"{len(rows):,} of {plural(known if unread else len(stances), 'platform')}{' read' if unread else ''}"
    told = [] if shares is None else rows_of(shares[(shares["audience"] == "all") & (shares["stance"] == stance)])
    if told and not is_missing(told[0]["share"]):
        part, low, high = (f"{100 * told[0][key]:.0f}" for key in ("share", "low", "high"))
        words = f"{words}, {part} % (95 % interval {low} to {high} %)"
    return v.Heading((stance_name(None if is_missing(stance) else str(stance)), " ", v.Text(words, "thin")))


def _more(listed: Rows, most: int) -> v.Parts:
    """Return the platforms beyond the first, folded: as many again with their clause, the others by name."""
    if not listed:
        return ()
    full = listed if len(listed) <= 4 * most else listed[:most]
    brief = tuple((name(row["name"]), " ", level(row["level_rating"]), _differs(row)) for row in listed[len(full) :])
    inner: list[v.Part] = [*map(_beside_clause, full), *([v.Listing(brief)] if brief else [])]
    return (v.Fold(plural(len(listed), "more platform"), tuple(inner)),)


def _differs(row: Change) -> v.Words:
    """Return the stances for consumers and business users where both are told and differ, and a way out for some users."""
    some = _some(row)
    if is_missing(row["consumer_stance"]) or is_missing(row["business_stance"]):
        return some
    consumer, business = (stance_name(str(row[key])).lower() for key in ("consumer_stance", "business_stance"))
    return (below(f"Consumers: {consumer}. Business: {business}.") if consumer != business else "", some)


def _some(row: Change) -> v.Words:
    """Return that some users have a way out, where a platform trains by default."""
    told = row["stance"] == "trains_by_default" and row["way_out"]
    return below("Some users may opt out or object.") if told else ""


def _beside_clause(row: Change) -> v.Group:
    """Return one platform beside its deciding clause."""
    head = v.Paragraph((v.Text(name(row["name"]), "strong"), " ", level(row["level_rating"]), _differs(row)))
    clause = v.Paragraph("No clause is shown for this.", "note") if is_missing(row["quote"]) else quote(row)
    return v.Group((head, v.Group((clause,))), "row")


@of_data()
def stance_table(stances: pd.DataFrame, *, first: int = 25) -> Section:
    """Show every platform's stance on training use, consumers beside business users; searchable and sortable.

    Parameters
    ----------
    stances : pandas.DataFrame
        As `analysis.training_use` gives it.
    first : int
        Rows shown before the reader asks for all.

    Examples
    --------
    >>> sections.stance_table(analysis.training_use(data.training_use, data.findings)).text
    '320 platforms, consumers beside business users'
    """
    rows = sorted(rows_of(stances), key=lambda row: sum(is_missing(row[f"{audience}_stance"]) for audience in _USERS))
    titles = {str(row["stance"]): stance_name(str(row["stance"])) for row in rows if not is_missing(row["stance"])}
    heads = columns("Platform", "roomy:Rating", "Consumers", "Business")
    choice = v.Choice("Answer", tuple(titles.items()), first)
    answers = v.Table(tuple(map(_line, rows)), heads, _CAPTION, "sortable", anchor="stance-table", choice=choice)
    words = f"{plural(len(rows), 'platform')}, consumers beside business users"
    return section("Answers by platform", answers, text=words)


def _line(row: Change) -> v.Row:
    """Return one platform as a row that leads to its clauses."""
    label = name(row["name"]) if _is_silent(row) else v.Link(name(row["name"]), f"#{_anchor(row)}")
    cells = (label, level(row["level_rating"]), *(_stance(row, audience) for audience in _USERS))
    return v.Row(cells, slug=text(row["slug"]), value=text(row["stance"]))


def _anchor(row: Change) -> str:
    """Return the address of a platform's clauses."""
    return f"platform-{text(row['slug'])}"


def _is_silent(row: Change) -> bool:
    """Say whether there is no answer whose clauses could be shown."""
    return is_missing(row["stance"]) or row["stance"] == "silent"


def _stance(row: Change, audience: str) -> v.Words:
    """Return an answer in words; that there is none apart, where only the other audience has one."""
    stance = row[f"{audience}_stance"]
    if is_missing(stance):
        return v.Text("not read" if is_missing(row["stance"]) else _APART, "meta")
    return stance_name(str(stance))


@of_data(clauses="training_clauses", shares="stance_shares", figures="figures")
def training_clauses(
    stances: pd.DataFrame, clauses: pd.DataFrame, shares: pd.DataFrame, *, most: int = 400, figures: object = None
) -> Section:
    """Show the clauses that decide each platform's stance on training use, by stance; those without one by name only.

    Parameters
    ----------
    stances, clauses, shares : pandas.DataFrame
        As `analysis.training_use`, `analysis.training_clauses` (checked again) and `analysis.stance_shares` give them.
    most : int
        Platforms shown with clauses, the most exposed first, and as many that are undetermined; the others by name.
    figures : object, optional
        What the service tells of its extraction under `figures`: which share is found.

    Examples
    --------
    >>> one = data.of(["orvewick-voice"])
    >>> stances = analysis.training_use(one.training_use, one.findings)
    >>> clauses = data.verify(analysis.training_clauses(one.training_use, one.findings, one.leads))
    >>> sections.training_clauses(stances, clauses, analysis.stance_shares(stances)).text
    '1 clause of 1 platform'
    """
    by_slug = grouped(rows_of(clauses), "slug")
    parts: list[v.Part] = []
    left = most
    for stance, rows in stances.groupby("stance", sort=False, dropna=False):
        listed = rows_of(rows)
        parts.append(_title(stance, rows, stances, shares))
        room = most if stance == _UNDETERMINED else left
        full = [] if _is_silent(listed[0]) else listed[:room]
        if stance == _UNDETERMINED:
            parts.append(_TO_READ)
        elif stance == "silent":
            parts.append(v.Paragraph(found_share(figures), "note"))
        left -= 0 if stance == _UNDETERMINED else len(full)
        parts += [_platform(row, by_slug.get(row["slug"], []), place < _OPEN) for place, row in enumerate(full)]
        parts += _named(listed[len(full) :], bool(full))
    words = f"{plural(len(clauses), 'clause')} of {plural(len(by_slug), 'platform')}"
    return section("Clauses by answer", *parts, text=words)


def _named(rows: Rows, more: bool) -> v.Parts:
    """Return platforms by name, each to be found from the table."""
    names = separated((v.Text(name(row["name"]), anchor=_anchor(row)) for row in rows), ", ")
    note = (" Name them as ", v.Text("-p platforms=", "code"), " for their clauses.") if more else ""
    return (v.Paragraph((names, ".", note)),) if rows else ()


def _platform(row: Change, clauses: Rows, opened: bool) -> v.Fold:
    """Return one platform: its clauses, consumers beside business users where both have some."""
    sides = grouped(clauses, "audience")
    inner: v.Parts = _quotes(clauses) or (v.Paragraph("The service shows no clause for this answer.", "note"),)
    if len(sides) > 1:
        heads = {key: v.Paragraph((f"{words}: ", _stance(row, key)), "side") for key, words in _USERS.items()}
        inner = (v.Pair(tuple(v.Group((head, *_quotes(sides.get(key, [])))) for key, head in heads.items())),)
    summary = (name(row["name"]), " ", level(row["level_rating"]), " ", v.Text(_summary(row), "meta"), _some(row))
    return v.Fold(summary, inner, "keep platform", opened, _anchor(row))


def _summary(row: Change) -> str:
    """Return both answers where they differ; whose it is, where it is that of business users alone."""
    consumer, business = row["consumer_stance"], row["business_stance"]
    if is_missing(consumer) and not is_missing(business):
        return "business users only"
    if is_missing(consumer) or is_missing(business) or consumer == business:
        return ""
    answers = {"consumer": consumer, "business": business}
    return " · ".join(f"{_USERS[key]}: {stance_name(str(stance)).lower()}" for key, stance in answers.items())


def _quotes(rows: Rows) -> v.Parts:
    """Return quotes with their sources."""
    return tuple(quote(row, mark=level(row["clause_level"])) for row in rows)


@of_data(moves="stance_moves", changes="stance_changes", checked="stance_change_clauses")
def stance_moves(
    moves: pd.DataFrame | None, changes: pd.DataFrame | None, checked: pd.DataFrame | None, *, most: int = 60
) -> Section:
    """Show which platforms changed their stance on training use, and the clauses that changed.

    Parameters
    ----------
    moves, changes : pandas.DataFrame or None
        As `analysis.stance_moves` and `analysis.stance_changes` give them; None where they are not known.
    checked : pandas.DataFrame or None
        As `changed_clauses` gives it, checked again.
    most : int
        Platforms shown with clauses; the overview lists all.

    Examples
    --------
    >>> changes = analysis.stance_changes(data.of(["alalix-chat"]).changes())
    >>> clauses = data.verify(analysis.changed_clauses(changes))
    >>> print(sections.stance_moves(analysis.stance_moves(changes), changes, clauses).text)
    Alalix Chat: undetermined → trains_by_default
    """
    if moves is None or changes is None:
        return unknown(f"Who changed, and how the answers moved, is not known: {PRO_ONLY}.")
    if moves.empty:
        return Section((v.Paragraph("No answer moved in this time."),), "no answer moved")
    rows = rows_of(moves)
    states = states_of(checked)
    by_slug = grouped(rows_of(changes), "slug")
    movers = [_mover(row, by_slug.get(row["slug"], []), states, at < _OPEN) for at, row in enumerate(rows[:most])]
    left = f"The clauses of {plural(len(rows) - most, 'more platform')} are not shown." if len(rows) > most else ""
    lines = (f"{row['name']}: {row['stance_before']} → {row['stance_after']}" for row in rows)
    return section("Who changed", *_movers(rows), *movers, v.Paragraph(left, "note"), text="\n".join(lines))


def _movers(rows: Rows) -> v.Parts:
    """Return all platforms that changed as one table; those that came back folded below."""
    went, came = ([row for row in rows if (row["direction"] == "back") is back] for back in (False, True))
    shown: v.Part = _moves_table(went) if went else v.Paragraph("No answer is another than at the beginning.")
    label = plural(len(came), "platform moved and came back", "platforms moved and came back")
    return (shown, v.Fold(label, (_moves_table(came),), "keep")) if came else (shown,)


def _moves_table(rows: Rows) -> v.Table:
    """Return platforms that changed, each leading to its changes."""
    return rows_table(
        "Answers before the first change and after the last",
        rows,
        ("Platform", lambda row: v.Link(name(row["name"]), f"#moved-{text(row['slug'])}")),
        ("Direction", _direction),
        ("roomy:Before", lambda row: stance_name(str(row["stance_before"]))),
        ("roomy:After", lambda row: stance_name(str(row["stance_after"]))),
        ("n roomy:Changes", "steps"),
        ("whole:Last change", "last_at"),
    )


def _direction(row: Change) -> v.Text:
    """Return where an answer went: a sign and words, never colour alone."""
    sign, style, words = STANCE_DIRECTIONS[str(row["direction"])]
    return v.Text((v.Text(f"{sign} ", "sign"), words), style)


def _mover(row: Change, steps: Sequence[Change], states: States, opened: bool) -> v.Fold:
    """Return one platform's changes, newest first."""
    hidden = len(steps) - _STEPS_SHOWN
    rest = v.Paragraph(f"{plural(hidden, 'earlier change')} to and fro not shown." if hidden > 0 else "", "note")
    parts: v.Parts = (*(_step(step, states) for step in steps[:_STEPS_SHOWN]), rest)
    summary = (name(row["name"]), " ", _direction(row), " ", v.Text(day(row["last_at"]), "meta"))
    return v.Fold(summary, parts, "keep platform", opened, f"moved-{text(row['slug'])}")


def _step(step: Change, states: States) -> v.Group:
    """Return one change: the answer before and after, and its clauses on training."""
    pairs = clause_pairs(step)
    before, after = (stance_name(str(step[f"stance_{side}"])) for side in ("before", "after"))
    head = (f"{day(step['reviewed_at'])} · {text(step['document'])} · ", v.Text(f"{before} → {after}", "strong"))
    why = told(pairs) if pairs else _WITHOUT_CLAUSE.format(text(step["document"]))
    return v.Group((v.Paragraph(head, "meta"), v.Paragraph(why, "why"), *clauses_of(pairs, states)), "article")
