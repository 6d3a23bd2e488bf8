"""Clauses worth reading that are no findings: of one platform in full, of all platforms counted. No level is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pandas as pd

from riskanalytics.frames import rows_of
from riskanalytics.models import surface_name
from riskanalytics.reporting.blocks.words import (
    Rows,
    grouped,
    is_missing,
    name,
    plural,
    quote,
    ratio,
    roles,
    sortable,
    text,
)
from riskanalytics.reporting.display import Block

_OPEN: Final = 5
_NONE: Final = "<p>No clause is named that is worth reading and no finding.</p>"
_UNCOUNTED: Final = (
    "not read surely enough to be findings. They are not counted: no level, rating or answer rests on them. Where one says "
    "something else on training in so many words, the stance is left undetermined."
)


def worth_reading(leads: pd.DataFrame, bound: object) -> Block:
    """Show the leads of one platform, and why they are no findings.

    Parameters
    ----------
    leads : pandas.DataFrame
        `frames.FINDINGS_COLUMNS`, as `sources.read_findings` gives them, the surest first.
    bound : object
        Confidence from which a clause is a finding, as the service tells it; not said where that is no share.
    """
    rows = rows_of(leads)
    if not rows:
        return Block(_NONE, "no lead")
    shown = [_lead(row, bound) for row in rows]
    rest = shown[_OPEN:]
    folded = f"<details class=keep><summary>{plural(len(rest), 'more lead')}</summary>{''.join(rest)}</details>" * bool(
        rest
    )
    html = (
        f"<section aria-label='Worth reading'><p>{plural(len(rows), 'clause')}, {_UNCOUNTED} Where a decision hangs on one, "
        f"read it in its document.</p>{''.join(shown[:_OPEN])}{folded}</section>"
    )
    return Block(html, f"{plural(len(rows), 'lead')}, not counted")


def leads_by_platform(counts: pd.DataFrame, leads: pd.DataFrame, bound: object) -> Block:
    """Show how many leads each platform has; some of their sentences are folded below.

    Parameters
    ----------
    counts : pandas.DataFrame
        As `analysis.leads_by_platform` gives it.
    leads : pandas.DataFrame
        `frames.FINDINGS_COLUMNS` of the sentences to show, checked again.
    bound : object
        As `worth_reading` takes it.
    """
    rows = rows_of(counts)
    if not rows:
        return Block(_NONE, "no lead")
    total = int(counts["leads"].sum())
    body = "".join(
        f"<tr><th scope=row>{name(row['name'])}</th><td class=n>{int(row['leads']):,}</td><td class=n>"
        f"{int(row['surfaces']):,}</td><td class=n>{'' if is_missing(row['highest']) else ratio(row['highest'])}</td></tr>"
        for row in rows
    )
    table = sortable("Leads by platform", body, "Platform", "n:Leads", "n:Surfaces", "n:Highest confidence")
    html = (
        f"<section aria-label='Worth reading'><p>{plural(total, 'clause')} on {plural(len(rows), 'platform')}, {_UNCOUNTED}"
        f"</p>{table}{_sentences(rows_of(leads), total, bound)}</section>"
    )
    return Block(html, f"{plural(total, 'lead')} on {plural(len(rows), 'platform')}, not counted")


def _sentences(rows: Rows, total: int, bound: object) -> str:
    """Return sentences by platform, folded; how many others there are."""
    if not rows:
        return ""
    parts = [
        f"<h3>{name(group[0]['name'])}</h3>{''.join(_lead(row, bound) for row in group)}"
        for group in grouped(rows, "slug").values()
    ]
    hidden = total - len(rows)
    rest = f"<p class=note>{plural(hidden, 'more lead')} not shown; the dossier of a platform shows its own.</p>"
    label = f"The surest of each platform: {plural(len(rows), 'sentence')}"
    return f"<details class=keep><summary>{label}</summary>{''.join(parts)}{rest * (hidden > 0)}</details>"


def _lead(row: Mapping[str, Any], bound: object) -> str:
    """Return one lead: its words, surface, and why it is no finding."""
    surface = f"<strong>{text(surface_name(str(row['surface'])))}</strong> ·"
    return quote(row["quote"], row, mark=surface, more=f"<br><span class=meta>{_why(row, bound)}</span>{roles(row)}")


def _why(row: Mapping[str, Any], bound: object) -> str:
    """Return how sure the reading of a clause is, and the bound that it stays below where that is told."""
    if is_missing(row["confidence"]):
        return "no finding: no confidence is stated"
    value = float(row["confidence"])
    if not (isinstance(bound, int | float) and value < bound <= 1):
        return f"no finding: stated confidence {ratio(value)}"
    limit = f"{bound:.2f}"
    told = f"{value:.3f}" if f"{value:.2f}" == limit else ratio(value)
    return f"no finding: stated confidence {told}, below the bound of {limit}"
