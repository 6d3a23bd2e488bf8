"""The tables, declared once for SQLite and PostgreSQL; the full-text index is in `fulltext`.

Times are ISO 8601 UTC with a trailing Z and whole seconds, so that text order is time order.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Connection,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    inspect,
    text,
)  # fmt: skip
from sqlalchemy.schema import CreateColumn, CreateIndex, CreateTable

SCHEMA_VERSION: Final = 5
"""1: the first. 2: a clause's roles, leads, and the direction of a change on each surface. 4: the address of a
document's page. 5: what a clause continues."""
DATA: Final = MetaData()
"""Snapshots of one or more collections, their readings, and what reviews made of them."""
KEYS: Final = MetaData()
"""Keys, the queue of corrections, and the pace: beside a file, since that changes by reviews only."""
_TEXT: Final = Text().with_variant(Text(collation="C"), "postgresql")  # in the order of characters, as in SQLite
_WHOLE: Final = BigInteger().with_variant(Integer, "sqlite")


def _texts(*names: str, nullable: bool = False, **more: Any) -> list[Column[Any]]:
    """Return columns of text."""
    return [Column(name, _TEXT, nullable=nullable, **more) for name in names]


def _wholes(*names: str, **more: Any) -> list[Column[Any]]:
    """Return columns of whole numbers."""
    return [Column(name, _WHOLE, nullable=False, **more) for name in names]


def _number(name: str = "id") -> Column[Any]:
    """Return a column that numbers the rows."""
    return Column(name, _WHOLE, primary_key=True)


def _found() -> list[Column[Any]]:
    """Return the columns of a clause that a snapshot says, whoever's it is."""
    confidence = ("confidence", "confidence_low", "confidence_high")
    return [
        *_wholes("snapshot_id", "clause_id"), *_texts("surface"), *_wholes("start", "end"),
        *_texts("risk", "polarity", "rule"), *(Column(name, Float(53), nullable=False) for name in confidence),
        *_texts("audience", "region", "product", "stance", nullable=True),
        *_texts("actor", "action", "object", "condition", nullable=True),  # who does what to what, and when
        *_texts("lead_in", nullable=True),  # what the clause continues
        Column("lead_start", _WHOLE), Column("lead_end", _WHOLE),
    ]  # fmt: skip


META: Final = Table("meta", DATA, *_texts("key", primary_key=True), *_texts("value"), sqlite_with_rowid=False)
SNAPSHOT: Final = Table(
    "snapshot", DATA, _number(), *_texts("sha256", unique=True), *_wholes("size"),  # bytes before compression
    Column("body", LargeBinary, nullable=False),  # zlib
    *_texts("rules", nullable=True),  # version of the rules that read it; NULL: not read
)  # fmt: skip
PLATFORM: Final = Table(
    "platform", DATA, _number(), *_texts("slug", unique=True), *_texts("name"), *_texts("website", nullable=True),
    *_texts("collection", "folder"), UniqueConstraint("collection", "folder"),
)  # fmt: skip
DOCUMENT: Final = Table(
    "document", DATA, _number(), *_wholes("platform_id"), *_texts("name"),
    *_texts("url", nullable=True),  # of the vendor's page
    UniqueConstraint("platform_id", "name"),
)  # fmt: skip
CAPTURE: Final = Table(
    "capture", DATA, _number(), *_wholes("document_id"), *_texts("captured_at"),
    *_texts("revision"),  # commit of the archive, or the dated file's name
    *_wholes("sequence"),  # place in the archive's history: orders captures of one second
    *_texts("kind"),  # first, change, technical, other: what the archive called it
    *_wholes("snapshot_id"), *_texts("archive_url", nullable=True),  # public link for people
    *_texts("sources", server_default="[]"),  # what the archive says it was made from, JSON array of text
    *_texts("state", nullable=True),  # good, broken, not_a_policy; NULL: not reviewed yet
    *_texts("state_check", nullable=True),  # name of the check that decided
    UniqueConstraint("document_id", "revision"),
    Index("capture_by_time", "document_id", "captured_at", "sequence"), Index("capture_by_snapshot", "snapshot_id"),
)  # fmt: skip
CLAUSE: Final = Table(
    "clause", DATA, _number(), *_texts("quote"), Column("digest", LargeBinary, nullable=False, unique=True)
)
FINDING: Final = Table(
    "finding", DATA, _number(), *_found(), Index("finding_by_snapshot", "snapshot_id", "surface", "start"),
    Index("finding_by_clause", "clause_id"),
)  # fmt: skip
# clauses worth reading that are no findings: a table of their own, so that nothing counts them unasked
LEAD: Final = Table("lead", DATA, _number("rowid"), *_found(), Index("lead_by_snapshot", "snapshot_id"))
STATE: Final = Table(  # a platform from one review to the next
    "state", DATA, *_wholes("platform_id", primary_key=True, autoincrement=False),
    *_texts("valid_from", primary_key=True),  # captured_at of the capture that caused the review
    *_texts("rating", "risk_reason", "verification", "stance"),
    *_texts("consumer_stance", "business_stance", nullable=True),
    *_texts("stance_decided_by", "surfaces", "rules"), *_wholes("citation_count"), *_texts("documents"),  # JSON
    sqlite_with_rowid=False,
)  # fmt: skip
CHANGE: Final = Table(
    "change", DATA, *_texts("id", primary_key=True),
    *_wholes("platform_id", "document_id", "capture_before", "capture_after"),
    *_texts("reviewed_at", "class", "surfaces", "direction"),
    *_texts("rating_before", "rating_after", "stance_before", "stance_after", nullable=True),
    *_texts("added", "removed", "altered", "cause", "summary"),  # JSON arrays; a sentence
    *_texts("directions", server_default="{}"),  # JSON: surface -> up, down, mixed or none
    Index("change_by_platform", "platform_id", "reviewed_at"),
)  # fmt: skip
Index("change_by_time", CHANGE.c.reviewed_at.desc(), CHANGE.c.id)
LIVE_FINDING: Final = Table(  # findings of each platform's newest state, as search sees them
    "live_finding", DATA, _number("rowid"), *_texts("id", unique=True),  # public id
    *_wholes("platform_id", "capture_id", "finding_id"), *_texts("surface"),
    *_texts("conflicts_with", server_default="[]"), *_texts("duplicate_of", nullable=True),
    Index("live_by_platform", "platform_id", "surface"),
)  # fmt: skip


SECRET: Final = Table(
    "secret", KEYS, Column("id", _WHOLE, CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
    Column("pepper", LargeBinary, nullable=False),
)  # fmt: skip
SUBSCRIPTION: Final = Table(
    "subscription", KEYS, _number(), *_texts("email", "tier"),
    Column("digest", LargeBinary, nullable=False, unique=True),  # of the key
    *_texts("started_at"), *_texts("ended_at", nullable=True),  # NULL while it is active
)  # fmt: skip
CORRECTION: Final = Table(
    "correction", KEYS, *_texts("id", primary_key=True), *_wholes("sequence", unique=True),
    *_texts("platform", "state", "requested_at"),  # state: queued, running, done or failed
    *_texts("finished_at", nullable=True), *_texts("outcome", server_default="{}"),  # JSON
)  # fmt: skip
REPEAT: Final = Table("repeat", KEYS, Column("digest", LargeBinary, primary_key=True), *_texts("correction"))
PACE: Final = Table(
    "pace", KEYS, *_texts("subject", primary_key=True), Column("began", Float(53), nullable=False),
    *_wholes("taken", "before"),
)  # fmt: skip


def make_tables(connection: Connection, tables: MetaData) -> None:
    """Make the tables and indexes that are missing.

    Parameters
    ----------
    connection : Connection
        With a transaction that writes.
    tables : MetaData
    """
    if connection.dialect.name == "postgresql":  # two that make one table at once would fail
        connection.execute(text("SELECT pg_advisory_xact_lock(hashtext('riskanalytics'))"))
    for table in tables.sorted_tables:
        connection.execute(CreateTable(table, if_not_exists=True))
        for index in table.indexes:
            connection.execute(CreateIndex(index, if_not_exists=True))


def add_columns(connection: Connection, tables: MetaData) -> None:
    """Add the columns that tables of an older version lack.

    Parameters
    ----------
    connection, tables
        As of `make_tables`.
    """
    for table in tables.sorted_tables:
        known = {column["name"] for column in inspect(connection).get_columns(table.name)}
        for column in table.columns:
            if column.name not in known and not column.primary_key:
                declared = CreateColumn(column).compile(dialect=connection.dialect)
                connection.execute(text(f"ALTER TABLE {table.name} ADD COLUMN {declared}"))


def version_of(connection: Connection) -> int:
    """Return the version of a database's tables.

    Parameters
    ----------
    connection : Connection
    """
    if connection.dialect.name == "sqlite":
        return int(connection.execute(text("PRAGMA user_version")).scalar_one())
    return int(connection.execute(text("SELECT value FROM meta WHERE key = 'schema'")).scalar() or 0)
