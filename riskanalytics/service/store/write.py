"""The writing side of a database: its tables, and what a collection brings; reviews write through `connection`."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Set
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from operator import itemgetter
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from filelock import FileLock, Timeout
from sqlalchemy import Connection, Engine, inspect
from sqlalchemy.schema import CreateSchema, DropSchema

from riskanalytics.errors import DatabaseError
from riskanalytics.service.store.engine import WRITES, engine_of, run, run_each
from riskanalytics.service.store.files import APPLICATION_ID, check_file, check_version, is_blank, make_private
from riskanalytics.service.store.fulltext import make_index
from riskanalytics.service.store.identity import free_slug
from riskanalytics.service.store.schema import DATA, KEYS, SCHEMA_VERSION, add_columns, make_tables, version_of
from riskanalytics.settings.databases import Place, Server

_SET: Final = (
    "INSERT INTO meta (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
)
_HELD: Final = (
    "SELECT (SELECT value FROM meta WHERE key = 'state'), (SELECT value FROM meta WHERE key = 'rules'), "
    "(SELECT count(*) FROM capture), (SELECT count(*) FROM change), (SELECT count(*) FROM state), "
    "(SELECT count(*) FROM finding), (SELECT sha256 FROM snapshot ORDER BY id DESC LIMIT 1)"
)
"""What tells the contents of a database apart, with the word before."""
_SCHEMA: Final = "SELECT trim(split_part(current_setting('search_path'), ',', 1), ' \"')"
"""Where our tables are on a server."""
_INGESTS: Final = "SELECT pg_try_advisory_lock(hashtext(current_schema() || '.ingest'))"
_INGESTING: Final = "another ingest is writing {}: wait until it has ended"


class Writer:
    """One writer on one database; use as a context manager.

    Parameters
    ----------
    place : Path or Server
        Tables are made where there are none (a file with mode 0600), and brought up to date where they are older.
    ingests : bool, optional
        Whether it is to be the only one that ingests, from its beginning to its end; the lock of one that was killed
        ends with it. Corrections go on.

    Raises
    ------
    DatabaseError
        If it is not ours, is of a newer version, cannot be written, or another writer is at work.
    """

    def __init__(self, place: Place, *, ingests: bool = False) -> None:
        self._place = place
        self._platforms: dict[tuple[str, str], int] = {}
        self._documents: dict[tuple[int, str], int] = {}
        with ExitStack() as opened:
            if isinstance(place, Path):
                _make_file(place)
                if ingests:  # before anything waits for the other's transactions
                    opened.enter_context(_only_ingest(place))
            engine = engine_of(place, durable=False)
            opened.callback(engine.dispose)
            self._made = _made_ready(engine, place)
            self.connection = opened.enter_context(engine.connect())
            if ingests and isinstance(place, Server) and not run(self.connection, _INGESTS).scalar_one():
                raise DatabaseError(_INGESTING.format(place))
            self.connection.rollback()
            self._opened = opened.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._opened:
            self.connection.rollback()
            empty = (
                error is not None
                and self._made
                and run(self.connection, "SELECT 1 FROM capture LIMIT 1").first() is None
            )
            self.connection.rollback()
            if empty and isinstance(self._place, Server):
                self.connection.execute(DropSchema(self._made, cascade=True))
                self.connection.commit()
        if empty and isinstance(self._place, Path):
            for suffix in ("", "-wal", "-shm"):
                Path(f"{self._place}{suffix}").unlink(missing_ok=True)
        if isinstance(error, zlib.error):
            raise DatabaseError(f"{self._place} is damaged: restore a backup, or ingest into a new file") from error

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """All or nothing: what is written inside is seen by readers at once, or never."""
        self.connection.rollback()  # ends what was only read
        with self.connection.begin():
            self._renew()
            yield self.connection

    def _renew(self) -> None:
        """Write another word for the state: equal ingests give equal words. To write first takes the turn of a writer."""
        run(self.connection, "UPDATE meta SET value = value WHERE key = 'state'")
        held = run(self.connection, _HELD).one()
        self.remember("state", sha256(repr(tuple(held)).encode()).hexdigest())

    def remember(self, key: str, value: str | None) -> None:
        """Keep one word about the database itself; forget it where it is None."""
        if value is None:
            run(self.connection, "DELETE FROM meta WHERE key = :key", key=key)
        else:
            run(self.connection, _SET, key=key, value=value)

    def recall(self, key: str) -> str | None:
        """Give back what `remember` kept."""
        value: str | None = run(self.connection, "SELECT value FROM meta WHERE key = :key", key=key).scalar()
        return value

    def known_revisions(self, collection: str) -> set[tuple[str, str]]:
        """Return (revision, folder/document) of every capture that a collection has brought before."""
        rows = run(
            self.connection,
            "SELECT c.revision, p.folder || '/' || d.name FROM capture c JOIN document d ON d.id = c.document_id "
            "JOIN platform p ON p.id = d.platform_id WHERE p.collection = :collection",
            collection=collection,
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
        rows = run(
            self.connection,
            "SELECT c.id, c.revision, p.folder || '/' || d.name, c.sequence, p.id, c.captured_at FROM capture c "
            "JOIN document d ON d.id = c.document_id JOIN platform p ON p.id = d.platform_id "
            "WHERE p.collection = :collection",
            collection=collection,
        ).all()
        if by_time and before:
            ordered = sorted(rows, key=itemgetter(5, 2))
            places, before = {(revision, path): place for place, (_, revision, path, *_) in enumerate(ordered)}, set()
        gone = [sequence for _, revision, path, sequence, *_ in rows if (revision, path) in before]
        back = max(gone, default=-1) + 1
        moved: list[dict[str, Any]] = []
        orders: dict[int, list[tuple[int, int, str, int]]] = {}
        for capture, revision, path, sequence, platform, _ in rows:
            place = sequence - back if (revision, path) in before else places.get((revision, path), sequence)
            orders.setdefault(platform, []).append((sequence, place, path, capture))
            if place != sequence:
                moved.append({"place": place, "capture": capture})
        run_each(self.connection, "UPDATE capture SET sequence = :place WHERE id = :capture", moved)
        other = [
            captures[0][3]
            for captures in orders.values()
            if sorted(captures, key=itemgetter(0, 2, 3)) != sorted(captures, key=itemgetter(1, 2, 3))
        ]
        again = [{"capture": capture} for capture in other]
        run_each(self.connection, "UPDATE capture SET state = NULL WHERE id = :capture", again)

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
        digest = sha256(body).hexdigest()
        known = run(self.connection, "SELECT id FROM snapshot WHERE sha256 = :sha256", sha256=digest).scalar()
        if known is None:
            known = run(
                self.connection,
                "INSERT INTO snapshot (sha256, size, body) VALUES (:sha256, :size, :body) RETURNING id",
                sha256=digest, size=len(body), body=zlib.compress(body, 1),
            ).scalar_one()  # fmt: skip
        return int(known)

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
            known = run(
                self.connection, "SELECT id FROM platform WHERE collection = :collection AND folder = :folder",
                collection=collection, folder=folder,
            ).scalar()  # fmt: skip
            self._platforms[key] = known or run(
                self.connection,
                "INSERT INTO platform (slug, name, website, collection, folder) "
                "VALUES (:slug, :name, :website, :collection, :folder) RETURNING id",
                slug=free_slug(name or folder, self._slug_taken), name=name or folder, website=website,
                collection=collection, folder=folder,
            ).scalar_one()  # fmt: skip
        return self._platforms[key]

    def document(self, platform: int, name: str) -> int:
        """Return the row of a platform's document, made where it is new."""
        key = (platform, name)
        if key not in self._documents:
            self._documents[key] = run(
                self.connection,
                "INSERT INTO document (platform_id, name) VALUES (:platform, :name) "
                "ON CONFLICT (platform_id, name) DO UPDATE SET name = excluded.name RETURNING id",
                platform=platform, name=name,
            ).scalar_one()  # fmt: skip
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
            "WHERE p.collection = :collection"
        )
        for document, folder, name, url in run(self.connection, known, collection=collection).all():
            told = pages.get((folder, name))
            if told != url:
                run(self.connection, "UPDATE capture SET state = NULL WHERE document_id = :document", document=document)
                run(self.connection, "UPDATE document SET url = :url WHERE id = :document", url=told, document=document)

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
        run(
            self.connection,
            "INSERT INTO capture (document_id, captured_at, revision, sequence, kind, snapshot_id, archive_url, sources) "
            "VALUES (:document, :at, :revision, :sequence, :kind, :snapshot, :archive_url, :sources) ON CONFLICT DO NOTHING",
            document=document, at=at, revision=revision, sequence=sequence, kind=kind, snapshot=snapshot,
            archive_url=archive_url, sources=json.dumps(sources, ensure_ascii=False),
        )  # fmt: skip

    def _slug_taken(self, slug: str) -> bool:
        """Say whether a platform has this slug."""
        return run(self.connection, "SELECT 1 FROM platform WHERE slug = :slug", slug=slug).first() is not None


def _make_file(path: Path) -> None:
    """Make a file where there is none; refuse one that is not ours."""
    if not is_blank(path):
        check_file(path)
    try:
        make_private(path)
    except OSError as error:
        raise DatabaseError(f"{path} cannot be written: {error.strerror}") from error


def _made_ready(engine: Engine, place: Place) -> str:
    """Make the tables, or bring them up to date; return the schema, or the file, that was made anew."""
    with engine.execution_options(**WRITES).begin() as connection:
        made = schema = str(run(connection, _SCHEMA).scalar_one()) if isinstance(place, Server) else str(place)
        if isinstance(place, Server):
            connection.execute(CreateSchema(schema, if_not_exists=True))
        tables = set(inspect(connection).get_table_names(schema if isinstance(place, Server) else None))
        if "meta" in tables:
            made = ""
            version = version_of(connection)
            check_version(place, version, older=True)
            if version == SCHEMA_VERSION:
                return made
        elif tables - KEYS.tables.keys():
            raise DatabaseError(
                f"the schema {schema} of {place} holds tables of another program; name another database"
            )
        make_tables(connection, DATA)
        make_index(connection)
        if not made:
            add_columns(connection, DATA)
            run(connection, "DELETE FROM meta WHERE key = 'rules'")  # what the readings lack is read at the next ingest
        run(connection, "INSERT INTO meta (key, value) VALUES ('state', '') ON CONFLICT DO NOTHING")
        if isinstance(place, Server):
            run(connection, _SET, key="schema", value=str(SCHEMA_VERSION))
        else:
            connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.exec_driver_sql(f"PRAGMA user_version = {SCHEMA_VERSION}")
        return made


@contextmanager
def _only_ingest(path: Path) -> Iterator[None]:
    """Refuse a second ingest while a block runs."""
    lock = FileLock(f"{path.resolve()}.ingest.lock", mode=0o600)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise DatabaseError(_INGESTING.format(path)) from None
    try:
        yield
    finally:
        with suppress(OSError):  # Windows takes no file away that is open
            Path(lock.lock_file).unlink()
        lock.release()
