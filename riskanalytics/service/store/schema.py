"""The tables, declared once for SQLite and PostgreSQL.

Times are ISO 8601 UTC with a trailing Z and whole seconds, so that text order is time order.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import BigInteger, CheckConstraint, Column, Float, Integer, LargeBinary, MetaData, Table, Text, text
from sqlalchemy.schema import CreateIndex, CreateTable

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


def _number() -> Column[Any]:
    """Return a column that numbers the rows."""
    return Column("id", _WHOLE, primary_key=True)


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


def make_tables(connection: Any, tables: MetaData) -> None:
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
