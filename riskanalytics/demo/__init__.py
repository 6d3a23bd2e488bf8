"""Fictional platforms with written policies and a dated history: the default source of data.

The platforms represent no real vendor. The database is built on first use from written clauses, by the same ingest, extraction and
reviews as for real archives, and kept in the user's cache folder.
"""

import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from filelock import FileLock

from riskanalytics.errors import DatabaseError, SettingsError
from riskanalytics.ingest import Capture, Collection, ingest
from riskanalytics.ingest.collection import Known
from riskanalytics.models.provenance import sha256_of
from riskanalytics.service.store.files import check_file
from riskanalytics.settings import load_settings
from riskanalytics.work import OnProgress

from .history import Event, Platform, all_platforms, choose, draw
from .policies import BROKEN, policy

__all__ = ["DemoCollection", "demo_database"]

_MADE_BY = ("demo", "extraction", "surfaces", "service/review", "service/store")
"""Folders of the package whose files make the demo; a demo that was made by different versions of the files is not used."""


class DemoCollection(Collection):
    """The captures of all documents of all fictional platforms, in the order of time."""

    name = "demo"
    kind = "demo"

    @property
    def pages(self) -> dict[tuple[str, str], str]:  # type: ignore[override]
        """Addresses of all documents: (name of a platform, name of a document) -> address, on a reserved domain (`.example`)."""
        return {
            (platform.name, document): f"{platform.website}/{document.lower().replace(' ', '-')}"
            for platform in all_platforms()
            for document in platform.documents
        }

    @property
    def head(self) -> str:
        """Version of the demo: twelve hexadecimal digits, a hash of the package's files that write, read and store it."""
        package = Path(__file__).parents[1]
        files = sorted(path for room in _MADE_BY for path in (package / room).rglob("*.*") if path.suffix != ".pyc")
        return sha256_of(b"".join(path.read_bytes() for path in files))[:12]

    def captures(self, known: Known) -> Iterator[Capture | int]:
        """Yield the total number of captures, then, in the order of time, each capture that is not stored yet.

        Parameters
        ----------
        known : callable
            Takes a capture's revision, its "platform/document" and its position in the history; returns whether the capture is
            already stored.
        """
        captures = [capture for platform in all_platforms() for capture in _captures(platform)]
        captures.sort(key=lambda capture: (capture.captured_at, capture.folder, capture.document))
        yield len(captures)
        for sequence, capture in enumerate(captures):
            if not known(capture.revision, f"{capture.folder}/{capture.document}", sequence):
                yield replace(capture, sequence=sequence)


def _captures(platform: Platform) -> Iterator[Capture]:
    """Yield the captures of one platform, each time its text has changed; their positions are set after sorting."""
    texts: dict[str, str] = {}
    editions: dict[str, str] = {}
    name = platform.name
    for event in (Event(platform.first, "first", platform.profile), *platform.events):
        at, failing = event.at, event.kind == "failure"
        kind = event.kind if event.kind in ("first", "technical") else "change"
        for document in [event.document] if failing and event.document else platform.documents:
            text = choose(BROKEN, "broken", name, at) if failing else _written(platform, document, event, editions)
            edited = event.kind == "material" and text != texts.get(document)
            # most edits move the stated date of the last update
            if edited and draw("silent", name, document, at) < 0.9:
                editions[document] = at.date().isoformat()
                text = _written(platform, document, event, editions)
            if text != texts.get(document):
                texts[document] = text
                revision = sha256_of(f"{name}|{document}|{at.isoformat()}".encode())[:40]
                body = text.encode()
                yield Capture(name, document, at, revision, 0, kind, body, name=name, website=platform.website)


def _written(platform: Platform, document: str, event: Event, editions: Mapping[str, str]) -> str:
    """Return the text of a document after an event, dated by its own last edition or the platform's, whichever is newer."""
    edition = max(editions.get(document, ""), event.profile.marks.get("edition", ""))
    return policy(platform, document, event.profile.marked("edition", edition) if edition else event.profile)


def demo_database(cache: Path | None = None, progress: OnProgress | None = None) -> Path:
    """Return the demo's database, built on first use.

    The name of the file contains the version of the package and a hash of the code and the written policies, so that a newer
    package never reads an older demo.

    Parameters
    ----------
    cache : Path, optional
        Folder of the file. By default the cache folder of the settings.
    progress : callable, optional
        Called with the phase, the number of steps done, and the total number of steps.

    Returns
    -------
    Path
        A complete database. If another process is building it, the call waits.

    Raises
    ------
    SettingsError
        If the folder cannot be written.
    """
    folder = cache or load_settings().cache
    path = folder / f"demo-{version('riskanalytics')}-{DemoCollection().head}.sqlite"
    if _is_whole(path):
        return path
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with FileLock(folder / "demo.lock", mode=0o600):
            if not _is_whole(path):
                _build(path, progress)
    except (OSError, sqlite3.Error) as error:
        raise SettingsError(
            f"the cache folder {folder} cannot be written: set RISKANALYTICS_CACHE to another folder"
        ) from error
    return path


def _is_whole(path: Path) -> bool:
    """Return whether a file is a complete database."""
    try:
        check_file(path)
    except (DatabaseError, OSError):
        return False
    with suppress(OSError):
        # marked as used, so that a build by another version keeps it
        path.touch()
    return True


def _build(path: Path, progress: OnProgress | None) -> None:
    """Build the database next to its place, and move it there when complete; the caller holds the lock."""
    # left by a killed process
    for left in path.parent.glob("demo-building-*"):
        shutil.rmtree(left, ignore_errors=True)
    for old in path.parent.glob("demo-*.sqlite*"):
        with suppress(OSError):
            if old.name.startswith(path.name) or time.time() - old.stat().st_mtime > 7 * 24 * 3600:
                old.unlink()
    with tempfile.TemporaryDirectory(prefix="demo-building-", dir=path.parent) as scratch:
        fresh = Path(scratch) / path.name
        ingest(DemoCollection(), fresh, progress=progress)
        # a single file works in a read-only folder
        with closing(sqlite3.connect(fresh)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")
        fresh.replace(path)
