"""Training use and freshness as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pandas as pd

from riskanalytics.reporting.blocks.words import day, is_missing, level, name, plural, quote, text
from riskanalytics.reporting.display import Block
from riskanalytics.theme import stance_name

_FLAGS: Final = {
    "broken": "could not be read",
    "stale": "newest capture broken; the last good text is used",
    "not_a_policy": "is no policy",
    "no date": "has no date",
    "after now": "is dated after the data",
}


def training_use(stances: pd.DataFrame, *, most: int = 8) -> Block:
    """Show who trains on content: platforms by stance, the deciding clause of each.

    Parameters
    ----------
    stances : pandas.DataFrame
        As `analysis.training_use` gives it.
    most : int
        Platforms of one stance shown with their clause before the reader asks for all.
    """
    parts = []
    for stance, rows in stances.groupby("stance", sort=False, dropna=False):
        title = "Not known" if is_missing(stance) else stance_name(str(stance))
        records = rows.to_dict("records")
        parts.append(f"<h3>{text(title)}: {plural(len(records), 'platform')} of {len(stances):,}</h3>")
        if stance == "silent" or is_missing(stance):
            parts.append(f"<p>{', '.join(name(row['name']) for row in records)}.</p>")
            continue
        parts += [_stance(row) for row in records[:most]]
        rest = [_brief(row) for row in records[most:]]
        if rest:
            parts.append(f"<details><summary>{plural(len(rest), 'more platform')}</summary><ul>{''.join(rest)}</ul></details>")
    return Block(f"<section aria-label='Training use by stance'>{''.join(parts)}</section>", f"{len(stances)} platforms by stance")


def _differs(row: Mapping[str, Any]) -> str:
    """Return the stances for consumers and business users where both are told."""
    if is_missing(row["consumer_stance"]) or is_missing(row["business_stance"]):
        return ""
    consumer, business = (stance_name(str(row[key])).lower() for key in ("consumer_stance", "business_stance"))
    return f" <span class=meta>consumers: {text(consumer)}; business: {text(business)}</span>"


def _stance(row: Mapping[str, Any]) -> str:
    """Return one platform with its deciding clause."""
    head = f"<p><strong>{name(row['name'])}</strong> {level(row['level'])}{_differs(row)}</p>"
    if is_missing(row["quote"]):
        return head
    return head + quote(row["quote"], row)


def _brief(row: Mapping[str, Any]) -> str:
    """Return one platform in one line."""
    return f"<li>{name(row['name'])} {level(row['level'])}{_differs(row)}</li>"


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
        for row in flagged.to_dict("records")
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
