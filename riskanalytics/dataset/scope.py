"""The days and the platforms that a report speaks of, as its parameters name them."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

import pandas as pd

from riskanalytics.errors import IncompleteReportError, ParameterError
from riskanalytics.surfaces import SURFACES
from riskanalytics.text.arguments import DayLike, as_day, as_month, as_slugs
from riskanalytics.text.wording import dated

_SHOWN: Final = 60
"""Characters of a refused value that an error repeats."""
_DAY: Final = timedelta(days=1)


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
        Day of the newest data: a month that the data do not reach the end of is named with it.

    Examples
    --------
    >>> import pandas as pd
    >>> from datetime import date
    >>> span = span_of_month(pd.Period("2026-08"), date(2026, 8, 22))
    >>> span.title, str(span.first), str(span.until), span.name
    ('August 2026, to the 22nd', '2026-08-01', '2026-08-31', '2026-08')
    """
    title, last = f"{month:%B %Y}", last_day(month)
    if newest < last:
        ending = "th" if 10 < newest.day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(newest.day % 10, "th")
        title = f"{title}, to the {newest.day}{ending}"
    return Span(last_day(month - 1), last, title, str(month))


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
    >>> span = span_since(date(2026, 8, 15), date(2026, 10, 31))
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

    Raises
    ------
    ParameterError
        If the text is no month.
    IncompleteReportError
        If the month lies after the data.
    """
    running = pd.Period(newest, "M")
    complete = running if newest == last_day(running) else running - 1
    month = pd.Period(as_month(text), "M") if text else complete
    if month > running:
        raise IncompleteReportError(
            f"{month} lies after the data, which end on {newest}; the last complete month is {complete}"
        )
    return month


def last_day(month: pd.Period) -> date:
    """Return the last day of a month."""
    return month.end_time.date()


def day_of(text: DayLike, newest: date) -> date:
    """Return the day that a page is asked for.

    Parameters
    ----------
    text : str or date
        YYYY-MM-DD, or a date; empty for the newest day of the data.
    newest : date
        Day of the newest data.

    Raises
    ------
    ParameterError
        If the text is no day.
    IncompleteReportError
        If the day lies after the data.
    """
    day = as_day(text) or newest
    if day > newest:
        raise IncompleteReportError(f"{day} lies after the data, which end on {newest}; leave as_of empty for that day")
    return day


def days_of(name: str, value: object, *, most: int = 36_500) -> int:
    """Return a number of days that a page is asked for.

    Parameters
    ----------
    name : str
        Of the parameter.
    value : object
    most : int

    Raises
    ------
    ParameterError
        If it is no whole number from 1 to `most`.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        raise ParameterError(f"{name} is a whole number from 1 to {most:,}, not {str(value)[:_SHOWN]}")
    return value


def slugs_of(
    named: Sequence[object] | str,
    platforms: pd.DataFrame,
    day: date,
    *,
    least: int = 1,
    most: int | None = None,
    ranked: Callable[[], Sequence[str]] | None = None,
) -> list[str]:
    """Return the platforms that a page is asked for, in the order in which they are named.

    Parameters
    ----------
    named : sequence of str, or str
        Slugs, or one text of slugs between commas; empty for all platforms, or for the first of `ranked`.
    platforms : pandas.DataFrame
        Those tracked on the day: `slug`.
    day : date
    least, most : int, optional
        How many platforms the page takes, where any are named.
    ranked : callable, optional
        Gives slugs, worst first: as many of them as `least` are taken where none is named.

    Raises
    ------
    ParameterError
        If one is not tracked (the message names the nearest slugs), or there are too few or too many.
    IncompleteReportError
        If no platform was tracked on that day, or fewer than `least` to take from `ranked`.
    """
    tracked, wanted = [str(slug) for slug in platforms["slug"]], as_slugs(named)
    if not tracked:
        raise IncompleteReportError(f"no platform was tracked yet on {day}; give a later day, or none")
    if not wanted and ranked is None:
        return tracked
    if not wanted and ranked is not None:
        worst = list(ranked()[:least])
        if len(worst) < least:
            raise IncompleteReportError(
                f"{least} platforms are needed, and {len(worst)} tracked on {day}; give a later day"
            )
        return worst
    if unknown := [slug for slug in wanted if slug not in set(tracked)]:
        near = difflib.get_close_matches(unknown[0].casefold()[:_SHOWN], tracked, n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else "`riskanalytics platforms` lists all"
        raise ParameterError(f"no platform {unknown[0][:_SHOWN]!r} is tracked on {day}; {hint}")
    if len(wanted) < least or (most is not None and len(wanted) > most):
        span = f"at least {least} slugs" if most is None else f"{least} to {most} slugs"
        raise ParameterError(f"give {'one slug' if most == 1 else span}, not {len(wanted)}")
    return wanted


def of_slugs(frame: pd.DataFrame, slugs: Iterable[str]) -> pd.DataFrame:
    """Return the rows of some platforms."""
    return frame[frame["slug"].isin(slugs)].reset_index(drop=True)


def surface_of(surface: str, occurring: Iterable[str]) -> str:
    """Return the surface that a page is asked for.

    Parameters
    ----------
    surface : str
    occurring : iterable of str
        Surfaces of the data, beside the known ones.

    Raises
    ------
    ParameterError
        If no surface has that name; the message names the nearest, or all.
    """
    wanted = str(surface).strip()
    known = list(dict.fromkeys((*SURFACES, *occurring)))
    if wanted not in known:
        near = difflib.get_close_matches(wanted.casefold()[:_SHOWN].replace(" ", "_"), known, n=2)
        hint = f"did you mean {' or '.join(near)}?" if near else f"the surfaces are {', '.join(known)}"
        raise ParameterError(f"there is no surface {wanted[:_SHOWN]!r}; {hint}")
    return wanted
