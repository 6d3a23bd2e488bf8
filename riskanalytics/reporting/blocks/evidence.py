"""Every quote that the page rests on, with where it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pandas as pd

from riskanalytics.models import RATINGS, SURFACES
from riskanalytics.reporting.blocks.words import is_missing, level, name, plural, quote, text
from riskanalytics.reporting.display import Block
from riskanalytics.theme import surface_name

_ORDER: Final = {surface: place for place, surface in enumerate(SURFACES)}


def evidence(findings: pd.DataFrame, slugs: Sequence[str], *, most: int = 3) -> Block:
    """Show the clauses of some platforms, surface by surface, the weightiest first.

    Parameters
    ----------
    findings : pandas.DataFrame
        `frames.FINDINGS_COLUMNS`, checked again.
    slugs : sequence of str
        Platforms, in the order to show them.
    most : int
        Clauses of one surface shown; how many there are is said.
    """
    by_slug = dict(iter(findings.groupby("slug", sort=False)))
    parts = [_platform(slug, by_slug[slug], most) for slug in slugs if slug in by_slug]
    shown = int(sum(part.count("<blockquote") for part in parts))
    html = f"<section aria-label=Evidence>{''.join(parts)}</section>"
    return Block(html, f"{shown} quotes of {len(parts)} platforms")


def _platform(slug: str, rows: pd.DataFrame, most: int) -> str:
    """Return the clauses of one platform."""
    groups = sorted(rows.groupby("surface", sort=False), key=lambda item: (_ORDER.get(str(item[0]), 99), str(item[0])))
    body = "".join(_surface(slug, str(surface), group, most) for surface, group in groups)
    first = rows.iloc[0]
    return (
        f'<details class=keep id="platform-{text(slug)}"><summary>{name(first["name"])}: {plural(len(rows), "clause")}</summary>{body}</details>'
    )


def _surface(slug: str, surface: str, rows: pd.DataFrame, most: int) -> str:
    """Return the weightiest clauses of one surface; near-copies are not shown twice."""
    records = [row for row in rows.to_dict("records") if is_missing(row["duplicate_of"])]
    records.sort(key=_weight)
    more = f" <span class=meta>{most} of {len(records)} shown</span>" if len(records) > most else ""
    quotes = "".join(f"<div>{level(row['level'])}{quote(row['quote'], row)}</div>" for row in records[:most])
    return f'<h4 id="{text(slug)}-{text(surface)}">{text(surface_name(surface))}{more}</h4>{quotes}'


def _weight(row: Mapping[str, Any]) -> tuple[int, int, int]:
    """Return the place of a clause: raising risk first, higher levels first, then as in the document."""
    rank = RATINGS.index(row["risk"]) if row["risk"] in RATINGS else -1
    start = 0 if is_missing(row["start"]) else int(row["start"])
    return (0 if row["polarity"] == "raises_risk" else 1, -rank, start)
