"""Clauses worth reading that are no findings: of one platform in full, of all platforms counted. No level is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pandas as pd

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.pages.composing import below, first_shown, table
from riskanalytics.pages.rows import Rows, grouped, name, number, quote
from riskanalytics.pages.section import Section, of_data, section
from riskanalytics.pages.values import Fold, Heading, Paragraph, Part, Quote, Text
from riskanalytics.surfaces import surface_name
from riskanalytics.wording import plural, ratio

__all__ = ["leads_by_platform", "worth_reading"]

_OPEN: Final = 5
_NONE: Final = Section((Paragraph("No clause is named that is worth reading and no finding."),), "no lead")
_UNCOUNTED: Final = (
    "not read surely enough to be findings. They are not counted: no level, rating or answer rests on them. Where one says "
    "something else on training in so many words, the stance is left undetermined."
)


@of_data(leads="clauses_to_read")
def worth_reading(leads: pd.DataFrame, bound: object) -> Section:
    """Show the leads of one platform (clauses worth reading), and why they are no findings.

    Parameters
    ----------
    leads : pandas.DataFrame
        `frames.FINDINGS_COLUMNS`, as `Dataset.read` gives them, the surest first.
    bound : object
        Confidence from which a clause is a finding, as the service tells it; not said where that is no share.

    Examples
    --------
    >>> leads = data.read(data.of(["orvewick-voice"]).leads)
    >>> sections.worth_reading(leads, data.extraction["finding_from"]).text
    '6 leads, not counted'
    """
    rows = rows_of(leads)
    if not rows:
        return _NONE
    intro = f"{plural(len(rows), 'clause')}, {_UNCOUNTED} Where a decision hangs on one, read it in its document."
    shown = first_shown([_lead(row, bound) for row in rows], _OPEN, "more lead")
    return section("Worth reading", Paragraph(intro), *shown, text=f"{plural(len(rows), 'lead')}, not counted")


@of_data(counts="leads_by_platform", leads="surest_leads")
def leads_by_platform(counts: pd.DataFrame, leads: pd.DataFrame, bound: object) -> Section:
    """Show how many leads (clauses too unsure to count) each platform has; some of their sentences are folded below.

    Parameters
    ----------
    counts : pandas.DataFrame
        As `analysis.leads_by_platform` gives it.
    leads : pandas.DataFrame
        `frames.FINDINGS_COLUMNS` of the sentences to show, checked again.
    bound : object
        As `worth_reading` takes it.

    Examples
    --------
    >>> some = data.of(["alfisen-music", "orvewick-voice"])
    >>> leads = data.verify(some.leads)
    >>> counts = analysis.leads_by_platform(leads)
    >>> sections.leads_by_platform(counts, leads, data.extraction["finding_from"]).text
    '8 leads on 2 platforms, not counted'
    """
    rows = rows_of(counts)
    if not rows:
        return _NONE
    total = int(counts["leads"].sum())
    cells = (
        (
            name(row["name"]),
            f"{int(number(row['leads'])):,}",
            f"{int(number(row['surfaces'])):,}",
            "" if is_missing(row["highest"]) else ratio(row["highest"]),
        )
        for row in rows
    )
    where = f"{plural(total, 'clause')} on {plural(len(rows), 'platform')}"
    counted = table("Leads by platform", cells, "Platform", "n:Leads", "n:Surfaces", "n:Highest confidence")
    shown = _sentences(rows_of(leads), total, bound)
    text = f"{plural(total, 'lead')} on {plural(len(rows), 'platform')}, not counted"
    return section("Worth reading", Paragraph(f"{where}, {_UNCOUNTED}"), counted, *shown, text=text)


def _sentences(rows: Rows, total: int, bound: object) -> list[Part]:
    """Return sentences by platform, folded; how many others there are."""
    if not rows:
        return []
    parts: list[Part] = []
    for group in grouped(rows, "slug").values():
        parts += [Heading(name(group[0]["name"])), *(_lead(row, bound) for row in group)]
    if hidden := max(total - len(rows), 0):
        words = f"{plural(hidden, 'more lead')} not shown; the dossier of a platform shows its own."
        parts.append(Paragraph(words, "note"))
    return [Fold(f"The surest of each platform: {plural(len(rows), 'sentence')}", tuple(parts), "keep")]


def _lead(row: Mapping[str, object], bound: object) -> Quote:
    """Return one lead: its words, surface, and why it is no finding."""
    mark = Text(surface_name(str(row["surface"])), "strong"), " ·"
    return quote(row, mark=mark, more=below(_why(row, bound)))


def _why(row: Mapping[str, object], bound: object) -> str:
    """Return how sure the reading of a clause is, and the bound that it stays below where that is told."""
    if is_missing(row["confidence"]):
        return "no finding: no confidence is stated"
    value = number(row["confidence"])
    if not (isinstance(bound, int | float) and value < bound <= 1):
        return f"no finding: stated confidence {ratio(value)}"
    limit = f"{bound:.2f}"
    told = f"{value:.3f}" if f"{value:.2f}" == limit else ratio(value)
    return f"no finding: stated confidence {told}, below the bound of {limit}"
