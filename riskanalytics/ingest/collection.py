"""What a collection of policy documents brings, whatever it is kept in."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Final, Self
from urllib.parse import quote

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
