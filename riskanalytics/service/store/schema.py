"""Tables for SQLite and PostgreSQL; the full-text index is in `search`.

Times are ISO 8601 UTC with a trailing Z and whole seconds, so that text order is time order.
"""

from functools import partial
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.schema import CreateColumn, CreateIndex, CreateTable

SCHEMA_VERSION: Final = 7
"""Version of the tables, kept in each database. Newer versions are refused; `Writer` upgrades older ones."""
DATA: Final = sa.MetaData()
"""Tables of the database: snapshots of collections, their readings, and results of reviews."""
KEYS: Final = sa.MetaData()
"""Tables of the key file: keys, correction queue and request counts. Only reviews change the database file itself."""


def _columns(kind: Any, names: str, *, nullable: bool = False, **more: Any) -> list[sa.Column[Any]]:
    """Return columns of one type from names separated by spaces."""
    return [sa.Column(name, kind, nullable=nullable, **more) for name in names.split()]


# collation C orders texts by code point, as SQLite does
_texts = partial(_columns, sa.Text().with_variant(sa.Text(collation="C"), "postgresql"))
_whole = partial(_columns, sa.BigInteger().with_variant(sa.Integer, "sqlite"))
_maybe = partial(_texts, nullable=True)
_id = partial(_whole, "id", primary_key=True)
_reals = partial(_columns, sa.Float(53))
_bytes = partial(_columns, sa.LargeBinary)


def _found() -> list[sa.Column[Any]]:
    """Return the columns of a clause of a snapshot: position, assessment, scope, roles and lead-in."""
    return [
        *_whole("snapshot_id clause_id"), *_texts("surface"), *_whole("start end"), *_texts("risk polarity rule"),
        *_reals("confidence confidence_low confidence_high"),
        *_maybe("audience region product stance actor action object condition lead_in read_by"),
        *_whole("lead_start lead_end", nullable=True),
    ]  # fmt: skip


# fmt: off
sa.Table("meta", DATA, *_texts("key", primary_key=True), *_texts("value"), sqlite_with_rowid=False)
SNAPSHOT: Final = sa.Table(
    "snapshot", DATA, *_id(), *_texts("sha256", unique=True), *_whole("size"),
    *_bytes("body"), *_maybe("rules"), *_maybe("dates"),
)
"""`size`: bytes; `body`: compressed by zlib; `rules`: version of the rules that read it, NULL if not read yet; `dates`: the dates
that the text states, a JSON array of objects, NULL if not read yet."""
PLATFORM: Final = sa.Table(
    "platform", DATA, *_id(), *_texts("slug", unique=True), *_texts("name"),
    *_maybe("website"), *_texts("collection folder"), sa.UniqueConstraint("collection", "folder"),
)
DOCUMENT: Final = sa.Table(
    "document", DATA, *_id(), *_whole("platform_id"), *_texts("name"),
    *_maybe("url"), sa.UniqueConstraint("platform_id", "name"),
)
"""`url`: address of the vendor's page."""
CAPTURE: Final = sa.Table(
    "capture", DATA, *_id(), *_whole("document_id"), *_texts("captured_at revision"),
    *_whole("sequence"), *_texts("kind"), *_whole("snapshot_id"), *_maybe("archive_url"),
    *_texts("sources", server_default="[]"), *_maybe("state state_check"),
    sa.UniqueConstraint("document_id", "revision"),
    sa.Index("capture_by_time", "document_id", "captured_at", "sequence"),
    sa.Index("capture_by_snapshot", "snapshot_id"),
)
"""`revision`: commit of the archive, or name of the dated file; `sequence`: position in the archive's history, which orders
captures of the same second; `kind`: first, change, technical or other, as recorded by the archive; `archive_url`: public
link for people; `sources`: sources recorded by the archive, a JSON array of texts; `state`: good, broken or not_a_policy,
NULL if not reviewed yet; `state_check`: the check that decided it."""
CLAUSE: Final = sa.Table(
    "clause", DATA, *_id(), *_texts("quote"), *_bytes("digest", unique=True)
)
FINDING: Final = sa.Table(
    "finding", DATA, *_id(), *_found(), sa.Index("finding_by_clause", "clause_id"),
    sa.Index("finding_by_snapshot", "snapshot_id", "surface", "start"),
)
LEAD: Final = sa.Table(
    "lead", DATA, *_whole("rowid", primary_key=True), *_found(), sa.Index("lead_by_snapshot", "snapshot_id")
)
"""Clauses worth reading that are not findings; in a separate table, so that no count includes them by accident."""
STATE: Final = sa.Table(
    "state", DATA, *_whole("platform_id", primary_key=True, autoincrement=False), *_texts("valid_from", primary_key=True),
    *_texts("rating risk_reason verification stance"), *_maybe("consumer_stance business_stance"),
    *_texts("stance_decided_by surfaces rules"), *_whole("citation_count"), *_texts("documents"),
    sqlite_with_rowid=False,
)
"""State of a platform from `valid_from` (the time of the capture that caused the state) until its next state;
`stance_decided_by`, `surfaces`, `rules` and `documents` are JSON."""
CHANGE: Final = sa.Table(
    "change", DATA, *_texts("id", primary_key=True), *_whole("platform_id document_id capture_before capture_after"),
    *_texts("reviewed_at class surfaces direction"),
    *_maybe("rating_before rating_after stance_before stance_after"),
    *_texts("added removed altered cause summary"), *_texts("directions", server_default="{}"),
    sa.Index("change_by_platform", "platform_id", "reviewed_at"),
)
"""`surfaces`, `added`, `removed`, `altered` and `cause` are JSON arrays; `directions` is a JSON object: surface -> up,
down, mixed or none; `summary` is a sentence."""
sa.Index("change_by_time", CHANGE.c.reviewed_at.desc(), CHANGE.c.id)
LIVE_FINDING: Final = sa.Table(
    "live_finding", DATA, *_whole("rowid", primary_key=True), *_texts("id", unique=True),
    *_whole("platform_id capture_id finding_id"), *_texts("surface"), *_texts("conflicts_with", server_default="[]"),
    *_maybe("duplicate_of"), sa.Index("live_by_platform", "platform_id", "surface"),
)
"""Searchable findings of each platform's newest state; `id` is public."""

VERDICT: Final = sa.Table(
    "verdict", DATA, *_texts("reader unit", primary_key=True), *_texts("said"), sqlite_with_rowid=False,
)
"""Verdicts of readers (language models) on units: `unit`: key of the unit; `said`: JSON array of the verdicts and whether they
are trusted."""
SENT: Final = sa.Table("sent", DATA, *_texts("id", primary_key=True), *_texts("reader request"), sqlite_with_rowid=False)
"""Requests in batch files that are not answered yet; `id` begins with the reader's name; `request` is JSON."""

SECRET: Final = sa.Table(
    "secret", KEYS, *_whole("id", primary_key=True, autoincrement=False), *_bytes("pepper"), sa.CheckConstraint("id = 1"),
)
SUBSCRIPTION: Final = sa.Table(
    "subscription", KEYS, *_id(), *_texts("email tier"), *_bytes("digest", unique=True),
    *_texts("started_at"), *_maybe("ended_at"),
)
"""`digest`: keyed hash of the key; `ended_at`: NULL while active."""
CORRECTION: Final = sa.Table(
    "correction", KEYS, *_texts("id", primary_key=True), *_whole("sequence", unique=True),
    *_texts("platform state requested_at"), *_maybe("finished_at"),
    *_texts("outcome", server_default="{}"),
)
"""`state`: queued, running, done or failed; `outcome`: JSON."""
REPEAT: Final = sa.Table("repeat", KEYS, *_bytes("digest", primary_key=True), *_texts("correction"))
PACE: Final = sa.Table("pace", KEYS, *_texts("subject", primary_key=True), *_reals("began"), *_whole("taken before"))
# fmt: on


def make_tables(db: sa.Connection, tables: sa.MetaData) -> None:
    """Create the tables, columns and indexes that a database does not have yet.

    Parameters
    ----------
    db : Connection
        Connection with an open write transaction.
    tables : MetaData
        The tables to create: `DATA` for the database, `KEYS` for the key file.
    """
    # creating one table twice at the same time would fail
    if db.dialect.name == "postgresql":
        db.execute(sa.text("SELECT pg_advisory_xact_lock(hashtext('riskanalytics'))"))
    for table in tables.sorted_tables:
        db.execute(CreateTable(table, if_not_exists=True))
        known = {column["name"] for column in sa.inspect(db).get_columns(table.name)}
        for column in table.columns:
            # tables of an older version lack columns
            if column.name not in known:
                declared = CreateColumn(column).compile(dialect=db.dialect)
                db.execute(sa.text(f"ALTER TABLE {table.name} ADD COLUMN {declared}"))
        for index in table.indexes:
            db.execute(CreateIndex(index, if_not_exists=True))


def version_of(db: sa.Connection) -> int:
    """Return the schema version of a database."""
    if db.dialect.name == "sqlite":
        return int(db.execute(sa.text("PRAGMA user_version")).scalar_one())
    return int(db.execute(sa.text("SELECT value FROM meta WHERE key = 'schema'")).scalar() or 0)
