"""What a collection of policy documents brings, whatever holds it; collections in folders; declarations of its pages."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Final, Self
from urllib.parse import quote

from riskanalytics.errors import IngestError
from riskanalytics.models.provenance import sha256_of

_SUBJECTS: Final = (
    ("first", re.compile(r"^(?:First record of|Start tracking)\b", re.IGNORECASE)),
    ("technical", re.compile(r"^(?:Apply technical or declaration upgrade on|Refilter)\b", re.IGNORECASE)),
    ("change", re.compile(r"^(?:Record new changes of|Update)\b", re.IGNORECASE)),
)
_SNAPSHOT: Final = re.compile(r"(?:snapshots?)\b[^\n]{0,80}?[\s:]((?:https?|mongo)://\S{1,500}|[0-9a-f]{24,40}\b)")
_LISTED: Final = re.compile(r"^[ \t]*+(?:[-*][ \t]*+)?(https?://\S{1,500})[ \t]*$", re.MULTILINE)
_UNDEFINED: Final = re.compile(r"(?:^|/)undefined$")
OWNER_AND_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}")


@dataclass(frozen=True, slots=True)
class Capture:
    """One recorded version of one document.

    Parameters
    ----------
    folder : str
        Folder of the service in the archive.
    document : str
        Terms type, such as "Privacy Policy".
    captured_at : datetime
        UTC.
    revision : str
        Commit of the archive, or the dated file's name.
    sequence : int
        Place in the archive's history.
    kind : str
        `first`, `change`, `technical` or `other`: what the archive called it.
    body : bytes
        The document, byte for byte.
    archive_url : str, optional
        Public link for people.
    sources : tuple of str
        What the archive says it was made from.
    name, website : str, optional
        Of the platform, where the archive tells them.
    """

    folder: str
    document: str
    captured_at: datetime
    revision: str
    sequence: int
    kind: str
    body: bytes
    archive_url: str | None = None
    sources: tuple[str, ...] = ()
    name: str | None = None
    website: str | None = None


Known = Callable[[str, str, int], bool]
"""(revision, "folder/document", its place in the history now) -> whether that capture was brought before."""


class Collection(ABC):
    """Anything that brings captures in the order of their history; a context manager."""

    name: str
    """OWNER/NAME where known, else the name of the folder or file."""
    by_time = False
    """Whether the order of its captures is that of their times, and not one that it tells."""
    kind = "ingested"
    """`demo` for what was invented."""
    pages: Mapping[tuple[str, str], str] = MappingProxyType({})
    """Folder and document -> address of the vendor's page, where it is told."""

    @property
    @abstractmethod
    def head(self) -> str:
        """What tells one state of the collection from another."""

    @abstractmethod
    def captures(self, known: Known) -> Iterator[Capture | int]:
        """Give captures that are not known; a number now and then: how many steps there are in all."""

    def close(self) -> None:  # noqa: B027 (most hold nothing open)
        """Give back what is held open."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


def kind_of(subject: str) -> str:
    """Return what a commit's subject calls the capture; all six forms of Open Terms Archive are known."""
    return next((kind for kind, pattern in _SUBJECTS if pattern.match(subject)), "other")


def sources_of(message: str) -> tuple[str, ...]:
    """Return what a commit's message says the version was made from: none, one or many, URL or not."""
    found = [*_SNAPSHOT.findall(message), *_LISTED.findall(message)]
    return tuple(dict.fromkeys(word.rstrip(").,") for word in found if not _UNDEFINED.search(word)))


def public_link(name: str, revision: str, path: str) -> str | None:
    """Return the public link to one version of one file, where the collection's public name is known."""
    if not OWNER_AND_NAME.fullmatch(name):
        return None
    return f"https://github.com/{name}/blob/{revision}/{quote(path, errors='surrogateescape')}"


_DATE: Final = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:[T_ -]+(\d{2})[-:_]?(\d{2})(?:[-:_]?(\d{2}))?(?:\.\d+)?Z?)?$")


class FolderCollection(Collection):
    """The dated files of a dataset folder.

    Parameters
    ----------
    path : Path
        Folder of the services.
    name : str, optional
        OWNER/NAME of its public home; the folder's name where None.

    Raises
    ------
    IngestError
        If nothing in it has the form `<service>/<terms type>/<date>.md`.
    """

    by_time = True

    def __init__(self, path: Path, name: str | None = None) -> None:
        self.name = name or path.resolve().name
        root = path.resolve()
        dated = [(_date(file), file) for file in path.glob("*/*/*.md") if file.resolve().is_relative_to(root)]
        self._files = sorted((at, file) for at, file in dated if at is not None)
        self._root = path
        if not self._files:
            raise IngestError(
                f"{path} is no collection: neither a git repository nor files like SERVICE/TERMS TYPE/2026-01-31.md"
            )

    @property
    def head(self) -> str:
        """Hash of the names of all files."""
        names = "\n".join(str(file.relative_to(self._root)) for _, file in self._files)
        return sha256_of(names.encode("utf-8", errors="surrogateescape"))

    def captures(self, known: Known) -> Iterator[Capture | int]:
        """Give the captures of all files that are not known, oldest first.

        Parameters
        ----------
        known : callable
            See `riskanalytics.ingest.collection.Known`.
        """
        yield len(self._files)
        for sequence, (at, file) in enumerate(self._files):
            folder, document = file.parent.parent.name, file.parent.name
            if known(file.stem, f"{folder}/{document}", sequence):
                continue
            try:
                body = file.read_bytes()
            except OSError as error:
                raise IngestError(f"{file} cannot be read: {error.strerror}") from error
            yield Capture(folder, document, at, file.stem, sequence, "change", body)


def _date(file: Path) -> datetime | None:
    """Read the date that a file is named by; UTC."""
    match = _DATE.fullmatch(file.stem)
    if match is None or not file.is_file():
        return None
    try:
        return datetime(*(int(part or 0) for part in match.groups()), tzinfo=UTC)  # type: ignore[arg-type, misc]
    except ValueError:
        return None


def declared_pages(folder: Path) -> dict[tuple[str, str], str]:
    """Return the addresses of the pages that documents are captured from.

    Parameters
    ----------
    folder : Path
        Checkout of the declarations, or the folder `declarations` in it: `SERVICE.json` with
        `{"terms": {TERMS TYPE: {"fetch": ADDRESS}}}`.

    Returns
    -------
    dict
        Service and terms type -> address. A document that is put together from several pages has none: nobody tells on
        which of them a quote stands.

    Raises
    ------
    IngestError
        If there are no declarations, or one is no JSON object: one line.
    """
    inner = folder / "declarations"
    files = sorted((inner if inner.is_dir() else folder).glob("*.json"))
    services = [file for file in files if not file.name.endswith(".history.json")]
    if not services:
        raise IngestError(f"{folder} holds no declarations like declarations/SERVICE.json")
    return dict(page for file in services for page in _pages(file))


def _pages(file: Path) -> Iterator[tuple[tuple[str, str], str]]:
    """Give the pages that one service declares."""
    try:
        told = json.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise IngestError(f"{file} cannot be read as a declaration: {error}") from error
    if not isinstance(told, dict):
        raise IngestError(f"{file} is no declaration: it holds no JSON object")
    terms = told.get("terms", told.get("documents"))
    for name, declared in terms.items() if isinstance(terms, dict) else ():
        sources = declared.get("combine", [declared]) if isinstance(declared, dict) else []
        addresses = {
            url
            for source in (sources if isinstance(sources, list) else [])
            if isinstance(source, dict) and isinstance(url := source.get("fetch", declared.get("fetch")), str)
        }
        if len(addresses) == 1 and (url := addresses.pop()).startswith(("http://", "https://")):
            yield (file.stem, name), url
