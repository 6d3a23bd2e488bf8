"""Folders of pulls: dated copies of what a service said, here or in an object store that fsspec reaches.

::

    pulls/
      20261031T080000Z-5a1c/     a pull: when it began (UTC)
        manifest.json            source, day, counts, and the hash of every file; written last
        answers.parquet          what was answered, as it came
        platforms.parquet ...    the frames, for pandas, DuckDB, Dask
      20261130T080000Z-09ef/
        manifest.json            a table that did not change is that of the earlier pull
      snapshots/<sha256>.md      policy texts, each once
"""

import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import date, datetime
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple
from urllib.parse import urlsplit

from filelock import FileLock, Timeout
from pydantic import BaseModel, Field, ValidationError

from riskanalytics.errors import MissingExtraError, PullError, SettingsError, one_line
from riskanalytics.files import sync_folder, write_file
from riskanalytics.work import OnProgress, silent

MANIFEST: Final = "manifest.json"
PULL: Final = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{4}")
"""Name of a pull: when it began (UTC), and four digits for the part of that second, so that names sort by time."""
_STORES: Final = frozenset(
    {"s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "adl", "oss", "oci", "hdfs", "sftp", "ssh", "smb", "memory"}
)
"""Kinds of addresses that are object stores, as fsspec names them."""
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


def is_store(source: object) -> bool:
    """Say whether a source is the address of an object store, such as `s3://bucket/pulls`."""
    kind, sign, _ = str(source).partition("://")
    return bool(sign) and kind.casefold() in _STORES


class StoredTable(BaseModel, frozen=True):
    """A Parquet file of a pull; unchanged tables are those of an earlier pull.

    Parameters
    ----------
    file : str
        Below the folder of pulls: `<pull>/<table>.parquet`.
    sha256 : str
        Of the file.
    bytes, rows : int
    """

    file: str = Field(pattern=rf"^{PULL.pattern}/[a-z_]+\.parquet$")
    sha256: Sha256
    bytes: int
    rows: int


class Manifest(BaseModel, frozen=True):
    """A dated copy of what a service said.

    Parameters
    ----------
    form : int
        Of this file.
    name : str
        Of the pull: its folder.
    source : str
        Address of the service without user, query and key, or name of the database.
    day : date
        Day that the data speak of: that of the newest capture, or the one that was asked for.
    pulled_at, finished_at : datetime
        UTC.
    access : str
        What the key was shown: `pro` (changes too), `starter` (no changes), `open` (no key), `embedded`.
    versions : dict
        Of riskanalytics, and of what read the texts (`rules`, where the service gives it).
    tables : dict
        Table -> its file.
    snapshots : tuple of str
        SHA-256 of the policy texts that are kept: `snapshots/<sha256>.md`.
    not_shown : dict
        What the service did not show -> HTTP status; empty of what was read.
    problems : tuple of str
        What could not be read, a line each.
    """

    form: Literal[1] = 1
    name: str
    source: str
    day: date
    pulled_at: datetime
    finished_at: datetime
    access: str
    versions: dict[str, str]
    tables: dict[str, StoredTable]
    snapshots: tuple[Sha256, ...] = ()
    not_shown: dict[str, int] = {}
    problems: tuple[str, ...] = ()

    @property
    def files(self) -> dict[str, str]:
        """File below the folder of pulls -> its SHA-256."""
        tables = {table.file: table.sha256 for table in self.tables.values()}
        return tables | {snapshot_file(name): name for name in self.snapshots}


def snapshot_file(sha256: str) -> str:
    """Return where a policy text is kept below the folder of pulls."""
    return f"snapshots/{sha256}.md"


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
        self.folder = None if "://" in text else Path(place).expanduser()
        self.shown = text.rstrip("/") if self.folder is None else str(self.folder)
        self._files: Any
        self._files, self._root = _object_store(text) if self.folder is None else (None, "")

    def pulls(self, *, new: bool = False) -> list[str]:
        """Return the names of the pulls that have a manifest, in order; PullError without any, unless the folder may be new."""
        names = (path.split("/")[-2] for path in self._paths(f"*/{MANIFEST}"))
        if (found := sorted(filter(PULL.fullmatch, names))) or new:
            return found
        raise PullError(f"there is no pull in {self.shown}: make one with 'riskanalytics pull --archive {self.shown}'")

    def snapshots(self) -> set[str]:
        """Return the SHA-256 of the snapshots that are there."""
        return {Path(path).stem for path in self._paths("snapshots/[0-9a-f]*.md")}

    def manifest(self, name: str) -> Manifest:
        """Return the manifest of a pull; PullError if it is damaged."""
        file = f"{name}/{MANIFEST}"
        try:
            manifest = Manifest.model_validate_json(self._read(file))
        except ValidationError as error:
            raise self.damaged(file, "it is not what a manifest holds") from error
        if manifest.name != name:
            raise self.damaged(file, f"it is that of {manifest.name}")
        return manifest

    def read(self, file: str, digest: str) -> bytes:
        """Return the content of a file; PullError if it is missing, or has another SHA-256."""
        content = self._read(file)
        if sha256(content).hexdigest() != digest:
            raise self.damaged(file, "its hash is not the one of its manifest")
        return content

    def holds(self, file: str, digest: str) -> bool:
        """Say whether a file is there and has a SHA-256."""
        try:
            self.read(file, digest)
        except PullError:
            return False
        return True

    def write(self, name: str, content: bytes) -> None:
        """Write a file whole or not at all."""
        if self.folder is None:
            place = f"{self._root}/{name}"
            self._files.makedirs(place.rpartition("/")[0], exist_ok=True)
            self._files.pipe_file(place, content)
        else:
            folder = (self.folder / name).parent
            folder.mkdir(parents=True, exist_ok=True)
            write_file(self.folder / name, content)
            sync_folder(folder.parent)

    def sweep(self, manifests: Iterable[Manifest]) -> None:
        """Remove what an interrupted pull left in a folder: files of our own names that no manifest names.

        In an object store nothing is removed: another machine may be writing it.
        """
        kept = {file.partition("/")[0] for manifest in manifests for file in manifest.files}
        for path in self.folder.iterdir() if self.folder else ():
            if PULL.fullmatch(path.name) and path.name not in kept and not (path / MANIFEST).exists():
                shutil.rmtree(path)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Let one pull at a time write to a folder; PullError where another one does, or the folder cannot be written."""
        try:
            if self.folder is not None:
                self.folder.mkdir(parents=True, exist_ok=True)
            with FileLock(self.folder / ".lock", timeout=0, mode=0o600) if self.folder else nullcontext():
                yield
        except Timeout as error:
            raise PullError(f"another pull writes to {self.shown}: wait until it has ended") from error
        except OSError as error:
            why = f"{self.shown} cannot be written: {error.strerror or one_line(error)}"
            raise PullError(f"{why}; earlier pulls are unchanged, run the same command again") from error

    def _read(self, name: str) -> bytes:
        """Return a file's content; PullError if it cannot be read."""
        try:
            if self.folder is not None:
                return (self.folder / name).read_bytes()
            return bytes(self._files.cat_file(f"{self._root}/{name}"))
        except OSError as error:
            why = "it is missing" if isinstance(error, FileNotFoundError) else "it cannot be read"
            raise self.damaged(name, why) from error

    def _paths(self, pattern: str) -> list[str]:
        """Return the paths of some files."""
        if self.folder is not None:
            return [path.as_posix() for path in self.folder.glob(pattern)]
        self._files.invalidate_cache()
        return [str(path) for path in self._files.glob(f"{self._root}/{pattern}")]

    def damaged(self, file: str, why: str) -> PullError:
        """Return the error of a damaged file."""
        again = "restore it from a copy, or move it away and pull again (--snapshots for texts)"
        return PullError(f"{self.shown}/{file} is damaged: {why}; {again}")


def _object_store(address: str) -> tuple[Any, str]:
    """Return the file system of an address, and the path in it."""
    parts = urlsplit(address)
    if "@" in parts.netloc or parts.query:
        raise SettingsError("the address of the pulls holds a user or a query: keep credentials in the environment")
    try:
        files, path = import_module("fsspec.core").url_to_fs(address)
    except ImportError as error:
        need = "fsspec" if error.name == "fsspec" else one_line(error)
        raise MissingExtraError(f"{address} cannot be reached: pip install what it needs ({need})") from error
    except ValueError as error:
        raise SettingsError(f"{address} is no folder that fsspec knows: {one_line(error)}") from error
    return files, str(path).rstrip("/")


class Checked(NamedTuple):
    """What a check found.

    Parameters
    ----------
    pulls, files : int
        How many were checked; a file of several pulls counts once.
    damaged : tuple of str
        A line for each file that is missing or damaged.
    """

    pulls: int
    files: int
    damaged: tuple[str, ...]


def check_pulls(folder: str | Path, progress: OnProgress = silent) -> Checked:
    """Check every manifest and file of a folder of pulls.

    Parameters
    ----------
    folder : str or Path
    progress : callable, optional
        Called with a phase, how many files are done, and how many there are.

    Raises
    ------
    PullError
        If there is no pull.
    """
    storage, damaged = Storage(folder), list[str]()
    # two manifests may give two hashes of one file
    names, files = storage.pulls(), set[tuple[str, str]]()
    for name in names:
        try:
            files |= storage.manifest(name).files.items()
        except PullError as error:
            damaged.append(str(error))
    for done, (file, digest) in enumerate(sorted(files), 1):
        try:
            storage.read(file, digest)
        except PullError as error:
            damaged.append(str(error))
        progress("checking the files", done, len(files))
    return Checked(len(names), len(names) + len(files), tuple(damaged))
