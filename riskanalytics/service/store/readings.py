"""What the extraction read out of a snapshot, as the tables keep it; and the leads of a platform out of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sqlalchemy import Connection, bindparam, insert, select

from riskanalytics.extraction import ClauseFinding, DocumentReading, FindingKey, Reading, language_of
from riskanalytics.extraction.stance import Located, near_copies
from riskanalytics.models.clauses import Lead, Quoted
from riskanalytics.models.provenance import sha256_of
from riskanalytics.service.store.engine import run, run_each
from riskanalytics.service.store.read import Store
from riskanalytics.service.store.records import FINDING_COLUMNS, Json, columns_of, found, quoted_record
from riskanalytics.service.store.schema import CLAUSE, FINDING, LEAD
from riskanalytics.service.store.state import documents_read

MOST_LEADS: Final = 15
"""Leads that a platform shows: a person reads them."""
_TABLES: Final = {FINDING: "id", LEAD: "rowid"}
"""What the extraction gives, and what numbers it in the order in which it was kept."""
_CLAUSE: Final = select(CLAUSE.c.id).where(CLAUSE.c.digest == bindparam("digest")).scalar_subquery()
_READ: Final = f"SELECT {FINDING_COLUMNS} FROM %s f JOIN clause c ON c.id = f.clause_id "
_LEAD: Final = (
    f"SELECT s.sha256, {FINDING_COLUMNS} FROM lead f JOIN clause c ON c.id = f.clause_id "
    "JOIN snapshot s ON s.id = f.snapshot_id WHERE s.sha256 IN :hashes "
    "ORDER BY f.start, f.surface, f.rowid"
)
_OF_SNAPSHOT: Final = "finding_id IN (SELECT id FROM finding WHERE snapshot_id = :snapshot)"
# the number of a deleted finding is given away again, and must not lead search to another platform's words
_FORGOTTEN: Final = (
    f"DELETE FROM live_search WHERE rowid IN (SELECT rowid FROM live_finding WHERE {_OF_SNAPSHOT})",
    f"DELETE FROM live_finding WHERE {_OF_SNAPSHOT}",
    "DELETE FROM finding WHERE snapshot_id = :snapshot",
)


def keep(connection: Connection, snapshot: int, reading: Reading, clauses: dict[str, bytes]) -> None:
    """Keep what a snapshot says in place of what was read out of it before.

    Parameters
    ----------
    connection : Connection
        With a transaction open; what search sees of the old findings goes, at every platform that has the snapshot.
    snapshot : int
        Row.
    reading : Reading
    clauses : dict of str to bytes
        Digests of quotes that are kept already, and afterwards of these: most quotes of a text stood in the one before.
    """
    if run(connection, "SELECT 1 FROM finding WHERE snapshot_id = :snapshot", snapshot=snapshot).first():
        for statement in _FORGOTTEN:
            run(connection, statement, snapshot=snapshot)
    run(connection, "DELETE FROM lead WHERE snapshot_id = :snapshot", snapshot=snapshot)
    new = {
        finding.quote: bytes.fromhex(sha256_of(finding.quote.encode("utf-8", errors="surrogatepass")))
        for finding in (*reading.findings, *reading.leads)
        if finding.quote not in clauses
    }
    unknown = [{"quote": quote, "digest": digest} for quote, digest in new.items()]
    run_each(connection, "INSERT INTO clause (quote, digest) VALUES (:quote, :digest) ON CONFLICT DO NOTHING", unknown)
    clauses.update(new)
    for table, findings in zip(_TABLES, (reading.findings, reading.leads), strict=True):
        rows = [{"snapshot_id": snapshot, "digest": clauses[one.quote]} | columns_of(one) for one in findings]
        if rows:
            connection.execute(insert(table).values(clause_id=_CLAUSE), rows)


def kept(connection: Connection, snapshot: int, text: str) -> Reading:
    """Return what a snapshot says, as `keep` kept it.

    Parameters
    ----------
    connection : Connection
    snapshot : int
        Row.
    text : str
        Of the snapshot: its language is not kept.
    """
    findings, leads = (
        tuple(
            found(row)
            for row in run(
                connection, f"{_READ % table.name} WHERE f.snapshot_id = :snapshot ORDER BY f.start, f.{number}",
                snapshot=snapshot,
            ).mappings()
        )
        for table, number in _TABLES.items()
    )  # fmt: skip
    return Reading(findings, language_of(text), leads=leads)


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
        As findings, without `conflicts_with` and `duplicate_of`: all that leave the stance or a surface to be read, then the
        surest of the documents of that state up to `MOST_LEADS`, of near-copies the first; they count nowhere.
    """
    every = all_leads(store, state, Lead)
    open_ = {name for name, surface in state["surfaces"].items() if surface["state"] == "to_read"}
    asked = [lead for lead in every if lead["id"] in state["stance_decided_by"] or lead["surface"] in open_]
    rest = [lead for lead in every if lead not in asked]
    return [*asked, *rest[: max(0, MOST_LEADS - len(asked))]]


def all_leads(store: Store, state: Json, kind: type[Quoted]) -> list[Json]:
    """Return every lead of a platform, the surest first.

    Parameters
    ----------
    store : Store
    state : dict
        What `Store.platform` returned.
    kind : type of Quoted
        What each looks like.

    Returns
    -------
    list of dict
    """
    places = {document["snapshot_sha256"]: document for document in reversed(documents_read(state))}
    clauses: dict[str, list[ClauseFinding]] = {sha256: [] for sha256 in places}
    for row in store.rows(_LEAD, hashes=list(places)):
        clauses[row["sha256"]].append(found(row))
    readings = [
        DocumentReading(document["document"], sha256, document["captured_at"], Reading(leads=tuple(clauses[sha256])))
        for sha256, document in places.items()
    ]
    return [quoted_record(state["id"], lead, places[sha256], kind) for _, sha256, lead in surest_leads(readings)]


def surest_leads(documents: Iterable[DocumentReading]) -> list[Located]:
    """Return the leads of a platform, the surest first; of near-copies the first.

    Parameters
    ----------
    documents : iterable of DocumentReading
        All of one platform.
    """
    leads = [Located(one.document, one.snapshot_sha256, lead) for one in documents for lead in one.reading.leads]
    leads.sort(key=lambda lead: (-lead.finding.confidence, lead.document, lead.finding.start, lead.finding.surface))
    ranked: dict[FindingKey, Located] = {}
    for lead in leads:
        ranked.setdefault(lead.key, lead)  # a text may stand under two names
    copies = near_copies(list(ranked.values()))
    return [lead for key, lead in ranked.items() if key not in copies]
