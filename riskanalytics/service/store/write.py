"""The writing side of a database: what a collection brings, in batches; reviews write through `connection`."""

from __future__ import annotations

import contextlib
import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping, Set
from operator import itemgetter
from pathlib import Path
from types import TracebackType
from typing import Self

from riskanalytics.databases import Place
from riskanalytics.service.store.identity import free_slug
from riskanalytics.service.store.seam import Connection
from riskanalytics.service.store.write_file import FileTarget
from riskanalytics.service.store.write_server import ServerTarget


class Writer:
    """One writer on one database file; use as a context manager.

    Parameters
    ----------
    place : Path or Server
        A file is made (mode 0600) with its tables where it is not there, brought up to date where it is older.
    ingests : bool, optional
        Whether it is to be the only one that ingests, from its beginning to its end; the lock of one that was killed
        ends with it. Corrections go on.

    Raises
    ------
    DatabaseError
        If the file is not ours, is of a newer version, cannot be written, or another writer is at work.
    """

    def __init__(self, place: Place, *, ingests: bool = False) -> None:
        self._target = (
            FileTarget(place, ingests=ingests) if isinstance(place, Path) else ServerTarget(place, ingests=ingests)
        )
        self.connection: Connection = self._target.connection
        self._platforms: dict[tuple[str, str], int] = {}
        self._documents: dict[tuple[int, str], int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")
        self._target.close(failed=error is not None)
        if error is not None and (told := self._target.told(error)):
            raise told from error

    @contextlib.contextmanager
    def transaction(self) -> Iterator[Connection]:
        """All or nothing: what is written inside is seen by readers at once, or never."""
        try:
            self._target.begin()
            yield self.connection
            self.connection.execute("COMMIT")
        except BaseException as error:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            if told := self._target.told(error):
                raise told from error
            raise

    def remember(self, key: str, value: str | None) -> None:
        """Keep one word about the database itself; forget it where it is None."""
        if value is None:
            self.connection.execute("DELETE FROM meta WHERE key = ?", (key,))
            return
        self.connection.execute(
            "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", (key, value)
        )

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

    def put_in_order(
        self, collection: str, places: Mapping[tuple[str, str], int], *, before: Set[tuple[str, str]], by_time: bool
    ) -> None:
        """Give captures that were brought before their places in the history as it is now; a transaction is open.

        A history may have grown between them, or been written anew: what is not in it any more goes before all of it. The
        platforms whose captures change their order are to be reviewed again.

        Parameters
        ----------
        collection : str
        places : mapping
            (revision, folder/document) -> place in the history.
        before : set
            Those that are not in it.
        by_time : bool
            Whether those have their place by their time.
        """
        rows = self.connection.execute(
            "SELECT c.id, c.revision, p.folder || '/' || d.name, c.sequence, p.id, c.captured_at FROM capture c "
            "JOIN document d ON d.id = c.document_id JOIN platform p ON p.id = d.platform_id WHERE p.collection = ?",
            (collection,),
        ).fetchall()
        if by_time and before:
            ordered = sorted(rows, key=itemgetter(5, 2))
            places, before = {(revision, path): place for place, (_, revision, path, *_) in enumerate(ordered)}, set()
        gone = [sequence for _, revision, path, sequence, *_ in rows if (revision, path) in before]
        back = max(gone, default=-1) + 1
        moved: list[tuple[int, int]] = []
        orders: dict[int, list[tuple[int, int, str, int]]] = {}
        for capture, revision, path, sequence, platform, _ in rows:
            place = sequence - back if (revision, path) in before else places.get((revision, path), sequence)
            orders.setdefault(platform, []).append((sequence, place, path, capture))
            if place != sequence:
                moved.append((place, capture))
        self.connection.executemany("UPDATE capture SET sequence = ? WHERE id = ?", moved)
        other = [
            captures[0][3]
            for captures in orders.values()
            if sorted(captures, key=itemgetter(0, 2, 3)) != sorted(captures, key=itemgetter(1, 2, 3))
        ]
        self.connection.executemany("UPDATE capture SET state = NULL WHERE id = ?", [(capture,) for capture in other])

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
        (made,) = self.connection.execute(
            "INSERT INTO snapshot (sha256, size, body) VALUES (?, ?, ?) RETURNING id",
            (sha256, len(body), zlib.compress(body, 1)),
        ).fetchone()
        return int(made)

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
            "SELECT d.id, p.folder, d.name, d.url FROM document d JOIN platform p ON p.id = d.platform_id "
            "WHERE p.collection = ?"
        )
        for document, folder, name, url in self.connection.execute(known, (collection,)).fetchall():
            told = pages.get((folder, name))
            if told != url:
                self.connection.execute("UPDATE capture SET state = NULL WHERE document_id = ?", (document,))
                self.connection.execute("UPDATE document SET url = ? WHERE id = ?", (told, document))

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
            "INSERT INTO capture (document_id, captured_at, revision, sequence, kind, snapshot_id, archive_url, sources) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (document, at, revision, sequence, kind, snapshot, archive_url, json.dumps(sources, ensure_ascii=False)),
        )

    def _slug_taken(self, slug: str) -> bool:
        """Say whether a platform has this slug."""
        return self.connection.execute("SELECT 1 FROM platform WHERE slug = ?", (slug,)).fetchone() is not None
