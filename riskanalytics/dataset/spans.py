"""The days that a report speaks of: those of a calendar month, or those after a day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

import pandas as pd

from riskanalytics.client import Client
from riskanalytics.errors import IncompleteReportError
from riskanalytics.text.arguments import as_month
from riskanalytics.text.wording import dated

_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Span:
    """The days after one day, up to another: a calendar month, or all that are new since a day.

    Parameters
    ----------
    before : date
        The day before the first: moves begin with its ratings.
    until : date
        The last day; `before` where there is no new day.
    title : str
        The days in words.
    month : str
        YYYY-MM; empty where the days are no calendar month.
    """

    before: date
    until: date
    title: str
    month: str = ""

    @property
    def since(self) -> str:
        """The day after which the days begin, as the parameter `since` takes it; empty for a calendar month."""
        return "" if self.month else str(self.before)

    @property
    def name(self) -> str:
        """The days as part of a file's name: that of a month is no other's."""
        return self.month or f"since-{self.before}-to-{self.until}"

    @property
    def kind(self) -> str:
        """What sentences call the days: `month` or `period`."""
        return "month" if self.month else "period"

    @property
    def first(self) -> date:
        """The first day."""
        return self.before + _DAY

    @property
    def after(self) -> date:
        """The day after the last."""
        return self.until + _DAY

    @property
    def recorded_from(self) -> date | None:
        """First day of the changes that the days are compared with: twelve months; None, for all that are recorded."""
        return (pd.Period(self.month, "M") - 11).start_time.date() if self.month else None


def span_of_month(month: pd.Period, newest: date) -> Span:
    """Return the days of a month.

    Parameters
    ----------
    month : pandas.Period
    newest : date
        Day of the newest data: a month that goes on then is named with it.

    Examples
    --------
    >>> import pandas as pd
    >>> from datetime import date
    >>> span = ra.dataset.span_of_month(pd.Period("2026-08"), date(2026, 10, 31))
    >>> span.title, str(span.first), str(span.until), span.name
    ('August 2026', '2026-08-01', '2026-08-31', '2026-08')
    """
    return Span(last_day(month - 1), last_day(month), month_title(month, newest), str(month))


def span_since(day: date, newest: date) -> Span:
    """Return the days after a day, up to the newest.

    Parameters
    ----------
    day : date
    newest : date
        Day of the newest data.

    Raises
    ------
    IncompleteReportError
        If the day lies after the data.

    Examples
    --------
    >>> from datetime import date
    >>> span = ra.dataset.span_since(date(2026, 8, 15), date(2026, 10, 31))
    >>> span.title, span.name
    ('16 August 2026 to 31 October 2026', 'since-2026-08-15-to-2026-10-31')
    """
    if day > newest:
        raise IncompleteReportError(f"{day} lies after the data, which end on {newest}; give an earlier day as since")
    if day == newest:
        return Span(day, newest, f"nothing since {dated(day)}")
    first = day + _DAY
    return Span(day, newest, dated(newest) if first == newest else f"{dated(first)} to {dated(newest)}")


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
            f"no platform was tracked yet at the end of {period}, and this server does not say since when"
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
