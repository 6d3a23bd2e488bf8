"""Which server, database or demo the reader's data come from, and loading them into frames."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, Final

import pandas as pd

from riskanalytics import frames
from riskanalytics._http import InProcessTransport
from riskanalytics.client import Client
from riskanalytics.demo import demo_database
from riskanalytics.errors import IncompleteReportError, ServiceError, UnknownPlatform
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
    "clauses_of",
    "connect",
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
_LINK: Final = re.compile(r"\[([^\]\n]{1,200})\]\(([^)\s]{1,500})\)")
_AT_ONCE: Final = 4


def connect(
    base_url: str | None = None, *, database: str | Path | None = None, settings: Settings | None = None
) -> Client:
    """Return a client of the service that the settings name, or of the embedded demo where they name none.

    Parameters
    ----------
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
        If an address and a database are given at once.
    DatabaseError
        If the database is not one of ours.

    Examples
    --------
    >>> with ra.connect() as client:
    ...     client.coverage()["tracked"]
    320
    """
    chosen = settings or load_settings(base_url=base_url, database=database)
    if chosen.base_url is not None:
        return Client(chosen.base_url, chosen.api_key)
    store = Store(chosen.database if chosen.database is not None else demo_database(chosen.cache))
    access = Access.embedded()
    transport = InProcessTransport(create_app(store, access, public_url=_EMBEDDED, pace=UNLIMITED))

    def close() -> None:
        store.close()
        access.close()

    return Client(_EMBEDDED, access.embedded_key, transport=transport, on_close=close)


def load_platforms(client: Client, as_of: date | None = None) -> pd.DataFrame:
    """Load all tracked platforms with their ratings: one request per 500 with a key, one per platform without.

    Parameters
    ----------
    client : Client
    as_of : date, optional
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
    if client.has_key:
        return frames.platforms_frame(_told(lambda: list(client.platforms(as_of)), as_of))
    return frames.platforms_frame(load_records(client, as_of))


def load_changes(
    client: Client, since: date | None = None, until: date | None = None, change_class: str | None = None
) -> pd.DataFrame:
    """Load the recorded changes of documents, newest first.

    Parameters
    ----------
    client : Client
    since, until : date, optional
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
    changes = frames.changes_frame(client.changes(since, until, change_class))
    kept = pd.Series(True, index=changes.index)
    if since is not None:
        kept &= changes["reviewed_at"] >= pd.Timestamp(since, tz="UTC")
    if until is not None:
        kept &= changes["reviewed_at"] < pd.Timestamp(until, tz="UTC") + pd.Timedelta(days=1)
    if change_class is not None:
        kept &= changes["change_class"] == change_class
    return changes[kept].reset_index(drop=True)


def load_coverage(client: Client, as_of: date | None = None) -> pd.DataFrame:
    """Load the counts of tracked and verified platforms: one row, `frames.COVERAGE_COLUMNS`.

    Examples
    --------
    >>> ra.load_coverage(client)[["tracked", "verified"]].iloc[0].tolist()
    [320, 287]
    """
    record = client.coverage(as_of)
    _check_echo(record, as_of)
    return frames.coverage_frame(record)


def load_coverage_history(client: Client, months: int = 12, until: date | None = None) -> pd.DataFrame | None:
    """Load the counts of coverage at the ends of months, and on the last day.

    Parameters
    ----------
    client : Client
    months : int
        How many month ends before the last day.
    until : date, optional
        The last day; the service's own date where None.

    Returns
    -------
    pandas.DataFrame or None
        `frames.COVERAGE_COLUMNS`, a row per day, oldest first; None where the server does not tell past states.
    """
    newest = data_day(client)
    last = until or newest
    try:
        rows = [load_coverage(client, _month_end(last, back)) for back in range(months, 0, -1)]
    except (ServiceError, IncompleteReportError):
        return None
    rows.append(load_coverage(client, None if last >= newest else last))
    return pd.concat(rows, ignore_index=True)


def load_findings(client: Client, as_of: date | None = None, slugs: Sequence[str] | None = None) -> pd.DataFrame:
    """Load all findings: `frames.FINDINGS_COLUMNS`, by platform and place in the document.

    Examples
    --------
    >>> findings = ra.load_findings(client, slugs=["orvewick-voice"])
    >>> findings.loc[findings["surface"] == "ip_liability", ["risk", "document"]].values.tolist()
    [['HIGH', 'Terms of Service']]
    """
    return frames.findings_frame(clauses_of(load_records(client, as_of, slugs), "findings"))


def load_leads(client: Client, platforms: Sequence[str] | None = None, as_of: date | None = None) -> pd.DataFrame:
    """Load the clauses that are worth reading and not sure enough to be findings; they count nowhere.

    Parameters
    ----------
    client : Client
    platforms : sequence of str, optional
        Slugs of the only ones to load.
    as_of : date, optional
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
    return frames.findings_frame(clauses_of(load_records(client, as_of, platforms), "leads"))


def load_history(client: Client, months: int = 12, until: date | None = None) -> pd.DataFrame:
    """Load the rating of every platform at the ends of months.

    Parameters
    ----------
    client : Client
    months : int
        How many month ends before the last one.
    until : date, optional
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
    last = until or data_day(client)
    ends = [_month_end(last, back) for back in range(months, -1, -1)]
    try:
        rows = [row for end in ends for row in _rated(list(client.platforms(end)), end)]
    except ServiceError:
        rows = _played_back(client, ends)
    return frames.history_frame(rows)


def load_records(client: Client, as_of: date | None = None, slugs: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Load machine platforms as they came, in the order of their slugs; parameters as `load_findings` takes them."""
    wanted = sorted(slugs) if slugs is not None else _slugs(client, as_of)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = list(pool.map(partial(_machine_record, client, as_of, slugs is None), wanted))
    records = [record for record in found if record is not None]
    for record in records:
        _check_echo(record, as_of)
    return records


def clauses_of(records: Iterable[dict[str, Any]], kind: str) -> Iterator[dict[str, Any]]:
    """Give the clauses of machine platforms, each with its platform.

    Parameters
    ----------
    records : iterable of dict
        As `load_records` gives them.
    kind : str
        `findings` or `leads`; none where a server does not tell them as a list.
    """
    for record in records:
        told = record.get(kind)
        for clause in told if isinstance(told, list) else ():
            if isinstance(clause, dict):
                yield {**clause, "slug": record.get("slug"), "name": record.get("name")}


def _machine_record(client: Client, as_of: date | None, listed: bool, slug: str) -> dict[str, Any] | None:
    """Fetch one; None where today's index lists a platform that was not tracked yet on a past day."""
    try:
        return client.machine_platform(slug, as_of)
    except UnknownPlatform:
        if listed and as_of is not None and not client.has_key:
            return None
        raise


def _slugs(client: Client, as_of: date | None) -> list[str]:
    """Return all slugs: from the list with a key, from the open index without."""
    if client.has_key:
        rows = _told(lambda: list(client.platforms(as_of)), as_of)
        return sorted(str(row.get("id", row.get("slug"))) for row in rows)
    links = _LINK.findall(client.index())
    slugs = {url.rstrip("/").rpartition("/")[2] for _, url in links if "/api/machine/platform/" in url}
    return sorted(slugs)


def _told(load: Any, as_of: date | None) -> list[dict[str, Any]]:
    """Return what a walk gives; a state of the past that is not told becomes an incomplete report."""
    try:
        rows: list[dict[str, Any]] = load()
    except ServiceError as error:
        if as_of is not None and error.status in (200, 400, 422):
            raise _not_known(as_of) from error
        raise
    return rows


def _check_echo(record: dict[str, Any], as_of: date | None) -> None:
    """Refuse today's state under another day's name."""
    if as_of is not None and record.get("as_of") != as_of.isoformat():
        raise _not_known(as_of)


def _not_known(as_of: date) -> IncompleteReportError:
    """One line about a past that the server does not tell."""
    return IncompleteReportError(f"the state of {as_of} is not known: this server tells only today's")


def data_day(client: Client) -> date:
    """Return the day that a service's data speak of: its newest capture; the reader's own where it does not tell."""
    told = frames.coverage_frame(client.coverage())["as_of"].iloc[0]
    return date.today() if pd.isna(told) else told.date()  # noqa: DTZ011 (no date in the data: the reader's own)


def _month_end(day: date, back: int) -> date:
    """Return the last day of the month some months before a day's."""
    index = day.year * 12 + day.month - 1 - back
    year, month = divmod(index, 12)
    return date(year, month + 1, monthrange(year, month + 1)[1])


def _rated(records: Iterable[dict[str, Any]], end: date) -> list[tuple[object, ...]]:
    """Return history rows of one date."""
    return [(row.get("id"), row.get("name"), end.isoformat(), row.get("rating"), True) for row in records]


def _played_back(client: Client, ends: list[date]) -> list[tuple[object, ...]]:
    """Return history rows from today's ratings and the change feed played backwards."""
    platforms = load_platforms(client)
    try:
        changes = load_changes(client)
    except ServiceError:
        changes = None
    rows: list[tuple[object, ...]] = []
    today = data_day(client)
    for end in ends:
        after = (
            None
            if changes is None
            else changes[changes["reviewed_at"] >= pd.Timestamp(end, tz="UTC") + pd.Timedelta(days=1)]
        )
        for slug, name, rating in zip(platforms["slug"], platforms["name"], platforms["rating"], strict=True):
            known = after is not None or end >= today
            later = None if after is None else after[after["slug"] == slug]["rating_before"]
            then = later.iloc[-1] if later is not None and len(later) else rating
            rows.append((slug, name, end.isoformat(), then if known else None, known))
    return rows
