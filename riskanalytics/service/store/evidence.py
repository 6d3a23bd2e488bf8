"""Findings and leads: kept for a snapshot as the extraction read it, and read for the newest states of platforms."""

from collections.abc import Iterable, Sequence
from datetime import date
from hashlib import sha256
from typing import Final

from sqlalchemy import Connection, bindparam, insert, select

from riskanalytics.extraction import DocumentReading, FindingKey, Reading, language_of
from riskanalytics.extraction.stance import Located, near_copies
from riskanalytics.models.parts import Lead, Quoted

from . import records
from .engine import run, run_each
from .read import FROM_STATE, Store, end_of
from .records import CAPTURES, Json
from .schema import CLAUSE, FINDING, LEAD

MOST_LEADS: Final = 15
"""Leads that a platform shows: a person reads them."""
_CLAUSE: Final = select(CLAUSE.c.id).where(CLAUSE.c.digest == bindparam("digest")).scalar_subquery()
_KEPT: Final = f"SELECT {records.FINDING_COLUMNS} {records.FOUND}WHERE s.id = :snapshot ORDER BY f.start, f.{{}}"
_OF_SNAPSHOT: Final = "finding_id IN (SELECT id FROM finding WHERE snapshot_id = :snapshot)"
# the number of a deleted finding is given away again, and must not lead search to another platform's words
_FORGOTTEN: Final = (
    f"live_search WHERE rowid IN (SELECT rowid FROM live_finding WHERE {_OF_SNAPSHOT})",
    f"live_finding WHERE {_OF_SNAPSHOT}",
    "finding WHERE snapshot_id = :snapshot",
    "lead WHERE snapshot_id = :snapshot",
)
LIVE: Final = (
    f"SELECT {records.FINDING_COLUMNS}, l.id, p.slug AS platform, p.name, l.conflicts_with, l.duplicate_of, "
    "s.sha256 AS snapshot_sha256, k.archive_url, d.name AS document, d.url AS document_url, k.captured_at "
    f"{CAPTURES}JOIN live_finding l ON l.capture_id = k.id JOIN finding f ON f.id = l.finding_id "
    "JOIN clause c ON c.id = f.clause_id "
)
"""Findings of the newest states, as `live_record` takes them."""


def keep(db: Connection, snapshot: int, reading: Reading, clauses: dict[str, bytes]) -> None:
    """Keep the reading of a snapshot in place of the one before.

    Parameters
    ----------
    db : Connection
        With a transaction open; search forgets the old findings, at every platform that has the snapshot.
    snapshot : int
        Row.
    reading : Reading
    clauses : dict of str to bytes
        Digests of quotes that are kept already, and afterwards of these: most quotes of a text are in the one before.
    """
    for rows in _FORGOTTEN:
        run(db, f"DELETE FROM {rows}", snapshot=snapshot)
    new = {
        finding.quote: sha256(finding.quote.encode(errors="surrogatepass")).digest()
        for finding in (*reading.findings, *reading.leads)
        if finding.quote not in clauses
    }
    unknown = [{"quote": quote, "digest": digest} for quote, digest in new.items()]
    run_each(db, "INSERT INTO clause (quote, digest) VALUES (:quote, :digest) ON CONFLICT DO NOTHING", unknown)
    clauses.update(new)
    for table, findings in ((FINDING, reading.findings), (LEAD, reading.leads)):
        if findings:
            db.execute(
                insert(table).values(clause_id=_CLAUSE),
                [{"snapshot_id": snapshot, "digest": clauses[one.quote]} | records.columns_of(one) for one in findings],
            )


def kept(db: Connection, snapshot: int, text: str) -> Reading:
    """Return the reading of a snapshot as `keep` kept it.

    Parameters
    ----------
    db : Connection
    snapshot : int
        Row.
    text : str
        Of the snapshot: its language is not kept.
    """
    findings, leads = (
        tuple(map(records.found, run(db, _KEPT.format(table, number), snapshot=snapshot).mappings()))
        for table, number in (("finding", "id"), ("lead", "rowid"))
    )
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
    first = [lead for lead in every if lead["id"] in state["stance_decided_by"] or lead["surface"] in open_]
    return first + [lead for lead in every if lead not in first][: max(0, MOST_LEADS - len(first))]


def all_leads(store: Store, state: Json, kind: type[Quoted]) -> list[Json]:
    """Return every lead of a platform's state, the surest first, in the shape of a record."""
    places = {document["snapshot_sha256"]: document for document in reversed(records.documents_read(state))}
    rows = store.rows(
        f"SELECT s.sha256, {records.FINDING_COLUMNS} {records.FOUND.format('lead')}WHERE s.sha256 IN :hashes "
        "ORDER BY f.start, f.surface, f.rowid",
        hashes=list(places),
    )
    leads = [Located(places[row["sha256"]]["document"], row["sha256"], records.found(row)) for row in rows]
    return [records.quoted_record(state["id"], lead, places[digest], kind) for _, digest, lead in _surest(leads)]


def surest_leads(documents: Iterable[DocumentReading]) -> list[Located]:
    """Return the leads of all documents of one platform, the surest first; of near-copies the first."""
    return _surest(
        [Located(one.document, one.snapshot_sha256, lead) for one in documents for lead in one.reading.leads]
    )


def _surest(leads: list[Located]) -> list[Located]:
    """Return leads, the surest first; of near-copies, and of two documents with one text, the first."""
    leads.sort(key=lambda lead: (-lead.finding.confidence, lead.document, lead.finding.start, lead.finding.surface))
    ranked: dict[FindingKey, Located] = {}
    for lead in leads:
        ranked.setdefault(lead.key, lead)
    copies = near_copies(list(ranked.values()))
    return [lead for key, lead in ranked.items() if key not in copies]


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
    found = f"{LIVE}WHERE l.surface IN :surfaces AND p.slug IN :slugs ORDER BY p.slug, d.name, f.start, l.id"
    wanted = [slug for slug, _ in store.names()] if slugs is None else list(slugs)
    return [live_record(row) for row in store.rows(found, surfaces=list(surfaces), slugs=wanted)]


def live_record(row: Json) -> Json:
    """Return a row of `LIVE` as the wire shows a finding, with `platform` and `name`."""
    return {"platform": row["platform"], "name": row["name"], **records.finding_record(row["id"], row, row)}


def newest_states(store: Store) -> dict[str, Json]:
    """Return each platform's rating, surfaces and recorded stance on training use, by slug.

    Returns
    -------
    dict
        Slug -> `rating`, `surfaces`, and `stance`, `consumer_stance`, `business_stance`, `decided_by` as in
        `training_use`.
    """
    newest = f"SELECT p.slug, s.rating, s.surfaces, s.documents, {records.STANCE_COLUMNS} {FROM_STATE}ORDER BY p.slug"
    return {state["slug"]: state | records.training_use(state) for state in store.rows(newest, end=end_of(None))}


def newest_captures(store: Store, slug: str, as_of: date | None = None) -> list[tuple[str, str, str]]:
    """Return the newest capture of each document of a platform by the end of a day, broken ones too.

    Returns
    -------
    list of (str, str, str)
        Name of the document, SHA-256 of its snapshot, time of the capture; by name. Empty where nothing was captured.
    """
    return [
        tuple(row.values())
        for row in store.rows(
            f"SELECT d.name, s.sha256, k.captured_at {CAPTURES}WHERE p.slug = :slug AND k.id = (SELECT c.id FROM capture c "
            "WHERE c.document_id = d.id AND c.captured_at <= :end ORDER BY c.captured_at DESC, c.sequence DESC LIMIT 1) "
            "ORDER BY d.name",
            end=end_of(as_of),
            slug=slug,
        )
    ]


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
    return store.rows(
        "SELECT p.slug, p.collection, d.name AS document, k.captured_at, k.revision, k.kind, s.sha256 AS snapshot_sha256, "
        f"k.archive_url, k.sources {CAPTURES}WHERE d.id IN "
        "(SELECT c.document_id FROM capture c JOIN snapshot t ON t.id = c.snapshot_id WHERE t.sha256 = :sha256) "
        "ORDER BY p.slug, d.name, k.captured_at, k.sequence",
        sha256=sha256,
    )
