"""The reading side of a PostgreSQL server. It checks its own pages; we look only at whose tables stand there."""

from __future__ import annotations

from contextlib import AbstractContextManager, closing
from operator import attrgetter
from typing import Any, Final

from riskanalytics.databases import Server
from riskanalytics.errors import DatabaseError
from riskanalytics.service.store.connections import Connections
from riskanalytics.service.store.files import SCHEMA_VERSION
from riskanalytics.service.store.seam import Connection
from riskanalytics.service.store.server import READING, ServerConnection, opened

_MOST: Final = 8
"""Connections of a process that read at once: each is a process of the server."""
_PATIENCE: Final = 22.0
"""Seconds in which an answer must come: a little more than those after which the server itself ends a statement."""
_WATCHING: Final = 5.0
"""Seconds for telling whether anybody has written, or for beginning to read: every answer begins so."""
_WRITTEN: Final = "SELECT name, times FROM written"
"""Which database it is, and how often it was written."""
_BEGIN: Final = f"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {_WRITTEN}"


class ServerReader:
    """Reads a database of a server, for any number of threads.

    Parameters
    ----------
    server : Server

    Raises
    ------
    DatabaseError
        If it cannot be reached, holds no tables of ours, or those of a newer version.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._lost = 0
        self._connections = self._lending(_PATIENCE, _MOST)
        self._watching = self._lending(_WATCHING, 1)

    def _lending(self, patience: float, most: int) -> Connections[int, ServerConnection]:
        """Return what lends connections that must answer in some seconds."""
        return Connections(
            lambda: self._opened(patience), lambda: self._lost, self._lasting, most, attrgetter("alive"), patience
        )  # fmt: skip

    def _lasting(self, connection: ServerConnection) -> bool:
        """Say whether a connection may be used again; where it has ended, the others are looked upon as ended too."""
        self._lost += not connection.lasting
        return connection.lasting

    def close(self) -> None:
        """Close all connections; one that is in use closes when it is no longer."""
        self._connections.close()
        self._watching.close()

    def lent(self) -> AbstractContextManager[Connection]:
        """Lend this thread a connection for the length of a block."""
        return self._connections.lent()

    def version(self) -> object:
        """Return what is another one after anybody has written.

        Raises
        ------
        DatabaseError
            Within three times `_WATCHING`, if the server does not answer.
        """
        for last in (False, True):
            try:
                with self._watching.lent() as connection:
                    return tuple(connection.execute(_WRITTEN).fetchone())
            except DatabaseError:  # its idle connection may have been dropped on the way, which a new one is not
                if last:
                    raise
        raise AssertionError("the last one returns or raises")

    def begin(self, connection: Any) -> object:
        """Let a connection read one state; return its version. A server that stands still is seen here."""
        try:
            return self._begun(connection)
        except DatabaseError:
            if self._lasting(connection):
                raise
        connection.replace(self._opened(_WATCHING))
        return self._begun(connection)

    def _begun(self, connection: ServerConnection) -> object:
        """Begin to read."""
        with connection.within(_WATCHING):
            return tuple(connection.execute(_BEGIN).fetchone())

    def check_integrity(self) -> None:
        """Do nothing: the server checks what it reads."""

    def _opened(self, patience: float) -> ServerConnection:
        """Open a connection that only reads."""
        connection = opened(self._server, patience, **READING)
        try:
            refuse_newer(self._server, connection)
            _refuse_older(self._server, connection)
        except BaseException:
            connection.close()
            raise
        return connection


def refuse_newer(server: Server, connection: ServerConnection) -> None:
    """Refuse tables that are none of ours, or of a newer version.

    Parameters
    ----------
    server : Server
    connection : ServerConnection

    Raises
    ------
    DatabaseError
    """
    if connection.execute("SELECT version FROM written").fetchone()[0] > SCHEMA_VERSION:
        raise DatabaseError(f"{server} was made by a newer riskanalytics: upgrade to read it")


def _refuse_older(server: Server, connection: ServerConnection) -> None:
    """Refuse tables that an ingest must bring up to date first."""
    if connection.execute("SELECT version FROM written").fetchone()[0] < SCHEMA_VERSION:
        raise DatabaseError(f"{server} was made by an older riskanalytics: ingest into it once to read it")


def told_by_server(server: Server) -> str:
    """Return what is another text after a database was written.

    Parameters
    ----------
    server : Server

    Raises
    ------
    DatabaseError
    """
    with closing(opened(server, _PATIENCE, **READING)) as connection:
        return "-".join(map(str, connection.execute(_WRITTEN).fetchone()))
