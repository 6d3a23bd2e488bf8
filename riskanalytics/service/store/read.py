"""The reading side of a database: records in the shape of the wire, without addresses."""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import date
from pathlib import Path
from typing import Any, Final

from riskanalytics.databases import Place
from riskanalytics.errors import DatabaseError, one_line
from riskanalytics.models import VERIFICATIONS
from riskanalytics.service.store.read_file import FileReader
from riskanalytics.service.store.read_server import ServerReader
from riskanalytics.service.store.records import (
    CHANGE_JSON,
    FINDING_COLUMNS,
    LEAD_IN,
    LISTED_COLUMNS,
    STATE_COLUMNS,
    STATE_JSON,
    Json,
    finding_record,
    parsed,
    public_id,
    unpacked_record,
)
from riskanalytics.service.store.seam import Connection, NamedRow
from riskanalytics.service.store.state import completed, documents_read
from riskanalytics.surfaces import SURFACES

FROM_STATE: Final = (
    "FROM platform p JOIN state s ON s.platform_id = p.id AND s.valid_from = "
    "(SELECT max(valid_from) FROM state t WHERE t.platform_id = p.id AND t.valid_from <= ?) "
)
"""Each platform with its newest state by a time, as `end_of` writes times."""
_LIST: Final = f"SELECT {LISTED_COLUMNS} {FROM_STATE}ORDER BY p.slug LIMIT ? OFFSET ?"
_STATE: Final = f"SELECT {STATE_COLUMNS} {FROM_STATE}WHERE p.slug = ?"
_OF_SNAPSHOT: Final = (
    "FROM finding f JOIN clause c ON c.id = f.clause_id "
    "JOIN snapshot s ON s.id = f.snapshot_id WHERE s.sha256 = ? ORDER BY f.start, f.id"
)
_FINDING: Final = f"SELECT {FINDING_COLUMNS} {_OF_SNAPSHOT}"
_CITATION: Final = f'SELECT c.quote, f.surface, f.risk, f.start, f."end", {", ".join(LEAD_IN)} {_OF_SNAPSHOT}'
_RELATED: Final = (
    "SELECT l.id, l.conflicts_with, l.duplicate_of FROM live_finding l JOIN platform p ON p.id = l.platform_id "
    "WHERE p.slug = ? AND (l.conflicts_with <> '[]' OR l.duplicate_of IS NOT NULL)"
)
_TOGETHER: Final = 100
"""Rows that are taken at once where they are given one by one."""
_ALONE: Final[tuple[list[str], None]] = ([], None)
"""What a finding is related to that is neither contradicted nor repeated."""
_CHANGE: Final = (
    "SELECT x.id, p.slug AS platform, p.name, d.name AS document, x.reviewed_at, x.class, x.surfaces, x.direction, "
    "x.rating_before, x.rating_after, x.stance_before, x.stance_after, sb.sha256 AS snapshot_before, "
    "sa.sha256 AS snapshot_after, x.added, x.removed, x.altered, x.cause, x.summary, x.directions "
    "FROM change x JOIN platform p ON p.id = x.platform_id JOIN document d ON d.id = x.document_id "
    "JOIN capture cb ON cb.id = x.capture_before JOIN snapshot sb ON sb.id = cb.snapshot_id "
    "JOIN capture ca ON ca.id = x.capture_after JOIN snapshot sa ON sa.id = ca.snapshot_id "
)


class Store:
    """A database, read only, for any number of threads.

    Parameters
    ----------
    place : Path or Server
        A database of ours; may be written by another process at the same time.

    Raises
    ------
    DatabaseError
        If it is missing, of another program, cut off, damaged, newer than this version, or cannot be reached.
    """

    def __init__(self, place: Place) -> None:
        self.place = place
        self._reader = FileReader(place) if isinstance(place, Path) else ServerReader(place)
        try:
            self.rows("SELECT 1")  # whoever opens a damaged file is told at once, and not by a server's 503
        except DatabaseError:
            self.close()
            raise

    def close(self) -> None:
        """Close all connections; one that is in use closes when it is no longer."""
        self._reader.close()

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[NamedRow]:
        """Return the rows of one reading statement.

        Parameters
        ----------
        sql : str
            A statement of this package, never a user's.
        values : sequence

        Raises
        ------
        DatabaseError
            If the file is damaged.
        """
        with self._read_errors(), self._reader.lent() as connection:
            return connection.execute(sql, values).fetchall()

    def each(self, sql: str, values: Sequence[object] = ()) -> Iterator[NamedRow]:
        """Give the rows of one reading statement one by one; a connection is lent until the last, or until it is closed.

        Parameters
        ----------
        sql, values
            As for `rows`.

        Raises
        ------
        DatabaseError
            If the file is damaged.
        """
        with self._read_errors(), self._reader.lent() as connection:
            cursor = connection.execute(sql, values)
            while rows := cursor.fetchmany(_TOGETHER):
                yield from rows

    def value(self, sql: str, values: Sequence[object] = ()) -> Any:
        """Return the one value that a reading statement gives, such as a count."""
        ((value,),) = self.rows(sql, values)
        return value

    def version(self) -> object:
        """Return what is another one after anybody has written, or put another file in the place of this one.

        Raises
        ------
        DatabaseError
            If the file cannot be read.
        """
        with self._read_errors():
            return self._reader.version()

    @contextmanager
    def one_state(self) -> Iterator[object]:
        """Let this thread read one state of the database for the length of a block, however much is written meanwhile.

        Gives the `version` that is read, or the one before. Blocks may stand inside each other; the outermost one counts,
        and those in it are given None.

        Raises
        ------
        DatabaseError
            If the file cannot be read.
        """
        with ExitStack() as held:
            version = None
            with self._read_errors():
                connection = held.enter_context(self._reader.lent())
                if not connection.in_transaction:
                    held.callback(_ended, connection)
                    version = self._reader.begin(connection)
            yield version

    @contextmanager
    def _read_errors(self) -> Iterator[None]:
        """Tell in one line why the file cannot be read."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise DatabaseError(f"{self.place} cannot be read: {one_line(error)}") from error

    def check_integrity(self) -> None:
        """Check that the file and its full-text index are whole (SQLite `quick_check`).

        Raises
        ------
        DatabaseError
            If they are not: restore a backup, or ingest again.
        """
        with self._read_errors():
            self._reader.check_integrity()

    @property
    def newest(self) -> str | None:
        """Time of the newest capture: the database's "now"."""
        newest: str | None = self.value("SELECT max(captured_at) FROM capture")
        return newest

    def meta(self, key: str) -> str | None:
        """Return one word about the database itself."""
        rows = self.rows("SELECT value FROM meta WHERE key = ?", (key,))
        return str(rows[0]["value"]) if rows else None

    def count(self, as_of: date | None = None) -> int:
        """Return the number of platforms tracked by the end of a day."""
        sql = "SELECT count(DISTINCT platform_id) FROM state WHERE valid_from <= ?"
        return int(self.value(sql, (end_of(as_of),)))

    def platforms(self, *, limit: int, offset: int = 0, as_of: date | None = None) -> list[Json]:
        """Return list records, by slug; see `each_platform`."""
        return list(self.each_platform(limit=limit, offset=offset, as_of=as_of))

    def each_platform(self, *, limit: int, offset: int = 0, as_of: date | None = None) -> Iterator[Json]:
        """Give list records one by one, by slug; see `each`.

        Parameters
        ----------
        limit, offset : int
        as_of : date, optional
            State at the end of that day, UTC; the newest where None.
        """
        return ({**row} for row in self.each(_LIST, (end_of(as_of), limit, offset)))

    def names(self) -> list[tuple[str, str]]:
        """Return (slug, name) of all platforms, by slug."""
        return [(slug, name) for slug, name in self.rows("SELECT slug, name FROM platform ORDER BY slug")]

    def platform(self, slug: str, as_of: date | None = None) -> Json | None:
        """Return the whole state of one platform; None where it is not tracked by then.

        Parameters
        ----------
        slug : str
        as_of : date, optional

        Returns
        -------
        dict or None
            The list record and `surfaces`, `stance`, `consumer_stance`, `business_stance`, `stance_decided_by`,
            `rules`, `citation_count`, `documents`, `reviewed_at`.
        """
        rows = self.rows(_STATE, (end_of(as_of), slug))
        return completed(unpacked_record(rows[0], STATE_JSON)) if rows else None

    def findings(self, state: Json) -> list[Json]:
        """Return the findings of the documents of a state.

        Parameters
        ----------
        state : dict
            What `platform` returned.
        """
        related = {
            row["id"]: (parsed(row["conflicts_with"]), row["duplicate_of"])
            for row in self.rows(_RELATED, (state["id"],))
        }
        located = [
            (public_id(state["id"], row, document), row, document)
            for document in documents_read(state)
            for row in self.rows(_FINDING, (document["snapshot_sha256"],))
        ]
        return [
            finding_record(public, row, document, *related.get(public, _ALONE)) for public, row, document in located
        ]

    def citations(self, state: Json) -> list[tuple[Json, NamedRow]]:
        """Return the document, and the quote, lead-in, surface, risk and place of each of the `findings` of a state, in order.

        Parameters
        ----------
        state : dict
            What `platform` returned.
        """
        return [
            (document, row)
            for document in documents_read(state)
            for row in self.rows(_CITATION, (document["snapshot_sha256"],))
        ]

    def changes(
        self, *, limit: int, offset: int = 0, since: date | None = None, until: date | None = None,
        classes: Sequence[str] = (), platform: str | None = None,
    ) -> tuple[int, list[Json]]:  # fmt: skip
        """Return how many changes match, and one page of them, newest first.

        Parameters
        ----------
        limit, offset : int
        since, until : date, optional
            From the beginning of `since` to the end of `until`, UTC.
        classes : sequence of str
            Only these; all where empty.
        platform : str, optional
            Slug.
        """
        where = "WHERE x.reviewed_at >= ? AND x.reviewed_at <= ? "
        values: tuple[object, ...] = (since.isoformat() if since else "", end_of(until))
        if classes:
            where += f"AND x.class IN ({', '.join('?' * len(classes))}) "
            values = (*values, *classes)
        if platform is not None:
            where += "AND x.platform_id = (SELECT id FROM platform WHERE slug = ?) "
            values = (*values, platform)
        total = int(self.value("SELECT count(*) FROM change x " + where, values))
        order = "ORDER BY x.reviewed_at DESC, x.id LIMIT ? OFFSET ?"
        return total, [
            unpacked_record(row, CHANGE_JSON) for row in self.rows(_CHANGE + where + order, (*values, limit, offset))
        ]

    def coverage(self, as_of: date | None = None) -> Json:
        """Return the counts of tracked and verified platforms, and of platforms with a finding by surface."""
        rows = self.rows(f"SELECT s.verification, s.surfaces {FROM_STATE}", (end_of(as_of),))
        states = Counter(row["verification"] for row in rows)
        surfaces = Counter(dict.fromkeys(SURFACES, 0))
        for row in rows:
            surfaces.update({name: surface["count"] > 0 for name, surface in parsed(row["surfaces"]).items()})
        counts = {name: states[name] for name in VERIFICATIONS}
        return {"tracked": len(rows), **counts, "surfaces": dict(surfaces)}

    def snapshot(self, sha256: str) -> bytes | None:
        """Return a snapshot byte for byte; None where it is not known.

        Raises
        ------
        DatabaseError
            If its bytes do not have this hash any more.
        """
        rows = self.rows("SELECT body FROM snapshot WHERE sha256 = ?", (sha256,))
        if not rows:
            return None
        try:
            body = zlib.decompress(rows[0]["body"])
        except zlib.error:
            body = b""
        if hashlib.sha256(body).hexdigest() != sha256:
            raise DatabaseError(f"{self.place} is damaged: the snapshot {sha256} is not what was stored")
        return body


def _ended(connection: Connection) -> None:
    """End what a connection reads of one state."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def end_of(day: date | None) -> str:
    """Return the last second of a day as the database writes times; of all time where None.

    Parameters
    ----------
    day : date or None
    """
    return "9999" if day is None else f"{day.isoformat()}T23:59:59Z"
