"""Folders of pulls: dated copies of a service's answers, local or in an object store that fsspec can reach.

::

    pulls/
      20261031T080000Z-5a1c/     a pull, named after its beginning (UTC)
        manifest.json            source, day, counts, and the hash of every file; written last
        answers.parquet          the answers, unchanged
        platforms.parquet ...    the frames, for pandas, DuckDB, Dask
      20261130T080000Z-09ef/
        manifest.json            for an unchanged table, lists the file of the earlier pull
      snapshots/<sha256>.md      policy texts, each once
"""

import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
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
"""Name of a pull: its beginning (UTC), and four digits for the fraction of the second, so that names sort by time."""
_STORES: Final = frozenset(
    {"s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "adl", "oss", "oci", "hdfs", "sftp", "ssh", "smb", "memory"}
)
"""Kinds of addresses of object stores, as in fsspec."""
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


def is_store(source: object) -> bool:
    """Return whether a source is the address of an object store, such as `s3://bucket/pulls`."""
    kind, sign, _ = str(source).partition("://")
    return bool(sign) and kind.casefold() in _STORES


class StoredTable(BaseModel, frozen=True):
    """The Parquet file of one table of a pull. If the table is unchanged, this is the file of an earlier pull.

    Parameters
    ----------
    file : str
        Path in the folder of pulls: `<pull>/<table>.parquet`.
    sha256 : str
        Hash of the file.
    bytes, rows : int
        Size of the file, and number of rows of the table.
    """

    file: str = Field(pattern=rf"^{PULL.pattern}/[a-z_]+\.parquet$")
    sha256: Sha256
    bytes: int
    rows: int


class Manifest(BaseModel, frozen=True):
    """The description of a pull (a dated copy of a service's answers), as in its file `manifest.json`.

    Parameters
    ----------
    form : int
        Version of the manifest's format.
    name : str
        Name of the pull and its folder.
    source : str
        Address of the service without user, query and key, or name of the database.
    day : date
        Day of the data: that of the newest capture, or the requested day.
    pulled_at, finished_at : datetime
        Beginning and end of the pull, UTC.
    access : str
        What the client could read: `pro` (changes too), `starter` (key without changes), `open` (no key) or `embedded` (all of a
        database or of the demo).
    versions : dict
        Versions of riskanalytics, and of the extraction (`rules`, if the service reports it).
    tables : dict
        Name of a table -> its Parquet file.
    snapshots : tuple of str
        SHA-256 of the kept policy texts: `snapshots/<sha256>.md`.
    not_shown : dict
        Name of what the service refused -> HTTP status of the refusal, such as `changes` -> 403.
    problems : tuple of str
        What could not be read, one line each.
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
        """All tables and policy texts of the pull: path in the folder of pulls -> SHA-256 of the file."""
        tables = {table.file: table.sha256 for table in self.tables.values()}
        return tables | {snapshot_file(name): name for name in self.snapshots}


def snapshot_file(sha256: str) -> str:
    """Return the path of a policy text in the folder of pulls."""
    return f"snapshots/{sha256}.md"


class Storage:
    """A folder of pulls. A pull is complete when its manifest exists, because the manifest is written last.

    Parameters
    ----------
    place : str or Path
        A folder, or an address for fsspec, such as `s3://bucket/pulls`, with credentials in the environment.

    Attributes
    ----------
    folder : Path or None
        The local folder; None for an object store.
    shown : str
        The folder or address, as messages show it.

    Raises
    ------
    SettingsError
        If the folder or address is empty or contains `::`, or the address contains a user name or a query, or has a protocol that
        fsspec does not know.
    MissingExtraError
        If fsspec, or the package that it needs for this protocol, is not installed.
    """

    def __init__(self, place: str | Path) -> None:
        text = str(place)
        if not text.strip() or "::" in text:
            raise SettingsError(
                "the folder of pulls must not be empty or contain '::': give one path, or one address such as s3://bucket/pulls"
            )
        self.folder = None if "://" in text else Path(place).expanduser()
        self.shown = text.rstrip("/") if self.folder is None else str(self.folder)
        self._files: Any
        self._files, self._root = _object_store(text) if self.folder is None else (None, "")

    def pulls(self, *, new: bool = False) -> list[str]:
        """Return the names of the complete pulls, oldest first.

        If the folder has no complete pull, return an empty list if `new` is set (the folder may be new); otherwise raise PullError.
        """
        names = (path.split("/")[-2] for path in self._paths(f"*/{MANIFEST}"))
        if (found := sorted(filter(PULL.fullmatch, names))) or new:
            return found
        raise PullError(f"there is no pull in {self.shown}: make one with 'riskanalytics pull --archive {self.shown}'")

    def snapshots(self) -> set[str]:
        """Return the SHA-256 of each policy text (snapshot) in the folder."""
        return {Path(path).stem for path in self._paths("snapshots/[0-9a-f]*.md")}

    def manifest(self, name: str) -> Manifest:
        """Return the manifest of the pull of this name; raise PullError if it is damaged."""
        file = f"{name}/{MANIFEST}"
        try:
            manifest = Manifest.model_validate_json(self._read(file))
        except ValidationError as error:
            raise self.damaged(file, "the file is not the manifest of a pull") from error
        if manifest.name != name:
            raise self.damaged(file, f"the file is the manifest of {manifest.name}")
        return manifest

    def read(self, file: str, digest: str) -> bytes:
        """Return the content of the file at a path in the folder; raise PullError if it is missing or its SHA-256 differs."""
        content = self._read(file)
        if sha256(content).hexdigest() != digest:
            raise self.damaged(file, "its hash differs from the hash in the manifest of the pull")
        return content

    def holds(self, file: str, digest: str) -> bool:
        """Return whether the file at a path in the folder exists and has the SHA-256 `digest`."""
        with suppress(PullError):
            self.read(file, digest)
            return True
        return False

    def write(self, name: str, content: bytes) -> None:
        """Write `content` to the file at the path `name` in the folder: completely or not at all."""
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
        """Remove the folders of interrupted pulls: they have no manifest, and no given manifest lists a file in them.

        In an object store nothing is removed, because another machine may be writing.
        """
        kept = {file.partition("/")[0] for manifest in manifests for file in manifest.files}
        for path in self.folder.iterdir() if self.folder else ():
            if PULL.fullmatch(path.name) and path.name not in kept and not (path / MANIFEST).exists():
                shutil.rmtree(path)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock a local folder, so that one pull at a time writes to it; a context manager. An object store is not locked.

        Raises
        ------
        PullError
            If another pull is writing to the folder, or the folder cannot be written.
        """
        try:
            if self.folder is not None:
                self.folder.mkdir(parents=True, exist_ok=True)
            with FileLock(self.folder / ".lock", timeout=0, mode=0o600) if self.folder else nullcontext():
                yield
        except Timeout as error:
            raise PullError(f"another pull is writing to {self.shown}: wait until it ends") from error
        except OSError as error:
            why = f"{self.shown} cannot be written: {error.strerror or one_line(error)}"
            raise PullError(f"{why}; earlier pulls are unchanged: run the same command again") from error

    def _read(self, name: str) -> bytes:
        """Return a file's content; PullError if it cannot be read."""
        try:
            if self.folder is not None:
                return (self.folder / name).read_bytes()
            return bytes(self._files.cat_file(f"{self._root}/{name}"))
        except OSError as error:
            why = "the file is missing" if isinstance(error, FileNotFoundError) else "the file cannot be read"
            raise self.damaged(name, why) from error

    def _paths(self, pattern: str) -> list[str]:
        """Return the paths of some files."""
        if self.folder is not None:
            return [path.as_posix() for path in self.folder.glob(pattern)]
        self._files.invalidate_cache()
        return [str(path) for path in self._files.glob(f"{self._root}/{pattern}")]

    def damaged(self, file: str, why: str) -> PullError:
        """Return (not raise) the PullError that names a damaged file, the reason `why`, and what to do."""
        again = "restore it from a copy, or move it away and pull again (--snapshots for texts)"
        return PullError(f"{self.shown}/{file} is damaged: {why}; {again}")


def _object_store(address: str) -> tuple[Any, str]:
    """Return the file system of an address, and the path in it."""
    parts = urlsplit(address)
    if "@" in parts.netloc or parts.query:
        raise SettingsError(
            "the address of the pulls must not contain a user name or a query: keep credentials in the environment"
        )
    try:
        files, path = import_module("fsspec.core").url_to_fs(address)
    except ImportError as error:
        need = "fsspec" if error.name == "fsspec" else one_line(error)
        raise MissingExtraError(f"{address} cannot be reached: install the package it needs ({need})") from error
    except ValueError as error:
        raise SettingsError(f"{address} is not a folder that fsspec can open: {one_line(error)}") from error
    return files, str(path).rstrip("/")


class Checked(NamedTuple):
    """The result of `check_pulls`.

    Parameters
    ----------
    pulls, files : int
        Numbers of pulls and files that were checked; a file shared by several pulls counts once.
    damaged : tuple of str
        A line for each missing or damaged file.
    """

    pulls: int
    files: int
    damaged: tuple[str, ...]


def check_pulls(folder: str | Path, progress: OnProgress = silent) -> Checked:
    """Check every manifest in a folder of pulls, and the SHA-256 of every file that the manifests list.

    Parameters
    ----------
    folder : str or Path
        The folder of pulls, or its address for fsspec.
    progress : callable, optional
        Called with a phase, the number of files done, and the number of all files.

    Returns
    -------
    Checked

    Raises
    ------
    PullError
        If there is no pull.
    """
    storage, damaged = Storage(folder), list[str]()
    # two manifests may list two hashes of one file
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
