"""Read access to a database. Returned records have the fields of the service's HTTP responses, but no links to the service."""

import hashlib
import threading
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection

from riskanalytics.errors import DatabaseError
from riskanalytics.extraction.dates import silent_edit
from riskanalytics.files import reported_as
from riskanalytics.models import VERIFICATIONS
from riskanalytics.settings.databases import Place, Server
from riskanalytics.surfaces import SURFACES

from . import records
from .engine import engine_of, lent, run
from .files import DAMAGED, check_file, check_version
from .records import Json
from .schema import version_of

FROM_STATE: Final = (
    "FROM platform p JOIN state s ON s.platform_id = p.id AND s.valid_from = "
    "(SELECT max(valid_from) FROM state t WHERE t.platform_id = p.id AND t.valid_from <= :end) "
)
"""FROM clause: each platform with its newest state at the time `:end` (see `end_of`)."""
_LISTED: Final = (
    "SELECT p.slug AS id, p.name, p.website, s.rating, s.risk_reason, substr(s.valid_from, 1, 10) AS last_reviewed, "
    "s.verification"
)
"""SELECT clause of platform list records (specification section 2.2)."""
_CHANGES: Final = "FROM change x JOIN platform p ON p.id = x.platform_id "
_CHANGE: Final = (
    "SELECT x.id, p.slug AS platform, p.name, d.name AS document, x.reviewed_at, x.class, x.surfaces, x.direction, "
    "x.rating_before, x.rating_after, x.stance_before, x.stance_after, sb.sha256 AS snapshot_before, "
    f"sa.sha256 AS snapshot_after, ca.kind, cb.captured_at AS since, "
    f"x.added, x.removed, x.altered, x.cause, x.summary, x.directions {_CHANGES}"
    "JOIN document d ON d.id = x.document_id "
    "JOIN capture cb ON cb.id = x.capture_before JOIN snapshot sb ON sb.id = cb.snapshot_id "
    "JOIN capture ca ON ca.id = x.capture_after JOIN snapshot sa ON sa.id = ca.snapshot_id "
)


class _Held(threading.local):
    """Connection of a thread inside `one_state`."""

    connection: Connection | None = None


class Store:
    """Read-only access to a database, for any number of threads.

    Parameters
    ----------
    place : Path or Server
        Database. Other processes may write to it at the same time.

    Raises
    ------
    DatabaseError
        If the database is missing, truncated, damaged, of another program or version, or cannot be reached.
    """

    def __init__(self, place: Place) -> None:
        self.place = place
        self._engine = engine_of(place, reads=True)
        self._file: object = None
        self._held = _Held()
        self._silent_edit = lru_cache(16_384)(self._edited_silently)
        try:
            with self.reading() as db:
                check_version(place, version_of(db), older=False)
        except DatabaseError:
            self.close()
            raise

    def close(self) -> None:
        """Close all connections; a connection in use is closed after its use."""
        self._engine.dispose()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Lend a database connection for a `with` block.

        Inside a `with` block of `one_state`, it is always the same connection, so that all queries see the same data.

        Raises
        ------
        DatabaseError
            If the database cannot be read.
        """
        if self._held.connection is not None:
            yield self._held.connection
            return
        self._look()
        with lent(self._engine) as db:
            yield db

    def _look(self) -> None:
        """If the file was replaced or rewritten, check it and drop the old connections."""
        if isinstance(self.place, Server):
            return
        with reported_as(DatabaseError, f"{self.place} cannot be read"):
            found = self.place.stat()
        file = found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
        if file != self._file:
            check_file(self.place, older=False)
            self._engine.dispose()
            self._file = file

    def rows(self, statement: str, **values: object) -> list[Json]:
        """Return the rows of a SELECT statement as dictionaries, with JSON columns parsed.

        Parameters
        ----------
        statement : str
            SELECT statement with parameters as `:name`.
        **values : object
            Values of the parameters. The value for `IN :name` is a list of strings.

        Raises
        ------
        DatabaseError
            If the database cannot be read.
        """
        with self.reading() as db:
            return [records.unpacked(row) for row in run(db, statement, **values).mappings()]

    def value(self, statement: str, **values: object) -> Any:
        """Return the first value of the first row of a SELECT statement, such as a count; None if there is no row.

        Parameters
        ----------
        statement : str
            SELECT statement with parameters as `:name`.
        **values : object
            Values of the parameters. The value for `IN :name` is a list of strings.
        """
        with self.reading() as db:
            return run(db, statement, **values).scalar()

    def version(self) -> str:
        """Return a token that changes with each write to the database; an unchanged copy of the database has the same token."""
        return self.meta("state") or ""

    @contextmanager
    def one_state(self) -> Iterator[str]:
        """Let this thread read a single state of the database in a `with` block, despite concurrent writes.

        Yields the `version` of that state. Nested blocks read the state of the outermost one.

        Raises
        ------
        DatabaseError
            If the database cannot be read.
        """
        with self.reading() as db:
            before, self._held.connection = self._held.connection, db
            try:
                yield self.version()
            finally:
                self._held.connection = before

    def check_integrity(self) -> None:
        """Check the integrity of a file and its full-text index (SQLite `quick_check`); servers are not checked.

        Raises
        ------
        DatabaseError
            If the file is damaged.
        """
        if isinstance(self.place, Path) and self.value("PRAGMA quick_check(1)") != "ok":
            raise DatabaseError(DAMAGED.format(self.place))

    @property
    def newest(self) -> str | None:
        """Time of the newest capture (the "now" of the database); None without captures."""
        newest: str | None = self.value("SELECT max(captured_at) FROM capture")
        return newest

    def meta(self, key: str) -> str | None:
        """Return the value of a key in `meta`, the table of facts about the database itself; None if the key is missing."""
        word: str | None = self.value("SELECT value FROM meta WHERE key = :key", key=key)
        return word

    def count(self, as_of: date | None = None) -> int:
        """Return the number of platforms that are tracked at the end of the day `as_of`; without `as_of`, now."""
        counted = "SELECT count(DISTINCT platform_id) FROM state WHERE valid_from <= :end"
        return int(self.value(counted, end=end_of(as_of)))

    def platforms(self, *, limit: int, offset: int = 0, as_of: date | None = None) -> list[Json]:
        """Return one page of the platforms, ordered by slug.

        Parameters
        ----------
        limit, offset : int
            Maximum number of platforms, and number of platforms to skip.
        as_of : date, optional
            State at the end of that day, UTC. If None, the newest state.

        Returns
        -------
        list of dict
            `id` (the slug), `name`, `website`, `rating`, `risk_reason`, `last_reviewed`, `verification`.
        """
        page = f"{_LISTED} {FROM_STATE}ORDER BY p.slug LIMIT :limit OFFSET :offset"
        return self.rows(page, end=end_of(as_of), limit=limit, offset=offset)

    def names(self) -> list[tuple[str, str]]:
        """Return (slug, name) of all platforms, ordered by slug."""
        return [(row["slug"], row["name"]) for row in self.rows("SELECT slug, name FROM platform ORDER BY slug")]

    def platform(self, slug: str, as_of: date | None = None) -> Json | None:
        """Return the complete state of one platform; None if it is not tracked at that time.

        Parameters
        ----------
        slug : str
        as_of : date, optional
            State at the end of that day, UTC. If None, the newest state.

        Returns
        -------
        dict or None
            The fields that `platforms` returns; `surfaces` (surface -> its level and more); `stance`, `consumer_stance`,
            `business_stance`; `stance_decided_by` (ids of clauses); `rules` (ids of the rating rules that applied);
            `citation_count`, `documents`, and `reviewed_at` (the time at which this state began).
        """
        whole = (
            f"{_LISTED}, s.valid_from AS reviewed_at, {records.STANCE_COLUMNS}, s.surfaces, s.rules, s.citation_count, "
            f"s.documents {FROM_STATE}WHERE p.slug = :slug"
        )
        return next(iter(self.rows(whole, end=end_of(as_of), slug=slug)), None)

    def findings(self, state: Json) -> list[Json]:
        """Return the findings in the documents of a platform.

        Parameters
        ----------
        state : dict
            Rating, levels and documents of the platform at some time, as `platform` returns them.
        """
        live = "SELECT l.id, conflicts_with, duplicate_of FROM live_finding l JOIN platform p ON p.id = platform_id"
        related = {row["id"]: row for row in self.rows(f"{live} WHERE p.slug = :slug", slug=state["id"])}
        documents, rows = records.documents_read(state), defaultdict(list)
        found = f"SELECT s.sha256, {records.FINDING_COLUMNS} {records.FOUND.format('finding')}"
        hashes = [document["snapshot_sha256"] for document in documents]
        for row in self.rows(f"{found}WHERE s.sha256 IN :hashes ORDER BY f.start, f.id", hashes=hashes):
            rows[row["sha256"]].append(row)
        return [
            records.finding_record(public, row | related.get(public, {}), document)
            for document in documents
            for row in rows[document["snapshot_sha256"]]
            for public in [records.public_id(state["id"], row, document)]
        ]

    def changes(
        self, *, limit: int, offset: int = 0, since: date | None = None, until: date | None = None,
        classes: Sequence[str] = (), platform: str | None = None,
    ) -> tuple[int, list[Json]]:  # fmt: skip
        """Return the number of matching changes and one page of them, newest first.

        Parameters
        ----------
        limit, offset : int
            Maximum number of changes on the page, and number of changes to skip.
        since, until : date, optional
            From the beginning of `since` to the end of `until`, UTC.
        classes : sequence of str
            Change classes, such as `material`. If empty, all of them.
        platform : str, optional
            Slug of a platform. If None, all platforms.
        """
        where = "WHERE x.reviewed_at BETWEEN :since AND :until "
        values: Json = {"since": str(since or ""), "until": end_of(until)}
        if classes:
            where += "AND x.class IN :classes "
            values["classes"] = list(classes)
        if platform:
            where += "AND p.slug = :platform "
            values["platform"] = platform
        page = f"{_CHANGE}{where}ORDER BY x.reviewed_at DESC, x.id LIMIT :limit OFFSET :offset"
        total = int(self.value(f"SELECT count(*) {_CHANGES}{where}", **values))
        rows = self.rows(page, **values, limit=limit, offset=offset)
        for row in rows:
            # a change of the archive itself is no edit of the vendor
            edited = (row["class"], row.pop("kind") == "technical") == ("material", False)
            texts, since = [row[f"snapshot_{side}"] for side in ("before", "after")], row.pop("since")
            row["silent_edit"] = self._silent_edit(*texts, since) if edited else None
        return total, rows

    def _edited_silently(self, before: str, after: str, since: str) -> bool | None:
        """Return what `silent_edit` says of two snapshots, given by their hashes."""
        return silent_edit(self.text(before), self.text(after), since)

    def coverage(self, as_of: date | None = None) -> Json:
        """Count platforms: all that are tracked, those of each verification status, and those with findings on each surface.

        Parameters
        ----------
        as_of : date, optional
            State at the end of that day, UTC. If None, the newest state.

        Returns
        -------
        dict
            `tracked` (number of all tracked platforms), a number for each status (`verified`, `partial`, `stale`,
            `unverified`), and `surfaces`: surface -> number of platforms with findings on it.
        """
        rows = self.rows(f"SELECT s.verification, s.surfaces {FROM_STATE}", end=end_of(as_of))
        states = Counter(row["verification"] for row in rows)
        found = Counter(name for row in rows for name, surface in row["surfaces"].items() if surface["count"])
        counts = {name: states[name] for name in VERIFICATIONS}
        return {"tracked": len(rows), **counts, "surfaces": {name: found[name] for name in SURFACES}}

    def text(self, sha256: str) -> str:
        """Return the text of a snapshot; an empty text if the snapshot is unknown."""
        return (self.snapshot(sha256) or b"").decode("utf-8", errors="replace")

    def snapshot(self, sha256: str) -> bytes | None:
        """Return the bytes of a snapshot; None if it is unknown.

        Raises
        ------
        DatabaseError
            If the stored bytes no longer match the hash.
        """
        packed: bytes | None = self.value("SELECT body FROM snapshot WHERE sha256 = :sha256", sha256=sha256)
        if packed is None:
            return None
        body = b""
        with suppress(zlib.error):
            body = zlib.decompress(packed)
        if hashlib.sha256(body).hexdigest() != sha256:
            raise DatabaseError(
                f"{self.place} is damaged: snapshot {sha256} does not match its hash; "
                "restore a backup, or ingest again into a new file"
            )
        return body


def end_of(day: date | None) -> str:
    """Return the last second of a day in the time format of the database; for None, a time after all others."""
    return "9999" if day is None else f"{day.isoformat()}T23:59:59Z"
