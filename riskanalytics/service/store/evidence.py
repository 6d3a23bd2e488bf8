"""The findings of the newest states as evidence, by surface and platform, and what those states say in short."""

from __future__ import annotations

from collections.abc import Sequence
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
    "WHERE l.surface IN (%s) AND %s ORDER BY p.slug, d.name, f.start, l.id"
)
_NEWEST: Final = f"SELECT p.slug, s.rating, s.surfaces, s.documents, {STANCE_COLUMNS} {FROM_STATE}ORDER BY p.slug"


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
    wanted = "TRUE" if slugs is None else f"p.slug IN ({_places(slugs)})"
    return [live_record(row) for row in store.rows(_LIVE % (_places(surfaces), wanted), (*surfaces, *(slugs or ())))]


def _places(values: Sequence[str]) -> str:
    """Return a place in a statement for each value; of none one that nothing equals."""
    return ", ".join("?" * len(values)) or "NULL"


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
    rows = store.rows(_NEWEST, (end_of(None),))
    states = [completed(unpacked_record(row, ("stance_decided_by", "surfaces", "documents"))) for row in rows]
    return {state["slug"]: {**state, **training_use(state)} for state in states}
