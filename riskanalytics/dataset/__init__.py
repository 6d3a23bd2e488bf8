"""The data of a report: what a service knew at the end of one day, as frames.

>>> import riskanalytics as ra
>>> data = ra.load()
>>> data.day.isoformat(), len(data.platforms), len(data.findings) > 100
('2026-10-31', 320, True)
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from riskanalytics.dataset.connecting import Source, connect, connect_to
from riskanalytics.dataset.data import Dataset, Ranked
from riskanalytics.dataset.loading import data_day
from riskanalytics.dataset.scope import day_of, days_of, one_slug, quarter_ends, slugs_of, surface_of
from riskanalytics.dataset.shared import dataset_of
from riskanalytics.dataset.spans import (
    Span,
    check_begun,
    last_day,
    month_of,
    month_title,
    span_of_month,
    span_since,
)
from riskanalytics.text.arguments import DayLike, as_since
from riskanalytics.topics.monthly.portfolio import portfolio_scope, read_portfolio

__all__ = [
    "Dataset",
    "Source",
    "Span",
    "check_begun",
    "connect",
    "connect_to",
    "data_day",
    "day_of",
    "days_of",
    "last_day",
    "load",
    "load_month",
    "load_span",
    "month_of",
    "month_title",
    "platform_of",
    "quarter_ends",
    "slugs_of",
    "span_of_month",
    "span_since",
    "surface_of",
]


def load(
    source: Source | None = None,
    as_of: DayLike = "",
    platforms: Sequence[object] | str = (),
    *,
    month: str | None = None,
    since: DayLike = "",
    portfolio: str | Path = "",
) -> Dataset:
    """Return the data of a source at the end of one day, or of the days that a report speaks of.

    Parameters
    ----------
    source : Client, str or Path, optional
        A client as `connect` gives it; an address, a database or a folder of pulls. Without it the source that this session
        named last, as by `ra.connect("genai.sqlite")`; before any, what the environment names, else the embedded demo.
    as_of : date or str
        Day of the data, as a date, a time or YYYY-MM-DD; empty for the newest.
    platforms : sequence of str, or str
        Slugs, or one text of slugs between commas; empty for all platforms.
    month : str, optional
        YYYY-MM instead of a day: `span` holds its days; empty for the last complete month of the data.
    since : date or str
        Instead of a month, the day after which the days begin.
    portfolio : str or Path
        CSV or XLSX of platforms by slug, name or website, as `read_portfolio` takes it: only these.

    Returns
    -------
    Dataset
        Its frames are loaded when they are first asked for; shown, it lists them. `data.columns("findings")` has the
        columns of a frame with dtype and meaning. Levels are ordered: `findings[findings.risk >= "MED"]`.

    Raises
    ------
    ParameterError
        If the day is no day, or a platform is not tracked: the message names the nearest slugs.
    IncompleteReportError
        If the day lies outside of the data.

    Examples
    --------
    >>> data = ra.load(client, as_of="2026-06-30", platforms=["alalix-chat", "orvewick-voice"])
    >>> data.platforms[["name", "rating"]].values.tolist()
    [['Alalix Chat', 'HIGH'], ['Orvewick Voice', 'HIGH']]
    """
    rows = read_portfolio(portfolio) if portfolio else None  # refused before anything is loaded
    if month is None and not since:
        data = dataset_of(connect_to(source), as_of, platforms)
    else:
        span, data = load_span(month or "", since, source)
        data.span = span
    if rows is None:
        return data
    scope = portfolio_scope(data.tracked, rows)
    narrowed = data.of(list(scope.platforms["slug"]))
    narrowed.scope = scope
    return narrowed


def load_month(month: str = "", source: Source | None = None) -> tuple[pd.Period, Dataset]:
    """Return the month that a report speaks of, and the data at its end.

    Parameters
    ----------
    month : str
        YYYY-MM; empty for the last complete month of the data.
    source : Client, str or Path, optional
        As of `load`.

    Returns
    -------
    tuple of pandas.Period and Dataset

    Raises
    ------
    ParameterError
        If the text is no month.
    IncompleteReportError
        If the month lies outside of the data: the message names the months that there are.
    """
    service = connect_to(source)
    newest = data_day(service)
    period = month_of(month, newest)
    data = dataset_of(service, min(last_day(period), newest))
    check_begun(period, data.tracked, service)
    return period, data


def load_span(month: str = "", since: DayLike = "", source: Source | None = None) -> tuple[Span, Dataset]:
    """Return the days that a report speaks of, and the data at their end.

    Parameters
    ----------
    month : str
        YYYY-MM; empty for the last complete month of the data.
    since : date or str
        Instead of a month: the day after which the days begin. They end on the newest day of the data.
    source : Client, str or Path, optional
        As of `load`.

    Returns
    -------
    tuple of Span and Dataset

    Raises
    ------
    ParameterError
        If a text is no month or no day, or both are given.
    IncompleteReportError
        If the month lies outside of the data, or the day after them.

    Examples
    --------
    >>> span, then = ra.dataset.load_span(since="2026-08-15", source=client)
    >>> str(span.first), str(span.until), then.day == span.until
    ('2026-08-16', '2026-10-31', True)
    """
    day = as_since(since, month)
    service = connect_to(source)
    if day is None:
        period, data = load_month(month, service)
        return span_of_month(period, data.newest), data
    data = dataset_of(service)
    return span_since(day, data.newest), data


def platform_of(slug: str, data: Dataset, ranked: Ranked) -> str:
    """Return the one platform that a parameter names; the first of a ranking where it names none.

    Parameters
    ----------
    slug : str
    data : Dataset
    ranked : callable
        As of `Dataset.named`.

    Raises
    ------
    ParameterError
        If it is not tracked (the message names the nearest slugs), or not one slug.
    IncompleteReportError
        If no platform was tracked on that day.
    """
    return one_slug(slug, data.tracked, data.day) or ranked(data)[0]
