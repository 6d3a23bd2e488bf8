"""Load past states: of all platforms at the ends of months, and of one platform at the ends of quarters.

If a server does not answer for past days, past ratings are computed from today's ratings by undoing the recorded changes. Past
stances, levels and coverage are then unknown.
"""

import time
from collections.abc import Callable, Sequence
from datetime import date
from functools import partial
from typing import Any, NamedTuple

import pandas as pd

from riskanalytics import frames
from riskanalytics.client import Client
from riskanalytics.errors import IncompleteReportError, ServiceError, UnknownPlatform, Unreachable

from . import loading
from .embedded import held

Row = tuple[str, object, date, object]
"""Slug, name, day and rating."""


class Course(NamedTuple):
    """Rating, stance and levels of one platform on several days.

    Parameters
    ----------
    states : pandas.DataFrame
        `frames.STATES_COLUMNS`: rating and stance, one row for each day.
    surfaces : pandas.DataFrame
        `frames.DATED_SURFACES_COLUMNS`: levels, one row for each surface on each day whose state is known.
    """

    states: pd.DataFrame
    surfaces: pd.DataFrame


@held
def load_coverage_history(client: Client, months: int, until: date) -> pd.DataFrame | None:
    """Load the coverage (counts of tracked and verified platforms) at the ends of months, and on the last day.

    Parameters
    ----------
    client : Client
    months : int
        Number of month ends before the last day.
    until : date
        The last day.

    Returns
    -------
    pandas.DataFrame or None
        `frames.COVERAGE_COLUMNS`, one row for each day, oldest first; counts are missing for a day that could not be read (see
        `client.problems`) or that the server refuses, such as days before its oldest data. None if the server has no past
        states: it refuses all past days, or answers with today's state.
    """
    ends = _month_ends(until, months)[:-1]
    states = _at_each(client, ends, partial(loading.coverage_record, client), "/api/coverage", some=True)
    if states is None:
        return None
    rows = [frames.coverage_frame(states.get(end, {"as_of": end.isoformat()})) for end in ends]
    past = until if until < loading.data_day(client) else None
    rows.append(frames.coverage_frame(loading.coverage_record(client, past)))
    return pd.concat(rows, ignore_index=True)


@held
def load_history(client: Client, months: int, until: date) -> pd.DataFrame:
    """Load the rating of every platform at the ends of months.

    Parameters
    ----------
    client : Client
    months : int
        Number of month ends before the last one.
    until : date
        Any day of the last month.

    Returns
    -------
    pandas.DataFrame
        `frames.HISTORY_COLUMNS`, oldest first. If the server has no past states, past ratings are computed from today's by undoing
        the recorded changes. An unknown rating is missing, and its `known` is False. If the server has past states, ratings are
        unknown on a day that it fails to give (see `client.problems`). If it has none, ratings of past days are unknown if the
        server does not show the changes with this key, if a page limit cuts the list of changes so that it does not reach back
        to the day, or if the changes do not determine the rating.
    """
    ends = _month_ends(until, months)
    past = _at_each(client, ends, partial(loading.listed, client), "/api/v1/platforms")
    if past is None:
        rows = _played_back(client, ends)
    else:
        unknown = {row["id"]: {**row, "rating": None} for rows in past.values() for row in rows}
        listed = ((end, row) for end in ends for row in past.get(end, unknown.values()))
        rows = [(str(row["id"]), row.get("name"), end, row.get("rating")) for end, row in listed]
    dated = [
        (slug, name, str(day), rating, rating, isinstance(rating, str) and rating != "")
        for slug, name, day, rating in rows
    ]
    return frames.frame_of(frames.HISTORY_COLUMNS, dated)


@held
def load_course(client: Client, slug: str, days: Sequence[date]) -> Course:
    """Load the rating, stance and levels of one platform at the end of several days, without a key.

    They come from `/api/machine/platform/{slug}`.

    Parameters
    ----------
    client : Client
    slug : str
        A platform that is tracked now.
    days : sequence of date
        Days, in order. The state of a day is `untracked` if the platform was not tracked then, and `not known` if the server does
        not give it; it is never replaced by today's state.

    Returns
    -------
    Course
    """
    past: list[frames.Dated] = []
    for day in days:
        try:
            past.append((day, "known", client.machine_platform(slug, day)))
        except ServiceError as error:
            past.append((day, "untracked" if isinstance(error, UnknownPlatform) else "not known", {}))
    return Course(frames.states_frame(past), frames.dated_surfaces_frame(past))


def _at_each(
    client: Client, ends: list[date], load: Callable[[date], Any], path: str, *, some: bool = False
) -> dict[date, Any] | None:
    """Return the states at the ends of months, as far as they can be read within the time of one load.

    `client.problems` names the states that cannot be read. It returns None if the server gives no past states: it answers with
    today's state, or refuses a day; if `some` is set, only if it refuses all days.
    """
    # ten seconds for each day: its list is a few requests
    states, refused, seconds = dict[date, Any](), 0, client.seconds(10 * len(ends))
    over = time.monotonic() + seconds
    late = f"this and the later days were not read: a load may take {seconds:.0f} s"
    for end in ends:
        where = f"{path}?as_of={end}"
        client.problems.begin(where)
        try:
            if time.monotonic() >= over:
                raise Unreachable(late)
            states[end] = load(end)
        except (IncompleteReportError, ServiceError) as error:
            refuses = isinstance(error, IncompleteReportError) or error.status in (401, 402, 403)
            of_today = getattr(error.__cause__, "status", 0) == 200
            if refuses and (of_today or not some):
                return None
            refused += refuses
            if refuses and not states:
                # the server's past begins later
                continue
            client.problems.add(late if time.monotonic() >= over else str(error), where)
            if isinstance(error, Unreachable):
                # each further day would take as long
                break
    known = refused < len(ends) if some else bool(states)
    return states if known or not ends else None


def _month_ends(last: date, months: int) -> list[date]:
    """Return the last days of some months before the month of a day, and of that month."""
    return [(pd.Period(last, "M") - back).end_time.date() for back in range(months, -1, -1)]


def _played_back(client: Client, ends: list[date]) -> list[Row]:
    """Return ratings computed by undoing the recorded changes; a rating that these do not determine becomes None."""
    platforms, today = loading.load_platforms(client), loading.data_day(client)
    listed = list(zip(platforms["slug"], platforms["name"], platforms["rating"], strict=True))
    try:
        feed, changes = loading.read_feed(client)
    except ServiceError:
        return [(slug, name, end, rating if end >= today else None) for end in ends for slug, name, rating in listed]
    changes = loading.with_listed_slugs(client, changes, platforms)
    times, by_platform = changes["reviewed_at"], dict(list(changes.groupby("slug")))
    rows: list[Row] = []
    for end in ends:
        after = pd.Timestamp(end, tz="UTC") + pd.Timedelta(days=1)
        reaches = bool((times < after).any()) and (times.is_monotonic_decreasing or not feed.capped)
        unsure = (changes["slug"].isna() & ~(times < after)).any() or (feed.capped and not reaches)
        for slug, name, rating in listed:
            own, now = by_platform.get(slug, changes[:0]), rating if reaches else None
            then = None if unsure else _rating_then(own, now, after)
            rows.append((slug, name, end, then if end < today else rating))
    return rows


def _rating_then(own: pd.DataFrame, today: object, after: pd.Timestamp) -> object:
    """Return a platform's rating just before a time; None if its changes do not determine it."""
    if own["reviewed_at"].isna().any():
        return None
    own = own.sort_values("reviewed_at", ascending=False, kind="stable")
    later = own[own["reviewed_at"] >= after]
    if len(later):
        return later["rating_before"].iloc[-1]
    return today if own["rating_after"].head(1).dropna().tolist() in ([], [today]) else None
