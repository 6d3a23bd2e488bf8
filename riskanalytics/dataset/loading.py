"""Load the data of a service. If one platform cannot be loaded, the others still are; `client.problems` lists each failure."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from typing import Final
from urllib.parse import unquote

import pandas as pd

from riskanalytics import frames
from riskanalytics.client import CHANGES, MACHINE, Client, Json
from riskanalytics.client.reading import Reading
from riskanalytics.errors import IncompleteReportError, InvalidAnswer, ServiceError, UnknownPlatform
from riskanalytics.work import OnProgress, ProgressReport

from .embedded import held
from .pulls import PullsClient

_LINK: Final = re.compile(r"/api/machine/platform/([^\s/?#()<>\[\]{}\"'`|,;\\]{1,200})")
"""The machine address of a platform, in an index of any layout."""
NOT_SHOWN: Final = (401, 402, 403, 404)
"""HTTP statuses with which servers refuse data outside a key's tier."""


@held
def load_platforms(client: Client, as_of: date | None = None) -> pd.DataFrame:
    """Load all tracked platforms with their ratings.

    With a key, one request loads 500 platforms; without a key, each platform needs a request.

    Parameters
    ----------
    client : Client
    as_of : date, optional
        Load the state at the end of that day; by default the newest.

    Returns
    -------
    pandas.DataFrame
        `frames.PLATFORMS_COLUMNS`: one row for each platform, sorted by slug.

    Raises
    ------
    IncompleteReportError
        If the server does not give the state of that day.
    """
    return frames.platforms_frame(listed(client, as_of) if client.has_key else load_records(client, as_of))


@held
def load_changes(
    client: Client, since: date | None = None, until: date | None = None, change_class: str | None = None
) -> pd.DataFrame:
    """Load the recorded changes of documents, newest first.

    Parameters
    ----------
    client : Client
    since, until : date, optional
        First and last day, UTC, both included; by default all days.
    change_class : str, optional
        Return only changes of this class (`models.CHANGE_CLASSES`), such as `material`; by default all.

    Returns
    -------
    pandas.DataFrame
        `frames.CHANGES_COLUMNS`.

    Raises
    ------
    TierRequired, NotAuthorised
        Without a Pro key.
    """
    feed, changes = read_feed(client, since, until, change_class)
    oldest = changes["reviewed_at"].min()
    if feed.capped and not (since and oldest < pd.Timestamp(since, tz="UTC")):
        before = "" if pd.isna(oldest) else f" before {oldest:%Y-%m-%d}"
        client.problems.add(
            f"the list of changes may be cut off after {len(changes):,} changes: those{before} are not known", CHANGES
        )
    if since:
        changes = changes[changes["reviewed_at"] >= pd.Timestamp(since, tz="UTC")]
    if until:
        changes = changes[changes["reviewed_at"] < pd.Timestamp(until, tz="UTC") + pd.Timedelta(days=1)]
    if change_class:
        changes = changes[changes["change_class"] == change_class]
    return changes.reset_index(drop=True)


def read_feed(
    client: Client, first: date | None = None, last: date | None = None, change_class: str | None = None
) -> tuple[Reading, pd.DataFrame]:
    """Request the list of recorded changes (`/api/v1/changes`), without filtering the answer.

    Parameters
    ----------
    client : Client
        Its `problems` describe what is missing, and count the changes whose day or platform cannot be read.
    first, last : date, optional
        First and last day to request; by default all days.
    change_class : str, optional
        Class of changes to request; by default all.

    Returns
    -------
    tuple of Reading and pandas.DataFrame
        The changes as the server sent them, and as a frame with `frames.CHANGES_COLUMNS`. A server that ignores days and
        class sends more changes than requested.
    """
    client.problems.begin(CHANGES)
    feed = client.change_feed(first, last, change_class)
    changes, said = frames.changes_frame(feed.rows.values()), list(feed.sentences)
    if feed.claimed_more:
        given = f"its list has only {len(changes):,}, without repeats"
        said.append(f"the service announces {feed.claims[-1]:,} changes, but {given}: some may be missing")
    needed = {"reviewed_at": "day", "slug": "platform", **({"change_class": "class"} if change_class else {})}
    for column, what in needed.items():
        if count := int(changes[column].isna().sum()):
            said.append(f"{count:,} of {len(changes):,} changes have no readable {what}")
    for sentence in said:
        client.problems.add(sentence, CHANGES)
    return feed, changes


def with_listed_slugs(client: Client, changes: pd.DataFrame, platforms: pd.DataFrame) -> pd.DataFrame:
    """Set `slug` of each change to the slug of its platform in the list of platforms, found by slug or by name, ignoring case.

    Parameters
    ----------
    client : Client
        Its `problems` count the changes of platforms that are not listed.
    changes : pandas.DataFrame
        `frames.CHANGES_COLUMNS`, with the slugs and names of platforms as the list of changes has them.
    platforms : pandas.DataFrame
        All listed platforms: `slug`, `name`.

    Returns
    -------
    pandas.DataFrame
        The same changes; `slug` is missing if no listed platform has the slug or the name.
    """
    names = platforms["name"].str.casefold()
    named = platforms.assign(name=names)[names.notna() & ~names.duplicated(keep=False)]
    known = dict(zip(named["name"], named["slug"], strict=True)) | {slug.casefold(): slug for slug in platforms["slug"]}
    by_slug, by_name = (changes[column].str.casefold().map(known) for column in ("slug", "name"))
    slugs = by_slug.fillna(by_name).astype(changes["slug"].dtype)
    if count := int((slugs.isna() & changes["slug"].notna()).sum()):
        client.problems.add(f"{count:,} of {len(changes):,} changes are of a platform that is not listed", CHANGES)
    return changes.assign(slug=slugs)


def load_records(client: Client, as_of: date | None = None, slugs: Sequence[str] | None = None) -> list[Json]:
    """Load the records of platforms with their findings, unchanged, in the order of their slugs.

    They come from `/api/machine/platform/{slug}`, which needs no key.

    Parameters
    ----------
    client : Client
    as_of : date, optional
        Load the state at the end of that day; by default the newest.
    slugs : sequence of str, optional
        Slugs to load. By default all.

    Returns
    -------
    list of dict
        One record for each platform. Platforms that cannot be read are left out; `client.problems` describes them, and parts of
        records that cannot be read.

    Raises
    ------
    ServiceError
        If no platform can be read: the error of the first platform.
    """
    wanted = listed_slugs(client, as_of) if slugs is None else sorted(slugs)
    records, failed = list[Json](), list[ServiceError]()
    with _past(client, as_of):
        with ProgressReport.for_reader() as progress:
            found = read_each(client, as_of, wanted, progress)
        # for a past day, today's index lists platforms that were not tracked yet
        early = UnknownPlatform if slugs is None and as_of and not client.has_key else ()
        for slug in wanted:
            got, where = found[slug], f"{MACHINE}{slug}{f'?as_of={as_of}' if as_of else ''}"
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


def read_each(
    client: Client, as_of: date | None, slugs: Sequence[str], progress: OnProgress
) -> dict[str, Json | ServiceError]:
    """Read the records of several platforms; return slug -> record, or slug -> error for a platform that cannot be read.

    Parameters
    ----------
    client : Client
    as_of : date or None
        Read the state at the end of that day; None for the newest.
    slugs : sequence of str
        Slugs of the platforms.
    progress : callable
        Called with a phase, the number of platforms done, and the number of all platforms.

    Raises
    ------
    ServiceError
        The first error, if twelve platforms fail before one can be read; platforms that the server does not know do not count.
    """
    found, failed, whole = dict[str, Json | ServiceError](), list[ServiceError](), False
    for slug, got in client.machine_platforms(slugs, as_of):
        found[slug] = got
        progress("loading platforms", len(found), len(slugs))
        whole |= not isinstance(got, ServiceError)
        # for a past day, today's index may begin with platforms that were not tracked yet; a pull may lack some
        if isinstance(got, ServiceError) and not isinstance(got, UnknownPlatform) and got.status != 424:
            failed.append(got)
        if not whole and len(failed) >= 12:
            raise failed[0]
    return found


def listed_slugs(client: Client, as_of: date | None) -> list[str]:
    """Return the slugs of all platforms: with a key from `/api/v1/platforms`, without a key from `/llms-full.txt`.

    Parameters
    ----------
    client : Client
    as_of : date or None
        Day of the list, if there is a key; None for the newest. `/llms-full.txt` always has the newest platforms.

    Raises
    ------
    InvalidAnswer
        If `/llms-full.txt` lists no platform.
    """
    if client.has_key:
        return sorted(str(row["id"]) for row in listed(client, as_of))
    named = {unquote(slug).rstrip(".:*") for slug in _LINK.findall(client.index())}
    if found := sorted(slug for slug in named if slug and slug[0] != ":" and not set("{<") & set(slug)):
        return found
    text = "/llms-full.txt lists no platform: set RISKANALYTICS_API_KEY to read the list with a key"
    raise InvalidAnswer(text, status=200)


def listed(client: Client, as_of: date | None) -> list[Json]:
    """Return the rows of `/api/v1/platforms` (needs a key), unchanged: at the end of the day `as_of`, or, if None, the newest."""
    with _past(client, as_of):
        return list(client.platforms(as_of))


@contextmanager
def _past(client: Client, as_of: date | None) -> Iterator[None]:
    """Raise an error, in one line, if a server does not give a past state: it answers with today's, or refuses the day."""
    try:
        yield
    except ServiceError as error:
        of_today = error.status == 200 and not isinstance(error, InvalidAnswer)
        if not as_of or not (of_today or error.status in (400, 422)):
            raise
        why = error.detail if isinstance(client, PullsClient) else "this server gives only today's state"
        raise IncompleteReportError(f"the data of {as_of} cannot be loaded: {why}") from error


@held
def data_day(client: Client) -> date:
    """Return the newest day of a service's data: the day of its newest capture, or today if the service does not report one."""
    # without a date in the data, the date of this machine
    return frames.covered_day(client.coverage()) or date.today()  # noqa: DTZ011


@held
def coverage_record(client: Client, as_of: date | None = None) -> Json:
    """Return the answer of `/api/coverage`, unchanged: counts of tracked and verified platforms.

    The counts are those at the end of the day `as_of`; without it, the newest.
    """
    with _past(client, as_of):
        return client.coverage(as_of)


def earlier_day(client: Client, day: date) -> date:
    """Return the day to load in place of a past day: for pulls, the day itself or the nearest earlier day with a pull.

    If it differs from the given day, `client.problems` says so. If there is no pull of an earlier day, or the client does not
    read pulls, the given day is returned unchanged.
    """
    if not isinstance(client, PullsClient):
        return day
    nearest = max((one for one in client.days if one <= day), default=day)
    if nearest != day:
        client.problems.add(f"there is no pull of {day}: ratings and findings are those of {nearest}", str(day))
    return nearest
