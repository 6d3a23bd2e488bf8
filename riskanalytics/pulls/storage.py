"""Where pulls lie: a folder of this machine, or an object store that fsspec reaches."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Set
from contextlib import contextmanager
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from filelock import FileLock, Timeout

from riskanalytics.errors import MissingExtraError, PullError, SettingsError, one_line
from riskanalytics.files import sync_folder, write_file

MANIFEST: Final = "manifest.json"
UNFINISHED: Final = ".unfinished"
PULL: Final = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{4}")
"""Name of a pull: when it began (UTC), and four digits for the part of that second, so that names sort by time."""
_ADDRESS: Final = re.compile(r"([a-z][a-z0-9+.-]+)://", re.IGNORECASE)
_STORES: Final = frozenset(
    {"s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "adl", "oss", "oci", "hdfs", "sftp", "ssh", "smb", "memory"}
)
"""Kinds of addresses that are object stores, as fsspec names them."""


class Storage(Protocol):
    """A folder of pulls."""

    shown: str
    """The folder as messages name it: no user, no password."""

    def pulls(self) -> list[str]:
        """Return the names of the pulls that have a manifest, in order."""

    def read(self, name: str) -> bytes:
        """Return a file's content; FileNotFoundError where it is not there."""

    def write(self, name: str, content: bytes) -> None:
        """Write a file whole or not at all."""

    def snapshots(self) -> set[str]:
        """Return the SHA-256 of the snapshots that are there."""

    def sweep(self, named: Set[str]) -> None:
        """Remove what an interrupted pull left half: no file that a manifest names."""


def is_store(source: object) -> bool:
    """Say whether a source is the address of an object store, such as `s3://bucket/pulls`."""
    kind = _ADDRESS.match(str(source))
    return kind is not None and kind[1].casefold() in _STORES


def open_storage(folder: str | Path) -> Storage:
    """Return the folder of pulls that a path or address names; nothing is made or asked yet.

    Parameters
    ----------
    folder : str or Path
        A folder, or an address that fsspec knows, such as `s3://bucket/pulls`.

    Raises
    ------
    SettingsError
        If the address is empty, holds a user or password, or is of no kind that fsspec knows.
    MissingExtraError
        If fsspec, or its part for this kind of address, is not installed.
    """
    text = str(folder)
    if not text.strip() or "::" in text:
        raise SettingsError("a folder of pulls is a path or one address, such as s3://bucket/pulls")
    if _ADDRESS.match(text) is None:
        return LocalFolder(Path(folder).expanduser())
    return ObjectStore(text)


class LocalFolder:
    """A folder of this machine.

    Parameters
    ----------
    folder : Path
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shown = str(folder)

    def pulls(self) -> list[str]:
        """Return the names of the pulls that have a manifest, in order."""
        return sorted(
            path.parent.name for path in self.folder.glob(f"*/{MANIFEST}") if PULL.fullmatch(path.parent.name)
        )

    def read(self, name: str) -> bytes:
        """Return a file's content; FileNotFoundError where it is not there."""
        return (self.folder / name).read_bytes()

    def write(self, name: str, content: bytes) -> None:
        """Write a file whole or not at all."""
        place = self.folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        write_file(place, content)
        sync_folder(place.parent.parent)

    def snapshots(self) -> set[str]:
        """Return the SHA-256 of the snapshots that are there."""
        return {path.name.removesuffix(".md") for path in (self.folder / "snapshots").glob("[0-9a-f]*.md")}

    def sweep(self, named: Set[str]) -> None:
        """Remove what an interrupted pull left half: only files of our own names, where no manifest speaks of them."""
        kept = {file.partition("/")[0] for file in named}
        for path in self.folder.iterdir():
            if PULL.fullmatch(path.name) and path.name not in kept and not (path / MANIFEST).exists():
                shutil.rmtree(path)
        for path in (self.folder / "snapshots").glob(".*.md"):
            path.unlink()


class ObjectStore:
    """A folder that fsspec reaches. A pull is there once its manifest is, which is written last.

    Parameters
    ----------
    address : str
        Such as `s3://bucket/pulls`; who may read it stands in the environment, as fsspec's part for it wants it.
    """

    def __init__(self, address: str) -> None:
        if "@" in urlsplit(address).netloc or urlsplit(address).query:
            raise SettingsError(
                "the address of a folder of pulls holds a user or a query: keep credentials in the environment"
            )
        self.shown = address.rstrip("/")
        try:
            self._files: Any
            self._files, path = import_module("fsspec.core").url_to_fs(address)
        except ImportError as error:
            need = "fsspec" if error.name == "fsspec" else one_line(error)
            raise MissingExtraError(f"{self.shown} cannot be reached: pip install what it needs ({need})") from error
        except ValueError as error:
            raise SettingsError(f"{self.shown} is no folder that fsspec knows: {one_line(error)}") from error
        self._root = str(path).rstrip("/")

    def pulls(self) -> list[str]:
        """Return the names of the pulls that have a manifest, in order."""
        self._files.invalidate_cache()
        names = (str(path).split("/")[-2] for path in self._files.glob(f"{self._root}/*/{MANIFEST}"))
        return sorted(name for name in names if PULL.fullmatch(name))

    def read(self, name: str) -> bytes:
        """Return a file's content; FileNotFoundError where it is not there."""
        return bytes(self._files.cat_file(f"{self._root}/{name}"))

    def write(self, name: str, content: bytes) -> None:
        """Write a file whole: an object appears when it is complete."""
        place = f"{self._root}/{name}"
        self._files.makedirs(place.rpartition("/")[0], exist_ok=True)
        self._files.pipe_file(place, content)

    def snapshots(self) -> set[str]:
        """Return the SHA-256 of the snapshots that are there."""
        found: Iterable[object] = self._files.glob(f"{self._root}/snapshots/*.md")
        return {str(path).rpartition("/")[2].removesuffix(".md") for path in found}

    def sweep(self, named: Set[str]) -> None:
        """Leave what an interrupted pull left: another machine may be writing it."""


@contextmanager
def workplace(storage: Storage, cache: Path) -> Iterator[Path]:
    """Give the folder that a pull keeps its unfinished work in, to one pull at a time.

    Parameters
    ----------
    storage : Storage
    cache : Path
        Folder for the unfinished work of object stores, which only take whole files.

    Raises
    ------
    PullError
        If another pull is at work, or the folder cannot be written.
    """
    place = cache / "pulls" / sha256(storage.shown.encode()).hexdigest()[:16]
    if isinstance(storage, LocalFolder):
        place = storage.folder / UNFINISHED
    try:
        place.mkdir(parents=True, exist_ok=True)
        with FileLock(place / "lock", timeout=0, mode=0o600):
            yield place
    except Timeout as error:
        raise PullError(f"another pull writes to {storage.shown}: wait until it has ended") from error
    except OSError as error:
        why = error.strerror or one_line(error)
        raise PullError(
            f"{storage.shown} cannot be written: {why}; pulls that were there stay, run the same command to go on"
        ) from error
