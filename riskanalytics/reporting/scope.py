"""The day and the platforms that a page speaks of, as its parameters name them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from datetime import date

import pandas as pd

from riskanalytics.errors import IncompleteReportError, ParameterError


def day_of(text: str, newest: date) -> date:
    """Return the day that a page is asked for.

    Parameters
    ----------
    text : str
        YYYY-MM-DD; empty for the newest day of the data.
    newest : date
        Day of the newest data.

    Raises
    ------
    ParameterError
        If the text is no day.
    IncompleteReportError
        If the day lies after the data.
    """
    if not text:
        return newest
    try:
        day = date.fromisoformat(str(text))
    except ValueError as error:
        raise ParameterError(f"a day is YYYY-MM-DD, not {str(text)[:40]!r}") from error
    if day > newest:
        raise IncompleteReportError(f"{day} lies after the data, which end on {newest}; leave as_of empty for that day")
    return day


def slugs_of(
    named: Sequence[object] | str,
    platforms: pd.DataFrame,
    day: date,
    *,
    least: int = 1,
    most: int | None = None,
) -> list[str]:
    """Return the platforms that a page is asked for, in the order in which they are named.

    Parameters
    ----------
    named : sequence of str, or str
        Slugs, or one text of slugs between commas; empty for all platforms.
    platforms : pandas.DataFrame
        Those tracked on the day: `slug`.
    day : date
    least, most : int, optional
        How many platforms the page takes, where any are named.

    Raises
    ------
    ParameterError
        If one is not tracked (the nearest slugs are told), or there are too few or too many.
    IncompleteReportError
        If no platform was tracked on that day.
    """
    tracked = [str(slug) for slug in platforms["slug"]]
    if not tracked:
        raise IncompleteReportError(f"no platform was tracked yet on {day}; give a later day, or none")
    given = named.split(",") if isinstance(named, str) else named
    wanted = list(dict.fromkeys(text for item in given if (text := str(item).strip())))
    if not wanted:
        return tracked
    _check_tracked(wanted, tracked, day)
    if len(wanted) < least or (most is not None and len(wanted) > most):
        span = f"{least} to {most}" if most is not None else f"at least {least}"
        raise ParameterError(f"platforms takes {span} slugs, not {len(wanted)}")
    return wanted


def _check_tracked(wanted: Iterable[str], tracked: Sequence[str], day: date) -> None:
    """Refuse the first slug that is not tracked."""
    known = set(tracked)
    for slug in wanted:
        if slug not in known:
            near = difflib.get_close_matches(slug.casefold(), tracked, n=3)
            hint = f"did you mean {' or '.join(near)}?" if near else "`riskanalytics monthly` lists all"
            raise ParameterError(f"no platform {slug[:60]!r} is tracked on {day}; {hint}")
