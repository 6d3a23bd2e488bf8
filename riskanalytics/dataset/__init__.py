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

from riskanalytics.client import Client
from riskanalytics.dataset.connecting import Source, connect, connect_to
from riskanalytics.dataset.data import Dataset, Ranked
from riskanalytics.dataset.loading import data_day
from riskanalytics.dataset.scope import Span, days_of, last_day, month_of, span_of_month, span_since, surface_of
from riskanalytics.errors import IncompleteReportError
from riskanalytics.text.arguments import DayLike, as_since
from riskanalytics.topics.monthly import portfolio_scope
from riskanalytics.topics.monthly.portfolio import read_portfolio

__all__ = [
    "Dataset",
    "Source",
    "Span",
    "connect",
    "connect_to",
    "data_day",
    "days_of",
    "load",
    "platform_of",
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
        Instead of a month, the day after which the days begin; they end on the newest day of the data.
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
        If the day is no day, the month no month, both are given, or a platform is not tracked: the message names the
        nearest slugs.
    IncompleteReportError
        If the day or the month lies outside of the data.

    Examples
    --------
    >>> data = ra.load(client, as_of="2026-06-30", platforms=["alalix-chat", "orvewick-voice"])
    >>> data.platforms[["name", "rating"]].values.tolist()
    [['Alalix Chat', 'HIGH'], ['Orvewick Voice', 'HIGH']]
    >>> data = ra.load(client, since="2026-08-15")
    >>> str(data.span.first), str(data.span.until), data.day == data.span.until
    ('2026-08-16', '2026-10-31', True)
    """
    rows = read_portfolio(portfolio) if portfolio else None  # refused before anything is loaded
    begin = as_since(since, month or "")
    client = connect_to(source)
    if month is None and begin is None:
        data = Dataset(client, as_of, platforms)
    elif begin is None:
        data = _of_month(month_of(month or "", data_day(client)), client)
    else:
        data = Dataset(client)
        data.span = span_since(begin, data.newest)
    if rows is None:
        return data
    scope = portfolio_scope(data.tracked, rows)
    narrowed = data.of(list(scope.platforms["slug"]))
    narrowed.scope = scope
    return narrowed


def _of_month(month: pd.Period, client: Client) -> Dataset:
    """Return the data at the end of a month; refuse one that lies before the data, with the months that there are."""
    newest = data_day(client)
    data = Dataset(client, min(last_day(month), newest))
    data.span = span_of_month(month, newest)
    if len(data.tracked):
        return data
    last = month_of("", newest)
    empty, known = month, last
    while (gap := (known - empty).n) > 1:
        middle = known - gap // 2
        if next(iter(client.platforms(last_day(middle))), None) is None:
            empty = middle
        else:
            known = middle
    raise IncompleteReportError(f"{month} lies before the data; the months there are: {known} to {last}")


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
    return data.named(slug, ranked, most=1)[0]
