"""The day and the platforms that a page speaks of, as its parameters name them."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import Final

import pandas as pd

from riskanalytics.errors import IncompleteReportError, ParameterError
from riskanalytics.surfaces import SURFACES
from riskanalytics.text.arguments import DayLike, as_day, as_slugs

_SHOWN: Final = 60
"""Characters of a refused value that an error repeats."""


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
        raise ParameterError(f"{name} is a whole number of days from 1 to {most:,}, not {str(value)[:_SHOWN]}")
    return value


def quarter_ends(until: date, quarters: int = 12) -> list[date]:
    """Return the last days of the quarters before a day, and that day itself, in order."""
    ends = pd.date_range(end=pd.Timestamp(until) - pd.Timedelta(1, "D"), periods=quarters, freq="QE")
    return [*(end.date() for end in ends), until]


def one_slug(slug: str, platforms: pd.DataFrame, day: date) -> str:
    """Return the platform that a report is asked for.

    Parameters
    ----------
    slug : str
        May be empty.
    platforms : pandas.DataFrame
        Those tracked on the day: `slug`.
    day : date

    Returns
    -------
    str
        Empty where none is named.

    Raises
    ------
    ParameterError
        If it is not tracked (the message names the nearest slugs), or not one slug.
    IncompleteReportError
        If no platform was tracked on that day.
    """
    tracked = _tracked(platforms, day)
    wanted = str(slug).strip()
    if wanted and wanted not in tracked and ("," in wanted or " " in wanted):
        raise ParameterError(f"platform is one slug, not {wanted[:_SHOWN]!r}; run the notebook once for each")
    _check_tracked([wanted] if wanted else [], tracked, day)
    return wanted


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
    tracked = _tracked(platforms, day)
    wanted = as_slugs(named)
    if not wanted:
        if ranked is None:
            return tracked
        return _worst(ranked(), least, day)
    _check_tracked(wanted, tracked, day)
    if len(wanted) < least or (most is not None and len(wanted) > most):
        span = f"{least} to {most}" if most is not None else f"at least {least}"
        raise ParameterError(f"platforms takes {span} slugs, not {len(wanted)}")
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


def _worst(ranked: Sequence[str], least: int, day: date) -> list[str]:
    """Return the worst rated platforms; refuse a day on which there are too few."""
    if len(ranked) < least:
        raise IncompleteReportError(
            f"{least} platforms are needed, and {len(ranked)} tracked on {day}; give a later day"
        )
    return list(ranked[:least])


def _tracked(platforms: pd.DataFrame, day: date) -> list[str]:
    """Return the slugs that are tracked; refuse a day without any."""
    tracked = [str(slug) for slug in platforms["slug"]]
    if not tracked:
        raise IncompleteReportError(f"no platform was tracked yet on {day}; give a later day, or none")
    return tracked


def _check_tracked(wanted: Iterable[str], tracked: Sequence[str], day: date) -> None:
    """Refuse the first slug that is not tracked."""
    known = set(tracked)
    for slug in wanted:
        if slug not in known:
            near = difflib.get_close_matches(slug.casefold()[:_SHOWN], tracked, n=3)
            hint = f"did you mean {' or '.join(near)}?" if near else "`riskanalytics platforms` lists all"
            raise ParameterError(f"no platform {slug[:_SHOWN]!r} is tracked on {day}; {hint}")
