"""The month that a report speaks of."""

from __future__ import annotations

from datetime import date

import pandas as pd

from riskanalytics.asked import as_month
from riskanalytics.client import Client
from riskanalytics.errors import IncompleteReportError


def month_of(text: str, newest: date) -> pd.Period:
    """Return the month that a report is asked for.

    Parameters
    ----------
    text : str
        YYYY-MM, or `last`, the calendar month before today's; empty for the last complete month of the data.
    newest : date
        Day of the newest data.

    Returns
    -------
    pandas.Period
        Of one calendar month.

    Raises
    ------
    ParameterError
        If the text is no month.
    IncompleteReportError
        If the month lies after the data.
    """
    running = pd.Period(newest, "M")
    complete = running if newest == last_day(running) else running - 1
    if not text:
        return complete
    month = pd.Period(as_month(text), "M")
    if month > running:
        raise IncompleteReportError(
            f"{month} lies after the data, which end on {newest}; the last complete month is {complete}"
        )
    return month


def last_day(month: pd.Period) -> date:
    """Return the last day of a month."""
    return month.end_time.date()


def month_title(month: pd.Period, until: date) -> str:
    """Return the name of a month; one that the data do not reach the end of is named with its last day in the data.

    Parameters
    ----------
    month : pandas.Period
    until : date
        Day of the data.

    Examples
    --------
    >>> import pandas as pd
    >>> from datetime import date
    >>> august = pd.Period("2026-08")
    >>> ra.dataset.month_title(august, date(2026, 8, 31)), ra.dataset.month_title(august, date(2026, 8, 22))
    ('August 2026', 'August 2026, to the 22nd')
    """
    if until >= last_day(month):
        return f"{month:%B %Y}"
    ending = "th" if 10 < until.day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(until.day % 10, "th")
    return f"{month:%B %Y}, to the {until.day}{ending}"


def check_begun(period: pd.Period, platforms: pd.DataFrame, client: Client) -> None:
    """Refuse a month that lies before the data.

    Parameters
    ----------
    period : pandas.Period
    platforms : pandas.DataFrame
        The platforms at its end; none where the data begin later.
    client : Client
        Asked for the months there are, only then.

    Raises
    ------
    IncompleteReportError
        One line naming the months there are.
    """
    if len(platforms):
        return
    newest = pd.to_datetime(str(client.coverage().get("as_of")), utc=True, errors="coerce")
    if pd.isna(newest):
        raise IncompleteReportError(
            f"no platform was tracked yet at the end of {period}, and this server does not tell since when"
        )
    last = month_of("", newest.date())
    empty, told = period, last
    while (gap := (told - empty).n) > 1:
        middle = told - gap // 2
        if next(iter(client.platforms(last_day(middle))), None) is None:
            empty = middle
        else:
            told = middle
    raise IncompleteReportError(f"{period} lies before the data; the months there are: {told} to {last}")
