"""The writing side of a database: what a collection brings, in batches; reviews write through `connection`."""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from riskanalytics.errors import DatabaseError, one_line
from riskanalytics.service.store import checksum
from riskanalytics.service.store.files import (
    APPLICATION_ID,
    SCHEMA_VERSION,
    UPGRADE,
    check_file,
    is_blank,
    make_private,
)
from riskanalytics.service.store.identity import free_slug

_BUSY_SECONDS: Final = 10
_PATIENCE: Final = 2000
"""Milliseconds that the checksum waits for readers of an older state."""


class Writer:
    """One writer on one database file; use as a context manager.

    Parameters
    ----------
    path : Path
        The file; made (mode 0600) with its tables where it is not there, brought up to date where it is older.

    Raises
    ------
    DatabaseError
        If the file is not ours, is of a newer version, cannot be written, or another writer is at work.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        if not is_blank(path):
            check_file(path)
            checksum.check_file(path)
        self._fresh = False
        self.connection, self._file = self._open()
        self._platforms: dict[tuple[str, str], int] = {}
        self._documents: dict[tuple[int, str], int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.connection.in_transaction:
            self.connection.rollback()
        with contextlib.suppress(sqlite3.Error, DatabaseError):  # a reader may hold the log; it is folded in later
            self.connection.execute(f"PRAGMA busy_timeout = {_PATIENCE}")
            checksum.write(self.connection, self._file)
            self.connection.execute("PRAGMA busy_timeout = 0")
            self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try:
            empty = self._fresh and not self.connection.execute("SELECT 1 FROM capture LIMIT 1").fetchone()
        finally:
            self.connection.close()
            checksum.DESCRIPTORS.let_go(self._file)
        if error is not None and empty:
            for suffix in ("", "-wal", "-shm"):
                Path(f"{self.path}{suffix}").unlink(missing_ok=True)

    def _open(self) -> tuple[sqlite3.Connection, tuple[int, int]]:
        """Open the file, make or upgrade its tables, and take the write lock once as a test."""
        with contextlib.ExitStack() as opened:
            try:
                make_private(self.path)
                file = checksum.DESCRIPTORS.hold(self.path)
                opened.callback(checksum.DESCRIPTORS.let_go, file)
                connection = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None)
                opened.callback(connection.close)
                self._made_ready(connection, file)
            except (sqlite3.Error, OSError) as error:
                raise _cannot_write(self.path, error) from error
            opened.pop_all()
        return connection, file

    def _made_ready(self, connection: sqlite3.Connection, file: tuple[int, int]) -> None:
        """Make or upgrade the tables."""
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA cache_size = -64000")
        connection.execute("BEGIN IMMEDIATE")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if not version:
            self._make_tables(connection)
            self._fresh = True
        else:
            if version in UPGRADE and version >= checksum.SINCE:
                checksum.withdraw(connection, file)
            for statement in UPGRADE.get(version, ()):
                connection.execute(statement)
        connection.execute("COMMIT")

    @staticmethod
    def _make_tables(connection: sqlite3.Connection) -> None:
        """Make all tables inside the transaction that is open."""
        schema = resources.files(__package__).joinpath("schema.sql").read_text(encoding="utf-8")
        for statement in _statements(schema):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing: what is written inside is seen by readers at once, or never."""
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            checksum.withdraw(self.connection, self._file)
            yield self.connection
            self.connection.execute("COMMIT")
        except BaseException as error:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise _cannot_write(self.path, error) from error
            raise

    def remember(self, key: str, value: str | None) -> None:
        """Keep one word about the database itself; forget it where it is None."""
        if value is None:
            self.connection.execute("DELETE FROM meta WHERE key = ?", (key,))
            return
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def recall(self, key: str) -> str | None:
        """Give back what `remember` kept."""
        row = self.connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        (value,) = row or (None,)
        return value

    def known_revisions(self, collection: str) -> set[tuple[str, str]]:
        """Return (revision, folder/document) of every capture that a collection has brought before."""
        rows = self.connection.execute(
            "SELECT c.revision, p.folder || '/' || d.name FROM capture c JOIN document d ON d.id = c.document_id "
            "JOIN platform p ON p.id = d.platform_id WHERE p.collection = ?",
            (collection,),
        )
        return {(revision, path) for revision, path in rows}

    def add_snapshot(self, body: bytes) -> int:
        """Store a snapshot once under its SHA-256.

        Parameters
        ----------
        body : bytes

        Returns
        -------
        int
            Its row.
        """
        sha256 = hashlib.sha256(body).hexdigest()
        row = self.connection.execute("SELECT id FROM snapshot WHERE sha256 = ?", (sha256,)).fetchone()
        if row is not None:
            (known,) = row
            return int(known)
        cursor = self.connection.execute(
            "INSERT INTO snapshot (sha256, size, body) VALUES (?, ?, ?)", (sha256, len(body), zlib.compress(body, 1))
        )
        return int(cursor.lastrowid or 0)

    def platform(self, collection: str, folder: str, *, name: str | None = None, website: str | None = None) -> int:
        """Return the row of a platform, made with a slug of its own where it is new.

        Parameters
        ----------
        collection, folder : str
            Where the archive keeps it.
        name : str, optional
            Display name; the folder's where None.
        website : str, optional
            Absolute URL where the archive tells it.
        """
        key = (collection, folder)
        if key not in self._platforms:
            row = self.connection.execute("SELECT id FROM platform WHERE collection = ? AND folder = ?", key).fetchone()
            if row is None:
                slug = free_slug(name or folder, self._slug_taken)
                row = self.connection.execute(
                    "INSERT INTO platform (slug, name, website, collection, folder) VALUES (?, ?, ?, ?, ?) RETURNING id",
                    (slug, name or folder, website, collection, folder),
                ).fetchone()
            (self._platforms[key],) = row
        return self._platforms[key]

    def document(self, platform: int, name: str) -> int:
        """Return the row of a platform's document, made where it is new."""
        key = (platform, name)
        if key not in self._documents:
            row = self.connection.execute(
                "INSERT INTO document (platform_id, name) VALUES (?, ?) "
                "ON CONFLICT (platform_id, name) DO UPDATE SET name = excluded.name RETURNING id",
                key,
            ).fetchone()
            (self._documents[key],) = row
        return self._documents[key]

    def tell_pages(self, collection: str, pages: Mapping[tuple[str, str], str]) -> None:
        """Keep the addresses of documents' pages; platforms on which one is new are reviewed again.

        Parameters
        ----------
        collection : str
        pages : mapping of (str, str) to str
            Folder of the service and name of the document -> address.
        """
        known = (
            "SELECT p.folder, d.name FROM document d JOIN platform p ON p.id = d.platform_id "
            "WHERE p.collection = ? AND d.url IS NOT NULL"
        )
        gone = dict.fromkeys(tuple(row) for row in self.connection.execute(known, (collection,)))
        told = [(collection, folder, document, url) for (folder, document), url in (gone | dict(pages)).items()]
        named = (
            "(SELECT d.id FROM document d JOIN platform p ON p.id = d.platform_id "
            "WHERE p.collection = ?1 AND p.folder = ?2 AND d.name = ?3 AND d.url IS NOT ?4)"
        )
        self.connection.executemany(f"UPDATE capture SET state = NULL WHERE document_id IN {named}", told)
        self.connection.executemany(f"UPDATE document SET url = ?4 WHERE id IN {named}", told)

    def add_capture(self, document: int, snapshot: int, *, at: str, revision: str, sequence: int, kind: str,
                    archive_url: str | None, sources: tuple[str, ...]) -> None:  # fmt: skip
        """Store one capture of a document; a second time it is left as it is.

        Parameters
        ----------
        document, snapshot : int
            Rows.
        at : str
            ISO 8601 UTC.
        revision, sequence, kind, archive_url, sources
            As in the table `capture`.
        """
        self.connection.execute(
            "INSERT OR IGNORE INTO capture "
            "(document_id, captured_at, revision, sequence, kind, snapshot_id, archive_url, sources) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (document, at, revision, sequence, kind, snapshot, archive_url, json.dumps(sources, ensure_ascii=False)),
        )

    def _slug_taken(self, slug: str) -> bool:
        """Say whether a platform has this slug."""
        return self.connection.execute("SELECT 1 FROM platform WHERE slug = ?", (slug,)).fetchone() is not None


def _statements(schema: str) -> Iterator[str]:
    """Cut a script at the ends of its statements."""
    statement = ""
    for line in schema.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _cannot_write(path: Path, error: Exception) -> DatabaseError:
    """One line about why a database cannot be written."""
    if "locked" in str(error):
        return DatabaseError(f"another process is writing {path}: wait until it has ended")
    return DatabaseError(f"{path} cannot be written: {one_line(error)}")
