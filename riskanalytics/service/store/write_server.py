"""The writing side of a PostgreSQL server: its tables, and the turn of a writer."""

from __future__ import annotations

import contextlib
from typing import Final

from riskanalytics.databases import Server
from riskanalytics.errors import DatabaseError
from riskanalytics.service.store.files import INGESTING, LEADS, SCHEMA_VERSION
from riskanalytics.service.store.read_server import refuse_newer
from riskanalytics.service.store.server import opened
from riskanalytics.service.store.tables import in_other_words, server_statements

_OWN: Final = "SELECT quote_ident(trim(split_part(current_setting('search_path'), ',', 1), ' \"'))"
"""The schema in which our tables stand."""
_WRITTEN: Final = (
    'CREATE TABLE written (version BIGINT NOT NULL, times BIGINT NOT NULL, name TEXT COLLATE "C" NOT NULL)'
)
"""One row: version of the tables, how often they were written, and a name that no other database has."""
_TURN: Final = "SELECT pg_try_advisory_lock(hashtext(current_schema() || '.ingest'))"
"""The lock of a whole ingest, on the connection that writes: it cannot be lost while the ingest goes on."""
_TO_5: Final = tuple(
    in_other_words(f"ALTER TABLE {table} ADD COLUMN IF NOT EXISTS {name} {kind}")
    for table in ("finding", "lead")
    for name, kind in LEADS.items()
)
"""Make the tables of an older version those of this version."""

_ANSWER: Final = 60.0
"""Seconds in which a server must have answered one statement of a writer."""


class ServerTarget:
    """A database of a server that one writer writes.

    Parameters
    ----------
    server : Server
        Its tables are made where it has none, in a schema of their own.
    ingests : bool, optional
        Whether no other one may ingest meanwhile.

    Raises
    ------
    DatabaseError
        If it cannot be reached or written, its schema holds tables of another program, or it is of a newer version.
    """

    def __init__(self, server: Server, *, ingests: bool = False) -> None:
        self._server = server
        self._made = ""
        self.connection = opened(server, _ANSWER)
        try:
            self._make_ready()
            if ingests:
                self._take_turn()
        except BaseException:
            self.connection.close()
            raise

    def begin(self) -> None:
        """Begin a transaction that no other writer shares: each counts up the same row first."""
        self.connection.execute("BEGIN")
        self.connection.execute("UPDATE written SET times = times + 1")

    def told(self, error: BaseException) -> DatabaseError | None:  # noqa: ARG002
        """Return nothing: the connection tells what a person is told."""
        return None

    def close(self, *, failed: bool) -> None:
        """Close the connection; a schema that was made and holds nothing goes where the writer failed."""
        try:
            if failed and self._made:
                with contextlib.suppress(DatabaseError):
                    if not self.connection.execute("SELECT 1 FROM capture LIMIT 1").fetchone():
                        self.connection.execute(f"DROP SCHEMA {self._made} CASCADE")
        finally:
            self.connection.close()

    def _take_turn(self) -> None:
        """Refuse a second ingest."""
        if not self.connection.execute(_TURN).fetchone()[0]:
            raise DatabaseError(INGESTING.format(self._server))

    def _make_ready(self) -> None:
        """Make the tables where there are none."""
        connection = self.connection
        connection.execute("BEGIN")
        connection.execute("SELECT pg_advisory_xact_lock(hashtext('riskanalytics'))")
        (schema,) = connection.execute(_OWN).fetchone()
        if connection.execute("SELECT to_regclass('written')").fetchone()[0] is not None:
            refuse_newer(self._server, connection)
            for statement in _TO_5:
                connection.execute(statement)
            connection.execute("UPDATE written SET version = ? WHERE version < ?", (SCHEMA_VERSION, SCHEMA_VERSION))
        else:
            if connection.execute("SELECT to_regnamespace(?::text)", (schema,)).fetchone()[0] is None:
                connection.execute(f"CREATE SCHEMA {schema}")
                self._made = schema
            if connection.execute("SELECT 1 FROM pg_tables WHERE schemaname = current_schema()").fetchone():
                raise DatabaseError(
                    f"the schema {schema} of {self._server} holds tables of another program; name another database"
                )
            for statement in (_WRITTEN, *server_statements()):
                connection.execute(statement)
            connection.execute("INSERT INTO written VALUES (?, 0, gen_random_uuid()::text)", (SCHEMA_VERSION,))
        connection.execute("COMMIT")
