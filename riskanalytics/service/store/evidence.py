"""Findings of the newest states by surface and platform, what those states say in short, and captures of documents."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final

from riskanalytics.service.store.read import FROM_STATE, Store, end_of
from riskanalytics.service.store.records import (
    FINDING_COLUMNS,
    STANCE_COLUMNS,
    Json,
    Row,
    finding_record,
    parsed,
    unpacked_record,
)
from riskanalytics.service.store.state import completed, training_use

LIVE_COLUMNS: Final = (
    f"{FINDING_COLUMNS}, l.id, p.slug AS platform, p.name, l.conflicts_with, l.duplicate_of, s.sha256 AS snapshot_sha256, "
    "k.archive_url, d.name AS document, d.url AS document_url, k.captured_at"
)
"""Columns of a finding of a newest state, as `live_record` takes them."""
LIVE_JOINS: Final = (
    "JOIN platform p ON p.id = l.platform_id JOIN finding f ON f.id = l.finding_id JOIN clause c ON c.id = f.clause_id "
    "JOIN capture k ON k.id = l.capture_id JOIN document d ON d.id = k.document_id JOIN snapshot s ON s.id = k.snapshot_id "
)
"""What stands behind `live_finding l`."""
_LIVE: Final = (
    f"SELECT {LIVE_COLUMNS} FROM live_finding l {LIVE_JOINS}"
    "WHERE l.surface IN :surfaces AND %s ORDER BY p.slug, d.name, f.start, l.id"
)
_NEWEST: Final = f"SELECT p.slug, s.rating, s.surfaces, s.documents, {STANCE_COLUMNS} {FROM_STATE}ORDER BY p.slug"
_CAPTURED: Final = (
    "SELECT d.name, s.sha256, k.captured_at FROM platform p JOIN document d ON d.platform_id = p.id "
    "JOIN capture k ON k.id = (SELECT c.id FROM capture c WHERE c.document_id = d.id AND c.captured_at <= :end "
    "ORDER BY c.captured_at DESC, c.sequence DESC LIMIT 1) JOIN snapshot s ON s.id = k.snapshot_id "
    "WHERE p.slug = :slug ORDER BY d.name"
)
_HISTORY: Final = (
    "SELECT p.slug, p.collection, d.name AS document, c.captured_at, c.revision, c.kind, s.sha256 AS snapshot_sha256, "
    "c.archive_url, c.sources FROM capture c JOIN document d ON d.id = c.document_id "
    "JOIN platform p ON p.id = d.platform_id JOIN snapshot s ON s.id = c.snapshot_id WHERE d.id IN "
    "(SELECT k.document_id FROM capture k JOIN snapshot t ON t.id = k.snapshot_id WHERE t.sha256 = :sha256) "
    "ORDER BY p.slug, d.name, c.captured_at, c.sequence"
)


def live_findings(store: Store, surfaces: Sequence[str], slugs: Sequence[str] | None = None) -> list[Json]:
    """Return the findings of the newest states on some surfaces.

    Parameters
    ----------
    store : Store
    surfaces : sequence of str
    slugs : sequence of str, optional
        Only of these platforms; of all where None.

    Returns
    -------
    list of dict
        Findings as the wire shows them, with `platform` and `name`; by platform, document and place.
    """
    wanted = {"surfaces": list(surfaces)} | ({} if slugs is None else {"slugs": list(slugs)})
    rows = store.rows(_LIVE % ("TRUE" if slugs is None else "p.slug IN :slugs"), **wanted)
    return [live_record(row) for row in rows]


def live_record(row: Row) -> Json:
    """Return a finding of a newest state as the wire shows it, with `platform` and `name`.

    Parameters
    ----------
    row : mapping
        With `LIVE_COLUMNS`.
    """
    record = finding_record(row["id"], row, row, parsed(row["conflicts_with"]), row["duplicate_of"])
    return {"platform": row["platform"], "name": row["name"], **record}


def newest_states(store: Store) -> dict[str, Json]:
    """Return each platform's rating, surfaces and recorded stance on training use, by slug.

    Parameters
    ----------
    store : Store

    Returns
    -------
    dict
        Slug -> `rating`, `surfaces`, and `stance`, `consumer_stance`, `business_stance`, `decided_by` as in
        `training_use`.
    """
    rows = store.rows(_NEWEST, end=end_of(None))
    states = [completed(unpacked_record(row, ("stance_decided_by", "surfaces", "documents"))) for row in rows]
    return {state["slug"]: {**state, **training_use(state)} for state in states}


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
    return [tuple(row.values()) for row in store.rows(_CAPTURED, end=end_of(as_of), slug=slug)]


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
    return [unpacked_record(row, ("sources",)) for row in store.rows(_HISTORY, sha256=sha256)]
