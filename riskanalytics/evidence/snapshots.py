"""Snapshots: where their bytes come from (a source at hand, else their archive), and whose text they are."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from riskanalytics.client import Client
from riskanalytics.client.http import Answer, fetch
from riskanalytics.dataset.loading import load_changes, load_records
from riskanalytics.errors import RiskAnalyticsError, ServiceError
from riskanalytics.frames import findings_frame, rows_of
from riskanalytics.frames.building import records_of
from riskanalytics.frames.records import parts_of
from riskanalytics.models.provenance import sha256_of
from riskanalytics.text.arguments import as_day

SECONDS: Final = 600.0
"""For all archives together."""
_FOR_ONE: Final = 30.0
_SHA256: Final = re.compile(r"[0-9a-fA-F]{64}")
_SHOWN: Final = re.compile(r"/blob/(?=[0-9a-f]{7,64}/)")
"""In the address of a page that shows one version of a file; the file itself stands below `/raw/` there."""

CONFIRMED: Final = "confirmed"
NOT_CONFIRMED: Final = "not confirmed"

Text = tuple[str, str, str]
"""Slug of a platform, name of a document, SHA-256 of its text."""
_SIDES: Final = ("snapshot_before", "snapshot_after")


class Snapshots:
    """Snapshots by their hash; source and archives are asked once for each, whatever they answer.

    Parameters
    ----------
    client : Client, optional
        Asked first; its source is at hand where it is a database or a pull.
    offline : bool
        Whether archives on the web are left alone.
    private : bool
        Whether archives on this machine or in a private network may be asked.
    seconds : float
        For all archives together; none is asked after that.
    """

    def __init__(
        self, client: Client | None, *, offline: bool = False, private: bool = False, seconds: float = SECONDS
    ) -> None:
        self._client = client
        self._offline, self._private = offline, private
        self._left = seconds
        self._had: dict[str, tuple[bytes | None, str | None]] = {}
        self._answers: dict[str, Answer | None] = {}

    def ask(self, hashes: Iterable[object]) -> None:
        """Ask the source for several snapshots at once, those that were not asked for yet.

        Parameters
        ----------
        hashes : iterable of object
            SHA-256 in any case; what is none is passed over.
        """
        named = {str(one).lower() for one in hashes if _SHA256.fullmatch(str(one))}
        wanted = sorted(named - self._had.keys())
        self._had |= dict.fromkeys(wanted, (None, None))
        for name, got in self._client.snapshots(wanted) if self._client is not None else ():
            if isinstance(got, bytes):
                self._had[name] = (got, "source")

    def body(self, sha256: str | None, archive_url: str | None = None) -> tuple[bytes | None, str | None]:
        """Return the bytes of a snapshot, and where they were had from.

        Parameters
        ----------
        sha256 : str or None
        archive_url : str or None

        Returns
        -------
        tuple of (bytes or None, str or None)
            `source` or `archive`, None where no bytes could be had. Bytes of another hash are returned only where none of
            the right one could be had, and what gave them names them by this hash or is no page for people.
        """
        if sha256 is None or not _SHA256.fullmatch(sha256):
            return None, None
        name = sha256.lower()
        self.ask([name])
        for address in self._addresses(archive_url):
            had = self._had[name][0]
            if had is not None and sha256_of(had) == name:
                break
            answer = self._answer(address)
            if answer is None:
                continue
            if sha256_of(answer.body) == name or (had is None and "html" not in answer.content_type):
                self._had[name] = (answer.body, "archive")
        return self._had[name]

    def _answer(self, address: str) -> Answer | None:
        """Ask an archive, once; None where it gives nothing, or no time is left."""
        if address not in self._answers:
            self._answers[address] = None
            begun = time.monotonic()
            if self._left > 0:
                with contextlib.suppress(ServiceError):
                    self._answers[address] = fetch(address, private=self._private, seconds=min(_FOR_ONE, self._left))
            self._left -= time.monotonic() - begun
        return self._answers[address]

    def _addresses(self, archive_url: str | None) -> list[str]:
        """Return where an archive may give the bytes: beside the page that shows them, and at the address itself."""
        if self._offline or not archive_url:
            return []
        return list(dict.fromkeys([_SHOWN.sub("/raw/", archive_url, count=1), archive_url]))


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
