"""Training use in full: consumers beside business users, the clauses behind each answer, and who changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pandas as pd

from riskanalytics.analysis.clauses import clause_pairs
from riskanalytics.frames import rows_of
from riskanalytics.models import stance_name
from riskanalytics.reporting.blocks.changes import clauses_of, told
from riskanalytics.reporting.blocks.tables import share_of
from riskanalytics.reporting.blocks.words import (
    Rows,
    day,
    grouped,
    is_missing,
    level,
    name,
    plural,
    quote,
    text,
)
from riskanalytics.reporting.display import Block

_USERS: Final = {"consumer": "Consumers", "business": "Business users"}
_APART: Final = "not told apart"
_DIRECTIONS: Final = {
    "more": ("▲", "up", "towards training"),
    "by_plan": ("◆", "mixed", "now depends on the plan"),
    "not_by_plan": ("◇", "mixed", "one answer for all plans"),
    "silent": ("○", "mixed", "now silent"),
    "answered": ("●", "mixed", "no longer silent"),
    "unclear": ("?", "mixed", "to or from an answer that is not settled"),
    "less": ("▼", "down", "away from training"),
    "back": ("↺", "mixed", "moved and came back"),
}
_UNDETERMINED: Final = "undetermined"
_TO_READ: Final = (
    "<p class=note>These documents conflict, leave out what would decide, or could not be read surely enough. Nobody is "
    "accused and nobody is cleared: a person must read the sentences below.</p>"
)
_OPEN: Final = 3
_STEPS_SHOWN: Final = 3


def stance_table(stances: pd.DataFrame, *, first: int = 25) -> Block:
    """Show every platform's answers, consumers beside business users; searchable and sortable.

    Parameters
    ----------
    stances : pandas.DataFrame
        As `analysis.training_use` gives it.
    first : int
        Rows shown before the reader asks for all.
    """
    rows = sorted(rows_of(stances), key=_answers)
    titles = {str(row["stance"]): stance_name(str(row["stance"])) for row in rows if not is_missing(row["stance"])}
    options = "".join(f'<option value="{text(word)}">{text(title)}</option>' for word, title in titles.items())
    everything = f"<button type=button>Show all {len(rows):,}</button>" if len(rows) > first else ""
    html = (
        f"<section aria-label='Answers by platform'><div class=tools data-for=stance-table data-first={first} hidden>"
        f"<label>Platform <input type=search></label><label>Answer <select><option value=''>all</option>{options}</select>"
        f"</label>{everything}<output></output></div>"
        '<div class=wide tabindex=0 role=region aria-label="Answers of each platform">'
        "<table class=sortable id=stance-table><caption>Platforms that answer apart stand first, the most exposed above. "
        f"“{_APART.capitalize()}”: nothing is said apart for these users; what is said for all may hold for them.</caption>"
        "<thead><tr><th scope=col>Platform</th><th scope=col class=roomy>Rating</th><th scope=col>Consumers</th>"
        f"<th scope=col>Business</th></tr></thead><tbody>{''.join(map(_line, rows))}</tbody></table></div></section>"
    )
    return Block(html, f"{plural(len(rows), 'platform')}, consumers beside business users")


def _answers(row: Mapping[str, Any]) -> int:
    """Return the place of platforms that answer for both before those that answer once, these before the rest."""
    return sum(is_missing(row[f"{audience}_stance"]) for audience in _USERS)


def _line(row: Mapping[str, Any]) -> str:
    """Return one platform as a row that leads to its clauses."""
    label = name(row["name"])
    if not _is_silent(row):
        label = f'<a href="#platform-{text(row["slug"])}">{label}</a>'
    sides = "".join(f"<td>{_stance(row, audience)}</td>" for audience in _USERS)
    return (
        f'<tr data-s="{text(row["slug"])}" data-v="{text(row["stance"])}">'
        f"<th scope=row>{label}</th><td class=roomy>{level(row['level'])}</td>{sides}</tr>"
    )


def _is_silent(row: Mapping[str, Any]) -> bool:
    """Say whether there is no answer whose clauses could be shown."""
    return is_missing(row["stance"]) or row["stance"] == "silent"


def _stance(row: Mapping[str, Any], audience: str) -> str:
    """Return an answer in words; that there is none apart, where only the other audience has one."""
    stance = row[f"{audience}_stance"]
    if is_missing(stance):
        return f"<span class=meta>{'not known' if is_missing(row['stance']) else _APART}</span>"
    return text(stance_name(str(stance)))


def training_clauses(stances: pd.DataFrame, clauses: pd.DataFrame, shares: pd.DataFrame, *, most: int = 400) -> Block:
    """Show the clauses that decide each platform's answers, by answer; the silent by name.

    Parameters
    ----------
    stances, clauses, shares : pandas.DataFrame
        As `analysis.training_use`, `analysis.training_clauses` (checked again) and `analysis.stance_shares` give them.
    most : int
        Platforms shown with clauses, the most exposed first, and as many that are undetermined; the others by name.
    """
    by_slug = grouped(rows_of(clauses), "slug")
    parts, left = [], most
    for stance, rows in stances.groupby("stance", sort=False, dropna=False):
        listed = rows_of(rows)
        title = "Not known" if is_missing(stance) else stance_name(str(stance))
        parts.append(
            f"<h3>{text(title)} <span class=thin>{share_of(shares, stance, len(listed), len(stances))}</span></h3>"
        )
        full = [] if _is_silent(listed[0]) else listed[: most if stance == _UNDETERMINED else left]
        left -= len(full)
        parts.append(_TO_READ * (stance == _UNDETERMINED))
        parts += [_platform(row, by_slug.get(row["slug"], []), place < _OPEN) for place, row in enumerate(full)]
        parts.append(_named(listed[len(full) :], bool(full)))
    html = f"<section aria-label='Clauses by answer'>{''.join(parts)}</section>"
    return Block(html, f"{plural(len(clauses), 'clause')} of {plural(len(by_slug), 'platform')}")


def _named(rows: Rows, more: bool) -> str:
    """Return platforms by name, each to be found from the table."""
    if not rows:
        return ""
    anchored = [f'<span id="platform-{text(row["slug"])}">{name(row["name"])}</span>' for row in rows]
    note = " Name them as <code>-p platforms=</code> for their clauses." if more else ""
    return f"<p>{', '.join(anchored)}.{note}</p>"


def _platform(row: Mapping[str, Any], clauses: Rows, opened: bool) -> str:
    """Return one platform: its clauses, consumers beside business users where both have some."""
    sides = grouped(clauses, "audience")
    if len(sides) > 1:
        inner = "".join(
            f"<div><p class=side>{words}: {_stance(row, audience)}</p>{_quotes(sides.get(audience, []))}</div>"
            for audience, words in _USERS.items()
        )
        inner = f"<div class=pair>{inner}</div>"
    else:
        inner = _quotes(clauses)
    if not clauses:
        inner = "<p class=note>The service names no clause for this answer.</p>"
    summary = f"{name(row['name'])} {level(row['level'])} <span class=meta>{_summary(row)}</span>"
    return (
        f'<details class="keep platform" id="platform-{text(row["slug"])}"{" open" * opened}>'
        f"<summary>{summary}</summary>{inner}</details>"
    )


def _summary(row: Mapping[str, Any]) -> str:
    """Return both answers where they differ; whose it is, where it is that of business users alone."""
    consumer, business = row["consumer_stance"], row["business_stance"]
    if is_missing(consumer) and not is_missing(business):
        return "business users only"
    if is_missing(consumer) or is_missing(business) or consumer == business:
        return ""
    return " · ".join(f"{words}: {_stance(row, audience).lower()}" for audience, words in _USERS.items())


def _quotes(rows: Rows) -> str:
    """Return quotes with their sources."""
    return "".join(quote(row["quote"], row, mark=level(row["clause_level"])) for row in rows)


def stance_moves(
    moves: pd.DataFrame | None, changes: pd.DataFrame | None, checked: pd.DataFrame | None, *, most: int = 60
) -> Block:
    """Show which platforms changed their answer, and what the changes said.

    Parameters
    ----------
    moves, changes : pandas.DataFrame or None
        As `analysis.stance_moves` and `analysis.stance_changes` give them; None where they are not known.
    checked : pandas.DataFrame or None
        As `changed_clauses` gives it, checked again.
    most : int
        Platforms shown with clauses; the overview lists all.
    """
    if moves is None or changes is None:
        html = (
            "<p>Who changed, and how the answers moved, is not known: the service shows changes to Pro keys only.</p>"
        )
        return Block(html, "changes are not known: they need a Pro key")
    if moves.empty:
        return Block("<p>No answer moved in this time.</p>", "no answer moved")
    rows = rows_of(moves)
    states = {} if checked is None else dict(zip(checked["finding_id"], checked["verification_status"], strict=True))
    by_slug = grouped(rows_of(changes), "slug")
    shown = "".join(
        _mover(row, by_slug.get(row["slug"], []), states, place < _OPEN) for place, row in enumerate(rows[:most])
    )
    rest = f"<p class=note>The clauses of {plural(len(rows) - most, 'more platform')} are not shown.</p>" * (
        len(rows) > most
    )
    html = f"<section aria-label='Who changed'>{_movers(rows)}{shown}{rest}</section>"
    return Block(html, "\n".join(f"{row['name']}: {row['stance_before']} → {row['stance_after']}" for row in rows))


def _movers(rows: Rows) -> str:
    """Return all platforms that changed as one table; those that came back folded below."""
    went, came = ([row for row in rows if (row["direction"] == "back") is back] for back in (False, True))
    shown = _table(went) if went else "<p>No answer is another than at the beginning.</p>"
    if came:
        label = plural(len(came), "platform moved and came back", "platforms moved and came back")
        shown += f"<details class=keep><summary>{label}</summary>{_table(came)}</details>"
    return shown


def _table(rows: Rows) -> str:
    """Return platforms that changed, each leading to its changes."""
    body = "".join(
        f'<tr><th scope=row><a href="#moved-{text(row["slug"])}">{name(row["name"])}</a></th><td>{_direction(row)}</td>'
        f"<td class=roomy>{_words(row['stance_before'])}</td><td class=roomy>{_words(row['stance_after'])}</td>"
        f"<td class='n roomy'>{row['steps']:,}</td><td class=whole>{day(row['last_at'])}</td></tr>"
        for row in rows
    )
    return (
        "<div class=wide><table class=sortable><caption>Answers before the first change and after the last</caption><thead><tr>"
        "<th scope=col>Platform</th><th scope=col>Direction</th><th scope=col class=roomy>Before</th>"
        "<th scope=col class=roomy>After</th><th scope=col class='n roomy'>Changes</th><th scope=col>Last change</th></tr>"
        f"</thead><tbody>{body}</tbody></table></div>"
    )


def _words(stance: Any) -> str:
    """Return a stance in words."""
    return text(stance_name(str(stance)))


def _direction(row: Mapping[str, Any]) -> str:
    """Return where an answer went: a sign and words, never colour alone."""
    sign, style, words = _DIRECTIONS.get(str(row["direction"]), ("?", "mixed", "direction not known"))
    return f'<span class="dir {style}"><span aria-hidden="true">{sign} </span>{words}</span>'


def _mover(row: Mapping[str, Any], steps: Rows, states: Mapping[Any, Any], opened: bool) -> str:
    """Return one platform's changes, newest first."""
    shown = "".join(_step(step, states) for step in steps[:_STEPS_SHOWN])
    if len(steps) > _STEPS_SHOWN:
        shown += f"<p class=note>{plural(len(steps) - _STEPS_SHOWN, 'earlier change')} to and fro not shown.</p>"
    summary = f"{name(row['name'])} {_direction(row)} <span class=meta>{day(row['last_at'])}</span>"
    return (
        f'<details class="keep platform" id="moved-{text(row["slug"])}"{" open" * opened}>'
        f"<summary>{summary}</summary>{shown}</details>"
    )


def _step(step: Mapping[str, Any], states: Mapping[Any, Any]) -> str:
    """Return one change: the answer before and after, and its clauses on training."""
    pairs: Sequence[Any] = clause_pairs(step)
    what = f"{_words(step['stance_before'])} → {_words(step['stance_after'])}"
    why = told(pairs) if pairs else "The service names no clause on training use for this change."
    return (
        f"<article><p class=meta>{day(step['reviewed_at'])} · {text(step['document'])} · <strong>{what}</strong></p>"
        f"<p class=why>{why}</p>{clauses_of(pairs, states)}</article>"
    )
