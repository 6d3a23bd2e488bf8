"""States of past days: of all platforms at the ends of months, and of one platform at the ends of quarters.

Ratings of days that the server does not give are played back from the change feed; what it does not carry is not known.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import date
from functools import partial
from http import HTTPStatus
from typing import Final, NamedTuple, TypeVar

import pandas as pd

from riskanalytics import frames
from riskanalytics.client import Client
from riskanalytics.dataset.held import held
from riskanalytics.dataset.loading import (
    coverage_record,
    data_day,
    listed,
    load_platforms,
    read_feed,
    with_listed_slugs,
)
from riskanalytics.errors import IncompleteReportError, ServiceError, UnknownPlatform, Unreachable
from riskanalytics.frames import is_missing
from riskanalytics.frames.records import Dated
from riskanalytics.text.arguments import DayLike, as_day

State = TypeVar("State")
_UNKNOWN: Final = (None, False)
_FOR_A_DAY: Final = 10
"""Seconds that each past day adds to the time of a load: its list is a few requests."""
_NOT_SHOWN: Final = (401, 402, 403)
"""Status of past states for a key whose tier does not have them."""


class Course(NamedTuple):
    """What one platform was rated, answered and said on several days.

    Parameters
    ----------
    states : pandas.DataFrame
        `frames.STATES_COLUMNS`: rating and stance, a row per day.
    surfaces : pandas.DataFrame
        `frames.DATED_SURFACES_COLUMNS`: levels, a row per known day and surface.
    """

    states: pd.DataFrame
    surfaces: pd.DataFrame


@held
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
        `frames.COVERAGE_COLUMNS`, a row per day, oldest first; counts are missing of a day that could not be read, which
        `client.problems` name, or that the server refuses, such as those before its oldest. None where it refuses all of
        them, or answers today's state.
    """
    newest = data_day(client)
    last = as_day(until) or newest
    ends = _month_ends(last, months)[:-1]
    states = _at_each(client, ends, partial(coverage_record, client), "/api/coverage", some=True)
    if states is None:
        return None
    rows = [frames.coverage_frame(states.get(end, {"as_of": end.isoformat()})) for end in ends]
    rows.append(frames.coverage_frame(coverage_record(client, None if last >= newest else last)))
    return pd.concat(rows, ignore_index=True)


@held
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
        `frames.HISTORY_COLUMNS`, oldest first. Where the server does not give past states, the change feed is
        played backwards. What it does not carry is not known (`known` is False, `rating` missing): days before its
        oldest change, of a feed that ends at a page cap, and ratings that no recorded change accounts for; nor is a day
        that a server of past states fails to give, which `client.problems` name.
    """
    ends = _month_ends(as_day(until) or data_day(client), months)
    past = _at_each(client, ends, partial(listed, client), "/api/v1/platforms")
    if past is None:
        return frames.history_frame(_played_back(client, ends))
    unknown = [
        {"id": slug, "name": name}
        for slug, name in {row["id"]: row.get("name") for rows in past.values() for row in rows}.items()
    ]
    rows = [
        (row["id"], row.get("name"), end.isoformat(), row.get("rating"), _is_told(row.get("rating")))
        for end in ends
        for row in past.get(end, unknown)
    ]
    return frames.history_frame(rows)


@held
def load_course(client: Client, slug: str, days: Sequence[date]) -> Course:
    """Load the state of one platform at the end of several days, from the open machine endpoint.

    Parameters
    ----------
    client : Client
    slug : str
        A platform that is tracked now.
    days : sequence of date
        In order. A day that the server does not give is `not known`, never today's.

    Returns
    -------
    Course
    """
    past = [_state_on(client, slug, day) for day in days]
    return Course(frames.states_frame(past), frames.dated_surfaces_frame(past))


def _at_each(
    client: Client, ends: list[date], load: Callable[[date, float], State], path: str, *, some: bool = False
) -> dict[date, State] | None:
    """Return the states at the ends of months, all within the time of one load, without those that cannot be read.

    `client.problems` name those. None where the server does not give past states: it refuses a day, or all; where
    some are enough, it refuses all of them, or answers today's.
    """
    states: dict[date, State] = {}
    refused = 0
    seconds = client.seconds(_FOR_A_DAY * len(ends))
    over = time.monotonic() + seconds
    for end in ends:
        where = f"{path}?as_of={end}"
        client.problems.begin(where)
        try:
            states[end] = load(end, _left(over))
        except (IncompleteReportError, ServiceError) as error:
            if _is_refused(error):
                if not some or _is_of_today(error):
                    return None
                refused += 1
                if states:  # else the server's past begins later
                    client.problems.add(str(error), where)
                continue
            late = f"this and the later days were not read: a load may take {seconds:.0f} s"
            client.problems.add(late if time.monotonic() >= over else str(error), where)
            if isinstance(error, Unreachable):
                break  # each further day would wait as long again
    if some:
        return states if not ends or refused < len(ends) else None
    return states if states or not ends else None


def _left(over: float) -> float:
    """Return the seconds until a time that is not over yet."""
    left = over - time.monotonic()
    if left <= 0:
        raise Unreachable("the time of the load is over")
    return left


def _is_refused(error: Exception) -> bool:
    """Say whether a server does not give the state of a day, to this key or at all."""
    return isinstance(error, IncompleteReportError) or getattr(error, "status", 0) in _NOT_SHOWN


def _is_of_today(error: Exception) -> bool:
    """Say whether a server that was asked for a past day answered today's state, as it would of any day."""
    return isinstance(error.__cause__, ServiceError) and error.__cause__.status == HTTPStatus.OK


def _month_ends(last: date, months: int) -> list[date]:
    """Return the last days of some months before the month of a day, and of that month."""
    return [(pd.Period(last, "M") - back).end_time.date() for back in range(months, -1, -1)]


def _played_back(client: Client, ends: list[date]) -> list[tuple[object, ...]]:
    """Return history rows from today's ratings and the change feed played backwards."""
    platforms, today = load_platforms(client), data_day(client)
    try:
        changes, capped = read_feed(client)
        changes = with_listed_slugs(client, changes, platforms)
    except ServiceError:
        changes, capped = None, False
    by_platform = {} if changes is None else dict(list(changes.groupby("slug")))
    rows: list[tuple[object, ...]] = []
    for end in ends:
        after = pd.Timestamp(end, tz="UTC") + pd.Timedelta(days=1)
        for slug, name, rating in zip(platforms["slug"], platforms["name"], platforms["rating"], strict=True):
            then = (rating, _is_told(rating))
            if end < today:
                own = by_platform.get(slug)
                then = _UNKNOWN if changes is None else _rating_then(changes, own, rating, after, capped=capped)
            rows.append((slug, name, end.isoformat(), *then))
    return rows


def _rating_then(
    changes: pd.DataFrame, own: pd.DataFrame | None, today: object, after: pd.Timestamp, *, capped: bool
) -> tuple[object, bool]:
    """Return a platform's rating just before a time, and whether the feed carries it."""
    times, newest_first = changes["reviewed_at"], changes["reviewed_at"].is_monotonic_decreasing
    reaches = bool((times < after).any()) and (newest_first or not capped)
    nobody_s = changes["slug"].isna() & ~(times < after)
    if nobody_s.any() or (own is not None and own["reviewed_at"].isna().any()):
        return _UNKNOWN
    later = (
        None
        if own is None
        else own[own["reviewed_at"] >= after].sort_values("reviewed_at", ascending=False, kind="stable")
    )
    if later is not None and len(later):
        rating = later["rating_before"].iloc[-1]
        return (rating, True) if _is_told(rating) and (reaches or not capped) else _UNKNOWN
    last = (
        None if own is None else own.sort_values("reviewed_at", ascending=False, kind="stable")["rating_after"].iloc[0]
    )
    unaccounted = last is not None and not is_missing(last) and last != today
    return (today, True) if reaches and not unaccounted and _is_told(today) else _UNKNOWN


def _is_told(rating: object) -> bool:
    """Say whether a rating is a word, and no missing value."""
    return isinstance(rating, str) and bool(rating)


def _state_on(client: Client, slug: str, day: date) -> Dated:
    """Return one day."""
    try:
        return day, "known", client.machine_platform(slug, day)
    except UnknownPlatform:
        return day, "untracked", {}
    except ServiceError:
        return day, "not known", {}
