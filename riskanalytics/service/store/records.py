"""Records in the shape of the wire, without addresses, from the columns that they are made of."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from riskanalytics.errors import DatabaseError
from riskanalytics.extraction import ClauseFinding, LeadIn, Roles, Scope
from riskanalytics.models.clauses import Quoted
from riskanalytics.service.store.identity import finding_id
from riskanalytics.text.wording import led_in

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
    [*(f"NULLIF(s.{name}, 'unread') AS {name}" for name in STANCES), "s.stance_decided_by"]
)  # fmt: skip
"""Columns of a state's answers on training use: null where a document is not read, which is not silence."""
STATE_COLUMNS: Final = (
    f"{LISTED_COLUMNS}, s.valid_from AS reviewed_at, {STANCE_COLUMNS}, "
    "s.surfaces, s.rules, s.citation_count, s.documents"
)
"""Columns of a platform's whole state."""
STATE_JSON: Final = ("stance_decided_by", "surfaces", "rules", "documents")
CHANGE_JSON: Final = ("surfaces", "added", "removed", "altered", "cause", "directions")
SCOPE: Final = ("audience", "region", "product")
ROLES: Final = ("actor", "action", "object", "condition")
_PLAIN: Final = ("surface", "start", "end", "risk", "polarity", "rule", "confidence", "stance")
LEAD_IN: Final = ("lead_in", "lead_start", "lead_end")
KEPT: Final = (*_PLAIN, "confidence_low", "confidence_high", *SCOPE, *ROLES, *LEAD_IN)
"""Columns of a finding, or a lead, besides its snapshot and its quote."""
FINDING_COLUMNS: Final = ", ".join(["c.quote", *(f'f."{name}"' for name in KEPT)])
"""Columns of a finding, or a lead, `f` and its clause `c`."""
Row = Mapping[Any, Any]
"""Columns by their names."""


class Stored(dict[str, Any]):
    """An object of a column with JSON; a key that is asked for and missing is damage of the file."""

    def __missing__(self, key: str) -> Any:
        """Refuse the file."""
        raise DatabaseError(
            f"the database is damaged: a column with JSON lacks {key!r}; restore a backup or ingest again"
        )


def parsed(text: str) -> Any:
    """Return what a column with JSON holds, its objects as `Stored`.

    Parameters
    ----------
    text : str

    Raises
    ------
    DatabaseError
        If it is none: the file is damaged.
    """
    try:
        return json.loads(text, object_hook=Stored)
    except ValueError as error:
        raise DatabaseError(f"the database is damaged: a column does not hold JSON ({error})") from error


def as_json(value: object) -> str:
    """Return a value as a column with JSON keeps it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def unpacked_record(row: Row, of_json: Sequence[str]) -> Json:
    """Return a row by the names of its columns.

    Parameters
    ----------
    row : mapping
    of_json : sequence of str
        Columns that hold JSON.
    """
    return {**row} | {name: parsed(row[name]) for name in of_json}


def columns_of(finding: ClauseFinding) -> Json:
    """Return a finding by the columns that keep it; `found` is the way back."""
    low, high = finding.confidence_interval
    parts = ((finding, ("quote", *_PLAIN)), (finding.scope, SCOPE), (finding.roles, ROLES))
    columns = {name: getattr(part, name) for part, names in parts for name in names}
    leads = zip(LEAD_IN, finding.lead_in or (None, None, None), strict=True)
    return columns | {"confidence_low": low, "confidence_high": high, **dict(leads)}


def found(row: Row) -> ClauseFinding:
    """Return the finding that `FINDING_COLUMNS` hold."""
    return ClauseFinding(
        **{name: row[name] for name in ("quote", *_PLAIN)},
        confidence_interval=(row["confidence_low"], row["confidence_high"]),
        scope=Scope(*(row[name] for name in SCOPE)),
        roles=Roles(*(row[name] for name in ROLES)),
        lead_in=None if row["lead_in"] is None else LeadIn(*(row[name] for name in LEAD_IN)),
    )


def public_id(slug: str, row: Row, source: Row) -> str:
    """Return the public identifier of a finding of a platform, out of its columns and where it stands."""
    span = row["start"], row["end"]
    return finding_id(slug, source["document"], row["surface"], source["snapshot_sha256"], span)


def quoted_record(slug: str, finding: ClauseFinding, source: Row, kind: type[Quoted]) -> Json:
    """Return a clause in a shape of the wire that tells less than a finding.

    Parameters
    ----------
    slug : str
    finding : ClauseFinding
    source : mapping
        As for `finding_record`.
    kind : type of Quoted
        `Quoted` or `Lead`.
    """
    row = columns_of(finding)
    record = finding_record(public_id(slug, row, source), row, source)
    fields = kind.model_fields
    return {name: value for name, value in record.items() if name in fields}


def lead_in_of(row: Row) -> Json | None:
    """Return what a finding continues as the wire shows it; None where it stands alone."""
    return (
        None
        if row["lead_in"] is None
        else dict(zip(("quote", "start", "end"), (row[name] for name in LEAD_IN), strict=True))
    )


def led(finding: Json) -> str:
    """Return the quote of a finding behind what it continues, as a person reads both.

    Parameters
    ----------
    finding : dict
        As `finding_record` returns it.
    """
    lead_in = finding["lead_in"]
    before = "" if lead_in is None else led_in(lead_in["quote"], lead_in["end"], finding["provenance"]["start"])
    return f"{before}{finding['quote']}"


def finding_record(
    public: str, row: Row, source: Row, conflicts: Sequence[str] = (), duplicate_of: str | None = None
) -> Json:
    """Return a finding as the wire shows it (specification section 2.4).

    Parameters
    ----------
    public : str
        Its identifier.
    row : mapping
        With `FINDING_COLUMNS`.
    source : mapping
        `document`, `captured_at`, `snapshot_sha256`, `archive_url`, perhaps `document_url`.
    conflicts : sequence of str
        Findings that say the opposite.
    duplicate_of : str, optional
        The finding with the same words.
    """
    return {
        "id": public,
        "lead_in": lead_in_of(row),
        "quote": row["quote"],
        "surface": row["surface"],
        "risk": row["risk"],
        "polarity": row["polarity"],
        "confidence": row["confidence"],
        "confidence_interval": [row["confidence_low"], row["confidence_high"]],
        "rule": row["rule"],
        "scope": {name: row[name] for name in SCOPE},
        "roles": {name: row[name] for name in ROLES},
        "conflicts_with": list(conflicts),
        "duplicate_of": duplicate_of,
        "verification_status": "verified",
        "provenance": {
            "snapshot_sha256": source["snapshot_sha256"],
            "archive_url": source["archive_url"],
            "start": row["start"],
            "end": row["end"],
            "document": source["document"],
            "captured_at": source["captured_at"],
            "document_url": source.get("document_url"),
        },
    }
