"""Days and platforms as readers give them, in the forms that the wire has."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime
from typing import Final

from riskanalytics.errors import ParameterError

DayLike = date | str
"""A day: `date`, `datetime`, `pandas.Timestamp`, or text of ISO 8601."""
LAST: Final = "last"
"""The day that the newest report of a folder speaks of, instead of a day."""


def as_day(value: DayLike | None) -> date | None:
    """Return the day that is asked for.

    Parameters
    ----------
    value : date or str, optional
        As a date, a time (its day, UTC where it tells its zone), or text such as YYYY-MM-DD.

    Returns
    -------
    date or None
        None where nothing is given, or an empty text.

    Raises
    ------
    ParameterError
        If it is no day.
    """
    if value is None or value == "":
        return None
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError as error:
        raise ParameterError(f"a day is YYYY-MM-DD, not {str(value)[:40]!r}") from error
    return (moment.astimezone(UTC) if moment.tzinfo else moment).date()


def as_since(since: DayLike | None, month: str = "") -> date | None:
    """Return the day after which a report begins.

    Parameters
    ----------
    since : date or str, optional
    month : str
        The calendar month that a report is asked for, instead of a day.

    Returns
    -------
    date or None
        None where no day is given.

    Raises
    ------
    ParameterError
        If it is no day, or a month is given beside it.
    """
    if since and month:
        raise ParameterError("since and month exclude each other: give the day after which a report begins, or a month")
    if since == LAST:
        raise ParameterError(
            f"since={LAST} needs the folder of earlier reports, which a notebook alone has not: give a day"
        )
    return as_day(since)


def as_slugs(named: Iterable[object] | str) -> list[str]:
    """Return the slugs that are asked for, each once, in order.

    Parameters
    ----------
    named : iterable of str, or str
        Slugs, or one text of slugs between commas.
    """
    parts = named.split(",") if isinstance(named, str) else named
    return list(dict.fromkeys(text for part in parts if (text := str(part).strip())))
