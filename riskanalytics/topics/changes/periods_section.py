"""How unusual a period is, beside the earlier ones of equal length, in words."""

from __future__ import annotations

import pandas as pd

from riskanalytics.pages.section import Section, of_data
from riskanalytics.pages.values import Paragraph
from riskanalytics.wording import dated, plural

__all__ = ["equal_periods"]


@of_data(periods="equal_periods")
def equal_periods(periods: pd.DataFrame) -> Section:
    """Say how unusual the material changes of a period are; that it has no day; nothing where changes are not known.

    Parameters
    ----------
    periods : pandas.DataFrame
        As `analysis.equal_periods` gives it.

    Examples
    --------
    >>> periods = analysis.equal_periods(data.changes(), "2026-08-16", "2026-11-01", most=3)
    >>> print(sections.equal_periods(periods).text)
    16 material changes in 77 days; 17 to 31 in each of the 3 periods of 77 days before.
    """
    asked, earlier = periods.iloc[-1], periods["changes"].iloc[:-1]
    days = (asked["until"] - asked["since"]).days
    if not days:
        said = f"No day of the data lies after {dated(asked['since'] - pd.Timedelta(1, 'D'))}."
        return Section((Paragraph(said),), said)
    if pd.isna(asked["changes"]):
        return Section((), "no earlier period is compared")
    first = asked["first_change"]
    begun = "no change is on record" if pd.isna(first) else f"the first change on record is of {dated(first)}"
    told = f"{plural(asked['changes'], 'material change')} in {plural(days, 'day')}"
    if len(earlier) < 2:
        said = f"{told}; how unusual that is cannot be told: {begun}."
    else:
        least, most = earlier.min(), earlier.max()
        span = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        said = f"{told}; {span} in each of the {len(earlier)} periods of {plural(days, 'day')} before."
        return Section((Paragraph(said), Paragraph(_tracked(periods), "note")), said)
    return Section((Paragraph(said),), said)


def _tracked(periods: pd.DataFrame) -> str:
    """Say how many platforms were tracked before the periods: one that was not yet has no changes there."""
    told, now = periods["platforms"].iloc[:-1].dropna(), periods["platforms"].iloc[-1]
    rule = "a platform that was not tracked yet has no changes there"
    if told.empty or pd.isna(now):
        return f"How many platforms were tracked in these periods is not known; {rule}."
    least, most = told.min(), told.max()
    span = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    left = len(periods) - 1 - len(told)
    unknown = f" (not known of {left:,} of them)" if left else ""
    return (
        f"Tracked at the end of the month before: {plural(now, 'platform')} for this period, {span} for the earlier "
        f"ones{unknown}; {rule}."
    )
