"""Write access to a database: creates its tables and stores captures. Reviews write their results through `Writer.connection`."""

import zlib
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout
from sqlalchemy import Connection, Engine, Table, insert, inspect, select
from sqlalchemy.schema import CreateSchema, DropSchema

from riskanalytics.errors import DatabaseError
from riskanalytics.files import reported_as
from riskanalytics.settings.databases import Place, Server

from .engine import WRITES, engine_of, run, run_each
from .files import APPLICATION_ID, DAMAGED, check_file, check_version, is_blank, make_private
from .records import CAPTURES, free_slug
from .schema import CAPTURE, DATA, DOCUMENT, KEYS, PLATFORM, SCHEMA_VERSION, SNAPSHOT, make_tables, version_of
from .search import make_index

_SET: Final = (
    "INSERT INTO meta (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
)
_PLACED: Final = (
    f"SELECT k.id, k.sequence, k.revision, p.folder || '/' || d.name {CAPTURES}WHERE p.collection = :collection "
    "ORDER BY k.captured_at, 4"
)
"""SELECT statement of the captures of a collection, ordered by time."""
_SCHEMA: Final = "SELECT trim(split_part(current_setting('search_path'), ',', 1), ' \"')"
"""SELECT statement of the schema with the tables on a server."""
_INGESTS: Final = "SELECT pg_try_advisory_lock(hashtext(current_schema() || '.ingest'))"
_INGESTING: Final = "another ingest is writing to {}: wait until it has finished"


class Writer(AbstractContextManager["Writer"]):
    """Write access to one database, as a context manager.

    Parameters
    ----------
    place : Path or Server
        Database. A missing file is created with mode 0600; missing tables are created, and those of older versions upgraded.
    ingests : bool, optional
        Whether to lock out other ingests; the lock ends with the process. A correction (a new review of one platform
        that a user requested) may still write.

    Raises
    ------
    DatabaseError
        If the database is of another program or a newer version or cannot be written, or another writer is active.
    """

    def __init__(self, place: Place, *, ingests: bool = False) -> None:
        self.place = place
        with ExitStack() as opened:
            if isinstance(place, Path):
                if not is_blank(place):
                    check_file(place)
                with reported_as(DatabaseError, f"{place} cannot be written"):
                    make_private(place)
                # refuses at once instead of waiting for transactions of the other ingest
                if ingests:
                    opened.enter_context(_only_ingest(place))
            engine = engine_of(place, durable=False)
            opened.callback(engine.dispose)
            self._made = _made_ready(engine, place)
            self.connection = opened.enter_context(engine.connect())
            if ingests and isinstance(place, Server) and not run(self.connection, _INGESTS).scalar_one():
                raise DatabaseError(_INGESTING.format(place))
            self._opened = opened.pop_all()

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        with self._opened:
            self.connection.rollback()
            empty = error and self._made and not run(self.connection, "SELECT 1 FROM capture LIMIT 1").first()
            if empty and isinstance(self.place, Server):
                self.connection.execute(DropSchema(self._made, cascade=True))
                self.connection.commit()
        if empty and isinstance(self.place, Path):
            for suffix in ("", "-wal", "-shm"):
                Path(f"{self.place}{suffix}").unlink(missing_ok=True)
        if isinstance(error, zlib.error):
            raise DatabaseError(DAMAGED.format(self.place)) from error

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Open a transaction for a `with` block: other connections see either all of its writes at once, or none."""
        # ends a read transaction
        self.connection.rollback()
        with self.connection.begin():
            # takes the write lock
            run(self.connection, "UPDATE meta SET value = value WHERE key = 'state'")
            held = run(
                self.connection,
                "SELECT (SELECT value FROM meta WHERE key = 'state'), (SELECT value FROM meta WHERE key = 'rules'), "
                "(SELECT count(*) FROM capture), (SELECT count(*) FROM change), (SELECT count(*) FROM finding), "
                "(SELECT sha256 FROM snapshot ORDER BY id DESC LIMIT 1)",
            ).one()
            # derived from the content, so that equal ingests give equal values
            self.remember("state", sha256(repr(tuple(held)).encode()).hexdigest())
            yield self.connection

    def remember(self, key: str, value: str | None) -> None:
        """Set the value of a key in `meta`, the table of facts about the database itself; the value None deletes the key."""
        if value is None:
            run(self.connection, "DELETE FROM meta WHERE key = :key", key=key)
        else:
            run(self.connection, _SET, key=key, value=value)

    def recall(self, key: str) -> str | None:
        """Return the value of a key in `meta`, the table of facts about the database itself; None if the key is missing."""
        value: str | None = run(self.connection, "SELECT value FROM meta WHERE key = :key", key=key).scalar()
        return value

    def known_revisions(self, collection: str) -> set[tuple[str, str]]:
        """Return a pair (revision, `folder/document`) for every stored capture of a collection.

        The revision is a commit of the archive, or the name of a dated file. `folder` is the platform's folder in the archive.
        """
        return {(revision, path) for _, _, revision, path in run(self.connection, _PLACED, collection=collection)}

    def put_in_order(self, collection: str, places: Mapping[tuple[str, str], int], *, by_time: bool) -> None:
        """Store the position of each capture of a collection in the archive's current history; a transaction must be open.

        The archive may have extended or rewritten its history. If this gives a capture a new position, the capture is marked
        for review.

        Parameters
        ----------
        collection : str
            Name of the collection of the archive.
        places : mapping
            (revision, `folder/document`) of a capture -> its position in the history. The revision is a commit of the archive,
            or the name of a dated file. Stored captures that are missing in this mapping get positions before all others.
        by_time : bool
            Whether to ignore `places` and order all captures by time.
        """
        rows = run(self.connection, _PLACED, collection=collection).all()
        if by_time:
            places = {(revision, path): place for place, (_, _, revision, path) in enumerate(rows)}
        back = 1 + max((old for _, old, revision, path in rows if (revision, path) not in places), default=-1)
        run_each(
            self.connection,
            "UPDATE capture SET sequence = :place, state = NULL WHERE id = :capture AND sequence <> :place",
            [{"capture": row, "place": places.get((revision, path), old - back)} for row, old, revision, path in rows],
        )

    def add_snapshot(self, body: bytes) -> int:
        """Store the text of a document as a snapshot, unless it is stored already, and return the row id of the snapshot.

        Parameters
        ----------
        body : bytes
            Bytes of the text. The snapshot is identified by their SHA-256.
        """
        key = {"sha256": sha256(body).hexdigest()}
        return self._row(SNAPSHOT, **key) or self._new(SNAPSHOT, **key, size=len(body), body=zlib.compress(body, 1))

    def platform(self, collection: str, folder: str, *, name: str | None = None, website: str | None = None) -> int:
        """Return the row id of a platform; a new platform is added with a free slug.

        Parameters
        ----------
        collection, folder : str
            Location in the archive.
        name : str, optional
            Display name. If None, the name of the folder.
        website : str, optional
            Absolute URL, if the archive has one.
        """
        key = {"collection": collection, "folder": folder}
        if known := self._row(PLATFORM, **key):
            return known
        slug = free_slug(name or folder, lambda slug: self._row(PLATFORM, slug=slug) is not None)
        return self._new(PLATFORM, slug=slug, name=name or folder, website=website, **key)

    def document(self, platform: int, name: str) -> int:
        """Return the row id of a platform's document; a new document is added.

        Parameters
        ----------
        platform : int
            Row id of the platform.
        name : str
            Name of the document.
        """
        key = {"platform_id": platform, "name": name}
        return self._row(DOCUMENT, **key) or self._new(DOCUMENT, **key)

    def add_capture(self, **columns: Any) -> None:
        """Store one capture of a document; each argument is the value of a column of the table `capture`."""
        self._new(CAPTURE, **columns)

    def keep_pages(self, collection: str, pages: Mapping[tuple[str, str], str]) -> None:
        """Store the addresses of the vendors' pages that contain the documents.

        Documents whose address changes are marked for review.

        Parameters
        ----------
        collection : str
        pages : mapping of (str, str) to str
            (folder of the platform, document name) -> address.
        """
        known = (
            "SELECT d.id, p.folder, d.name, d.url FROM document d JOIN platform p ON p.id = d.platform_id "
            "WHERE p.collection = :collection"
        )
        new = [
            {"document": document, "url": url}
            for document, folder, name, old in run(self.connection, known, collection=collection)
            if (url := pages.get((folder, name))) != old
        ]
        run_each(self.connection, "UPDATE capture SET state = NULL WHERE document_id = :document", new)
        run_each(self.connection, "UPDATE document SET url = :url WHERE id = :document", new)

    def _row(self, table: Table, **key: object) -> int | None:
        """Return the id of the row with these values; None otherwise."""
        number: int | None = self.connection.execute(select(table.c.id).filter_by(**key)).scalar()
        return number

    def _new(self, table: Table, **columns: object) -> int:
        """Add a row and return its id."""
        return int(self.connection.execute(insert(table).returning(table.c.id), columns).scalar_one())


def _made_ready(engine: Engine, place: Place) -> str:
    """Create or upgrade the tables; return the new schema or file, empty if it existed."""
    with engine.execution_options(**WRITES).begin() as db:
        where = str(run(db, _SCHEMA).scalar_one()) if isinstance(place, Server) else None
        if where is not None:
            db.execute(CreateSchema(where, if_not_exists=True))
        tables = set(inspect(db).get_table_names(where))
        older = "meta" in tables
        if older:
            version = version_of(db)
            check_version(place, version, older=True)
            if version == SCHEMA_VERSION:
                return ""
        elif tables - KEYS.tables.keys():
            raise DatabaseError(
                f"schema {where} of {place} contains tables of another program; choose another database"
            )
        make_tables(db, DATA)
        make_index(db)
        # the next ingest repeats readings of older versions
        run(db, "DELETE FROM meta WHERE key = 'rules'")
        run(db, "INSERT INTO meta (key, value) VALUES ('state', '') ON CONFLICT DO NOTHING")
        if where is not None:
            run(db, _SET, key="schema", value=str(SCHEMA_VERSION))
        else:
            db.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
            db.exec_driver_sql(f"PRAGMA user_version = {SCHEMA_VERSION}")
        return "" if older else where or str(place)


@contextmanager
def _only_ingest(path: Path) -> Iterator[None]:
    """Lock out a second ingest for a block."""
    try:
        with FileLock(f"{path.resolve()}.ingest.lock", timeout=0, mode=0o600) as lock:
            try:
                yield
            finally:
                # Windows cannot delete an open file
                with suppress(OSError):
                    Path(lock.lock_file).unlink()
    except Timeout:
        raise DatabaseError(_INGESTING.format(path)) from None
