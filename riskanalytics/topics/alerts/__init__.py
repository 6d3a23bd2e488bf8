"""Alerts: what became true since an earlier day, such as a rule that a platform newly breaks; as a frame, a feed or a mail."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from email.message import EmailMessage
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

import pandas as pd

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.frames.building import mapping_of
from riskanalytics.pages import rows as show
from riskanalytics.pages.section import Figures, rendered
from riskanalytics.surfaces import surface_name
from riskanalytics.text.untrusted import is_public, visible_line
from riskanalytics.text.wording import dated, listed, plural

from ..changes.clauses import clause_pairs
from ..shape import Record, items_of, schema, shaped, word_of

__all__ = ["alerts"]

ALERT_COLUMNS: Final = schema("alert_id kind slug name:str day:time title advice:str quotes:object about:str")
KINDS: Final = {
    "rule_broken": "Rules newly broken", "silent_edit": "Material changes under an unchanged date",
    "material_change": "Material changes", "exception_expires": "Exceptions that expire soon", "date_ahead": "Dates ahead",
}  # fmt: skip
"""Kind of an alert -> heading for alerts of this kind, in the order of their urgency."""
_SOON: Final = timedelta(days=30)
"""An exception is announced this long before its last day."""
_ADDRESSES: Final = ("live_url", "archive_url")
_FIELDS: Final = (
    "finding_id", "document", "quote", "lead_in", "start", "end", "snapshot_sha256", "verification_status", *_ADDRESSES
)  # fmt: skip
_CLAUSES: Final = 3
"""Maximum number of clauses of a change that an alert quotes; a rewritten clause counts once, though both texts are quoted."""
_WORDED: Final = 20
"""Maximum number of changes of wording that a mail lists."""
_DIRECTIONS: Final = {"up": "risk up", "down": "risk down", "mixed": "risk up and down"}
_AHEAD: Final = {"effective": "will be effective from", "objection": "can be objected to, or opted out of, until"}
_LOWER: Final = "The risk is lower, so you need not act; an exception may no longer be needed."
_COMPARE: Final = "Compare the clauses before and after the change, and decide whether your use may go on."
Known = pd.DataFrame | None
"""A frame; None if its data are not known or not wanted."""
Use = tuple[str, ...]
"""Identifies a result: its rule, platform, data class, plan and region. (Row numbers change when a portfolio is edited.)"""


def alerts(
    material: Known, clauses: pd.DataFrame, day: date, results: Known = None, before: Known = None, ahead: Known = None
) -> pd.DataFrame:
    """List what became true since an earlier day: one row for each fact that a person should know.

    Parameters
    ----------
    material : pandas.DataFrame or None
        Material changes since the earlier day (result of `analysis.material_changes`); None if the changes are not known.
    clauses : pandas.DataFrame
        Clauses to quote, after `data.verify`: those of the changes (`analysis.changed_clauses`), and the findings that decide
        rules.
    day : date
        Day of the alerts on rules and exceptions: the day of the data if they are of a past day, otherwise today.
    results, before : pandas.DataFrame, optional
        Results of the rules on this day and on the earlier day (`analysis.rule_results`). Without `results`, there are no alerts on
        rules or exceptions; without `before`, every rule that fails is newly broken.
    ahead : pandas.DataFrame, optional
        Stated dates after the day (`analysis.dates_ahead`), after `data.verify`.

    Returns
    -------
    pandas.DataFrame
        - `alert_id` str: a UUID made from the facts; the same facts always give the same
        - `kind` str: one of `KINDS`. `rule_broken`: a rule fails that did not fail on the earlier day, or was covered by an
          exception then. `silent_edit`: a material change of a document whose stated date of the last update did not move.
          `exception_expires`: an exception that is in use ends within 30 days. `date_ahead`: a document takes effect, or the time
          to object or opt out ends.
        - `slug`, `name` str: the platform
        - `day` time: day of a change; for the other kinds, the given day
        - `title` and `advice` str: the fact, and what to do, each in a sentence
        - `quotes` list of mappings: `side` (`before`, `after`, `added` or `removed`; empty for a clause that decides a rule),
          `lead_in`, `quote`, `finding_id`, `document`, `captured_at` (YYYY-MM-DD), `snapshot_sha256`, `start`, `end`,
          `verification_status`, and the public addresses `live_url` and `archive_url`; None if not known
        - `about` str: identifier of the change, the rule, the exception or the date

        Sorted by kind, in the order of `KINDS`; within a kind as in the given frames.

    Examples
    --------
    >>> material = analysis.material_changes(data.changes("2026-10-28"))
    >>> found = analysis.alerts(material, data.verify(analysis.changed_clauses(material)), data.day)
    >>> print(found["title"][0])
    Yorranor Video.ai changed its Privacy Policy on 29 October 2026: risk up on Third-party sharing and Ads and tracking.
    """
    quotes = {row["finding_id"]: {**row, "lead_in": show.led_by(row)} for row in rows_of(clauses)}
    rows = [] if material is None else [_change(row, quotes) for row in rows_of(material)]
    uses = {} if results is None else {_use(row): row for row in rows_of(results)}
    earlier = {} if before is None else {_use(row): row for row in rows_of(before)}
    rows += _on_rules(uses, earlier, quotes, day)
    for row in [] if ahead is None else rows_of(ahead):
        what = f"{row['document']} {_AHEAD.get(row['kind'], row['kind'])} {dated(row['date'])}"
        title, advice = f"{row['name']}: the {what}.", "Decide by then whether your use may go on."
        rows.append(_alert(row, "date_ahead", what, str(day), title=title, advice=advice, quotes=[_quote(row)]))
    unique = {row["alert_id"]: row for row in rows}.values()
    return shaped(sorted(unique, key=lambda row: list(KINDS).index(row["kind"])), ALERT_COLUMNS)


def _alert(row: Record, kind: str, about: str, day: str, **said: object) -> dict[str, Any]:
    """Return an alert with its identifier (a UUID of version 5); the day distinguishes a rule that is broken again."""
    facts = json.dumps([kind, row["slug"], about, day if kind == "rule_broken" else ""])
    alert = {"alert_id": str(uuid5(NAMESPACE_URL, facts)), "kind": kind, "slug": row["slug"], "name": row["name"]}
    return {**alert, "about": about, "day": day, "quotes": [], **said}


def _change(row: Record, quotes: Mapping[str, Record]) -> dict[str, Any]:
    """Return the alert on a material change."""
    way, ways = row["direction"], mapping_of(row["directions"])
    surfaces = [surface for surface, own in ways.items() if way in (own, "mixed")] or list(ways)
    rating = f"; rating {row['rating_after']} (was {row['rating_before']})" if row["rating_moved"] else ""
    named = surfaces and f" on {listed([*map(surface_name, surfaces)], 3)}"
    effect = f"{_DIRECTIONS.get(way, 'unclear effect')}{named or ''}{rating}"
    pairs = sorted(clause_pairs(row), key=lambda pair: pair.kind == "reread")[:_CLAUSES]
    sides = [
        _quote({**side.provenance, **quotes.get(side.id, {}), "quote": side.quote, "lead_in": side.lead_in}, name)
        for pair in pairs
        for side, name in zip(pair.sides, ("before", "after") if len(pair.sides) == 2 else (pair.kind,), strict=True)
    ]
    silent = row.get("silent_edit") is True
    kind, under = ("silent_edit", " under an unchanged date") if silent else ("material_change", "")
    title = f"{row['name']} changed its {word_of(row['document'])} on {dated(row['reviewed_at'])}{under}: {effect}."
    advice, day = _LOWER if way == "down" else _COMPARE, show.day(row["reviewed_at"])
    return _alert(row, kind, row["change_id"], day, title=title, advice=advice, quotes=sides)


def _quote(row: Record, side: str = "") -> dict[str, Any]:
    """Return a quote with its place and its public addresses, in values of JSON."""
    found = {name: None if is_missing(value := row.get(name)) else value for name in _FIELDS}
    found |= {name: None for name in _ADDRESSES if not is_public(found[name] or "")}
    if side in ("before", "removed"):
        found["live_url"] = None
    return {**found, "side": side, "captured_at": show.day(row.get("captured_at"))}


def _fails(row: Record | None) -> bool:
    """Return whether a rule is broken without an exception."""
    return row is not None and row["result"] == "fail" and not row["excepted"]


def _use(row: Record) -> Use:
    """Return the use of a platform that a result is about."""
    return tuple(word_of(row[name]) for name in ("rule", "slug", "data_class", "plan", "region"))


def _on_rules(
    uses: Mapping[Use, Record], earlier: Mapping[Use, Record], quotes: Mapping[str, Record], day: date
) -> Iterator[dict[str, Any]]:
    """Yield the alerts on rules that are newly broken, and on exceptions that expire."""
    tracked = {slug for _, slug, *_ in earlier}
    for (rule, slug, *use), row in uses.items():
        where, expires = ", ".join(filter(None, use)), None if is_missing(row["expires"]) else row["expires"].date()
        if _fails(row) and not _fails(earlier.get((rule, slug, *use))):
            who = f"{row['name']}{where and f' ({where})'}{'' if slug in tracked else ', newly tracked,'}"
            title = f"{who} breaks your rule “{row['title']}”: {row['observed']}; allowed: {row['allowed']}."
            advice = "Its exception has expired: renew it" if expires else "Replace the platform, agree an exception"
            decided = [_quote(quotes[one]) for one in items_of(row["decided_by"]) if one in quotes]
            said = {"title": title, "advice": f"{advice}, or end the use.", "quotes": decided}
            yield _alert(row, "rule_broken", f"{rule} {where}".strip(), str(day), **said)
        elif row["excepted"] and expires and expires - day <= _SOON:
            title = f"The exception of {row['name']} from your rule “{row['title']}” ends on {dated(expires)}."
            advice = f"Renew it in the file of rules, or end the use. Agreed by {row['exception']}"
            yield _alert(row, "exception_expires", f"{rule} {expires}", str(day), title=title, advice=advice)


def as_atom(alerts: Sequence[Record]) -> str:
    """Return alerts as an Atom feed (RFC 4287), newest first. The id of an entry is that of its alert.

    Parameters
    ----------
    alerts : sequence of mapping
        Rows of `analysis.alerts`, with times as ISO 8601.
    """
    newest = sorted(alerts, key=lambda row: str(row["day"]), reverse=True)
    return rendered("alerts.xml.jinja", Figures(), rows=newest, kinds=KINDS, words=show.quoted)


def as_mail(alerts: Sequence[Record], to: str, worded: Sequence[str] = ()) -> EmailMessage:
    """Return alerts as one email, with a text and an HTML part that list them by kind.

    Parameters
    ----------
    alerts : sequence of mapping
        Rows of `analysis.alerts`, at least one.
    to : str
        Address of the recipient.
    worded : sequence of str
        Documents with a change of wording, listed apart at the end; of more than 20, the number of the others is given.
    """
    groups = {title: [row for row in alerts if row["kind"] == kind] for kind, title in KINDS.items()}
    first = next(filter(None, groups.values()))[0]
    mail, subject = EmailMessage(), f"{plural(len(alerts), 'alert')}: {first['title']}"
    mail["To"], mail["Subject"] = to, visible_line(subject)[:200]
    more = [f"and {len(worded) - _WORDED:,} more"] if len(worded) > _WORDED else []
    given = {"groups": groups, "words": show.quoted, "subject": subject, "worded": [*worded[:_WORDED], *more]}
    mail.set_content(rendered("alerts.txt.jinja", Figures(), **given))
    mail.add_alternative(rendered("alerts.html.jinja", Figures(), **given), subtype="html")
    return mail
