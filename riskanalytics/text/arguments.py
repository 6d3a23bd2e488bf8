"""Parse arguments given by people: days, months and slugs of platforms."""

import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from typing import Final

from riskanalytics.errors import ParameterError

DayLike = date | str
"""A day: `date`, `datetime`, `pandas.Timestamp`, or text of ISO 8601."""
LAST: Final = "last"
"""As a day, it means the day of the newest report in a folder; as a month, the calendar month before today's."""
_FIRST_YEAR: Final = 1900
"""Earliest year that is accepted: days are counted back from a given day, and calendars do not support years below 1."""


def as_day(value: DayLike | None) -> date | None:
    """Return a given day as a date.

    Parameters
    ----------
    value : date or str, optional
        A date, a time, or either as ISO 8601 text such as YYYY-MM-DD. A time means its day, in UTC if it has a time zone.
        Empty text means that no day is given.

    Returns
    -------
    date or None
        None if no day is given.

    Raises
    ------
    ParameterError
        If the value is not a day, or is before 1900.
    """
    if value is None or value == "":
        return None
    with suppress(ValueError, OverflowError):
        moment = datetime.fromisoformat(str(value))
        day = (moment.astimezone(UTC) if moment.tzinfo else moment).date()
        if day.year >= _FIRST_YEAR:
            return day
    raise ParameterError(f"a day is YYYY-MM-DD from {_FIRST_YEAR} on, not {str(value)[:40]!r}")


def as_month(text: str, now: datetime | None = None) -> str:
    """Return a given month as YYYY-MM.

    Parameters
    ----------
    text : str
        YYYY-MM, or `last` for the calendar month before the present one. Empty if no month is given.
    now : datetime, optional
        Present time in the reader's time zone, for `last`. By default this machine's clock.

    Returns
    -------
    str
        YYYY-MM, or empty.

    Raises
    ------
    ParameterError
        If the text is not a month, or is before 1900.
    """
    if text == LAST:
        today = now or datetime.now().astimezone()
        return f"{today.replace(day=1) - timedelta(days=1):%Y-%m}"
    if text and not re.fullmatch("(?:19|[2-9][0-9])[0-9]{2}-(?:0[1-9]|1[0-2])", text):
        raise ParameterError(f"a month is YYYY-MM from {_FIRST_YEAR}-01 on, or {LAST}, not {text[:40]!r}")
    return text


def as_since(since: DayLike | None, month: str = "") -> date | None:
    """Return the parameter `since` of a report as a date.

    Parameters
    ----------
    since : date or str, optional
        The day before the report begins: the report covers the days after it.
    month : str
        The calendar month of the report, if given. It cannot be combined with `since`.

    Returns
    -------
    date or None
        None if no day is given.

    Raises
    ------
    ParameterError
        If `since` is not a day, or if a month is given, too. The word `last` (the end of the previous report) is not a day here:
        only commands with a folder of earlier reports accept it.
    """
    if since and month:
        raise ParameterError("give either since (the last day before the report's period) or month, not both")
    if since == LAST:
        raise ParameterError(
            f"since={LAST} needs the folder of earlier reports, which a notebook does not have: give a day"
        )
    return as_day(since)


def as_slugs(named: Iterable[object] | str) -> list[str]:
    """Return the given slugs, each once, in order.

    Parameters
    ----------
    named : iterable of str, or str
        Slugs, or one text of slugs separated by commas.
    """
    parts = named.split(",") if isinstance(named, str) else named
    return list(dict.fromkeys(text for part in parts if (text := str(part).strip())))
