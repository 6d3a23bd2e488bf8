"""Ingest collections of policy documents into a database, and review (read and rate) their platforms."""

import json
import pickle
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import Final

from riskanalytics.errors import IngestError, one_line
from riskanalytics.extraction import walked
from riskanalytics.service.review import History, histories, mark_unread, platforms_to_review, review_platform
from riskanalytics.service.store.engine import run
from riskanalytics.service.store.records import CAPTURES, UNFINISHED
from riskanalytics.service.store.verdicts import has_readers
from riskanalytics.service.store.write import Writer
from riskanalytics.settings.databases import Place
from riskanalytics.text.wording import plural
from riskanalytics.work import OnProgress
from riskanalytics.work.executors import WORTH_IT, Workers, open_executor

from .collection import OWNER_AND_NAME, Capture, Collection, FolderCollection, GitCollection

__all__ = ["Capture", "Collection", "IngestSummary", "declared_pages", "ingest", "open_collection"]

_BATCH: Final = 500
_AHEAD: Final = 8
"""Number of platforms for each worker to submit in advance, so that one long history does not keep others waiting."""
_MOST_AHEAD: Final = 32_000_000
"""Maximum size of submitted texts and readings in bytes, because several long histories may follow each other."""

_Walks = list[tuple[list[int], Future[bytes]]]
"""Row numbers of a document's captures, and the walk through them."""


@dataclass(frozen=True)
class IngestSummary:
    """The result of one ingest.

    Parameters
    ----------
    platforms, documents, captures : int
        How many platforms, documents and captures the database contains after the run.
    new_captures : int
        Number of captures added by this run.
    reviewed : int
        Number of platforms reviewed by this run.
    refused : tuple of str
        One line for each capture that was left out, because of its name or a date in the future.
    """

    platforms: int
    documents: int
    captures: int
    new_captures: int
    reviewed: int
    refused: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return one line for a person."""
        return (
            f"{plural(self.platforms, 'platform')}, {plural(self.documents, 'document')}, "
            f"{plural(self.captures, 'capture')} "
            f"({self.new_captures:,} new; {plural(self.reviewed, 'platform')} reviewed)"
        )


def open_collection(path: Path, name: str | None = None) -> Collection:
    """Open a collection of policy documents: a git repository in any form, or a folder of dated files.

    Parameters
    ----------
    path : Path
        A git bundle, a bare repository, a checkout, or a folder of dated files `<service>/<terms type>/<date>.md`.
    name : str, optional
        OWNER/NAME of the GitHub repository that publishes it, for links. By default it is taken from its git remote or folder.

    Returns
    -------
    Collection
        Open it with `with`, which closes it at the end.

    Raises
    ------
    IngestError
        If the path is not a collection, or cannot be read. The message has one line.
    """
    if name is not None and not OWNER_AND_NAME.fullmatch(name):
        raise IngestError(f"--collection takes OWNER/NAME of a GitHub repository, not {name!r}")
    if not path.exists():
        raise IngestError(f"there is no {path}")
    in_git = path.is_file() or (path / ".git").exists() or ((path / "objects").is_dir() and (path / "HEAD").is_file())
    return GitCollection(path, name) if in_git else FolderCollection(path, name)


def declared_pages(folder: Path) -> dict[tuple[str, str], str]:
    """Return the addresses of the web pages from which an archive captures its documents.

    Parameters
    ----------
    folder : Path
        Checkout of the git repository in which an Open Terms Archive collection declares these addresses, or the folder
        `declarations` in it. It contains a file `SERVICE.json` for each service (platform), with the address of each type of
        document: `{"terms": {TERMS TYPE: {"fetch": ADDRESS}}}`.

    Returns
    -------
    dict
        (service, terms type) -> address. A document made of several pages is left out, because the page of a quote is unknown.

    Raises
    ------
    IngestError
        If the folder contains no such file, or one is malformed. The message has one line.
    """
    inner = folder / "declarations"
    files = sorted((inner if inner.is_dir() else folder).glob("*.json"))
    services = [file for file in files if not file.name.endswith(".history.json")]
    if not services:
        raise IngestError(
            f"{folder} contains no declarations like declarations/SERVICE.json: give a checkout of the archive's declarations"
        )
    return dict(page for file in services for page in _pages(file))


def _pages(file: Path) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the pages that one service declares."""
    try:
        service = json.loads(file.read_text(encoding="utf-8-sig"))
        for name, terms in service.get("terms", service.get("documents", {})).items():
            urls = {source.get("fetch", terms.get("fetch")) for source in terms.get("combine", [terms])} - {None}
            if len(urls) == 1 and str(url := urls.pop()).startswith(("http://", "https://")):
                yield (file.stem, name), url
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise IngestError(f"{file} cannot be read as a declaration: {one_line(error)}") from error


def ingest(
    collection: Collection, database: Place, *, dask: str | None = None, progress: OnProgress | None = None
) -> IngestSummary:
    """Add a collection to a database, and review the platforms that have new captures.

    A second run adds only the captures that the database does not contain yet.

    Parameters
    ----------
    collection : Collection
        Result of `open_collection`.
    database : Path or Server
        SQLite file, created if missing, or existing PostgreSQL database. The next run completes an interrupted run. While an
        ingest writes, a second ingest of this database is refused, but the database can be read, and a running service can
        still review a platform again when a user requests it.
    dask : str, optional
        Address of a Dask scheduler whose workers read the texts; by default the cores of this machine. Only this process reads
        the collection and writes the database.
    progress : callable, optional
        Called with the name of the phase, the number of its steps that are done, and the number of all its steps.

    Returns
    -------
    IngestSummary

    Raises
    ------
    IngestError, DatabaseError, ExecutorError, MissingExtraError
        If the ingest fails. The message has one line; a database that this run created and left empty is removed.
    """
    report = progress or (lambda *_: None)
    with nullcontext() if dask is None else open_executor(dask) as cluster, Writer(database, ingests=True) as writer:
        new, refused = _store(collection, writer, report)
        if collection.pages:
            with writer.transaction():
                writer.keep_pages(collection.name, collection.pages)
        due = platforms_to_review(writer)
        _mark(writer, unfinished=bool(due))
        _review(writer, due, report, cluster)
        _mark(writer, unfinished=False)
        report("reviewing platforms", len(due), len(due))
        platforms, documents, captures = (
            int(run(writer.connection, f"SELECT count(*) FROM {table}").scalar_one())  # noqa: S608 (our words)
            for table in ("platform", "document", "capture")
        )
    return IngestSummary(platforms, documents, captures, new, len(due), tuple(refused))


def _mark(writer: Writer, *, unfinished: bool) -> None:
    """Record whether this or an earlier run has platforms left to review."""
    if unfinished or writer.recall(UNFINISHED) is not None:
        with writer.transaction():
            writer.remember(UNFINISHED, "yes" if unfinished else None)


def _review(writer: Writer, due: list[str], report: OnProgress, cluster: Workers | None) -> None:
    """Review platforms one after the other, while workers walk through the histories of the next ones."""
    due_text = f"SELECT coalesce(sum(s.size), 0) {CAPTURES}WHERE p.slug IN :due"
    few = cluster is None and run(writer.connection, due_text, due=due).scalar_one() < WORTH_IT
    if few or has_readers(writer.connection):
        for done, slug in enumerate(due):
            report("reviewing platforms", done, len(due))
            review_platform(writer, slug)
        return
    to_ask = iter(due)
    ahead: deque[tuple[_Walks, int]] = deque()
    with nullcontext(cluster) if cluster is not None else open_executor() as workers:
        for done, slug in enumerate(due):
            while len(ahead) < _AHEAD * workers.at_once and sum(size for _, size in ahead) < _MOST_AHEAD:
                if (other := next(to_ask, None)) is None:
                    break
                ahead.append(_ask(workers, histories(writer.connection, other)))
            report("reviewing platforms", done, len(due))
            walks, _ = ahead.popleft()
            taken = (zip(rows, pickle.loads(walk.result()), strict=True) for rows, walk in walks)  # noqa: S301 (done by ours)
            review_platform(writer, slug, dict(chain(*taken)))


def _ask(workers: Workers, platform: list[History]) -> tuple[_Walks, int]:
    """Submit the walks through a platform's documents; return them, and the number of bytes sent.

    The arguments are pickled here, because pickled arguments take a tenth of the memory while they wait.
    """
    packed = [(list(history), pickle.dumps(list(history.values()), pickle.HIGHEST_PROTOCOL)) for history in platform]
    walks = [(rows, workers.executor.submit(_walked, captures)) for rows, captures in packed]
    return walks, sum(len(captures) for _, captures in packed)


def _walked(captures: bytes) -> bytes:
    """Walk through a document in a worker."""
    return pickle.dumps(walked(pickle.loads(captures)), pickle.HIGHEST_PROTOCOL)  # noqa: S301 (asked by ingest)


def _store(collection: Collection, writer: Writer, report: OnProgress) -> tuple[int, list[str]]:
    """Store the new captures in batches; return their number, and a line for each capture that was left out."""
    heads = json.loads(writer.recall("collections") or "{}")
    refused: list[str] = []
    if heads.get(collection.name) == collection.head:
        return 0, refused
    known = writer.known_revisions(collection.name)
    batch: list[Capture] = []
    places: dict[tuple[str, str], int] = {}

    def is_known(revision: str, path: str, sequence: int) -> bool:
        places[revision, path] = sequence
        return (revision, path) in known

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
            report("reading the archive", done, total)
    new += _flush(collection.name, writer, batch)
    report("reading the archive", total or done, total)
    if new == 0 and writer.recall("kind") is None and not known:
        raise IngestError(
            next(iter(refused), f"the collection {collection.name} contains no documents like SERVICE/TERMS TYPE.md")
        )
    with writer.transaction():
        writer.put_in_order(collection.name, places, by_time=collection.by_time)
        heads[collection.name] = collection.head
        writer.remember("collections", json.dumps(heads, sort_keys=True))
        writer.remember("kind", collection.kind)
    return new, refused


def _refusal(capture: Capture) -> str:
    """Return the reason to leave a capture out; empty otherwise. A future date would hide all earlier captures."""
    name = f"{capture.folder}/{capture.document}"
    shown = name.encode(errors="surrogateescape").decode(errors="backslashreplace")
    if shown != name:
        return f"{shown} is left out: its name is not UTF-8"
    if capture.captured_at > datetime.now(UTC) + timedelta(days=1):
        return f"{shown} of {capture.captured_at:%Y-%m-%d} is left out: its date is in the future"
    return ""


def _flush(collection: str, writer: Writer, batch: list[Capture]) -> int:
    """Store a batch in one transaction and clear it; return its number of captures."""
    with writer.transaction():
        writer.remember(UNFINISHED, "yes")
        for capture in batch:
            platform = writer.platform(collection, capture.folder, name=capture.name, website=capture.website)
            writer.add_capture(
                document_id=writer.document(platform, capture.document),
                snapshot_id=writer.add_snapshot(capture.body),
                captured_at=capture.captured_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
                sources=json.dumps(capture.sources, ensure_ascii=False),
                **{name: getattr(capture, name) for name in ("revision", "sequence", "kind", "archive_url")},
            )
        mark_unread(writer)
    count = len(batch)
    batch.clear()
    return count
