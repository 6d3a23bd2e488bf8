"""Records in the shape of the wire, without addresses, from the columns that they are made of."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, Final

from riskanalytics.errors import DatabaseError

Json = dict[str, Any]

UNFINISHED: Final = "unfinished"
"""Word about a database that stands there while an ingest has something to review, also after it was cut off."""

LISTED_COLUMNS: Final = (
    "p.slug AS id, p.name, p.website, s.rating, s.risk_reason, substr(s.valid_from, 1, 10) AS last_reviewed, "
    "s.verification"
)
"""Columns of a platform `p` and its state `s`, as lists show them (specification section 2.2)."""
STANCES: Final = ("stance", "consumer_stance", "business_stance")
STANCE_COLUMNS: Final = ", ".join(
    [*(f"CASE s.verification WHEN 'unverified' THEN NULL ELSE s.{name} END AS {name}" for name in STANCES),
     "s.stance_decided_by"]
)  # fmt: skip
"""Columns of a state's answers on training use: none where no document could be read, which is not to be silent."""
STATE_COLUMNS: Final = (
    f"{LISTED_COLUMNS}, s.valid_from AS reviewed_at, {STANCE_COLUMNS}, "
    "s.surfaces, s.rules, s.citation_count, s.documents"
)
"""Columns of a platform's whole state."""
STATE_JSON: Final = ("stance_decided_by", "surfaces", "rules", "documents")
CHANGE_JSON: Final = ("surfaces", "added", "removed", "altered", "cause", "directions")
FINDING_COLUMNS: Final = (
    'f.surface, f.start, f."end", c.quote, f.risk, f.polarity, f.rule, f.confidence, f.confidence_low, '
    "f.confidence_high, f.audience, f.region, f.product, f.actor, f.action, f.object, f.condition"
)
"""Columns of a finding, or a lead, `f` and its clause `c`."""
Source = Mapping[str, Any] | sqlite3.Row
"""What holds `document`, `captured_at`, `snapshot_sha256` and `archive_url` of a finding."""
SCOPE: Final = ("audience", "region", "product")
ROLES: Final = ("actor", "action", "object", "condition")


def parsed(text: str) -> Any:
    """Return what a column with JSON holds.

    Parameters
    ----------
    text : str

    Raises
    ------
    DatabaseError
        If it is none: the file is damaged.
    """
    try:
        return json.loads(text)
    except ValueError as error:
        raise DatabaseError(f"the database is damaged: a column does not hold JSON ({error})") from error


def unpacked_record(row: sqlite3.Row, of_json: Sequence[str]) -> Json:
    """Return a row by the names of its columns.

    Parameters
    ----------
    row : sqlite3.Row
    of_json : sequence of str
        Columns that hold JSON.
    """
    return {**dict(row), **{name: parsed(row[name]) for name in of_json}}


def finding_record(public: str, row: sqlite3.Row, source: Source, related: tuple[list[str], str | None]) -> Json:
    """Return a finding as the wire shows it (specification section 2.4).

    Parameters
    ----------
    public : str
        Its identifier.
    row : sqlite3.Row
        With `FINDING_COLUMNS`.
    source : mapping
        `document`, `captured_at`, `snapshot_sha256`, `archive_url`.
    related : tuple of list and str
        Findings that say the opposite; the finding with the same words.
    """
    return {
        "id": public,
        "quote": row["quote"],
        "surface": row["surface"],
        "risk": row["risk"],
        "polarity": row["polarity"],
        "confidence": row["confidence"],
        "confidence_interval": [row["confidence_low"], row["confidence_high"]],
        "rule": row["rule"],
        "scope": {name: row[name] for name in SCOPE},
        "roles": {name: row[name] for name in ROLES},
        "conflicts_with": related[0],
        "duplicate_of": related[1],
        "verification_status": "verified",
        "provenance": {
            "snapshot_sha256": source["snapshot_sha256"],
            "archive_url": source["archive_url"],
            "start": row["start"],
            "end": row["end"],
            "document": source["document"],
            "captured_at": source["captured_at"],
        },
    }
