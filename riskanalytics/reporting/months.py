"""The month that a report speaks of."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date
from typing import Final

import pandas as pd

from riskanalytics.client import Client
from riskanalytics.errors import IncompleteReportError, ParameterError

_FORM: Final = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])")


@dataclass(frozen=True)
class Month:
    """A calendar month, UTC.

    Parameters
    ----------
    year, number : int
    """

    year: int
    number: int

    def __str__(self) -> str:
        """YYYY-MM."""
        return f"{self.year:04d}-{self.number:02d}"

    @property
    def first(self) -> date:
        """First day."""
        return date(self.year, self.number, 1)

    @property
    def last(self) -> date:
        """Last day."""
        return date(self.year, self.number, monthrange(self.year, self.number)[1])

    @property
    def title(self) -> str:
        """Such as October 2026."""
        return f"{self.first:%B %Y}"

    def back(self, months: int) -> Month:
        """Return the month some months before."""
        index = self.year * 12 + self.number - 1 - months
        return Month(index // 12, index % 12 + 1)


def month_of(text: str, newest: date) -> Month:
    """Return the month that a report is asked for.

    Parameters
    ----------
    text : str
        YYYY-MM; empty for the last complete month of the data.
    newest : date
        Day of the newest data.

    Raises
    ------
    ParameterError
        If the text is no month.
    IncompleteReportError
        If the month lies after the data.
    """
    running = Month(newest.year, newest.month)
    complete = running if newest == running.last else running.back(1)
    if not text:
        return complete
    match = _FORM.fullmatch(text)
    if match is None:
        raise ParameterError(f"a month is YYYY-MM, not {text[:40]!r}")
    month = Month(int(match[1]), int(match[2]))
    if month.first > newest:
        raise IncompleteReportError(
            f"{month} lies after the data, which end on {newest}; the last complete month is {complete}"
        )
    return month


def check_begun(period: Month, platforms: pd.DataFrame, client: Client) -> None:
    """Refuse a month that lies before the data.

    Parameters
    ----------
    period : Month
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
    while (gap := (told.year - empty.year) * 12 + told.number - empty.number) > 1:
        middle = told.back(gap // 2)
        if next(iter(client.platforms(middle.last)), None) is None:
            empty = middle
        else:
            told = middle
    raise IncompleteReportError(f"{period} lies before the data; the months there are: {told} to {last}")
