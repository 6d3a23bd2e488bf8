"""The days and the platforms that a report speaks of, as its parameters name them."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

import pandas as pd

from riskanalytics.errors import IncompleteReportError, ParameterError
from riskanalytics.surfaces import SURFACES
from riskanalytics.text.arguments import DayLike, as_day, as_month, as_slugs
from riskanalytics.text.wording import dated

Slugs = Sequence[object] | str
"""Slugs, or one text of slugs between commas."""
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
        YYYY-MM; empty if the days are no calendar month.
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


def span_of_month(text: str, newest: date) -> Span:
    """Return the days of the month that a report is asked for.

    Parameters
    ----------
    text : str
        YYYY-MM, or `last`, the calendar month before today's; empty for the last complete month of the data.
    newest : date
        Day of the newest data: the title of a month ends there if the data do.

    Raises
    ------
    ParameterError
        If the text is no month.
    IncompleteReportError
        If the month lies after the data.

    Examples
    --------
    >>> from datetime import date
    >>> span = span_of_month("2026-08", date(2026, 8, 22))
    >>> span.title, str(span.first), str(span.until), span.name
    ('1 August 2026 to 22 August 2026', '2026-08-01', '2026-08-31', '2026-08')
    """
    complete = pd.Period(newest + _DAY, "M") - 1
    month = pd.Period(as_month(text), "M") if text else complete
    first, last = month.start_time.date(), month.end_time.date()
    if first > newest:
        raise IncompleteReportError(
            f"{month} lies after the data, which end on {newest}; the last full month is {complete}"
        )
    title = f"{month:%B %Y}" if newest >= last else _title(first, newest)
    return Span(first - _DAY, last, title, str(month))


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
    return Span(day, newest, _title(day + _DAY, newest) if day < newest else f"nothing since {dated(day)}")


def _title(first: date, last: date) -> str:
    """Return days in words."""
    return dated(last) if first == last else f"{dated(first)} to {dated(last)}"


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


def days_of(name: str, value: object) -> int:
    """Return a number of days that a page is asked for.

    Parameters
    ----------
    name : str
        Of the parameter.
    value : object

    Raises
    ------
    ParameterError
        If it is no whole number from 1 to 36,500.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 36_500:
        raise ParameterError(f"{name} is a whole number from 1 to 36,500, not {str(value)[:_SHOWN]}")
    return value


def slugs_of(named: Slugs, platforms: pd.DataFrame, day: date, *, least: int = 1, most: int | None = None) -> list[str]:
    """Return the platforms that a page is asked for, in the order in which they are named.

    Parameters
    ----------
    named : sequence of str, or str
        Slugs, or one text of slugs between commas; empty for all platforms.
    platforms : pandas.DataFrame
        Those tracked on the day: `slug`.
    day : date
    least, most : int, optional
        How many platforms the page takes, if any are named.

    Raises
    ------
    ParameterError
        If one is not tracked (the message names the nearest slugs), or there are too few or too many.
    IncompleteReportError
        If no platform was tracked on that day.
    """
    tracked, wanted = list(map(str, platforms["slug"])), as_slugs(named)
    if not tracked:
        raise IncompleteReportError(f"no platform was tracked yet on {day}; give a later day, or none")
    if unknown := [slug for slug in wanted if slug not in set(tracked)]:
        said = f"no platform {unknown[0][:_SHOWN]!r} is tracked on {day}"
        raise _unknown(said, unknown[0], tracked, "`riskanalytics platforms` lists all")
    if wanted and not least <= len(wanted) <= (most or len(wanted)):
        span = f"{f'{least} to {most}' if most else f'at least {least}'} slugs"
        raise ParameterError(f"give {'one slug' if most == 1 else span}, not {len(wanted)}")
    return wanted or tracked


def _unknown(said: str, name: str, known: Sequence[str], otherwise: str) -> ParameterError:
    """Return the error of a name that is not known, with the nearest that are."""
    near = " or ".join(difflib.get_close_matches(name.casefold()[:_SHOWN], known))
    return ParameterError(f"{said}; {f'did you mean {near}?' if near else otherwise}")


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
    wanted, known = str(surface).strip(), list(dict.fromkeys((*SURFACES, *occurring)))
    if wanted not in known:
        raise _unknown(
            f"there is no surface {wanted[:_SHOWN]!r}", wanted, known, f"the surfaces are {', '.join(known)}"
        )
    return wanted
