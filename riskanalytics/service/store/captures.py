"""Captures of documents, whatever their state: the newest of a platform, and the history of one text."""

from __future__ import annotations

from datetime import date
from typing import Final

from riskanalytics.service.store.read import Store, end_of
from riskanalytics.service.store.records import Json, unpacked_record

_NEWEST: Final = (
    "SELECT d.name, s.sha256, k.captured_at FROM platform p JOIN document d ON d.platform_id = p.id "
    "JOIN capture k ON k.id = (SELECT c.id FROM capture c WHERE c.document_id = d.id AND c.captured_at <= ? "
    "ORDER BY c.captured_at DESC, c.sequence DESC LIMIT 1) JOIN snapshot s ON s.id = k.snapshot_id "
    "WHERE p.slug = ? ORDER BY d.name"
)
_HISTORY: Final = (
    "SELECT p.slug, p.collection, d.name AS document, c.captured_at, c.revision, c.kind, s.sha256 AS snapshot_sha256, "
    "c.archive_url, c.sources FROM capture c JOIN document d ON d.id = c.document_id "
    "JOIN platform p ON p.id = d.platform_id JOIN snapshot s ON s.id = c.snapshot_id WHERE d.id IN "
    "(SELECT k.document_id FROM capture k JOIN snapshot t ON t.id = k.snapshot_id WHERE t.sha256 = ?) "
    "ORDER BY p.slug, d.name, c.captured_at, c.sequence"
)


def newest_captures(store: Store, slug: str, as_of: date | None = None) -> list[tuple[str, str, str]]:
    """Return the newest capture of each document of a platform, broken ones too.

    Parameters
    ----------
    store : Store
    slug : str
    as_of : date, optional
        By the end of that day, UTC.

    Returns
    -------
    list of (str, str, str)
        Name of the document, SHA-256 of its snapshot, time of the capture; by name. Empty where nothing was captured.
    """
    return [(name, sha256, at) for name, sha256, at in store.rows(_NEWEST, (end_of(as_of), slug))]


def captures_with(store: Store, sha256: str) -> list[Json]:
    """Return what the archive recorded of the documents that once had a text: every capture, in the archive's order.

    Parameters
    ----------
    store : Store
    sha256 : str
        Of the text.

    Returns
    -------
    list of dict
        `slug`, `collection`, `document`, `captured_at`, `revision` (commit of the archive, or the dated file's name),
        `kind` (what the archive called the capture), `snapshot_sha256`, `archive_url`, `sources`.
    """
    return [unpacked_record(row, ("sources",)) for row in store.rows(_HISTORY, (sha256,))]
