"""A review: the extraction run over all captures of one platform, from the first to the newest.

A capture that is broken or no policy never takes findings away: the last good text stays current, and the
document is stale. Time of a state is the time of the capture that caused it, never earlier than the one
before it in the archive's history. All rows of a platform change in one transaction.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate, groupby
from operator import itemgetter
from typing import Final

from sqlalchemy import Connection, insert

from riskanalytics.errors import DatabaseError
from riskanalytics.extraction import (
    RULES_VERSION,
    Assessment,
    DocumentReading,
    FindingKey,
    Reading,
    Relations,
    Taken,
    assess,
    extract,
    relate,
    unpacked,
)
from riskanalytics.extraction.stance import UNREAD
from riskanalytics.models.clauses import Quoted
from riskanalytics.models.provenance import sha256_of
from riskanalytics.service.review.causes import MOST_QUOTED, causes_of, without_moved
from riskanalytics.service.review.rows import Capture, Document, Step, document_row, write_state
from riskanalytics.service.store.engine import run
from riskanalytics.service.store.fulltext import add_words
from riskanalytics.service.store.identity import change_id
from riskanalytics.service.store.readings import keep, kept
from riskanalytics.service.store.records import Json, as_json, quoted_record
from riskanalytics.service.store.schema import CHANGE, LIVE_FINDING
from riskanalytics.service.store.write import Writer

_FORGOTTEN: Final = (
    "DELETE FROM live_search WHERE rowid IN (SELECT rowid FROM live_finding WHERE platform_id = :platform)",
    *(f"DELETE FROM {table} WHERE platform_id = :platform" for table in ("change", "state", "live_finding")),  # noqa: S608
)
"""What a review of a platform writes anew."""
_SHARING: Final = (
    "SELECT DISTINCT p.slug FROM platform p JOIN document d ON d.platform_id = p.id "
    "JOIN capture c ON c.document_id = d.id WHERE c.snapshot_id = :snapshot"
)


def review_platform(writer: Writer, slug: str, taken: Mapping[int, Taken] | None = None) -> None:
    """Review one platform from its first capture to its newest, in one transaction.

    Parameters
    ----------
    writer : Writer
    slug : str
    taken : mapping of int to Taken, optional
        Row of each capture -> what a walk over its document's history made of it, where that was done already; see
        `histories`.

    Raises
    ------
    DatabaseError
        If the database cannot be written; the platform is then as it was.
    """
    with writer.transaction() as connection:
        _Review(connection, slug, taken).run()


def reread_platform(writer: Writer, slug: str) -> int:
    """Read every snapshot of a platform again and review it anew, in one transaction.

    Parameters
    ----------
    writer : Writer
    slug : str

    Returns
    -------
    int
        Snapshots whose stored findings or leads were not what the rules read now; platforms that share them are reviewed too.

    Raises
    ------
    DatabaseError
        If a snapshot is not what its hash says, or the database cannot be written; all is then as it was.
    """
    reader = writer.connection  # extraction takes seconds: nobody waits for the lock meanwhile
    wrong = [snapshot for snapshot, text in _snapshots(reader, slug) if _differs(reader, snapshot, text)]
    with writer.transaction() as connection:
        for snapshot in wrong:
            run(connection, "UPDATE snapshot SET rules = NULL WHERE id = :snapshot", snapshot=snapshot)
        sharing = {slug}
        for snapshot in wrong:
            sharing.update(run(connection, _SHARING, snapshot=snapshot).scalars())
        for other in sorted(sharing):
            _Review(connection, other).run()
        return len(wrong)


def _snapshots(connection: Connection, slug: str) -> Iterator[tuple[int, str]]:
    """Give the snapshots of a platform that were read, each checked against its hash."""
    rows = run(
        connection,
        "SELECT DISTINCT s.id, s.sha256, s.body FROM snapshot s JOIN capture c ON c.snapshot_id = s.id "
        "JOIN document d ON d.id = c.document_id JOIN platform p ON p.id = d.platform_id "
        "WHERE p.slug = :slug AND c.state = 'good' ORDER BY s.id",
        slug=slug,
    ).all()
    for snapshot, sha256, packed in rows:
        body = zlib.decompress(packed)
        if sha256_of(body) != sha256:
            raise DatabaseError(f"the snapshot {sha256[:12]} is damaged: restore a backup, or ingest again")
        yield snapshot, body.decode("utf-8", errors="replace")


def _differs(connection: Connection, snapshot: int, text: str) -> bool:
    """Say whether a snapshot's stored findings or leads are not what the rules read now."""
    before, now = kept(connection, snapshot, text), extract(text)
    return (before.findings, before.leads) != (now.findings, now.leads)


def _answers(*states: Assessment) -> list[str | None]:
    """Return stances as records of changes tell them: null where a document is not read."""
    return [None if state.stance == UNREAD else state.stance for state in states]


class _Review:
    """The walk over one platform's history."""

    def __init__(self, connection: Connection, slug: str, taken: Mapping[int, Taken] | None = None) -> None:
        self.connection = connection
        self.taken = taken
        self.slug = slug
        self.platform: int = run(connection, "SELECT id FROM platform WHERE slug = :slug", slug=slug).scalar_one()
        self.documents: dict[str, Document] = {}
        self._clauses: dict[str, bytes] = {}

    def run(self) -> None:
        """Write states, changes and what search sees anew."""
        for statement in _FORGOTTEN:
            run(self.connection, statement, platform=self.platform)
        last: Assessment | None = None
        for at, captures in self._instants():
            steps = [self._take(capture) for capture in captures]
            read = any(step.capture.state == "good" for step in steps)
            assessment = assess(self._current()) if read or last is None else last
            for step in without_moved(steps):
                self._write_change(step, at, last, assessment)
            self._write_state(at, assessment)
            last = assessment
        self._write_live()

    def _instants(self) -> Iterator[tuple[str, list[Capture]]]:
        """Give the captures by instant; time never runs backwards along the archive's history."""
        rows = run(
            self.connection,
            "SELECT c.id, d.name, d.id, c.captured_at, c.revision, c.kind, c.snapshot_id, s.sha256, c.archive_url, d.url "
            "FROM capture c JOIN document d ON d.id = c.document_id JOIN snapshot s ON s.id = c.snapshot_id "
            "WHERE d.platform_id = :platform ORDER BY c.sequence, d.name, c.id",
            platform=self.platform,
        )
        captures = [Capture(*row) for row in rows]
        times = accumulate((capture.at for capture in captures), max)
        for at, batch in groupby(zip(times, captures, strict=True), key=itemgetter(0)):
            yield at, [capture for _, capture in batch]

    def _take(self, capture: Capture) -> Step:
        """Check, read and compare one capture."""
        document = self.documents.setdefault(capture.document, Document())
        before = document.good
        taken = self._walked(document, capture) if self.taken is None else self.taken[capture.id]
        capture.state, capture.check = taken.check.state, taken.check.check
        run(
            self.connection, "UPDATE capture SET state = :state, state_check = :check WHERE id = :id",
            state=capture.state, check=capture.check, id=capture.id,
        )  # fmt: skip
        document.newest = capture
        if capture.state == "good":
            document.good = capture
        if taken.reading is not None:
            document.reading = taken.reading
            self._keep(capture.snapshot_id, taken.reading)
        return Step(capture, before, taken.comparison)

    def _walked(self, document: Document, capture: Capture) -> Taken:
        """Take one capture here and now."""
        packed, rules = run(
            self.connection, "SELECT body, rules FROM snapshot WHERE id = :snapshot", snapshot=capture.snapshot_id
        ).one()
        known = rules == RULES_VERSION
        return document.walk.step(
            capture.at, capture.sha256, unpacked(packed),
            lambda text: kept(self.connection, capture.snapshot_id, text) if known else extract(text),
        )  # fmt: skip

    def _keep(self, snapshot: int, reading: Reading) -> None:
        """Store what a snapshot says where the present rules had not read it."""
        read = "SELECT rules FROM snapshot WHERE id = :snapshot"
        if run(self.connection, read, snapshot=snapshot).scalar_one() != RULES_VERSION:
            keep(self.connection, snapshot, reading, self._clauses)
            written = "UPDATE snapshot SET rules = :rules WHERE id = :snapshot"
            run(self.connection, written, rules=RULES_VERSION, snapshot=snapshot)

    def _current(self) -> list[DocumentReading]:
        """The good documents as they stand, by name."""
        return [
            DocumentReading(name, document.good.sha256, document.good.at, document.reading)
            for name, document in sorted(self.documents.items())
            if document.good is not None and document.reading is not None
        ]

    def _places(self) -> dict[str, Capture]:
        """The current good captures by their snapshots; of two with one text the first by name."""
        goods = [document.good for _, document in sorted(self.documents.items(), reverse=True)]
        return {good.sha256: good for good in goods if good is not None}

    def _public_ids(self, surface: str, keys: Iterable[tuple[str, int, int]]) -> list[str]:
        """Public identifiers of findings of the current documents."""
        places = self._places()
        return [places[key[0]].public_id(self.slug, surface, key[1:]) for key in keys if key[0] in places]

    def _write_state(self, at: str, assessment: Assessment) -> None:
        """Write what the platform is from this instant on."""
        decided_by = {
            surface.surface: self._public_ids(surface.surface, surface.decided_by) for surface in assessment.surfaces
        }
        by = self._public_ids("training_use", assessment.stance_decided_by)
        documents = [document_row(name, document) for name, document in sorted(self.documents.items())]
        write_state(self.connection, self.platform, at, assessment, documents, decided_by, by)

    def _write_change(self, step: Step, at: str, last: Assessment | None, now: Assessment) -> None:
        """Write what a capture showed to be different."""
        comparison, before = step.comparison, step.before
        if comparison is None or before is None or last is None:
            return
        change_class = comparison.change_class
        if change_class == "capture_failure":
            now = last  # nothing is concluded: what another text says otherwise is no move of the vendor
        if step.capture.kind == "technical" and change_class in ("format", "wording"):
            change_class = "technical"
        added, removed = (
            [quoted_record(self.slug, finding, capture.source, Quoted) for finding in found[:MOST_QUOTED]]
            for found, capture in ((comparison.added, step.capture), (comparison.removed, before))
        )
        altered = [{"before": row.before, "after": row.after, "surface": row.surface} for row in comparison.altered]
        if change_class not in ("material", "revert"):
            altered = altered[:3]
        stances = _answers(last, now)
        row = {
            "id": change_id(self.slug, step.capture.document, step.capture.revision),
            "platform_id": self.platform,
            "document_id": step.capture.document_id,
            "capture_before": before.id,
            "capture_after": step.capture.id,
            "reviewed_at": at,
            "class": change_class,
            "direction": comparison.direction,
            "rating_before": last.rating,
            "rating_after": now.rating,
            "stance_before": stances[0],
            "stance_after": stances[1],
            "summary": comparison.summary,
        }
        told = {
            "surfaces": comparison.surfaces, "added": added, "removed": removed, "altered": altered,
            "cause": causes_of(self.slug, step, last, now), "directions": comparison.directions,
        }  # fmt: skip
        self.connection.execute(insert(CHANGE), row | {name: as_json(value) for name, value in told.items()})

    def _write_live(self) -> None:
        """Write the findings of the newest state, as search sees them, and their words."""
        relations = relate(self._current())
        rows: dict[str, Json] = {}
        words: dict[str, str] = {}
        for _, document in sorted(self.documents.items()):
            if document.good is None:
                continue
            found = run(
                self.connection,
                'SELECT f.id, f.surface, f.start, f."end", c.quote FROM finding f JOIN clause c ON c.id = f.clause_id '
                "WHERE f.snapshot_id = :snapshot ORDER BY f.start, f.id",
                snapshot=document.good.snapshot_id,
            ).all()
            for finding, surface, start, end, quote in found:
                public = document.good.public_id(self.slug, surface, (start, end))
                if public not in rows:
                    key = document.good.sha256, start, end, surface
                    conflicts, duplicate = self._relations(document.good, key, relations)
                    rows[public] = {
                        "id": public, "platform_id": self.platform, "capture_id": document.good.id,
                        "finding_id": finding, "surface": surface, "conflicts_with": conflicts, "duplicate_of": duplicate,
                    }  # fmt: skip
                    words[public] = quote
        if rows:
            self.connection.execute(insert(LIVE_FINDING), list(rows.values()))
        add_words(self.connection, words)

    def _relations(self, capture: Capture, key: FindingKey, relations: Relations) -> tuple[str, str | None]:
        """Return what a finding contradicts, and what it repeats."""
        conflicts = [self._related(other) for other in relations.conflicts.get(key, ())]
        duplicate = relations.duplicates.get(key) or (None if self._places().get(capture.sha256) is capture else key)
        told = as_json([other for other in conflicts if other])
        return told, None if duplicate is None else self._related(duplicate)

    def _related(self, key: FindingKey) -> str | None:
        """Public identifier behind a key of `relate`."""
        return next(iter(self._public_ids(key[3], [key[:3]])), None)
