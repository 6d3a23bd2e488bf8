"""Which server, database or demo the reader's data come from, and loading them into frames."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import date
from functools import partial
from pathlib import Path
from typing import Final

import pandas as pd

from riskanalytics import frames
from riskanalytics._http import InProcessTransport
from riskanalytics.client import Client, Json
from riskanalytics.demo import demo_database
from riskanalytics.errors import DatabaseError, IncompleteReportError, ServiceError, SettingsError, UnknownPlatform
from riskanalytics.frames.records import parts_of
from riskanalytics.models.asked import DayLike, as_day, as_slugs
from riskanalytics.service import UNLIMITED, Access, Store, create_app
from riskanalytics.settings import Settings, load_settings
from riskanalytics.sources.accuracy import Accuracy, load_accuracy
from riskanalytics.sources.contract import Contract, load_contract
from riskanalytics.sources.course import Course, load_course
from riskanalytics.sources.verification import read_findings, verify_findings

__all__ = [
    "Accuracy",
    "Contract",
    "Course",
    "connect",
    "coverage_record",
    "data_day",
    "load_accuracy",
    "load_changes",
    "load_contract",
    "load_course",
    "load_coverage",
    "load_coverage_history",
    "load_findings",
    "load_history",
    "load_leads",
    "load_platforms",
    "load_records",
    "read_findings",
    "verify_findings",
]

_EMBEDDED: Final = "https://embedded.localhost"
_LINK: Final = re.compile(r"\]\([^)\s]{0,500}/api/machine/platform/([^)\s/]{1,200})/?\)")
"""A platform in the list for agents."""
_AT_ONCE: Final = 4
_ADDRESS: Final = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)


def connect(
    source: str | Path | None = None,
    *,
    base_url: str | None = None,
    database: str | Path | None = None,
    settings: Settings | None = None,
) -> Client:
    """Return a client of a service or database; of what the settings name, or the embedded demo, where none is given.

    Parameters
    ----------
    source : str or path, optional
        Address of a service (`https://...`), or file of an ingested database (`genai.sqlite`).
    base_url : str, optional
        Address of a service; its key comes from `RISKANALYTICS_API_KEY`.
    database : path, optional
        An ingested database, served in this process.
    settings : Settings, optional
        Used instead of arguments and environment.

    Returns
    -------
    Client
        Close it, or use it as a context manager. An embedded one works inside a running notebook loop, with a
        key of its own and no limits.

    Raises
    ------
    SettingsError
        If more than one source is given, or an address is none.
    DatabaseError
        If there is no such file, or it is not one of our databases.

    Examples
    --------
    >>> with ra.connect() as client:
    ...     client.coverage()["tracked"]
    320
    """
    if source is not None:
        if base_url is not None or database is not None or settings is not None:
            raise SettingsError("more than one source was given: keep one of them")
        base_url, database = (str(source), None) if _ADDRESS.match(str(source)) else (None, source)
    chosen = settings or load_settings(base_url=base_url, database=database)
    if chosen.base_url is not None:
        return Client(chosen.base_url, chosen.api_key)
    if chosen.database is not None and not chosen.database.expanduser().is_file():
        make = f"riskanalytics ingest COLLECTION --database {chosen.database}"
        raise DatabaseError(
            f"there is no database {chosen.database}: make one with '{make}', or give the address of a service (https://...)"
        )
    store = Store(chosen.database.expanduser() if chosen.database is not None else demo_database(chosen.cache))
    access = Access.embedded()
    transport = InProcessTransport(create_app(store, access, public_url=_EMBEDDED, pace=UNLIMITED))

    def close() -> None:
        store.close()
        access.close()

    return Client(_EMBEDDED, access.embedded_key, transport=transport, on_close=close)


def load_platforms(client: Client, as_of: DayLike | None = None) -> pd.DataFrame:
    """Load all tracked platforms with their ratings: one request per 500 with a key, one per platform without.

    Parameters
    ----------
    client : Client
    as_of : date or str, optional
        State at the end of that day.

    Returns
    -------
    pandas.DataFrame
        `frames.PLATFORMS_COLUMNS`, by slug.

    Raises
    ------
    IncompleteReportError
        If the server does not tell the state of that day.

    Examples
    --------
    >>> platforms = ra.load_platforms(client)
    >>> platforms.loc[platforms["slug"] == "orvewick-voice", ["name", "rating"]].values.tolist()
    [['Orvewick Voice', 'HIGH']]
    """
    return frames.platforms_frame(_listed(client, as_of) if client.has_key else load_records(client, as_of))


def load_changes(
    client: Client, since: DayLike | None = None, until: DayLike | None = None, change_class: str | None = None
) -> pd.DataFrame:
    """Load the recorded changes of documents, newest first.

    Parameters
    ----------
    client : Client
    since, until : date or str, optional
        First and last day, UTC, both included.
    change_class : str, optional

    Returns
    -------
    pandas.DataFrame
        `frames.CHANGES_COLUMNS`.

    Raises
    ------
    TierRequired, NotAuthorised
        Without a Pro key.

    Examples
    --------
    >>> from datetime import date
    >>> changes = ra.load_changes(client, since=date(2026, 10, 1), change_class="material")
    >>> changes[["name", "summary"]].iloc[0].tolist()
    ['Yorranor Video.ai', 'Findings on ads tracking, third party sharing: 1 added, 1 removed.']
    """
    first, last = as_day(since), as_day(until)
    changes = frames.changes_frame(client.changes(first, last, change_class))
    if first is not None:
        changes = changes[changes["reviewed_at"] >= pd.Timestamp(first, tz="UTC")]
    if last is not None:
        changes = changes[changes["reviewed_at"] < _after(last)]
    if change_class is not None:
        changes = changes[changes["change_class"] == change_class]
    return changes.reset_index(drop=True)


def load_coverage(client: Client, as_of: DayLike | None = None) -> pd.DataFrame:
    """Load the counts of tracked and verified platforms: one row, `frames.COVERAGE_COLUMNS`.

    Examples
    --------
    >>> ra.load_coverage(client)[["tracked", "verified"]].iloc[0].tolist()
    [320, 287]
    """
    return frames.coverage_frame(coverage_record(client, as_of))


def coverage_record(client: Client, as_of: DayLike | None = None) -> Json:
    """Load what a server tells of its coverage, as it came; parameters as `load_coverage` takes them."""
    with _told(as_of):
        return client.coverage(as_of)


def load_coverage_history(client: Client, months: int = 12, until: DayLike | None = None) -> pd.DataFrame | None:
    """Load the counts of coverage at the ends of months, and on the last day.

    Parameters
    ----------
    client : Client
    months : int
        How many month ends before the last day.
    until : date or str, optional
        The last day; the service's own date where None.

    Returns
    -------
    pandas.DataFrame or None
        `frames.COVERAGE_COLUMNS`, a row per day, oldest first; None where the server does not tell past states.
    """
    newest = data_day(client)
    last = as_day(until) or newest
    try:
        rows = [load_coverage(client, end) for end in _month_ends(last, months)[:-1]]
    except (ServiceError, IncompleteReportError):
        return None
    rows.append(load_coverage(client, None if last >= newest else last))
    return pd.concat(rows, ignore_index=True)


def load_findings(
    client: Client, as_of: DayLike | None = None, slugs: Sequence[str] | str | None = None
) -> pd.DataFrame:
    """Load all findings: `frames.FINDINGS_COLUMNS`, by platform and place in the document.

    Examples
    --------
    >>> findings = ra.load_findings(client, slugs=["orvewick-voice"])
    >>> findings.loc[findings["surface"] == "ip_liability", ["risk", "document"]].values.tolist()
    [['HIGH', 'Terms of Service']]
    """
    return frames.findings_frame(parts_of(load_records(client, as_of, slugs), "findings"))


def load_leads(
    client: Client, platforms: Sequence[str] | str | None = None, as_of: DayLike | None = None
) -> pd.DataFrame:
    """Load the clauses that are worth reading and not sure enough to be findings; they count nowhere.

    Parameters
    ----------
    client : Client
    platforms : sequence of str, or str, optional
        Slugs of the only ones to load, or one text of slugs between commas.
    as_of : date or str, optional
        State at the end of that day.

    Returns
    -------
    pandas.DataFrame
        `frames.FINDINGS_COLUMNS`, by platform, the surest first; no row from a server that tells none.

    Examples
    --------
    >>> ra.load_leads(client, ["orvewick-voice"])["surface"].unique().tolist()
    ['cross_border_transfer', 'output_rights', 'training_use', 'ads_tracking', 'human_review']
    """
    return frames.findings_frame(parts_of(load_records(client, as_of, platforms), "leads"))


def load_history(client: Client, months: int = 12, until: DayLike | None = None) -> pd.DataFrame:
    """Load the rating of every platform at the ends of months.

    Parameters
    ----------
    client : Client
    months : int
        How many month ends before the last one.
    until : date or str, optional
        Any day of the last month; the month of the service's own date where None.

    Returns
    -------
    pandas.DataFrame
        `frames.HISTORY_COLUMNS`, oldest first. Where the server does not tell past states, the change feed is
        played backwards; where there is none either, `known` is False.

    Examples
    --------
    >>> history = ra.load_history(client, months=3)
    >>> history.loc[history["slug"] == "alalix-chat", "rating"].tolist()
    ['MED', 'HIGH', 'HIGH', 'HIGH']
    """
    ends = _month_ends(as_day(until) or data_day(client), months)
    try:
        return frames.history_frame(
            [
                (row.get("id"), row.get("name"), end.isoformat(), row.get("rating"), True)
                for end in ends
                for row in client.platforms(end)
            ]
        )
    except ServiceError:
        return frames.history_frame(_played_back(client, ends))


def load_records(client: Client, as_of: DayLike | None = None, slugs: Sequence[str] | str | None = None) -> list[Json]:
    """Load machine platforms as they came, in the order of their slugs; parameters as `load_findings` takes them."""
    wanted = sorted(as_slugs(slugs)) if slugs is not None else _slugs(client, as_of)
    with _told(as_of), ThreadPoolExecutor(_AT_ONCE) as pool:
        found = list(pool.map(partial(_machine_record, client, as_of, slugs is None), wanted))
    return [record for record in found if record is not None]


def _machine_record(client: Client, as_of: DayLike | None, listed: bool, slug: str) -> Json | None:
    """Fetch one; None where today's index lists a platform that was not tracked yet on a past day."""
    try:
        return client.machine_platform(slug, as_of)
    except UnknownPlatform:
        if listed and as_day(as_of) is not None and not client.has_key:
            return None
        raise


def _slugs(client: Client, as_of: DayLike | None) -> list[str]:
    """Return all slugs: from the list with a key, from the open index without."""
    if client.has_key:
        return sorted(str(row.get("id", row.get("slug"))) for row in _listed(client, as_of))
    return sorted(set(_LINK.findall(client.index())))


def _listed(client: Client, as_of: DayLike | None) -> list[Json]:
    """Return the list of all platforms at the end of a day."""
    with _told(as_of):
        return list(client.platforms(as_of))


@contextmanager
def _told(as_of: DayLike | None) -> Iterator[None]:
    """Say in one line that a server does not tell a state of the past: it answers today's, or refuses the day."""
    try:
        yield
    except ServiceError as error:
        day = as_day(as_of)
        if day is not None and error.status in (200, 400, 422):
            text = f"the state of {day} is not known: this server tells only today's"
            raise IncompleteReportError(text) from error
        raise


def data_day(client: Client) -> date:
    """Return the day that a service's data speak of: its newest capture; the reader's own where it does not tell."""
    told = frames.coverage_frame(client.coverage())["as_of"].iloc[0]
    return date.today() if pd.isna(told) else told.date()  # noqa: DTZ011 (no date in the data: the reader's own)


def _month_ends(last: date, months: int) -> list[date]:
    """Return the last days of some months before the month of a day, and of that month."""
    return [(pd.Period(last, "M") - back).end_time.date() for back in range(months, -1, -1)]


def _after(day: date) -> pd.Timestamp:
    """Return the first moment after a day, UTC."""
    return pd.Timestamp(day, tz="UTC") + pd.Timedelta(days=1)


def _played_back(client: Client, ends: list[date]) -> list[tuple[object, ...]]:
    """Return history rows from today's ratings and the change feed played backwards."""
    platforms, today = load_platforms(client), data_day(client)
    try:
        changes = load_changes(client)
    except ServiceError:
        changes = None
    rows: list[tuple[object, ...]] = []
    for end in ends:
        known, then = changes is not None or end >= today, {}
        if changes is not None:  # the newest come first: the last one left is the first after the day
            later = changes[changes["reviewed_at"] >= _after(end)].drop_duplicates("slug", keep="last")
            then = dict(zip(later["slug"], later["rating_before"], strict=True))
        for slug, name, rating in zip(platforms["slug"], platforms["name"], platforms["rating"], strict=True):
            rows.append((slug, name, end.isoformat(), then.get(slug, rating) if known else None, known))
    return rows
