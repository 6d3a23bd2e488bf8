"""Whose text a snapshot is, as a source tells it: a hash alone says what stands there, not who wrote it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from riskanalytics.asked import as_day
from riskanalytics.client import Client
from riskanalytics.errors import RiskAnalyticsError
from riskanalytics.frames import findings_frame, rows_of
from riskanalytics.frames.building import records_of
from riskanalytics.frames.records import parts_of
from riskanalytics.sources import load_changes, load_records

CONFIRMED: Final = "confirmed"
NOT_CONFIRMED: Final = "not confirmed"

Text = tuple[str, str, str]
"""Slug of a platform, name of a document, SHA-256 of its text."""


def text_of(row: Mapping[str, object]) -> Text:
    """Return whose text a quote says that it is of.

    Parameters
    ----------
    row : mapping
        `slug`, `document`, `snapshot_sha256`.
    """
    return str(row.get("slug")), str(row.get("document")), str(row.get("snapshot_sha256")).lower()


def confirmed(rows: Iterable[Mapping[str, object]], client: Client, as_of: str | None) -> set[Text]:
    """Return the texts of quotes that a source tells as those of the same platform and document.

    It is asked for the platforms on the day of the page, then for its changes, which name the texts before and after, then
    for the platforms on the days of the captures; each only for what is still open. What it does not tell stays open.

    Parameters
    ----------
    rows : iterable of mapping
        `slug`, `document`, `snapshot_sha256`, `captured_at`.
    client : Client
    as_of : str, optional
        Day of the page, ISO 8601; the newest state where None.
    """
    wanted = {text_of(row): str(row.get("captured_at") or "")[:10] for row in rows if row.get("snapshot_sha256")}
    found: set[Text] = set()
    for told in _told(wanted, found, client, as_of):
        found |= told & wanted.keys()
        if len(found) == len(wanted):
            break
    return found


def _told(wanted: Mapping[Text, str], found: set[Text], client: Client, as_of: str | None) -> Iterator[set[Text]]:
    """Give what a source tells, from one place after another."""
    yield _recorded(client, as_of, {slug for slug, _, _ in wanted})
    with contextlib.suppress(RiskAnalyticsError):
        changes = rows_of(load_changes(client))
        yield {text_of({**row, "snapshot_sha256": row[side]}) for row in changes for side in _SIDES}
    days: dict[str, set[str]] = {}
    for text in wanted.keys() - found:
        days.setdefault(wanted[text], set()).add(text[0])
    for day in sorted(days):
        yield _recorded(client, day, days[day])


_SIDES: Final = ("snapshot_before", "snapshot_after")


def _recorded(client: Client, day: str | None, slugs: set[str]) -> set[Text]:
    """Return the texts that the records of platforms name; none where they cannot be had."""
    try:
        records = load_records(client, as_day(day or None), sorted(slugs))
    except RiskAnalyticsError:
        return set()
    texts = {
        text_of({**document, "slug": record.get("slug")})
        for record in records
        for document in records_of(record.get("documents"))
    }
    return texts | {text_of(row) for row in rows_of(findings_frame(parts_of(records, "findings")))}
