"""Check the parameters of a report, and return the period, the day, the platforms and the surface that they mean."""

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
"""Slugs, or one text of slugs separated by commas."""
_SHOWN: Final = 60
"""Maximum number of characters of a refused value that an error repeats."""
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True)
class Span:
    """The period of a report: a calendar month, or all days after a given day.

    Parameters
    ----------
    before : date
        The day before the first day. Changes of ratings are relative to the ratings of this day.
    until : date
        The last day; equal to `before` if there is no new day.
    title : str
        The period in words.
    month : str
        YYYY-MM; empty if the period is not a calendar month.
    """

    before: date
    until: date
    title: str
    month: str = ""

    @property
    def since(self) -> str:
        """The parameter `since` that gives a report this period: the day before its first day; empty for a calendar month."""
        return "" if self.month else str(self.before)

    @property
    def name(self) -> str:
        """The period as part of a file name, such as `2026-08` or `since-2026-08-15-to-2026-10-31`."""
        return self.month or f"since-{self.before}-to-{self.until}"

    @property
    def kind(self) -> str:
        """Noun for the period: `month` or `period`."""
        return "month" if self.month else "period"

    @property
    def first(self) -> date:
        """The first day."""
        return self.before + _DAY

    @property
    def after(self) -> date:
        """The day after the last day."""
        return self.until + _DAY

    @property
    def recorded_from(self) -> date | None:
        """First day of the changes to load: for a month, eleven months before its first day; else None, for all changes."""
        return (pd.Period(self.month, "M") - 11).start_time.date() if self.month else None


def span_of_month(text: str, newest: date) -> Span:
    """Return the period of a month.

    Parameters
    ----------
    text : str
        YYYY-MM, or `last`, the calendar month before today's. If empty, the last complete month of the data.
    newest : date
        Newest day of the data. If it is in the month, the title names the days up to it, as in the example.

    Raises
    ------
    ParameterError
        If the text is not a month.
    IncompleteReportError
        If the month is after the data.

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
        raise _too_late(month, newest, f"the last full month is {complete}")
    title = f"{month:%B %Y}" if newest >= last else _title(first, newest)
    return Span(first - _DAY, last, title, str(month))


def span_since(day: date, newest: date) -> Span:
    """Return the period after a day, up to the newest day.

    Parameters
    ----------
    day : date
        The day before the first day of the period.
    newest : date
        Newest day of the data: the last day of the period.

    Raises
    ------
    IncompleteReportError
        If `day` is after the data.

    Examples
    --------
    >>> from datetime import date
    >>> span = span_since(date(2026, 8, 15), date(2026, 10, 31))
    >>> span.title, span.name
    ('16 August 2026 to 31 October 2026', 'since-2026-08-15-to-2026-10-31')
    """
    if day > newest:
        raise _too_late(day, newest, "set `since` to an earlier day")
    return Span(day, newest, _title(day + _DAY, newest) if day < newest else f"no day after {dated(day)}")


def _too_late(when: object, newest: date, advice: str) -> IncompleteReportError:
    """Return the error for a day or month after the data."""
    return IncompleteReportError(f"{when} is after the data, which end on {newest}; {advice}")


def _title(first: date, last: date) -> str:
    """Return a period in words."""
    return dated(last) if first == last else f"{dated(first)} to {dated(last)}"


def day_of(text: DayLike, newest: date) -> date:
    """Check and return the day whose data a page shows.

    Parameters
    ----------
    text : str or date
        YYYY-MM-DD, or a date. If empty, the newest day of the data.
    newest : date
        Day of the newest data.

    Raises
    ------
    ParameterError
        If the text is not a day.
    IncompleteReportError
        If the day is after the data.
    """
    day = as_day(text) or newest
    if day > newest:
        raise _too_late(day, newest, "leave `as_of` empty for the newest day")
    return day


def days_of(name: str, value: object) -> int:
    """Check and return a parameter that is a number of days.

    Parameters
    ----------
    name : str
        Name of the parameter.
    value : object

    Raises
    ------
    ParameterError
        If the value is not a whole number from 1 to 36,500.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 36_500:
        raise ParameterError(f"{name} must be a whole number from 1 to 36,500, not {str(value)[:_SHOWN]}")
    return value


def slugs_of(named: Slugs, platforms: pd.DataFrame, day: date, *, least: int = 1, most: int | None = None) -> list[str]:
    """Check and return the slugs of a page's platforms, in the given order.

    Parameters
    ----------
    named : sequence of str, or str
        Slugs, or one text of slugs separated by commas. If empty, all platforms.
    platforms : pandas.DataFrame
        Platforms tracked on the day: `slug`.
    day : date
        The day of the page, for messages.
    least, most : int, optional
        Minimum and maximum number of platforms, if platforms are named.

    Raises
    ------
    ParameterError
        If a platform is not tracked (the message suggests the nearest slugs), or there are too few or too many slugs.
    IncompleteReportError
        If no platform was tracked on that day.
    """
    tracked, wanted = list(map(str, platforms["slug"])), as_slugs(named)
    if not tracked:
        raise IncompleteReportError(
            f"no platform was tracked yet on {day}; give a later day, or no day for the newest data"
        )
    if unknown := [slug for slug in wanted if slug not in set(tracked)]:
        said = f"no platform {unknown[0][:_SHOWN]!r} is tracked on {day}"
        raise _unknown(said, unknown[0], tracked, "`riskanalytics platforms` lists all")
    if wanted and not least <= len(wanted) <= (most or len(wanted)):
        span = f"{f'{least} to {most}' if most else f'at least {least}'} slugs"
        raise ParameterError(f"wrong number of platforms: give {'one slug' if most == 1 else span}, not {len(wanted)}")
    return wanted or tracked


def _unknown(said: str, name: str, known: Sequence[str], otherwise: str) -> ParameterError:
    """Return the error for an unknown name, with the nearest known names."""
    near = " or ".join(difflib.get_close_matches(name.casefold()[:_SHOWN], known))
    return ParameterError(f"{said}; {f'did you mean {near}?' if near else otherwise}")


def of_slugs(frame: pd.DataFrame, slugs: Iterable[str]) -> pd.DataFrame:
    """Return the rows of a frame that belong to some platforms."""
    return frame[frame["slug"].isin(slugs)].reset_index(drop=True)


def surface_of(surface: str, occurring: Iterable[str]) -> str:
    """Check and return the name of the surface that a page shows.

    Parameters
    ----------
    surface : str
        Name of a surface, such as `training_use`.
    occurring : iterable of str
        Names of the surfaces in the data. They are accepted in addition to the surfaces of this package.

    Raises
    ------
    ParameterError
        If there is no such surface; the message suggests the nearest, or lists all.
    """
    wanted, known = str(surface).strip(), list(dict.fromkeys((*SURFACES, *occurring)))
    if wanted not in known:
        raise _unknown(
            f"there is no surface {wanted[:_SHOWN]!r}", wanted, known, f"the surfaces are {', '.join(known)}"
        )
    return wanted
