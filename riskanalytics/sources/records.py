"""Records as a service gives them: what one platform costs costs that platform only, and is told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from typing import Final
from urllib.parse import unquote

import pandas as pd

from riskanalytics import frames
from riskanalytics.asked import DayLike, as_day, as_slugs
from riskanalytics.client import Client, Json
from riskanalytics.errors import IncompleteReportError, InvalidAnswer, ServiceError, UnknownPlatform
from riskanalytics.frames.layouts import unread
from riskanalytics.progress import ProgressReport
from riskanalytics.sources.held import held

_MACHINE: Final = "/api/machine/platform/"
_LINK: Final = re.compile(r"/api/machine/platform/([^\s/?#()<>\[\]{}\"'`|,;\\]{1,200})")
"""The machine address of a platform, in an index of any layout."""
_LACKING: Final = 424
"""Status of a platform that a pull lacks (RFC 4918, failed dependency): the others are there."""
_ENOUGH: Final = 12
"""Platforms that all failed, after which a server is given up."""


def load_records(client: Client, as_of: DayLike | None = None, slugs: Sequence[str] | str | None = None) -> list[Json]:
    """Load machine platforms as they came, in the order of their slugs; parameters as `load_findings` takes them.

    Returns
    -------
    list of dict
        A platform that cannot be read is left out and told in `client.problems`, as is what of a record cannot be read.

    Raises
    ------
    ServiceError
        If none can be read: why the first cannot.
    """
    wanted = sorted(as_slugs(slugs)) if slugs is not None else listed_slugs(client, as_of)
    day = as_day(as_of)
    with _told(client, as_of), ProgressReport.for_reader() as told:
        found = _found(client, day, wanted, told)
    records: list[Json] = []
    failed: list[ServiceError] = []
    for slug in wanted:
        got = found[slug]
        where = f"{_MACHINE}{slug}{f'?as_of={day}' if day else ''}"
        client.problems.begin(where)
        if isinstance(got, ServiceError):
            if slugs is None and day is not None and isinstance(got, UnknownPlatform) and not client.has_key:
                continue  # today's index lists a platform that was not tracked yet on a past day
            failed.append(got)
            client.problems.add(str(got), where, slug)
            continue
        records.append(got)
        for sentence in unread(got):
            client.problems.add(sentence, where, slug)
    if failed and not records:
        with _told(client, as_of):
            raise failed[0]
    return records


def _found(
    client: Client, day: date | None, wanted: Sequence[str], told: Callable[[str, int, int | None], None]
) -> dict[str, Json | ServiceError]:
    """Fetch platforms; a server of which the first ones all fail is not asked for the others."""
    found: dict[str, Json | ServiceError] = {}
    whole, failed = False, 0
    for slug, got in client.machine_platforms(wanted, day):
        found[slug] = got
        told("loading platforms", len(found), len(wanted))
        whole |= not isinstance(got, ServiceError)
        # of a past day, an index of today's begins with any number of platforms that were not tracked yet
        early = day is not None and isinstance(got, UnknownPlatform)
        failed += isinstance(got, ServiceError) and not early and got.status != _LACKING
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
        raise InvalidAnswer(text, status=200, path="/llms-full.txt")
    return sorted(found)


def listed(client: Client, as_of: DayLike | None, within: float | None = None) -> list[Json]:
    """Return the list of all platforms at the end of a day, read within so many seconds."""
    with _told(client, as_of):
        return list(client.platforms(as_of, within))


@contextmanager
def _told(client: Client, as_of: DayLike | None) -> Iterator[None]:
    """Say in one line that a server does not tell a state of the past: it answers today's, or refuses the day."""
    try:
        yield
    except ServiceError as error:
        day = as_day(as_of)
        refused = error.status in (400, 422)
        if day is not None and (refused or (error.status == 200 and not isinstance(error, InvalidAnswer))):
            pulls = client.embedded and error.detail.startswith("the pulls in ")
            why = error.detail if pulls else "this server tells only today's"
            raise IncompleteReportError(f"the state of {day} is not known: {why}") from error
        raise


@held
def data_day(client: Client) -> date:
    """Return the day that a service's data speak of: its newest capture; the reader's own where it does not tell."""
    told = frames.coverage_frame(client.coverage())["as_of"].iloc[0]
    return date.today() if pd.isna(told) else told.date()  # noqa: DTZ011 (no date in the data: the reader's own)


@held
def coverage_record(client: Client, as_of: DayLike | None = None, within: float | None = None) -> Json:
    """Load what a server tells of its coverage, as it came, within so many seconds; parameters as of `load_coverage`."""
    with _told(client, as_of):
        return client.coverage(as_of, within)
