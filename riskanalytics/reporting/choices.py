"""The platform and the day that a notebook is asked for."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from datetime import date
from typing import Final

import pandas as pd

from riskanalytics.errors import IncompleteReportError, ParameterError

_SHOWN: Final = 60


def day_of(text: str, newest: date) -> date | None:
    """Return the day that a report is asked for.

    Parameters
    ----------
    text : str
        YYYY-MM-DD; empty for the newest data.
    newest : date
        Day of the newest data.

    Returns
    -------
    date or None
        None for the newest: a server that tells no past states has that one.

    Raises
    ------
    ParameterError
        If the text is no day.
    IncompleteReportError
        If the day lies after the data.
    """
    if not text:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError as error:
        raise ParameterError(f"as_of is a day, YYYY-MM-DD, not {text[:_SHOWN]!r}") from error
    if day > newest:
        raise IncompleteReportError(f"{day} lies after the data, which end on {newest}; leave as_of empty for that day")
    return day


def quarter_ends(until: date, quarters: int = 12) -> list[date]:
    """Return the last days of the quarters before a day, and that day itself, in order."""
    ends = pd.date_range(end=pd.Timestamp(until) - pd.Timedelta(1, "D"), periods=quarters, freq="QE")
    return [*(end.date() for end in ends), until]


def platform_of(slug: str, platforms: pd.DataFrame, ranked: Sequence[str]) -> str:
    """Return the platform that a report is asked for.

    Parameters
    ----------
    slug : str
        Empty for the first of `ranked`.
    platforms : pandas.DataFrame
        `frames.PLATFORMS_COLUMNS`: those that are tracked.
    ranked : sequence of str
        Slugs, worst first.

    Raises
    ------
    ParameterError
        If no such platform is tracked: one line with the nearest slugs.
    IncompleteReportError
        If none at all is.
    """
    tracked = [str(known) for known in platforms["slug"]]
    if not tracked:
        raise IncompleteReportError("no platform was tracked on that day; leave as_of empty for the newest data")
    if not slug:
        return ranked[0]
    if slug in tracked:
        return slug
    if "," in slug or " " in slug.strip():
        raise ParameterError(f"platform is one slug, not {slug[:_SHOWN]!r}; run the notebook once for each")
    near = difflib.get_close_matches(slug.lower()[:_SHOWN], tracked, n=3) or sorted(tracked)[:3]
    raise ParameterError(f"no platform {slug[:_SHOWN]!r} is tracked; slugs are such as {', '.join(near)}")
