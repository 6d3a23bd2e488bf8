"""Collections of policy documents -> snapshots -> reviews in a database."""

from __future__ import annotations

import json
import pickle
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

from riskanalytics.errors import IngestError
from riskanalytics.extraction import RULES_VERSION, walked
from riskanalytics.ingest.collection import OWNER_AND_NAME, Capture, Collection, FolderCollection, declared_pages
from riskanalytics.ingest.git import GitCollection
from riskanalytics.service.review import History, histories, mark_unread, platforms_to_review, review_platform
from riskanalytics.service.store.engine import run
from riskanalytics.service.store.records import UNFINISHED
from riskanalytics.service.store.write import Writer
from riskanalytics.settings.databases import Place
from riskanalytics.text.wording import plural
from riskanalytics.work.executors import WORTH_IT, Workers, open_executor

__all__ = ["Capture", "Collection", "IngestSummary", "declared_pages", "ingest", "open_collection"]

_BATCH: Final = 500
_AHEAD: Final = 8
"""Platforms for each work at a time whose texts are asked for before their turn: one with many must not keep the others waiting."""
_MOST_AHEAD: Final = 32_000_000
"""Bytes of packed texts and readings from which no more are asked for: platforms with long histories may be neighbours."""

Progress = Callable[[str, int, int | None], None]
"""(phase, steps done, steps in all)"""


@dataclass(frozen=True)
class IngestSummary:
    """What one run brought.

    Parameters
    ----------
    platforms, documents, captures : int
        In the database after the run.
    new_captures : int
        Brought by this run.
    reviewed : int
        Platforms that this run reviewed.
    refused : tuple of str
        One line for each capture that this run left out: its name is no text, or its time is to come.
    """

    platforms: int
    documents: int
    captures: int
    new_captures: int
    reviewed: int
    refused: tuple[str, ...] = ()

    def __str__(self) -> str:
        """One line for a person."""
        return (
            f"{plural(self.platforms, 'platform')}, {plural(self.documents, 'document')}, "
            f"{plural(self.captures, 'capture')} "
            f"({self.new_captures:,} new; {plural(self.reviewed, 'platform')} reviewed)"
        )


def open_collection(path: Path, name: str | None = None) -> Collection:
    """Open a collection, whatever it is kept in.

    Parameters
    ----------
    path : Path
        A git bundle, a bare repository, a checkout, or a dataset folder.
    name : str, optional
        OWNER/NAME of its public home, for links to it.

    Returns
    -------
    Collection
        A context manager.

    Raises
    ------
    IngestError
        If it is none of these or cannot be read: one line.
    """
    if name is not None and not OWNER_AND_NAME.fullmatch(name):
        raise IngestError(f"--collection takes OWNER/NAME, not {name!r}")
    if not path.exists():
        raise IngestError(f"there is no {path}")
    if path.is_file():
        with path.open("rb") as file:
            if not file.read(16).startswith(b"# v"):
                raise IngestError(f"{path} is no git bundle, and no folder")
        return GitCollection(path, name)
    if (path / ".git").exists() or ((path / "objects").is_dir() and (path / "HEAD").is_file()):
        return GitCollection(path, name)
    return FolderCollection(path, name)


def ingest(
    collection: Collection, database: Place, *, dask: str | None = None, progress: Progress | None = None
) -> IngestSummary:
    """Bring a collection into a database and review what is new; a second run adds only what is new.

    Parameters
    ----------
    collection : Collection
    database : Path or Server
        Made where it is not there. An interrupted run leaves what the next one completes. One run at a time: a second is
        refused at once, readers and corrections go on.
    dask : str, optional
        Address of a Dask scheduler whose workers read the texts; the cores of this machine do without. Only this process
        reads the collection and writes the database.
    progress : callable, optional
        Told the phase, the steps done and the steps in all.

    Returns
    -------
    IngestSummary

    Raises
    ------
    IngestError, DatabaseError, ExecutorError, MissingExtraError
        One line; a database that the run would have made is not left behind empty.
    """
    tell = progress or _silent
    with nullcontext() if dask is None else open_executor(dask) as cluster, Writer(database, ingests=True) as writer:
        new, refused = _store(collection, writer, tell)
        if collection.pages:
            with writer.transaction():
                writer.tell_pages(collection.name, collection.pages)
        due = platforms_to_review(writer)
        _mark(writer, unfinished=bool(due))
        _review(writer, due, tell, cluster)
        _mark(writer, unfinished=False)
        tell("reviewing platforms", len(due), len(due))
        platforms, documents, captures = (
            int(run(writer.connection, f"SELECT count(*) FROM {table}").scalar_one())  # noqa: S608 (our words)
            for table in ("platform", "document", "capture")
        )
        return IngestSummary(
            platforms, documents, captures, new_captures=new, reviewed=len(due), refused=tuple(refused)
        )


def _mark(writer: Writer, *, unfinished: bool) -> None:
    """Remember whether there is something that this or an earlier run has still to review."""
    if unfinished or writer.recall(UNFINISHED) is not None:
        with writer.transaction():
            writer.remember(UNFINISHED, "yes" if unfinished else None)


def _silent(phase: str, done: int, total: int | None) -> None:
    """Take no note of progress."""


def _review(writer: Writer, due: list[str], tell: Progress, cluster: Workers | None) -> None:
    """Review platforms one after the other; while one is reviewed, the histories of the next are walked elsewhere."""
    unread = "SELECT coalesce(sum(size), 0) FROM snapshot WHERE rules IS NULL OR rules <> :rules"
    if run(writer.connection, unread, rules=RULES_VERSION).scalar_one() < WORTH_IT and cluster is None:
        for done, slug in enumerate(due):
            tell("reviewing platforms", done, len(due))
            review_platform(writer, slug)
        return
    to_ask = iter(due)
    ahead: deque[_Asked] = deque()
    with nullcontext(cluster) if cluster is not None else open_executor() as workers:
        for done, slug in enumerate(due):
            while len(ahead) < _AHEAD * workers.at_once and sum(one.size for one in ahead) < _MOST_AHEAD:
                if (other := next(to_ask, None)) is None:
                    break
                ahead.append(_ask(workers, histories(writer, other)))
            tell("reviewing platforms", done, len(due))
            taken = ((rows, pickle.loads(walk.result())) for rows, walk in ahead.popleft().walks)  # noqa: S301 (done by ours)
            review_platform(
                writer, slug, {row: one for rows, ones in taken for row, one in zip(rows, ones, strict=True)}
            )


class _Asked(NamedTuple):
    """The walks over a platform's documents, pickled: what waits for its turn takes a tenth of the memory so."""

    walks: list[tuple[list[int], Future[bytes]]]
    size: int


def _ask(workers: Workers, told: list[History]) -> _Asked:
    """Ask for the walks over a platform's documents."""
    packed = [(list(history), pickle.dumps(list(history.values()), pickle.HIGHEST_PROTOCOL)) for history in told]
    walks = [(rows, workers.executor.submit(_walked, captures)) for rows, captures in packed]
    return _Asked(walks, sum(len(captures) for _, captures in packed))


def _walked(captures: bytes) -> bytes:
    """Walk over a document, elsewhere."""
    return pickle.dumps(walked(pickle.loads(captures)), pickle.HIGHEST_PROTOCOL)  # noqa: S301 (asked by ingest)


def _store(collection: Collection, writer: Writer, tell: Progress) -> tuple[int, list[str]]:
    """Store the captures that are new, in batches; give how many, and a line for each that is left out."""
    heads = json.loads(writer.recall("collections") or "{}")
    refused: list[str] = []
    if heads.get(collection.name) == collection.head:
        return 0, refused
    known = writer.known_revisions(collection.name)
    batch: list[Capture] = []
    places: dict[tuple[str, str], int] = {}

    def is_known(revision: str, path: str, sequence: int) -> bool:
        if found := (revision, path) in known:
            places[revision, path] = sequence
        return found

    new, total, done = 0, None, 0
    for item in collection.captures(is_known):
        if isinstance(item, int):
            total = item
            continue
        done = item.sequence
        if refusal := _refusal(item):
            refused.append(refusal)
            continue
        batch.append(item)
        if len(batch) >= _BATCH:
            new += _flush(collection.name, writer, batch)
            tell("reading the archive", done, total)
    new += _flush(collection.name, writer, batch)
    tell("reading the archive", total or done, total)
    if new == 0 and writer.recall("kind") is None and not known:
        raise IngestError(
            refused[0] if refused else f"the collection {collection.name} holds no documents like SERVICE/TERMS TYPE.md"
        )
    with writer.transaction():
        writer.put_in_order(collection.name, places, before=known - places.keys(), by_time=collection.by_time)
        heads[collection.name] = collection.head
        writer.remember("collections", json.dumps(heads, sort_keys=True))
        writer.remember("kind", collection.kind)
    return new, refused


def _refusal(capture: Capture) -> str:
    """Say why a capture is left out; nothing where it is not. A time to come would hide all that is captured before it."""
    name = f"{capture.folder}/{capture.document}"
    shown = name.encode(errors="surrogateescape").decode(errors="backslashreplace")
    if shown != name:
        return f"{shown} is left out: its name is no UTF-8"
    if capture.captured_at > datetime.now(UTC) + timedelta(days=1):
        return f"{shown} of {capture.captured_at:%Y-%m-%d} is left out: its date is to come"
    return ""


def _flush(collection: str, writer: Writer, batch: list[Capture]) -> int:
    """Store one batch in one transaction and empty it; give how many captures it held."""
    with writer.transaction():
        writer.remember(UNFINISHED, "yes")
        for capture in batch:
            platform = writer.platform(collection, capture.folder, name=capture.name, website=capture.website)
            writer.add_capture(
                writer.document(platform, capture.document),
                writer.add_snapshot(capture.body),
                at=capture.captured_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
                revision=capture.revision,
                sequence=capture.sequence,
                kind=capture.kind,
                archive_url=capture.archive_url,
                sources=capture.sources,
            )
        mark_unread(writer)
    count = len(batch)
    batch.clear()
    return count
