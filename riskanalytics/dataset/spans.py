"""The days that a report speaks of: those of a calendar month, or those after a day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

import pandas as pd

from riskanalytics.dataset.months import last_day, month_title
from riskanalytics.errors import IncompleteReportError
from riskanalytics.wording import dated

_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Span:
    """The days after one day, up to another: a calendar month, or all that are new since a day.

    Parameters
    ----------
    before : date
        The day before the first: its ratings are those from which moves are told.
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
