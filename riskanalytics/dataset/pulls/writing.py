"""A pull written: its answers kept as they arrive, then its tables, then its manifest."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, TextIO

from riskanalytics import frames
from riskanalytics.dataset.pulls.manifest import (
    Answers,
    Json,
    Manifest,
    StoredTable,
    is_intact,
    snapshot_file,
    stored,
    tables_of,
)
from riskanalytics.dataset.pulls.storage import MANIFEST, Storage
from riskanalytics.frames.building import mapping_of

_SPOOL: Final = "answers.jsonl"


class Spool:
    """Platforms that an unfinished pull has read already, a line each; a line that was cut off does not count.

    Parameters
    ----------
    folder : Path
    state : str
        What the state of the service is known by: another one begins anew.
    seconds : float, optional
        Age at which what was read begins anew in any case.
    """

    def __init__(self, folder: Path, state: str, seconds: float | None = None) -> None:
        self._path = folder / _SPOOL
        self.records = dict(_kept(self._path, state, seconds))
        self._file: TextIO = self._path.open("w", encoding="utf-8")
        self._line(state)
        for slug, record in self.records.items():
            self._line([slug, record])

    def keep(self, slug: str, record: Json) -> None:
        """Keep what was answered of a platform."""
        self.records[slug] = record
        self._line([slug, record])

    def close(self) -> None:
        """Close the file, which stays for the next run."""
        self._file.close()

    def remove(self) -> None:
        """Remove what is now part of a pull."""
        self._file.close()
        self._path.unlink(missing_ok=True)

    def _line(self, value: object) -> None:
        self._file.write(json.dumps(value) + "\n")
        self._file.flush()


def _kept(path: Path, state: str, seconds: float | None) -> Iterator[tuple[str, Json]]:
    """Give what an interrupted pull of the same state had read."""
    try:
        if seconds is not None and time.time() - path.stat().st_mtime > seconds:
            return
        with path.open(encoding="utf-8") as file:
            if json.loads(file.readline()) != state:
                return
            for line in file:
                slug, record = json.loads(line)
                yield slug, record
    except (OSError, ValueError, TypeError):
        return  # nothing kept, or its last line was cut off


def write_pull(
    storage: Storage,
    answers: Answers,
    pulls: Sequence[Manifest],
    *,
    day: date | None,
    began: datetime,
    snapshots: dict[str, bytes],
    **said: Any,
) -> Manifest:
    """Write a pull: tables that no pull has, or that are damaged there, then snapshots, then the manifest, which makes it one.

    Parameters
    ----------
    storage : Storage
    answers : Answers
    pulls : sequence of Manifest
        Those that are there.
    day : date or None
        Day that was asked for.
    began : datetime
        UTC.
    snapshots : dict
        SHA-256 -> policy text, of those to write; others that are there already are named by `answers`.
    **said
        `source`, `access`, `not_shown` and `problems`, as of the manifest.

    Raises
    ------
    OSError
        Nothing of the pull counts then.
    """
    name = f"{began:%Y%m%dT%H%M%SZ}-{began.microsecond // 16:04x}"
    earlier = {(table, file.sha256): file for pull in pulls for table, file in pull.tables.items()}
    written: dict[str, StoredTable] = {}
    for table, frame in tables_of(answers).items():
        content = stored(frame)
        digest = sha256(content).hexdigest()
        new = StoredTable(file=f"{name}/{table}.parquet", sha256=digest, bytes=len(content), rows=len(frame))
        known = earlier.get((table, digest), new)
        if known is new or not is_intact(storage, known.file, digest):
            storage.write(known.file, content)
        written[table] = known
    for digest, body in snapshots.items():
        storage.write(snapshot_file(digest), body)
    kept = storage.snapshots()
    rules = mapping_of(answers.coverage.get("extraction")).get("version")
    manifest = Manifest(
        name=name,
        day=day or _day_of(answers, began),
        pulled_at=began.replace(microsecond=0),
        finished_at=datetime.now(UTC).replace(microsecond=0),
        versions={"riskanalytics": version("riskanalytics"), **({"rules": str(rules)} if rules is not None else {})},
        tables=written,
        snapshots=tuple(digest for digest in answers.snapshots if digest in kept),
        **said,
    )
    storage.write(f"{name}/{MANIFEST}", manifest.model_dump_json(indent=1).encode())
    return manifest


def _day_of(answers: Answers, began: datetime) -> date:
    """Return the day of the data: that of their coverage, else the day of the pull."""
    day = frames.coverage_frame(answers.coverage)["as_of"].iloc[0]
    return began.date() if frames.is_missing(day) else day.date()
