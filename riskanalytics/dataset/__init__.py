"""The data of a report: what a service knew at the end of one day, as frames.

>>> import riskanalytics as ra
>>> data = ra.load()
>>> data.day.isoformat(), len(data.platforms), len(data.findings) > 100
('2026-10-31', 320, True)
"""

from importlib.resources import files
from pathlib import Path

from riskanalytics.errors import IncompleteReportError, ParameterError
from riskanalytics.text.arguments import DayLike, as_since
from riskanalytics.topics.portfolio import portfolio_scope
from riskanalytics.topics.portfolio.reading import read_portfolio

from .connecting import Source, connect, connect_to, origin_of
from .data import Dataset, Ranked
from .loading import data_day
from .scope import Slugs, Span, days_of, span_of_month, span_since, surface_of

__all__ = [
    "Dataset",
    "Span",
    "connect",
    "days_of",
    "example_portfolio",
    "load",
    "platform_of",
    "surface_of",
]


def load(
    source: Source | None = None,
    as_of: DayLike = "",
    platforms: Slugs = (),
    *,
    month: str | None = None,
    since: DayLike = "",
    portfolio: str | Path = "",
) -> Dataset:
    """Return the data of a source at the end of one day, or for the period of a report.

    Parameters
    ----------
    source : Client, str or Path, optional
        A client from `connect`, an address, a database or a folder of pulls. By default the last source of this session, for
        example that of `ra.connect("genai.sqlite")`; otherwise the source in the environment, otherwise the embedded demo.
    as_of : date or str
        Day of the data, as a date, a time or YYYY-MM-DD. If empty, the newest.
    platforms : sequence of str, or str
        Slugs, or one text of slugs separated by commas. If empty, all platforms.
    month : str, optional
        Month of a report, YYYY-MM, in place of `as_of`; the attribute `span` of the data set then gives the days of the month.
        An empty text means the last complete month of the data. By default, the data are those of a day, not of a month.
    since : date or str
        In place of `as_of` and `month`, the day before the period begins. The period ends on the newest day of the data.
    portfolio : str or Path
        CSV or XLSX file that lists platforms by slug, name or website (see `read_portfolio`), in place of `platforms`: only these
        are loaded.

    Returns
    -------
    Dataset
        Each frame is loaded on first use. In a notebook, the data set displays a list of its frames. `data.columns("findings")`
        describes the columns of a frame. Levels are ordered: `findings[findings.risk >= "MED"]`.

    Raises
    ------
    ParameterError
        If a day, the month or the portfolio is invalid, if both `month` and `since`, or both `platforms` and `portfolio` are given,
        or if a platform is not tracked (the message suggests the nearest slugs).
    IncompleteReportError
        If the day or the month is outside the data.

    Examples
    --------
    >>> data = ra.load(client, as_of="2026-06-30", platforms=["alalix-chat", "orvewick-voice"])
    >>> data.platforms[["name", "rating"]].values.tolist()
    [['Alalix Chat', 'HIGH'], ['Orvewick Voice', 'HIGH']]
    >>> data = ra.load(client, since="2026-08-15")
    >>> str(data.span.first), str(data.span.until), data.day == data.span.until
    ('2026-08-16', '2026-10-31', True)
    """
    if portfolio and len(platforms):
        raise ParameterError("give platforms or a portfolio, not both: a portfolio names its own platforms")
    # refused before anything is loaded
    rows = read_portfolio(portfolio) if portfolio else None
    begin, client, span = as_since(since, month or ""), connect_to(source), None
    if begin is not None or month is not None:
        newest = data_day(client)
        span = span_of_month(month or "", newest) if begin is None else span_since(begin, newest)
        as_of = min(span.until, newest)
    data = Dataset(client, as_of, platforms)
    data.span = span
    if span and data.tracked.empty:
        raise IncompleteReportError(
            f"{span.title} is before the data: no platform was tracked yet; give a later month or day"
        )
    if rows is None:
        return data
    scope = portfolio_scope(data.tracked, rows)
    narrowed = data.of(list(scope.platforms["slug"]))
    narrowed.scope = scope
    return narrowed


def example_portfolio(source: Source | None = None) -> str:
    """Return the path of an example portfolio of demo platforms (CSV), if the source is the demo; else an empty text.

    Parameters
    ----------
    source : Client, str or Path, optional
        As for `load`.
    """
    demo = origin_of(connect_to(source)).is_demo
    return str(files("riskanalytics.demo").joinpath("portfolio.csv")) if demo else ""


def platform_of(slug: str, data: Dataset, ranked: Ranked) -> str:
    """Return the slug of the platform of a report: the given slug, or, if it is empty, the first slug of a ranking.

    Parameters
    ----------
    slug : str
        Value of a report's parameter; may be empty.
    data : Dataset
        Data set that has the platform.
    ranked : callable
        Takes the data set, and returns slugs in order of rank; called only if `slug` is empty.

    Raises
    ------
    ParameterError
        If the platform is not tracked (the message suggests the nearest slugs), or there are several slugs.
    IncompleteReportError
        If no platform was tracked on that day.
    """
    return data.named(slug, ranked, most=1)[0]
