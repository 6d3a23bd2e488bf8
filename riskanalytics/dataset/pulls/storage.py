"""Where pulls are kept: a folder of this machine, or an object store that fsspec reaches.

A pull written: its answers kept as they arrive, then its tables, then its manifest.
"""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from datetime import UTC, date, datetime
from hashlib import sha256
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, TextIO
from urllib.parse import urlsplit

from filelock import FileLock, Timeout

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
from riskanalytics.errors import MissingExtraError, PullError, SettingsError, one_line
from riskanalytics.files import sync_folder, write_file
from riskanalytics.frames.building import mapping_of

MANIFEST: Final = "manifest.json"
PULL: Final = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{4}")
"""Name of a pull: when it began (UTC), and four digits for the part of that second, so that names sort by time."""
_ADDRESS: Final = re.compile(r"([a-z][a-z0-9+.-]+)://", re.IGNORECASE)
_STORES: Final = frozenset(
    {"s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "adl", "oss", "oci", "hdfs", "sftp", "ssh", "smb", "memory"}
)
"""Kinds of addresses that are object stores, as fsspec names them."""


def is_store(source: object) -> bool:
    """Say whether a source is the address of an object store, such as `s3://bucket/pulls`."""
    kind = _ADDRESS.match(str(source))
    return kind is not None and kind[1].casefold() in _STORES


class Storage:
    """A folder of pulls; nothing is made or asked when it is named. A pull is there once its manifest is, which comes last.

    Parameters
    ----------
    place : str or Path
        A folder, or an address that fsspec knows, such as `s3://bucket/pulls`; the environment holds its credentials.

    Attributes
    ----------
    folder : Path or None
        None of an object store.
    shown : str
        The folder as messages name it.

    Raises
    ------
    SettingsError
        If the address is empty, holds a user or password, or is of no kind that fsspec knows.
    MissingExtraError
        If fsspec, or its part for this kind of address, is not installed.
    """

    def __init__(self, place: str | Path) -> None:
        text = str(place)
        if not text.strip() or "::" in text:
            raise SettingsError("a folder of pulls is a path or one address, such as s3://bucket/pulls")
        self.folder = None if _ADDRESS.match(text) else Path(place).expanduser()
        self.shown = text.rstrip("/") if self.folder is None else str(self.folder)
        self._files: Any
        self._files, self._root = _object_store(text) if self.folder is None else (None, "")

    def pulls(self) -> list[str]:
        """Return the names of the pulls that have a manifest, in order."""
        names = (path.split("/")[-2] for path in self._paths(f"*/{MANIFEST}"))
        return sorted(name for name in names if PULL.fullmatch(name))

    def snapshots(self) -> set[str]:
        """Return the SHA-256 of the snapshots that are there."""
        return {Path(path).stem for path in self._paths("snapshots/[0-9a-f]*.md")}

    def read(self, name: str) -> bytes:
        """Return a file's content; FileNotFoundError where there is no such file."""
        if self.folder is not None:
            return (self.folder / name).read_bytes()
        return bytes(self._files.cat_file(f"{self._root}/{name}"))

    def write(self, name: str, content: bytes) -> None:
        """Write a file whole or not at all."""
        if self.folder is None:
            self._files.makedirs(f"{self._root}/{name}".rpartition("/")[0], exist_ok=True)
            self._files.pipe_file(f"{self._root}/{name}", content)
            return
        place = self.folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        write_file(place, content)
        sync_folder(place.parent.parent)

    def sweep(self, named: Set[str]) -> None:
        """Remove what an interrupted pull left in a folder: files of our own names that no manifest names.

        In an object store nothing is removed: another machine may be writing it.
        """
        if self.folder is None:
            return
        kept = {file.partition("/")[0] for file in named}
        for path in self.folder.iterdir():
            if PULL.fullmatch(path.name) and path.name not in kept and not (path / MANIFEST).exists():
                shutil.rmtree(path)
        for path in (self.folder / "snapshots").glob(".*.md"):
            path.unlink()

    @contextmanager
    def workplace(self, cache: Path) -> Iterator[Path]:
        """Give the folder that a pull keeps its unfinished work in, to one pull at a time.

        Parameters
        ----------
        cache : Path
            Folder for the unfinished work of object stores, which only take whole files.

        Raises
        ------
        PullError
            If another pull is at work, or the folder cannot be written.
        """
        digest = sha256(self.shown.encode()).hexdigest()[:16]
        place = cache / "pulls" / digest if self.folder is None else self.folder / ".unfinished"
        try:
            place.mkdir(parents=True, exist_ok=True)
            with FileLock(place / "lock", timeout=0, mode=0o600):
                yield place
        except Timeout as error:
            raise PullError(f"another pull writes to {self.shown}: wait until it has ended") from error
        except OSError as error:
            why = error.strerror or one_line(error)
            raise PullError(
                f"{self.shown} cannot be written: {why}; earlier pulls are unchanged, run the same command to go on"
            ) from error

    def _paths(self, pattern: str) -> list[str]:
        """Return the paths of some files."""
        if self.folder is not None:
            return [path.as_posix() for path in self.folder.glob(pattern)]
        self._files.invalidate_cache()
        return [str(path) for path in self._files.glob(f"{self._root}/{pattern}")]


def _object_store(address: str) -> tuple[Any, str]:
    """Return the file system of an address, and the path in it."""
    shown = address.rstrip("/")
    if "@" in urlsplit(address).netloc or urlsplit(address).query:
        raise SettingsError(
            "the address of a folder of pulls holds a user or a query: keep credentials in the environment"
        )
    try:
        files, path = import_module("fsspec.core").url_to_fs(address)
    except ImportError as error:
        need = "fsspec" if error.name == "fsspec" else one_line(error)
        raise MissingExtraError(f"{shown} cannot be reached: pip install what it needs ({need})") from error
    except ValueError as error:
        raise SettingsError(f"{shown} is no folder that fsspec knows: {one_line(error)}") from error
    return files, str(path).rstrip("/")


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
