"""What a service gives, loaded: what one platform costs costs that platform only, and becomes one of `client.problems`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from typing import Final
from urllib.parse import unquote

import pandas as pd

from riskanalytics import frames
from riskanalytics.client import Client, Json
from riskanalytics.client.reading import Reading
from riskanalytics.dataset.embedded import held
from riskanalytics.dataset.pulls import PullsClient
from riskanalytics.errors import IncompleteReportError, InvalidAnswer, ServiceError, UnknownPlatform
from riskanalytics.text.arguments import DayLike, as_day, as_slugs
from riskanalytics.work import ProgressReport, Told

_MACHINE: Final = "/api/machine/platform/"
_FEED: Final = "/api/v1/changes"
_LINK: Final = re.compile(r"/api/machine/platform/([^\s/?#()<>\[\]{}\"'`|,;\\]{1,200})")
"""The machine address of a platform, in an index of any layout."""
_LACKING: Final = 424
"""Status of a platform that a pull lacks (RFC 4918, failed dependency): the others are there."""
NOT_SHOWN: Final = (401, 402, 403, 404)
"""Status of what a key's tier does not have, in the forms that servers give it."""
_ENOUGH: Final = 12
"""Platforms that all failed, after which a server is given up."""


@held
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
        If the server does not give the state of that day.
    """
    return frames.platforms_frame(listed(client, as_of) if client.has_key else load_records(client, as_of))


@held
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
    """
    first, last = (None if day is None else pd.Timestamp(day, tz="UTC") for day in map(as_day, (since, until)))
    feed, changes = read_feed(client, as_day(since), as_day(until), change_class)
    times = changes["reviewed_at"]
    if feed.capped and not (first is not None and times.min() < first):
        before = "" if pd.isna(times.min()) else f" before {times.min():%Y-%m-%d}"
        client.problems.add(
            f"the feed ends with a full page of {len(changes):,} changes: those{before} are not known", _FEED
        )
    kept = pd.Series(data=True, index=changes.index)
    if first is not None:
        kept &= times >= first
    if last is not None:
        kept &= times < last + pd.Timedelta(days=1)
    if change_class is not None:
        kept &= changes["change_class"] == change_class
    return changes[kept].reset_index(drop=True)


def read_feed(
    client: Client, first: date | None = None, last: date | None = None, change_class: str | None = None
) -> tuple[Reading, pd.DataFrame]:
    """Read the feed of changes, whatever days it gives: as it came, and with `frames.CHANGES_COLUMNS`.

    `client.problems` name what of it is missing, and count the changes whose day or platform cannot be read.
    """
    client.problems.begin(_FEED)
    feed = client.change_feed(first, last, change_class)
    changes, said = frames.changes_frame(feed.rows.values()), list(feed.sentences)
    if feed.claimed_more:
        claimed = f"{feed.claims[-1]:,} changes and gave {len(changes):,} different ones"
        said.append(f"the feed claims {claimed}: some may be missing")
    asked = {"reviewed_at": "no day", "slug": "no platform"} | (
        {} if change_class is None else {"change_class": "no class"}
    )
    for column, what in asked.items():
        if count := int(changes[column].isna().sum()):
            said.append(f"{count:,} of {len(changes):,} changes give {what} that can be read")
    for sentence in said:
        client.problems.add(sentence, _FEED)
    return feed, changes


def with_listed_slugs(client: Client, changes: pd.DataFrame, platforms: pd.DataFrame) -> pd.DataFrame:
    """Give changes the slugs of the platforms that they name by slug or by name, in any case.

    Parameters
    ----------
    client : Client
        Its `problems` count the changes of platforms that are not listed.
    changes : pandas.DataFrame
        `frames.CHANGES_COLUMNS`, whatever the feed names platforms by.
    platforms : pandas.DataFrame
        All that are listed: `slug`, `name`.

    Returns
    -------
    pandas.DataFrame
        The same changes; `slug` is missing where no listed platform has it.
    """
    named = platforms.assign(name=platforms["name"].str.casefold()).dropna(subset=["name"])
    named = named[~named["name"].duplicated(keep=False)]
    known = dict(zip(named["name"], named["slug"], strict=True)) | {slug.casefold(): slug for slug in platforms["slug"]}
    slugs = changes["slug"].str.casefold().map(known)
    slugs = slugs.fillna(changes["name"].str.casefold().map(known)).astype(changes["slug"].dtype)
    if count := int((slugs.isna() & changes["slug"].notna()).sum()):
        client.problems.add(f"{count:,} of {len(changes):,} changes are of no platform that is listed", _FEED)
    return changes.assign(slug=slugs)


def load_records(client: Client, as_of: DayLike | None = None, slugs: Sequence[str] | str | None = None) -> list[Json]:
    """Load machine platforms as they came, in the order of their slugs.

    Parameters
    ----------
    client : Client
    as_of : date or str, optional
        State at the end of that day.
    slugs : sequence of str, or str, optional
        The only ones to load; all where None.

    Returns
    -------
    list of dict
        A platform that cannot be read is left out; `client.problems` name it, and what of a record cannot be read.

    Raises
    ------
    ServiceError
        If none can be read: why the first cannot.
    """
    wanted = sorted(as_slugs(slugs)) if slugs is not None else listed_slugs(client, as_of)
    day = as_day(as_of)
    records: list[Json] = []
    failed: list[ServiceError] = []
    with _past(client, as_of):
        with ProgressReport.for_reader() as told:
            found = read_each(client, day, wanted, told)
        # today's index lists platforms that were not tracked yet on a past day
        early = UnknownPlatform if slugs is None and day is not None and not client.has_key else ()
        for slug in wanted:
            got, where = found[slug], f"{_MACHINE}{slug}{f'?as_of={day}' if day else ''}"
            client.problems.begin(where)
            if isinstance(got, early):
                continue
            if isinstance(got, ServiceError):
                failed.append(got)
                client.problems.add(str(got), where, slug)
            else:
                records.append(got)
                for sentence in frames.unread(got):
                    client.problems.add(sentence, where, slug)
        if failed and not records:
            raise failed[0]
    return records


def read_each(client: Client, day: date | None, slugs: Sequence[str], told: Told) -> dict[str, Json | ServiceError]:
    """Read platforms, or why each cannot be read; a server of which the first ones all fail is not asked for the others.

    Parameters
    ----------
    client : Client
    day : date or None
        State at the end of that day.
    slugs : sequence of str
    told : callable
        Takes note of progress.

    Raises
    ------
    ServiceError
        If the server is given up.
    """
    found: dict[str, Json | ServiceError] = {}
    whole, failed = False, 0
    for slug, got in client.machine_platforms(slugs, day):
        found[slug] = got
        told("loading platforms", len(found), len(slugs))
        whole |= not isinstance(got, ServiceError)
        # of a past day, today's index begins with any number of platforms that were not tracked yet
        failed += isinstance(got, ServiceError) and not isinstance(got, UnknownPlatform) and got.status != _LACKING
        if not whole and failed >= _ENOUGH:
            raise next(error for error in found.values() if isinstance(error, ServiceError))
    return found


def listed_slugs(client: Client, as_of: DayLike | None) -> list[str]:
    """Return all slugs: from the list with a key, from the open index without.

    Raises
    ------
    InvalidAnswer
        If the index names no platform.
    """
    if client.has_key:
        return sorted(str(row["id"]) for row in listed(client, as_of))
    named = {unquote(slug).rstrip(".:*") for slug in _LINK.findall(client.index())}
    found = {slug for slug in named if slug and not slug.startswith(":") and not set("{<") & set(slug)}
    if not found:
        text = "/llms-full.txt names no address of a platform: without a key there is nothing to read; set RISKANALYTICS_API_KEY"
        raise InvalidAnswer(text, status=200)
    return sorted(found)


def listed(client: Client, as_of: DayLike | None) -> list[Json]:
    """Return the list of all platforms at the end of a day."""
    with _past(client, as_of):
        return list(client.platforms(as_of))


@contextmanager
def _past(client: Client, as_of: DayLike | None) -> Iterator[None]:
    """Say in one line that a server does not give a state of the past: it answers today's, or refuses the day."""
    try:
        yield
    except ServiceError as error:
        day = as_day(as_of)
        refused = error.status in (400, 422)
        if day is not None and (refused or (error.status == 200 and not isinstance(error, InvalidAnswer))):
            why = error.detail if isinstance(client, PullsClient) else "this server gives only today's"
            raise IncompleteReportError(f"the state of {day} is not known: {why}") from error
        raise


@held
def data_day(client: Client) -> date:
    """Return the day of a service's data, its newest capture; today where it does not say."""
    newest = frames.coverage_frame(client.coverage())["as_of"].iloc[0]
    return date.today() if pd.isna(newest) else newest.date()  # noqa: DTZ011 (no date in the data: the reader's own)


@held
def coverage_record(client: Client, as_of: DayLike | None = None) -> Json:
    """Load the coverage of a server, as it came; parameters as of `load_platforms`."""
    with _past(client, as_of):
        return client.coverage(as_of)


def earlier_day(client: Client, day: date) -> date:
    """Return the day whose states are shown for a past day: of pulls, the nearest earlier one that they hold.

    Where it is another day, `client.problems` name it. Without an earlier one, loading refuses the day as not known.
    """
    if not isinstance(client, PullsClient) or day in client.days:
        return day
    nearest = max((one for one in client.days if one < day), default=day)
    if nearest != day:
        client.problems.add(f"there is no pull of {day}: ratings and findings are those of {nearest}", str(day))
    return nearest
