"""Where pulls are kept: a folder of this machine, or an object store that fsspec reaches."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Set
from contextlib import contextmanager
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from filelock import FileLock, Timeout

from riskanalytics.errors import MissingExtraError, PullError, SettingsError, one_line
from riskanalytics.files import sync_folder, write_file

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
