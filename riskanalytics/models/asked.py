"""Days and platforms as readers give them, in the forms that the wire has."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime

from riskanalytics.errors import ParameterError

DayLike = date | str
"""A day: `date`, `datetime`, `pandas.Timestamp`, or text of ISO 8601."""


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


def as_slugs(named: Iterable[object] | str) -> list[str]:
    """Return the slugs that are asked for, each once, in order.

    Parameters
    ----------
    named : iterable of str, or str
        Slugs, or one text of slugs between commas.
    """
    parts = named.split(",") if isinstance(named, str) else named
    return list(dict.fromkeys(text for part in parts if (text := str(part).strip())))
