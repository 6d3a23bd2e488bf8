"""The newest captures of a platform's documents, whatever their state."""

from __future__ import annotations

from datetime import date
from typing import Final

from riskanalytics.service.store.read import Store, end_of

_NEWEST: Final = (
    "SELECT d.name, s.sha256, k.captured_at FROM platform p JOIN document d ON d.platform_id = p.id "
    "JOIN capture k ON k.id = (SELECT c.id FROM capture c WHERE c.document_id = d.id AND c.captured_at <= ? "
    "ORDER BY c.captured_at DESC, c.sequence DESC LIMIT 1) JOIN snapshot s ON s.id = k.snapshot_id "
    "WHERE p.slug = ? ORDER BY d.name"
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
