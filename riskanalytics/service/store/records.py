"""Records in the shape of the wire, without addresses, from the columns that they are made of."""

from __future__ import annotations

import json
from typing import Any, Final

from riskanalytics.errors import DatabaseError

Json = dict[str, Any]

UNFINISHED: Final = "unfinished"
"""Word about a database that stands there while an ingest has something to review, also after it was cut off."""

LISTED_COLUMNS: Final = "p.slug, p.name, p.website, s.rating, s.risk_reason, s.verification, s.valid_from"
"""Columns of a platform `p` and its state `s`, as lists show them."""
STATE_COLUMNS: Final = (
    f"{LISTED_COLUMNS}, s.stance, s.consumer_stance, s.business_stance, s.stance_decided_by, s.surfaces, s.rules, "
    "s.citation_count, s.documents"
)
"""Columns of a platform's whole state."""
FINDING_COLUMNS: Final = (
    'f.surface, f.start, f."end", c.quote, f.risk, f.polarity, f.rule, f.confidence, f.confidence_low, '
    "f.confidence_high, f.audience, f.region, f.product, f.actor, f.action, f.object, f.condition"
)
"""Columns of a finding, or a lead, `f` and its clause `c`."""
FINDING_WIDTH: Final = FINDING_COLUMNS.count(",") + 1
_CHANGE_FIELDS: Final = (
    "id", "platform", "name", "document", "reviewed_at", "class", "surfaces", "direction", "rating_before",
    "rating_after", "stance_before", "stance_after", "snapshot_before", "snapshot_after", "added", "removed",
    "altered", "cause", "summary", "directions",
)  # fmt: skip
_CHANGE_JSON: Final = ("surfaces", "added", "removed", "altered", "cause", "directions")


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


def listed_record(row: tuple[Any, ...]) -> Json:
    """Return a list record (specification section 2.2).

    Parameters
    ----------
    row : tuple
        Begins with `LISTED_COLUMNS`.
    """
    slug, name, website, rating, risk_reason, verification, valid_from = row[:7]
    return {
        "id": slug,
        "name": name,
        "website": website,
        "rating": rating,
        "risk_reason": risk_reason,
        "last_reviewed": valid_from[:10],
        "verification": verification,
    }


def state_record(row: tuple[Any, ...]) -> Json:
    """Return a platform's whole state.

    Parameters
    ----------
    row : tuple
        In the order of `STATE_COLUMNS`.
    """
    return listed_record(row) | {
        "reviewed_at": row[6],
        "stance": row[7],
        "consumer_stance": row[8],
        "business_stance": row[9],
        "stance_decided_by": parsed(row[10]),
        "surfaces": parsed(row[11]),
        "rules": parsed(row[12]),
        "citation_count": row[13],
        "documents": parsed(row[14]),
    }


def finding_record(public: str, row: tuple[Any, ...], document: Json, related: tuple[list[str], str | None]) -> Json:
    """Return a finding as the wire shows it (specification section 2.4).

    Parameters
    ----------
    public : str
        Its identifier.
    row : tuple
        In the order of `FINDING_COLUMNS`.
    document : dict
        `document`, `captured_at`, `snapshot_sha256`, `archive_url`.
    related : tuple of list and str
        Findings that say the opposite; the finding with the same words.
    """
    surface, start, end, quote, risk, polarity, rule, confidence, low, high, audience, region, product, *roles = row
    return {
        "id": public,
        "quote": quote,
        "surface": surface,
        "risk": risk,
        "polarity": polarity,
        "confidence": confidence,
        "confidence_interval": [low, high],
        "rule": rule,
        "scope": {"audience": audience, "region": region, "product": product},
        "roles": dict(zip(("actor", "action", "object", "condition"), roles, strict=True)),
        "conflicts_with": related[0],
        "duplicate_of": related[1],
        "verification_status": "verified",
        "provenance": {
            "snapshot_sha256": document["snapshot_sha256"],
            "archive_url": document["archive_url"],
            "start": start,
            "end": end,
            "document": document["document"],
            "captured_at": document["captured_at"],
        },
    }


def change_record(row: tuple[Any, ...]) -> Json:
    """Return a change as the wire shows it.

    Parameters
    ----------
    row : tuple
        In the order of `_CHANGE_FIELDS`.
    """
    record = dict(zip(_CHANGE_FIELDS, row, strict=True))
    return record | {name: parsed(record[name]) for name in _CHANGE_JSON}
