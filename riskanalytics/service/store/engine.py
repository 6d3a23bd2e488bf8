"""SQLAlchemy engines for SQLite files and PostgreSQL servers, with one-line messages for database errors."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from typing import Any, Final

import sqlalchemy as sa

from riskanalytics.errors import DatabaseError, one_line
from riskanalytics.settings import optional_module
from riskanalytics.settings.databases import Place, Server

WRITES: Final = {"begin": "BEGIN IMMEDIATE"}
"""Execution options for writing: transactions take the write lock of a file at once; a server locks rows."""
_BUSY_SECONDS: Final = 10
_READERS, _WRITERS = 8, 4
"""Number of idle connections that are kept for reading and for writing. On a server, where each connection is a process, these
are also the maximum numbers of connections."""
_ALWAYS: Final = {"search_path": "riskanalytics", "jit": "off", "lock_timeout": f"{_BUSY_SECONDS}s"}
_READING: Final = {"default_transaction_read_only": "on", "statement_timeout": "20s"}
"""Settings of server connections; an address may select another schema (`?options=-csearch_path%3DNAME`)."""
_BUSY: Final = "another process is writing to {}: wait until it has finished"
_EMPTY: Final = "{} contains no riskanalytics tables: ingest a collection into it first"
_MESSAGES: Final = {"55P03": _BUSY, "57014": "{} took too long to answer", "42P01": _EMPTY, "3F000": _EMPTY}
"""SQLSTATE -> message."""


def engine_of(place: Place | None, *, reads: bool = False, durable: bool = True) -> sa.Engine:
    """Return a SQLAlchemy engine that raises errors of the database as DatabaseError with a one-line message.

    Parameters
    ----------
    place : Path or Server or None
        SQLite file or PostgreSQL server. If None, an in-memory database for one connection at a time.
    reads : bool, optional
        Whether connections are read-only; each transaction then sees a single state of the database.
    durable : bool, optional
        Whether a commit is on disk before it returns. If False, a power cut may lose the last commits.

    Raises
    ------
    MissingExtraError
        If psycopg is required but not installed.
    """
    # pool_timeout: seconds that a thread waits for a free connection
    pool: dict[str, Any] = {"poolclass": sa.QueuePool, "max_overflow": 0, "pool_timeout": 22}
    pool["pool_size"] = _READERS if reads else _WRITERS
    if isinstance(place, Server):
        connected = optional_module(f"{__package__}.postgres", "PostgreSQL needs psycopg", "postgres").connected
        settings = _ALWAYS | (_READING if reads else {}) | ({} if durable else {"synchronous_commit": "off"})
        engine = sa.create_engine(
            "postgresql+psycopg://", creator=partial(connected, place, settings), pool_pre_ping=True,
            isolation_level="REPEATABLE READ" if reads else None, **pool,
        )  # fmt: skip
    else:
        pool |= {"pool_size": 1} if place is None else {"max_overflow": -1}
        mode = "ro" if reads else "rw"
        name = ":memory:" if place is None else f"{place.resolve().as_uri()}?mode={mode}"
        engine = sa.create_engine("sqlite://", creator=partial(_to_file, name, durable=durable), **pool)
        sa.event.listen(engine, "begin", _begun)
    sa.event.listen(engine, "handle_error", partial(_refusal, place), retval=True)
    return engine


def run(db: sa.Connection, statement: str, **values: object) -> sa.CursorResult[*tuple[Any, ...]]:
    """Run one SQL statement, valid in SQLite and in PostgreSQL, and return its result.

    Parameters
    ----------
    db : Connection
    statement : str
        SQL of this package, never of a user, with parameters as `:name`.
    **values : object
        Values of the parameters. The value for `IN :name` is a list of strings.
    """
    lists = tuple(name for name, value in values.items() if isinstance(value, list))
    return db.execute(_prepared(statement, lists), values)


def run_each(db: sa.Connection, statement: str, rows: Sequence[Mapping[str, object]]) -> None:
    """Run one SQL statement that writes (see `run`), once for each row.

    Parameters
    ----------
    db : Connection
    statement : str
        INSERT, UPDATE or DELETE statement with parameters as `:name`.
    rows : sequence of mappings
        Name of each parameter -> its value, for each time that the statement runs.
    """
    if rows:
        db.execute(_prepared(statement, ()), rows)


@cache
def _prepared(statement: str, lists: tuple[str, ...]) -> sa.TextClause:
    """Return a statement as a SQLAlchemy text clause."""
    return sa.text(statement).bindparams(*(sa.bindparam(name, expanding=True, type_=sa.Text()) for name in lists))


@contextmanager
def lent(engine: sa.Engine) -> Iterator[sa.Connection]:
    """Lend a connection for a `with` block; uncommitted changes are rolled back.

    Raises
    ------
    DatabaseError
        If no connection becomes free in time, or connecting fails.
    """
    try:
        db = engine.connect()
    except sa.exc.TimeoutError as error:
        raise DatabaseError("all connections to the database are in use: try again later") from error
    with db:
        yield db


def _to_file(address: str, *, durable: bool) -> sqlite3.Connection:
    """Open a SQLite file in autocommit mode; SQLAlchemy begins the transactions."""
    db = sqlite3.connect(address, uri=True, timeout=_BUSY_SECONDS, check_same_thread=False, isolation_level=None)
    if address.endswith("mode=rw"):
        for pragma in ("journal_mode = WAL", f"synchronous = {'FULL' if durable else 'NORMAL'}", "cache_size = -16000"):
            db.execute(f"PRAGMA {pragma}")
    return db


def _begun(db: sa.Connection) -> None:
    """Begin a transaction on a file."""
    db.exec_driver_sql(db.get_execution_options().get("begin", "BEGIN"))


def _refusal(place: Place | None, context: sa.ExceptionContext) -> Exception | None:
    """Return the exception to raise instead of a driver error; None keeps the driver error."""
    error: Any = context.original_exception
    if context.is_pre_ping or not isinstance(error, context.dialect.loaded_dbapi.Error):
        return None
    name = place or "the in-memory database"
    state = getattr(error, "sqlstate", None) or ("55P03" if "locked" in str(error) else "")
    if state in _MESSAGES:
        return DatabaseError(_MESSAGES[state].format(name))
    said = error.diag.message_primary if isinstance(place, Server) else None
    kind = "reached" if isinstance(place, Server) and context.connection is None else "used"
    return DatabaseError(f"{name} cannot be {kind}: {said or one_line(error)}")
