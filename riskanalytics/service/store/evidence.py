"""Store the findings and leads of a snapshot in the database, and return the findings and leads of platforms."""

import json
from collections.abc import Collection, Iterable, Sequence
from datetime import date
from hashlib import sha256
from typing import Final

from sqlalchemy import Connection, bindparam, insert, select

from riskanalytics.extraction import DocumentReading, FindingKey, Reading, language_of
from riskanalytics.extraction.dates import stated_dates
from riskanalytics.extraction.stance import Located, located, near_copies
from riskanalytics.models.parts import Lead, Provenance, Quoted, StatedDate

from . import records
from .engine import run, run_each
from .read import FROM_STATE, Store, end_of
from .records import CAPTURES, Json
from .schema import CLAUSE, FINDING, LEAD

MOST_LEADS: Final = 15
"""Maximum number of leads shown for a platform."""
_CLAUSE: Final = select(CLAUSE.c.id).where(CLAUSE.c.digest == bindparam("digest")).scalar_subquery()
_KEPT: Final = f"SELECT {records.FINDING_COLUMNS} {records.FOUND}WHERE s.id = :snapshot ORDER BY f.start, f.{{}}"
_OF_SNAPSHOT: Final = "finding_id IN (SELECT id FROM finding WHERE snapshot_id = :snapshot)"
# row numbers of deleted findings are reused, so search must forget them
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
"""Beginning of a SELECT statement for findings of the newest states; `live_record` takes its rows."""


def keep(db: Connection, snapshot: int, reading: Reading, clauses: dict[str, bytes]) -> None:
    """Store the findings and leads of a snapshot in place of its previous ones.

    Parameters
    ----------
    db : Connection
        Connection with an open transaction. The old findings are also removed from the search index.
    snapshot : int
        Row id of the snapshot.
    reading : Reading
        The findings and leads.
    clauses : dict of str to bytes
        Quote -> its SHA-256, for the quotes that are already in the database. The function adds the new quotes to this
        dict, so that the next call does not store them again.
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
    """Return a `Reading`: the findings and leads of a snapshot, as `keep` stored them, and the language of its text.

    Parameters
    ----------
    db : Connection
    snapshot : int
        Row id of the snapshot.
    text : str
        Text of the snapshot, to detect its language, which is not stored.
    """
    findings, leads = (
        tuple(map(records.found, run(db, _KEPT.format(table, number), snapshot=snapshot).mappings()))
        for table, number in (("finding", "id"), ("lead", "rowid"))
    )
    return Reading(findings, language_of(text), leads=leads)


def leads(store: Store, state: Json) -> list[Json]:
    """Return the leads of a platform: clauses worth reading but too uncertain to count as findings.

    Parameters
    ----------
    store : Store
    state : dict
        Rating, stances, surface levels and documents of the platform, as `Store.platform` returns them.

    Returns
    -------
    list of dict
        Records with the fields of findings, except `conflicts_with` and `duplicate_of`. All leads that make the stance or the
        level of a surface undetermined come first. Other leads follow, highest confidence first, until there are `MOST_LEADS`
        (15). A lead with nearly the same words as another one is left out.
    """
    every = all_leads(store, state, Lead)
    open_ = {name for name, surface in state["surfaces"].items() if surface["state"] == "to_read"}
    first = [lead for lead in every if lead["id"] in state["stance_decided_by"] or lead["surface"] in open_]
    return first + [lead for lead in every if lead not in first][: max(0, MOST_LEADS - len(first))]


def dates(store: Store, state: Json) -> list[Json]:
    """Return the dates and periods that the documents of a platform state, as responses show them.

    Parameters
    ----------
    store : Store
    state : dict
        Rating, stances, surface levels and documents of the platform, as `Store.platform` returns them.
    """
    documents = records.documents_read(state)
    hashes = [document["snapshot_sha256"] for document in documents]
    rows = store.rows("SELECT sha256, dates FROM snapshot WHERE sha256 IN :hashes", hashes=hashes)
    stated = {row["sha256"]: _stated(store, **row) for row in rows}
    return [
        StatedDate.part_of(one) | {"provenance": Provenance.part_of(document | one)}
        for document in documents
        for one in stated[document["snapshot_sha256"]]
    ]


def _stated(store: Store, sha256: str, dates: str | None) -> list[Json]:
    """Return the dates that a snapshot states; they are read now if the database has not stored them yet."""
    return [one._asdict() for one in stated_dates(store.text(sha256))] if dates is None else json.loads(dates)


def all_leads(store: Store, state: Json, kind: type[Quoted]) -> list[Json]:
    """Return all leads of a platform, highest confidence first; a lead with nearly the same words as another is left out.

    Parameters
    ----------
    store : Store
    state : dict
        Rating, stances, surface levels and documents of the platform, as `Store.platform` returns them.
    kind : type of Quoted
        Class whose fields the returned dictionaries have: `Lead` or `Finding`.
    """
    places = {document["snapshot_sha256"]: document for document in reversed(records.documents_read(state))}
    rows = store.rows(
        f"SELECT s.sha256, {records.FINDING_COLUMNS} {records.FOUND.format('lead')}WHERE s.sha256 IN :hashes "
        "ORDER BY f.start, f.surface, f.rowid",
        hashes=list(places),
    )
    leads = [Located(places[row["sha256"]]["document"], row["sha256"], records.found(row)) for row in rows]
    ids = {one.key: records.public_id(state["id"], one.finding._asdict(), places[one.snapshot_sha256]) for one in leads}
    cited = {key for key, public in ids.items() if public in state["stance_decided_by"]}
    return [records.quoted_record(state["id"], lead, places[digest], kind) for _, digest, lead in _surest(leads, cited)]


def surest_leads(documents: Iterable[DocumentReading]) -> list[Located]:
    """Return the leads of a platform, highest confidence first; a lead with nearly the same words as another is left out.

    Parameters
    ----------
    documents : iterable of DocumentReading
        All documents of the platform, with their leads.
    """
    return _surest(located(documents, leads=True))


def _surest(leads: list[Located], cited: Collection[FindingKey] = ()) -> list[Located]:
    """Return leads, highest confidence first, without repetitions in equal texts and near-copies, but with those that are cited."""
    leads.sort(key=lambda lead: (-lead.finding.confidence, lead.document, lead.finding.start, lead.finding.surface))
    ranked: dict[FindingKey, Located] = {}
    for lead in leads:
        ranked.setdefault(lead.key, lead)
    copies = near_copies(list(ranked.values()))
    return [lead for key, lead in ranked.items() if key not in copies or key in cited]


def live_findings(store: Store, surfaces: Sequence[str], slugs: Sequence[str] | None = None) -> list[Json]:
    """Return the current findings of platforms on some surfaces.

    Parameters
    ----------
    store : Store
    surfaces : sequence of str
        Surfaces of the findings.
    slugs : sequence of str, optional
        Platforms to read. If None, all platforms.

    Returns
    -------
    list of dict
        Findings as responses show them, with `platform` (slug) and `name`, ordered by platform, document and position.
    """
    found = f"{LIVE}WHERE l.surface IN :surfaces AND p.slug IN :slugs ORDER BY p.slug, d.name, f.start, l.id"
    wanted = [slug for slug, _ in store.names()] if slugs is None else list(slugs)
    return [live_record(row) for row in store.rows(found, surfaces=list(surfaces), slugs=wanted)]


def live_record(row: Json) -> Json:
    """Return a finding as responses show it, with `platform` (slug) and `name`.

    Parameters
    ----------
    row : dict
        Result row of a SELECT statement that begins with the text `LIVE` (a constant of this module).
    """
    return {"platform": row["platform"], "name": row["name"], **records.finding_record(row["id"], row, row)}


def newest_states(store: Store) -> dict[str, Json]:
    """Return the newest rating, surface levels and stances on training use of each platform.

    Returns
    -------
    dict
        Slug -> `rating`; `surfaces` (surface -> its level and more); `stance`, `consumer_stance`, `business_stance`; and
        `decided_by`, the ids of the clauses that decided `stance`, or that a person must read to decide it.
    """
    newest = f"SELECT p.slug, s.rating, s.surfaces, s.documents, {records.STANCE_COLUMNS} {FROM_STATE}ORDER BY p.slug"
    return {state["slug"]: state | records.training_use(state) for state in store.rows(newest, end=end_of(None))}


def newest_captures(store: Store, slug: str, as_of: date | None = None) -> list[tuple[str, str, str]]:
    """Return the newest capture, even if broken, of each document of a platform at the end of a day.

    Parameters
    ----------
    store : Store
    slug : str
    as_of : date, optional
        The day. If None, the newest captures in the database.

    Returns
    -------
    list of (str, str, str)
        Document name, SHA-256 of its snapshot and time of the capture, ordered by name. Empty if there is no capture.
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
    """Find the documents that had a given text at some time, and return all their captures, also those with other texts.

    Parameters
    ----------
    store : Store
    sha256 : str
        SHA-256 of the text.

    Returns
    -------
    list of dict
        Captures by platform, document and time: `slug`, `collection`, `document`, `captured_at`, `revision` (commit of the
        archive, or name of the dated file), `kind` and `sources` (both as recorded by the archive), `snapshot_sha256`,
        `archive_url`.
    """
    return store.rows(
        "SELECT p.slug, p.collection, d.name AS document, k.captured_at, k.revision, k.kind, s.sha256 AS snapshot_sha256, "
        f"k.archive_url, k.sources {CAPTURES}WHERE d.id IN "
        "(SELECT c.document_id FROM capture c JOIN snapshot t ON t.id = c.snapshot_id WHERE t.sha256 = :sha256) "
        "ORDER BY p.slug, d.name, k.captured_at, k.sequence",
        sha256=sha256,
    )
