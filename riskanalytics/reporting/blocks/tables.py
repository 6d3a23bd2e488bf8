"""Training use and freshness as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pandas as pd

from riskanalytics.frames import rows_of
from riskanalytics.models import stance_name
from riskanalytics.reporting.blocks.words import day, is_missing, level, name, plural, quote, text
from riskanalytics.reporting.display import Block

_FLAGS: Final = {
    "broken": "could not be read",
    "stale": "newest capture broken; the last good text is used",
    "not_a_policy": "is no policy",
    "no date": "has no date",
    "after now": "is dated after the data",
}


def training_use(stances: pd.DataFrame, shares: pd.DataFrame | None = None, *, most: int = 6) -> Block:
    """Show who trains on content: platforms by stance, the deciding clause of each.

    Parameters
    ----------
    stances : pandas.DataFrame
        As `analysis.training_use` gives it.
    shares : pandas.DataFrame, optional
        As `analysis.stance_shares` gives it; puts the share and its interval beside each stance.
    most : int
        Platforms of one stance shown before the reader asks for more; their number doubled is shown with clauses.
    """
    parts = []
    for stance, rows in stances.groupby("stance", sort=False, dropna=False):
        title = "Not known" if is_missing(stance) else stance_name(str(stance))
        listed = rows_of(rows)
        share = share_of(shares, stance, len(listed), len(stances))
        parts.append(f"<h3>{text(title)} <span class=thin>{share}</span></h3>")
        if stance == "silent" or is_missing(stance):
            names = ", ".join(name(row["name"]) for row in listed[:_MOST_NAMES])
            rest = f" and {len(listed) - _MOST_NAMES:,} more" if len(listed) > _MOST_NAMES else ""
            parts.append(f"<p>{names}{rest}.</p>")
            continue
        parts.append("".join(_stance(row) for row in listed[:most]))
        parts.append(_more(listed[most:], most))
    return Block(
        f"<section aria-label='Training use by stance'>{''.join(parts)}</section>",
        f"{len(stances)} platforms by stance",
    )


_MOST_NAMES: Final = 60


def share_of(shares: pd.DataFrame | None, stance: Any, count: int, total: int) -> str:
    """Return how many platforms of how many, with the interval where it is told."""
    told = f"{count:,} of {plural(total, 'platform')}"
    rows = [] if shares is None else rows_of(shares[(shares["audience"] == "all") & (shares["stance"] == stance)])
    if not rows or is_missing(rows[0]["share"]):
        return told
    part, low, high = (f"{100 * rows[0][key]:.0f}" for key in ("share", "low", "high"))
    return f"{told}, {part} % (95 % interval {low} to {high} %)"


def _more(listed: Sequence[Mapping[str, Any]], most: int) -> str:
    """Return the platforms beyond the first, folded: as many again with their clause, the others by name."""
    if not listed:
        return ""
    full = listed if len(listed) <= 4 * most else listed[:most]
    brief = "".join(f"<li>{name(row['name'])} {level(row['level'])}{_differs(row)}</li>" for row in listed[len(full) :])
    inner = "".join(_stance(row) for row in full) + (f"<ul>{brief}</ul>" if brief else "")
    return f"<details><summary>{plural(len(listed), 'more platform')}</summary>{inner}</details>"


def _differs(row: Mapping[str, Any]) -> str:
    """Return the stances for consumers and business users where both are told."""
    if is_missing(row["consumer_stance"]) or is_missing(row["business_stance"]):
        return ""
    consumer, business = (stance_name(str(row[key])).lower() for key in ("consumer_stance", "business_stance"))
    if consumer == business:
        return ""
    return f"<br><span class=meta>Consumers: {text(consumer)}. Business: {text(business)}.</span>"


def _stance(row: Mapping[str, Any]) -> str:
    """Return one platform beside its deciding clause."""
    head = f"<p><strong>{name(row['name'])}</strong> {level(row['level'])}{_differs(row)}</p>"
    clause = "<p class=note>No single clause decides.</p>" if is_missing(row["quote"]) else quote(row["quote"], row)
    return f"<div class=row>{head}<div>{clause}</div></div>"


def freshness(documents: pd.DataFrame) -> Block:
    """Show by name what could not be read, and what has not changed for long.

    Parameters
    ----------
    documents : pandas.DataFrame
        As `analysis.freshness` gives it.
    """
    flagged = documents[documents["flag"].isin(list(_FLAGS))]
    old = documents[documents["flag"] == "unchanged"]
    rows = "".join(
        f"<tr><th scope=row>{name(row['name'])}</th><td>{text(row['document'])}</td><td>{text(_FLAGS[row['flag']])}</td>"
        f"<td>{text(str(row['check']).replace('_', ' ')) if not is_missing(row['check']) else ''}</td>"
        f"<td>{day(row['captured_at'])}</td></tr>"
        for row in rows_of(flagged)
    )
    table = (
        "<div class=wide><table class=sortable><caption>Documents that need a look</caption><thead><tr><th scope=col>Platform</th>"
        "<th scope=col>Document</th><th scope=col>State</th><th scope=col>Check</th><th scope=col>Text of</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
        if rows
        else f"<p>All {plural(len(documents), 'document')} could be read.</p>"
    )
    note = ""
    if len(old):
        days = int(documents["unchanged_days"].iloc[0])
        note = (
            f"<p class=note>{len(old):,} of {plural(len(documents), 'document')} have not changed for more than {days} days. "
            "An archive records a document when it changes, so an old text may well be today's.</p>"
        )
    return Block(table + note, f"{len(flagged)} documents need a look")
