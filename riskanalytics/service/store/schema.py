"""The tables, declared once for SQLite and PostgreSQL; the full-text index is in `search`.

Times are ISO 8601 UTC with a trailing Z and whole seconds, so that text order is time order.
"""

from __future__ import annotations

from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.schema import CreateColumn, CreateIndex, CreateTable

SCHEMA_VERSION: Final = 5
"""1: the first. 2: a clause's roles, leads, and the direction of a change on each surface. 4: the address of a
document's page. 5: what a clause continues."""
DATA: Final = sa.MetaData()
"""Snapshots of one or more collections, their readings, and what reviews made of them."""
KEYS: Final = sa.MetaData()
"""Keys, the queue of corrections, and the pace: beside a file, since that changes by reviews only."""
_TEXT: Final = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")  # in the order of characters, as in SQLite
_WHOLE: Final = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def _texts(*names: str, nullable: bool = False, **more: Any) -> list[sa.Column[Any]]:
    """Return columns of text."""
    return [sa.Column(name, _TEXT, nullable=nullable, **more) for name in names]


def _wholes(*names: str, **more: Any) -> list[sa.Column[Any]]:
    """Return columns of whole numbers."""
    return [sa.Column(name, _WHOLE, nullable=False, **more) for name in names]


def _number(name: str = "id") -> sa.Column[Any]:
    """Return a column that numbers the rows."""
    return sa.Column(name, _WHOLE, primary_key=True)


def _digest(**more: Any) -> sa.Column[Any]:
    """Return a column with a hash."""
    return sa.Column("digest", sa.LargeBinary, nullable=False, **more)


def _found() -> list[sa.Column[Any]]:
    """Return the columns of a clause of a snapshot."""
    confidence = ("confidence", "confidence_low", "confidence_high")
    return [
        *_wholes("snapshot_id", "clause_id"), *_texts("surface"), *_wholes("start", "end"),
        *_texts("risk", "polarity", "rule"), *(sa.Column(name, sa.Float(53), nullable=False) for name in confidence),
        *_texts("audience", "region", "product", "stance", nullable=True),
        *_texts("actor", "action", "object", "condition", nullable=True),  # who does what to what, and when
        *_texts("lead_in", nullable=True),  # what the clause continues
        sa.Column("lead_start", _WHOLE), sa.Column("lead_end", _WHOLE),
    ]  # fmt: skip


META: Final = sa.Table("meta", DATA, *_texts("key", primary_key=True), *_texts("value"), sqlite_with_rowid=False)
SNAPSHOT: Final = sa.Table(
    "snapshot", DATA, _number(), *_texts("sha256", unique=True), *_wholes("size"),  # bytes before compression
    sa.Column("body", sa.LargeBinary, nullable=False),  # zlib
    *_texts("rules", nullable=True),  # version of the rules that read it; NULL: not read
)  # fmt: skip
PLATFORM: Final = sa.Table(
    "platform", DATA, _number(), *_texts("slug", unique=True), *_texts("name"), *_texts("website", nullable=True),
    *_texts("collection", "folder"), sa.UniqueConstraint("collection", "folder"),
)  # fmt: skip
DOCUMENT: Final = sa.Table(
    "document", DATA, _number(), *_wholes("platform_id"), *_texts("name"),
    *_texts("url", nullable=True),  # of the vendor's page
    sa.UniqueConstraint("platform_id", "name"),
)  # fmt: skip
CAPTURE: Final = sa.Table(
    "capture", DATA, _number(), *_wholes("document_id"), *_texts("captured_at"),
    *_texts("revision"),  # commit of the archive, or the dated file's name
    *_wholes("sequence"),  # place in the archive's history: orders captures of one second
    *_texts("kind"),  # first, change, technical, other: what the archive called it
    *_wholes("snapshot_id"), *_texts("archive_url", nullable=True),  # public link for people
    *_texts("sources", server_default="[]"),  # what the archive says it was made from, JSON array of text
    *_texts("state", nullable=True),  # good, broken, not_a_policy; NULL: not reviewed yet
    *_texts("state_check", nullable=True),  # name of the check that decided
    sa.UniqueConstraint("document_id", "revision"),
    sa.Index("capture_by_time", "document_id", "captured_at", "sequence"),
    sa.Index("capture_by_snapshot", "snapshot_id"),
)  # fmt: skip
CLAUSE: Final = sa.Table("clause", DATA, _number(), *_texts("quote"), _digest(unique=True))
FINDING: Final = sa.Table(
    "finding", DATA, _number(), *_found(), sa.Index("finding_by_snapshot", "snapshot_id", "surface", "start"),
    sa.Index("finding_by_clause", "clause_id"),
)  # fmt: skip
# clauses worth reading that are no findings: a table of their own, so that nothing counts them unasked
LEAD: Final = sa.Table("lead", DATA, _number("rowid"), *_found(), sa.Index("lead_by_snapshot", "snapshot_id"))
STATE: Final = sa.Table(  # a platform from one review to the next
    "state", DATA, *_wholes("platform_id", primary_key=True, autoincrement=False),
    *_texts("valid_from", primary_key=True),  # captured_at of the capture that caused the review
    *_texts("rating", "risk_reason", "verification", "stance"),
    *_texts("consumer_stance", "business_stance", nullable=True),
    *_texts("stance_decided_by", "surfaces", "rules"), *_wholes("citation_count"), *_texts("documents"),  # JSON
    sqlite_with_rowid=False,
)  # fmt: skip
CHANGE: Final = sa.Table(
    "change", DATA, *_texts("id", primary_key=True),
    *_wholes("platform_id", "document_id", "capture_before", "capture_after"),
    *_texts("reviewed_at", "class", "surfaces", "direction"),
    *_texts("rating_before", "rating_after", "stance_before", "stance_after", nullable=True),
    *_texts("added", "removed", "altered", "cause", "summary"),  # JSON arrays; a sentence
    *_texts("directions", server_default="{}"),  # JSON: surface -> up, down, mixed or none
    sa.Index("change_by_platform", "platform_id", "reviewed_at"),
)  # fmt: skip
sa.Index("change_by_time", CHANGE.c.reviewed_at.desc(), CHANGE.c.id)
LIVE_FINDING: Final = sa.Table(  # findings of each platform's newest state, as search sees them
    "live_finding", DATA, _number("rowid"), *_texts("id", unique=True),  # public id
    *_wholes("platform_id", "capture_id", "finding_id"), *_texts("surface"),
    *_texts("conflicts_with", server_default="[]"), *_texts("duplicate_of", nullable=True),
    sa.Index("live_by_platform", "platform_id", "surface"),
)  # fmt: skip


SECRET: Final = sa.Table(
    "secret", KEYS, sa.Column("id", _WHOLE, sa.CheckConstraint("id = 1"), primary_key=True, autoincrement=False),
    sa.Column("pepper", sa.LargeBinary, nullable=False),
)  # fmt: skip
SUBSCRIPTION: Final = sa.Table(
    "subscription", KEYS, _number(), *_texts("email", "tier"), _digest(unique=True),  # of the key
    *_texts("started_at"), *_texts("ended_at", nullable=True),  # NULL while it is active
)  # fmt: skip
CORRECTION: Final = sa.Table(
    "correction", KEYS, *_texts("id", primary_key=True), *_wholes("sequence", unique=True),
    *_texts("platform", "state", "requested_at"),  # state: queued, running, done or failed
    *_texts("finished_at", nullable=True), *_texts("outcome", server_default="{}"),  # JSON
)  # fmt: skip
REPEAT: Final = sa.Table("repeat", KEYS, _digest(primary_key=True), *_texts("correction"))
PACE: Final = sa.Table(
    "pace", KEYS, *_texts("subject", primary_key=True), sa.Column("began", sa.Float(53), nullable=False),
    *_wholes("taken", "before"),
)  # fmt: skip


def make_tables(connection: sa.Connection, tables: sa.MetaData) -> None:
    """Make the tables, columns and indexes that are missing.

    Parameters
    ----------
    connection : Connection
        With a transaction that writes.
    tables : MetaData
    """
    if connection.dialect.name == "postgresql":  # two that make one table at once would fail
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(hashtext('riskanalytics'))"))
    for table in tables.sorted_tables:
        connection.execute(CreateTable(table, if_not_exists=True))
        known = {column["name"] for column in sa.inspect(connection).get_columns(table.name)}
        for column in table.columns:
            if column.name not in known and not column.primary_key:  # the table is of an older version
                declared = CreateColumn(column).compile(dialect=connection.dialect)
                connection.execute(sa.text(f"ALTER TABLE {table.name} ADD COLUMN {declared}"))
        for index in table.indexes:
            connection.execute(CreateIndex(index, if_not_exists=True))


def version_of(connection: sa.Connection) -> int:
    """Return the version of a database's tables."""
    if connection.dialect.name == "sqlite":
        return int(connection.execute(sa.text("PRAGMA user_version")).scalar_one())
    return int(connection.execute(sa.text("SELECT value FROM meta WHERE key = 'schema'")).scalar() or 0)
