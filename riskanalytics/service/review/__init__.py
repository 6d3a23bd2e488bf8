"""Reviews: the extraction applied to all captures of one platform, from the first to the newest.

A capture that is broken or not a policy never removes findings: the last good text stays current, and the document is
marked stale. A new capture begins a new state of the platform, at the time of that capture. The archive's history may list a
capture after captures with later times; the state that it begins then starts at the latest of these times. A review writes all
its rows in one transaction.
"""

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Final

from sqlalchemy import Connection, insert

from riskanalytics import extraction
from riskanalytics.errors import DatabaseError
from riskanalytics.extraction import Assessment, DocumentReading, FindingKey, Kept, Taken, assess, relate, walked
from riskanalytics.extraction.shipped import readers_with
from riskanalytics.extraction.stance import UNREAD
from riskanalytics.extraction.training import read_whole
from riskanalytics.models.parts import Quoted
from riskanalytics.models.provenance import sha256_of

from ..store.engine import run
from ..store.evidence import keep, kept
from ..store.records import CAPTURES, FOUND, Json, Row, as_json, change_id, dates_of, public_id, quoted_record
from ..store.schema import CHANGE, LIVE_FINDING
from ..store.search import add_words
from ..store.verdicts import has_readers, readers_of
from ..store.write import Writer
from . import changes

History = dict[int, Kept]
"""Row id of a capture -> the capture, for all captures of one document in order of its history."""
_FORGOTTEN: Final = (
    "DELETE FROM live_search WHERE rowid IN (SELECT rowid FROM live_finding WHERE platform_id = :platform)",
    *(f"DELETE FROM {table} WHERE platform_id = :platform" for table in ("live_finding", "change", "state")),
)
"""Deletes the rows that a review of a platform rewrites."""
_WITH_READERS: Final = "with readers"
"""Stored for a snapshot in place of the version of the rules, if readers (language models) decide which clauses are findings.
Each review reads such a snapshot again."""
_WALKED: Final = (
    "SELECT k.id, d.id AS document_id, k.revision, k.kind, k.snapshot_id, s.rules, d.name AS document, k.captured_at, "
    "s.sha256 AS snapshot_sha256, k.archive_url, d.url AS document_url, "
    f"max(k.captured_at) OVER (ORDER BY k.sequence, d.name, k.id) AS at {CAPTURES}"
    "WHERE p.id = :platform ORDER BY k.sequence, d.name, k.id"
)
"""Captures of a platform in the order of the archive's history; `at` is the latest time of a capture so far."""


def platforms_to_review(writer: Writer) -> list[str]:
    """Return the sorted slugs of platforms with unreviewed captures.

    If the rules for findings or ratings have changed since the last review, all captures become unreviewed first.
    """
    if writer.recall("rules") != extraction.ASSESSED_BY:
        with writer.transaction() as connection:
            run(connection, "UPDATE capture SET state = NULL")
            run(connection, "UPDATE snapshot SET rules = NULL")
            writer.remember("rules", extraction.ASSESSED_BY)
    slugs = run(writer.connection, f"SELECT DISTINCT p.slug {CAPTURES}WHERE k.state IS NULL ORDER BY p.slug")
    return list(slugs.scalars())


def mark_unread(writer: Writer) -> None:
    """Write an `UNRATED` state ("not read yet") for each platform without a state; a transaction must be open."""
    without = "WHERE NOT EXISTS (SELECT 1 FROM state t WHERE t.platform_id = p.id) GROUP BY p.id"
    nothing = assess(())
    unread = replace(nothing, risk_reason=f"{nothing.risk_reason}; not read yet")
    for platform, at in run(writer.connection, f"SELECT p.id, min(k.captured_at) {CAPTURES}{without}").all():
        changes.write_state(writer.connection, platform, at, unread)


def histories(connection: Connection, slug: str) -> list[History]:
    """Return, for each document of a platform, a mapping of row id -> capture, in the order of the archive's history."""
    rows = run(
        connection,
        f"SELECT d.id, k.id, k.captured_at, s.sha256, s.body {CAPTURES}"
        "WHERE p.slug = :slug ORDER BY d.id, k.sequence, k.id",
        slug=slug,
    ).all()  # fmt: skip
    found: dict[int, History] = {}
    for document, capture, at, sha256, body in rows:
        found.setdefault(document, {})[capture] = Kept(at, sha256, body)
    return list(found.values())


def review_platform(writer: Writer, slug: str, taken: Mapping[int, Taken] | None = None) -> None:
    """Review one platform from its first capture to its newest, in one transaction.

    Parameters
    ----------
    writer : Writer
        Write access to the database.
    slug : str
    taken : mapping of int to Taken, optional
        Row id of each capture of the platform -> result of `extraction.walked` for this capture: whether it is good, its findings
        and leads, and its comparison with the last good text. If None, this function computes these results.

    Raises
    ------
    DatabaseError
        If the database cannot be written; the platform is then unchanged.
    """
    known = _walked(writer.connection, slug) if taken is None else taken
    with writer.transaction() as connection:
        _Review(connection, slug, known).run()


def reread_platform(writer: Writer, slug: str) -> int:
    """Apply the extraction to every good snapshot of a platform again, and repeat the platform's review in one transaction.

    Parameters
    ----------
    writer : Writer
        Write access to the database.
    slug : str

    Returns
    -------
    int
        Number of snapshots whose stored findings, leads or dates differed from those found now. Other platforms that
        have or had the text of one of these snapshots are reviewed, too.

    Raises
    ------
    DatabaseError
        If a snapshot does not match its hash, or the database cannot be written; nothing is then changed.
    """
    # takes seconds, so it is done before the lock is taken
    wrong, sharing = _misread(writer.connection, slug), {slug}
    with writer.transaction() as connection:
        run(connection, "UPDATE snapshot SET rules = NULL WHERE sha256 IN :wrong", wrong=wrong)
        sharing.update(run(connection, f"SELECT p.slug {CAPTURES}WHERE s.sha256 IN :wrong", wrong=wrong).scalars())
        for other in sorted(sharing):
            _Review(connection, other, _walked(connection, other)).run()
    return len(wrong)


def _walked(connection: Connection, slug: str) -> dict[int, Taken]:
    """Apply `walked` to the histories of a platform's documents."""
    chosen = readers_of(connection)
    return {
        capture: taken
        for history in histories(connection, slug)
        for capture, taken in zip(history, walked(history.values(), chosen), strict=True)
    }


def _misread(connection: Connection, slug: str) -> list[str]:
    """Return the hashes of snapshots whose stored findings, leads or dates differ from the current reading."""
    good = f"SELECT DISTINCT s.id, s.sha256, s.body, s.dates {CAPTURES}WHERE p.slug = :slug AND k.state = 'good' ORDER BY s.id"
    wrong, groups = [], readers_with(readers_of(connection))
    for snapshot, sha256, packed, dates in run(connection, good, slug=slug).all():
        body = zlib.decompress(packed)
        if sha256_of(body) != sha256:
            raise DatabaseError(f"the snapshot {sha256[:12]} is damaged: restore a backup, or ingest again")
        text = body.decode("utf-8", errors="replace")
        before, now = kept(connection, snapshot, text), read_whole(text, extraction.extract(text), groups)
        if (before.findings, before.leads, dates) != (now.findings, now.leads, dates_of(now)):
            wrong.append(sha256)
    return wrong


class _Review:
    """Review of one platform, capture by capture."""

    def __init__(self, connection: Connection, slug: str, taken: Mapping[int, Taken]) -> None:
        self.connection, self.slug, self.taken = connection, slug, taken
        self._run = partial(run, connection)
        self.platform: int = self._run("SELECT id FROM platform WHERE slug = :slug", slug=slug).scalar_one()
        self.documents: dict[str, changes.Document] = {}
        self._clauses: dict[str, bytes] = {}
        self._read: set[int] = set()
        self._groups = readers_with(readers_of(connection, units=False))
        self._version = _WITH_READERS if has_readers(connection) else extraction.RULES_VERSION

    def run(self) -> None:
        """Rewrite the states, changes and searchable findings of the platform."""
        for statement in _FORGOTTEN:
            self._run(statement, platform=self.platform)
        walked = [dict(row) for row in self._run(_WALKED, platform=self.platform).mappings()]
        last: Assessment | None = None
        for at, group in groupby(walked, key=itemgetter("at")):
            captures = list(group)
            steps = [step for capture in captures if (step := self._take(capture))]
            read = any(capture["state"] == "good" for capture in captures)
            assessment = assess(self._current(), self._groups) if read or last is None else last
            if last is not None:
                for step in changes.without_moved(steps):
                    self._write_change(step, at, last, assessment)
            documents = [changes.document_row(document) for _, document in sorted(self.documents.items())]
            changes.write_state(self.connection, self.platform, at, assessment, documents, self._ids)
            last = assessment
        self._write_live()

    def _take(self, capture: Json) -> changes.Step | None:
        """Store the result for one capture and make it the newest of its document."""
        document = self.documents.setdefault(capture["document"], changes.Document())
        before, taken, snapshot = document.good, self.taken[capture["id"]], capture["snapshot_id"]
        capture |= {"state": taken.check.state, "check": taken.check.check}
        written = "UPDATE capture SET state = :state, state_check = :check WHERE id = :id"
        self._run(written, **{name: capture[name] for name in ("state", "check", "id")})
        document.newest = capture
        if capture["state"] == "good":
            document.good = capture
        if taken.reading is not None:
            document.reading = taken.reading
            if snapshot not in self._read and (self._version == _WITH_READERS or capture["rules"] != self._version):
                keep(self.connection, snapshot, taken.reading, self._clauses)
                written = "UPDATE snapshot SET rules = :rules, dates = :dates WHERE id = :snapshot"
                self._run(written, rules=self._version, dates=dates_of(taken.reading), snapshot=snapshot)
                self._read.add(snapshot)
        return changes.Step(capture, before, taken.comparison) if taken.comparison else None

    def _goods(self) -> list[Row]:
        """Return the current good captures, ordered by document name."""
        return [document.good for _, document in sorted(self.documents.items()) if document.good]

    def _current(self) -> list[DocumentReading]:
        """Return the readings of the current good captures, ordered by document name."""
        return [
            DocumentReading(name, good["snapshot_sha256"], good["captured_at"], reading)
            for good in self._goods()
            if (reading := self.documents[name := good["document"]].reading)
        ]

    def _places(self) -> dict[str, Row]:
        """Return the current good captures by snapshot; of captures with the same text, the first by document name."""
        return {good["snapshot_sha256"]: good for good in reversed(self._goods())}

    def _ids(self, keys: Iterable[FindingKey]) -> list[str]:
        """Return the public identifiers of findings of the current documents."""
        places = self._places()
        return [
            public_id(self.slug, {"surface": surface, "start": start, "end": end}, places[sha256])
            for sha256, start, end, surface in keys
            if sha256 in places
        ]

    def _write_change(self, step: changes.Step, at: str, last: Assessment, now: Assessment) -> None:
        """Write the change that a capture shows."""
        comparison, before, capture = step.comparison, step.before, step.capture
        change_class = comparison.change_class
        if change_class == "capture_failure":
            # a failed capture shows no move of the vendor
            now = last
        if capture["kind"] == "technical" and change_class in ("format", "wording"):
            change_class = "technical"
        added, removed = (
            [quoted_record(self.slug, finding, source, Quoted) for finding in found[: changes.MOST_QUOTED]]
            for found, source in ((comparison.added, capture), (comparison.removed, before))
        )
        altered = [{"before": row.before, "after": row.after, "surface": row.surface} for row in comparison.altered]
        packed = {
            "surfaces": comparison.surfaces, "added": added, "removed": removed,
            "altered": altered if change_class in ("material", "revert") else altered[:3],
            "cause": changes.causes_of(self.slug, step, last, now), "directions": comparison.directions,
        }  # fmt: skip
        row = {
            "id": change_id(self.slug, capture["document"], capture["revision"]), "platform_id": self.platform,
            "document_id": capture["document_id"], "capture_before": before["id"], "capture_after": capture["id"],
            "reviewed_at": at, "class": change_class, "direction": comparison.direction, "summary": comparison.summary,
            "rating_before": changes.rating_before(last, now), "rating_after": now.rating,
            "stance_before": None if last.stance == UNREAD or changes.judged_once(last, now) else last.stance,
            "stance_after": None if now.stance == UNREAD else now.stance,
        }  # fmt: skip
        self.connection.execute(insert(CHANGE), row | {name: as_json(value) for name, value in packed.items()})

    def _write_live(self) -> None:
        """Write the searchable findings of the newest state and their words."""
        relations, places = relate(self._current()), self._places()
        rows: list[Json] = []
        words: dict[str, str] = {}
        for good in self._goods():
            found = self._run(
                f'SELECT f.id, f.surface, f.start, f."end", c.quote {FOUND.format("finding")}'
                "WHERE s.id = :snapshot ORDER BY f.start, f.id",
                snapshot=good["snapshot_id"],
            ).mappings()
            for row in found:
                public, sha256 = public_id(self.slug, row, good), good["snapshot_sha256"]
                key = sha256, row["start"], row["end"], row["surface"]
                again = None if places[sha256] is good else key
                same = [one for one in (relations.duplicates.get(key) or again,) if one]
                live = {
                    "id": public, "platform_id": self.platform, "capture_id": good["id"], "finding_id": row["id"],
                    "surface": row["surface"], "conflicts_with": as_json(self._ids(relations.conflicts.get(key, ()))),
                    "duplicate_of": next(iter(self._ids(same)), None),
                }  # fmt: skip
                rows.append(live)
                words[public] = row["quote"]
        if rows:
            self.connection.execute(insert(LIVE_FINDING), rows)
        add_words(self.connection, words)
