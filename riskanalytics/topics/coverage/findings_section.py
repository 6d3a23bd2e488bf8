"""Coverage of findings on a page: the least certain findings of each platform, and quotes that were read again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pandas as pd

from riskanalytics.frames import rows_of
from riskanalytics.pages.composing import table
from riskanalytics.pages.rows import Rows, grouped, level, name, number, quote
from riskanalytics.pages.section import Section, of_data, section
from riskanalytics.pages.values import Fold, Heading, Paragraph, Part, Quote, Text
from riskanalytics.surfaces import surface_name
from riskanalytics.wording import percent, plural

__all__ = ["integrity", "unsure_findings"]

_FAILED_SHOWN: Final = 40
"""Quotes that did not verify and are shown."""


@of_data(unsure="unsure_findings", clauses="unsure_clauses", below="unsure_below")
def unsure_findings(unsure: pd.DataFrame, clauses: pd.DataFrame, below: float, *, most: int = 3) -> Section:
    """Show the findings of low confidence by platform, to be checked by hand.

    Parameters
    ----------
    unsure : pandas.DataFrame
        As `analysis.unsure_findings` gives it.
    clauses : pandas.DataFrame
        `frames.FINDINGS_COLUMNS` of these findings, checked again.
    below : float
        Findings below this confidence are shown.
    most : int
        Clauses shown of a platform.

    Examples
    --------
    >>> found = data.verify(data.of(["zelmilow-health"]).findings)
    >>> clauses = found[found["confidence"] < 0.9]
    >>> sections.unsure_findings(analysis.unsure_findings(found, 0.9), clauses, 0.9).text
    '4 findings of low confidence'
    """
    if unsure.empty:
        return Section(
            (Paragraph(f"No finding at hand has a confidence below {below:g}."),), "no finding of low confidence"
        )
    by_slug = grouped(rows_of(clauses.sort_values(["confidence", "document", "start"], kind="stable")), "slug")
    counted = plural(int(unsure["unsure"].sum()), "finding")
    intro = (
        f"{counted} on {plural(len(unsure), 'platform')} have a confidence below {below:g}, here the least certain of each "
        "platform first."
    )
    folds = (
        _platform(row, by_slug.get(str(row["slug"]), [])[:most], below, opened=place == 0)
        for place, row in enumerate(rows_of(unsure))
    )
    parts = (Heading("To check by hand"), Paragraph(intro), *folds)
    return section("Findings of low confidence", *parts, text=f"{counted} of low confidence")


def _platform(row: Mapping[str, object], clauses: Rows, below: float, *, opened: bool) -> Fold:
    """Return one platform: how many of its findings are of low confidence, and the least certain clauses."""
    counts = f"{int(number(row['unsure'])):,} of {plural(int(number(row['findings'])), 'finding')}"
    hidden = int(number(row["unsure"])) - len(clauses)
    note = f"{plural(hidden, 'more finding')} below {below:g} not shown." if hidden > 0 else ""
    parts: tuple[Part, ...] = (*map(_clause, clauses), Paragraph(note, "note"))
    return Fold((name(row["name"]), " ", Text(counts, "meta")), parts, open=opened)


def _clause(row: Mapping[str, object]) -> Quote:
    """Return the quote of a finding with its surface, level and confidence."""
    told = (
        surface_name(str(row["surface"])),
        " ",
        level(row["level"]),
        f" confidence {number(row['confidence']):.2f} ·",
    )
    return quote(row, mark=Text(told, "meta"))


@of_data(checked="sample")
def integrity(integrity: pd.DataFrame, checked: pd.DataFrame) -> Section:
    """Show how many quotes of a sample were found again in their archived texts, and name those that were not.

    Parameters
    ----------
    integrity : pandas.DataFrame
        As `analysis.integrity` gives it.
    checked : pandas.DataFrame
        `frames.FINDINGS_COLUMNS` of the sample, checked again.

    Examples
    --------
    >>> sample = data.verify(analysis.sample_findings(data.findings, 20))
    >>> sections.integrity(analysis.integrity(sample, len(data.findings)), sample).text
    '20 of 20 quotes verified'
    """
    if integrity.empty:
        return Section((Paragraph("There is no quote to read again."),), "no quote to read again")
    states = rows_of(integrity)
    verified = states[0]
    whole, total = int(verified["sampled"]), int(verified["findings"])
    sampled = whole < total
    drawn = f"{whole:,} of {total:,} quotes, drawn by their hash, were" if sampled else "All quotes were"
    spread = f" (95 % interval {_interval(verified)})" if sampled else ""
    said = Paragraph(
        f"{drawn} read again: the text fetched, its SHA-256 compared, the quote read at its offsets. "
        f"{percent(float(verified['share']))} verified{spread}."
    )
    failed = rows_of(checked[checked["verification_status"] != "verified"])
    shown = _failed(states, failed) if failed else []
    return Section((said, *shown), f"{int(verified['quotes']):,} of {whole:,} quotes verified")


def _interval(row: Mapping[str, object]) -> str:
    """Return an interval in words."""
    return f"{percent(number(row['low']))} to {percent(number(row['high']))}"


def _failed(states: Rows, failed: Rows) -> list[Part]:
    """Return the quotes by state of verification, and those that did not verify."""
    rows = (
        (
            str(row["status"]).replace("_", " "),
            f"{int(number(row['quotes'])):,}",
            percent(number(row["share"])),
            _interval(row),
        )
        for row in states
    )
    parts: list[Part] = [table("Quotes read again", rows, "State", "n:Quotes", "n:Share", "n roomy:95 % interval")]
    for row in failed[:_FAILED_SHOWN]:
        parts += [Paragraph(name(row["name"]), "what"), quote(row)]
    if len(failed) > _FAILED_SHOWN:
        parts.append(Paragraph(f"{plural(len(failed) - _FAILED_SHOWN, 'more quote')} not shown.", "note"))
    return parts
