"""Fictional platforms with written policies and a dated history: the embedded default.

Nothing here speaks of a real vendor. The database is built on first use from written clauses, by the same
ingest, extraction and reviews that real archives go through, and kept in the user's cache folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from collections.abc import Callable, Iterator
from datetime import datetime
from importlib import resources
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from filelock import FileLock

from riskanalytics.demo.platforms import FictionalPlatform, all_platforms, choose
from riskanalytics.demo.policies import BROKEN, policy
from riskanalytics.errors import DatabaseError, SettingsError
from riskanalytics.extraction import RULES_VERSION
from riskanalytics.ingest import Capture, ingest
from riskanalytics.ingest.collection import Known
from riskanalytics.service.store.files import check_file
from riskanalytics.settings import load_settings

__all__ = ["DemoCollection", "demo_database"]

_SOURCES: Final = ("__init__.py", "platforms.py", "policies.py", "clauses.toml")
_KINDS: Final = {"technical": "technical"}

Progress = Callable[[str, int, int | None], None]


class DemoCollection:
    """The fictional archive: captures of all documents of all fictional platforms."""

    name: Final = "demo"
    kind: Final = "demo"

    @property
    def head(self) -> str:
        """Hash of what the demo is written from."""
        return _digest()

    def captures(self, known: Known) -> Iterator[Capture | int]:
        """Give all captures in the order of time.

        Parameters
        ----------
        known : callable
            See `riskanalytics.ingest.collection.Known`.
        """
        written = sorted(
            (capture for platform in all_platforms() for capture in _history(platform)),
            key=lambda capture: (capture.captured_at, capture.folder, capture.document),
        )
        yield len(written)
        for sequence, capture in enumerate(written):
            if not known(capture.revision, f"{capture.folder}/{capture.document}"):
                yield _numbered(capture, sequence)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing is held open."""


def _numbered(capture: Capture, sequence: int) -> Capture:
    """Return a capture at its place in the history."""
    return Capture(
        capture.folder, capture.document, capture.captured_at, capture.revision, sequence, capture.kind, capture.body,
        name=capture.name, website=capture.website,
    )  # fmt: skip


def _history(platform: FictionalPlatform) -> Iterator[Capture]:
    """Give the captures of one platform; a document is recorded when its text has changed."""
    texts: dict[str, str] = {}
    for document in platform.documents:
        texts[document] = policy(platform, document, platform.profile)
        yield _capture(platform, document, platform.first.isoformat(), "first", texts[document])
    for event in platform.events:
        if event.kind == "failure" and event.document is not None:
            broken = choose(BROKEN, "broken", platform.name, event.at)
            yield _capture(platform, event.document, event.at.isoformat(), "change", broken)
            texts[event.document] = broken
            continue
        for document in platform.documents:
            text = policy(platform, document, event.profile)
            if text != texts[document]:
                texts[document] = text
                yield _capture(
                    platform, document, event.at.isoformat(), _KINDS.get(event.kind, "change"), text
                )


def _capture(platform: FictionalPlatform, document: str, at: str, kind: str, text: str) -> Capture:
    """Return one capture, named by what it is."""
    revision = hashlib.sha256(f"{platform.name}|{document}|{at}".encode()).hexdigest()[:40]
    return Capture(
        platform.name,
        document,
        _parsed(at),
        revision,
        0,
        kind,
        text.encode(),
        name=platform.name,
        website=platform.website,
    )


def _parsed(at: str) -> datetime:
    """Return a time of ISO 8601."""
    return datetime.fromisoformat(at)


def demo_database(cache: Path | None = None, progress: Progress | None = None) -> Path:
    """Return the demo's database, built on first use.

    Parameters
    ----------
    cache : Path, optional
        Folder to keep it in; the setting's where None.
    progress : callable, optional
        Told the phase, the steps done and the steps in all, while it is built.

    Returns
    -------
    Path
        A complete database; another process that builds it at the same time is waited for.

    Raises
    ------
    SettingsError
        If the folder cannot be written: one line.
    """
    folder = cache or load_settings().cache
    path = folder / f"demo-{version('riskanalytics')}-{_digest()}.sqlite"
    with contextlib.suppress(DatabaseError):
        check_file(path)
        return path
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with FileLock(folder / "demo.lock", mode=0o600):
            if not path.exists():
                _build(path, progress)
    except OSError as error:
        raise SettingsError(
            f"the cache folder {folder} cannot be written: set RISKANALYTICS_CACHE to another"
        ) from error
    return path


def _build(path: Path, progress: Progress | None) -> None:
    """Build beside the place, and move there when whole; older demos go."""
    with tempfile.TemporaryDirectory(prefix="demo-", dir=path.parent) as scratch:
        fresh = Path(scratch) / path.name
        ingest(DemoCollection(), fresh, progress=progress)
        fresh.replace(path)
    for old in path.parent.glob("demo-*.sqlite"):
        if old != path:
            with contextlib.suppress(OSError):
                old.unlink()


def _digest() -> str:
    """Return the hash of what the demo is written from and read by."""
    folder = resources.files(__package__)
    parts = [folder.joinpath(name).read_bytes() for name in _SOURCES]
    return hashlib.sha256(b"\0".join([RULES_VERSION.encode(), *parts])).hexdigest()[:12]
