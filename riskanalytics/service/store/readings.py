"""What the extraction read out of a snapshot, as the tables keep it; and the leads of a platform out of them."""

from __future__ import annotations

import sqlite3
from typing import Any, Final

from riskanalytics.extraction import ClauseFinding, DocumentReading, FindingKey, Reading, Roles, Scope, relate
from riskanalytics.provenance import sha256_of
from riskanalytics.service.store.identity import finding_id
from riskanalytics.service.store.read import Store
from riskanalytics.service.store.records import FINDING_COLUMNS, ROLES, SCOPE, Json, finding_record
from riskanalytics.service.store.state import documents_read

MOST_LEADS: Final = 15
"""Leads that a platform shows: a person reads them."""
_TABLES: Final = ("finding", "lead")
_KEPT: Final = (
    'snapshot_id, clause_id, surface, start, "end", risk, polarity, rule, confidence, confidence_low, confidence_high, '
    "audience, region, product, stance, actor, action, object, condition"
)
_READ: Final = f"SELECT {FINDING_COLUMNS}, f.stance FROM %s f JOIN clause c ON c.id = f.clause_id "
_LEAD: Final = (
    f"{_READ % 'lead'} JOIN snapshot s ON s.id = f.snapshot_id WHERE s.sha256 = ? ORDER BY f.start, f.surface"
)
_PLAIN: Final = ("surface", "start", "end", "quote", "risk", "polarity", "rule", "confidence", "stance")
_OF_SNAPSHOT: Final = "finding_id IN (SELECT id FROM finding WHERE snapshot_id = ?)"
# the number of a deleted finding is given away again, and must not lead search to another platform's words
_FORGOTTEN: Final = (
    f"DELETE FROM live_search WHERE rowid IN (SELECT rowid FROM live_finding WHERE {_OF_SNAPSHOT})",
    f"DELETE FROM live_finding WHERE {_OF_SNAPSHOT}",
    "DELETE FROM finding WHERE snapshot_id = ?",
)


def keep(connection: sqlite3.Connection, snapshot: int, reading: Reading, clauses: dict[str, int]) -> None:
    """Keep what a snapshot says in place of what was read out of it before.

    Parameters
    ----------
    connection : sqlite3.Connection
        With a transaction open; what search sees of the old findings goes, at every platform that has the snapshot.
    snapshot : int
        Row.
    reading : Reading
    clauses : dict of str to int
        Rows of quotes that are known already, and afterwards of these: most quotes of a text stood in the one before.
    """
    if connection.execute("SELECT 1 FROM finding WHERE snapshot_id = ?", (snapshot,)).fetchone():
        for statement in _FORGOTTEN:
            connection.execute(statement, (snapshot,))
    connection.execute("DELETE FROM lead WHERE snapshot_id = ?", (snapshot,))
    for table, found in zip(_TABLES, (reading.findings, reading.leads), strict=True):
        connection.executemany(
            f"INSERT INTO {table} ({_KEPT}) VALUES (?{', ?' * _KEPT.count(',')})",
            [(snapshot, _clause(connection, finding.quote, clauses), *_columns(finding)) for finding in found],
        )


def kept(connection: sqlite3.Connection, snapshot: int) -> Reading:
    """Return what a snapshot says, as `keep` kept it.

    Parameters
    ----------
    connection : sqlite3.Connection
    snapshot : int
        Row.
    """
    named = connection.cursor()
    named.row_factory = sqlite3.Row
    findings, leads = (
        tuple(
            map(
                _finding,
                named.execute(f"{_READ % table} WHERE f.snapshot_id = ? ORDER BY f.start, f.rowid", (snapshot,)),
            )
        )
        for table in _TABLES
    )
    return Reading(findings, leads=leads)


def leads(store: Store, state: Json) -> list[Json]:
    """Return the clauses of a platform that are worth reading and not sure enough to be findings.

    Parameters
    ----------
    store : Store
    state : dict
        What `Store.platform` returned.

    Returns
    -------
    list of dict
        As findings, without `conflicts_with` and `duplicate_of`: those that leave the stance undetermined, then the surest
        of the documents of that state, at most `MOST_LEADS`, of near-copies the first; they count nowhere.
    """
    located = [
        (document, row)
        for document in documents_read(state)
        for row in store.rows(_LEAD, (document["snapshot_sha256"],))
    ]
    located.sort(key=_surest_first)
    ranked: dict[FindingKey, _Located] = {}
    for document, row in located:
        key = (document["snapshot_sha256"], row["start"], row["end"], row["surface"])
        ranked.setdefault(key, (document, row))
    copies = relate(
        [
            DocumentReading(document["document"], key[0], document["captured_at"], Reading((_finding(row),)))
            for key, (document, row) in ranked.items()
        ]
    ).duplicates
    shown = [_lead_record(state["id"], *place) for key, place in ranked.items() if key not in copies]
    shown.sort(key=lambda lead: lead["id"] not in state["stance_decided_by"])
    return shown[:MOST_LEADS]


_Located = tuple[Json, sqlite3.Row]
"""A document and a lead in it."""


def _surest_first(lead: _Located) -> tuple[float, str, int, str]:
    """Where a lead stands among others."""
    document, row = lead
    return -row["confidence"], document["document"], row["start"], row["surface"]


def _lead_record(slug: str, document: Json, row: sqlite3.Row) -> Json:
    """A lead as the wire shows it."""
    name, sha256 = document["document"], document["snapshot_sha256"]
    public = finding_id(slug, name, row["surface"], sha256, (row["start"], row["end"]))
    record = finding_record(public, row, document, ([], None))
    del record["conflicts_with"], record["duplicate_of"]
    return record


def _clause(connection: sqlite3.Connection, quote: str, clauses: dict[str, int]) -> int:
    """Row of a quote, stored once."""
    if quote not in clauses:
        digest = bytes.fromhex(sha256_of(quote.encode("utf-8", errors="surrogatepass")))
        (clauses[quote],) = connection.execute(
            "INSERT INTO clause (quote, digest) VALUES (?, ?) "
            "ON CONFLICT (digest) DO UPDATE SET digest = digest RETURNING id",
            (quote, digest),
        ).fetchone()
    return clauses[quote]


def _columns(finding: ClauseFinding) -> tuple[Any, ...]:
    """A finding in the order of its table's columns, from its surface on."""
    scope, roles = finding.scope, finding.roles
    return (
        finding.surface, finding.start, finding.end, finding.risk, finding.polarity, finding.rule, finding.confidence,
        *finding.confidence_interval, scope.audience, scope.region, scope.product, finding.stance, roles.actor,
        roles.action, roles.object, roles.condition,
    )  # fmt: skip


def _finding(row: sqlite3.Row) -> ClauseFinding:
    """A finding out of `FINDING_COLUMNS` and its stance."""
    return ClauseFinding(
        **{name: row[name] for name in _PLAIN},
        confidence_interval=(row["confidence_low"], row["confidence_high"]),
        scope=Scope(*(row[name] for name in SCOPE)),
        roles=Roles(*(row[name] for name in ROLES)),
    )
