"""Collections of policy documents: dated files in a folder, or the history of a git repository."""

import contextlib
import re
import shutil
import tempfile
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from stat import S_ISREG
from types import MappingProxyType
from typing import Final
from urllib.parse import quote

from dulwich.bundle import read_bundle
from dulwich.diff_tree import tree_changes
from dulwich.errors import NotGitRepository
from dulwich.objects import Commit, Tag
from dulwich.repo import Repo

from riskanalytics.errors import IngestError, one_line
from riskanalytics.files import reported_as
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
_DATE: Final = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:[T_ -]+(\d{2})[-:_]?(\d{2})(?:[-:_]?(\d{2}))?(?:\.\d+)?Z?)?$")
_REMOTE: Final = re.compile(r"[:/]([^/:]+/[^/]+?)(?:\.git)?/?$")
_BASES: Final = 16 << 20
"""Maximum size of cached git objects in bytes, for objects stored as differences (git's core.deltaBaseCacheLimit)."""


@dataclass(frozen=True, slots=True)
class Capture:
    """One recorded version of one document in an archive.

    Parameters
    ----------
    folder : str
        Name of the platform's folder in the archive.
    document : str
        Type of the document, such as "Privacy Policy".
    captured_at : datetime
        Time of the capture, in UTC.
    revision : str
        Hash of the commit that recorded the version; in a folder of dated files, the file's name without `.md`.
    sequence : int
        Position in the archive's history, from 0.
    kind : str
        Why the archive recorded the version, see `kind_of`; in a folder of dated files always `change`.
    body : bytes
        The document, unchanged.
    archive_url : str, optional
        Public web address of this version in the archive.
    sources : tuple of str
        Pages or raw files from which the archive made the text, see `sources_of`.
    name, website : str, optional
        Name and website of the platform, if the archive has them.
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
"""(revision, "folder/document", present position in the history) -> whether the capture is already stored."""


class Collection(contextlib.AbstractContextManager["Collection"]):
    """Base class of an archive of policy documents that yields their captures in order; use it as a context manager."""

    name: str
    """OWNER/NAME if known, else the name of the folder or file."""
    by_time = False
    """True if captures are ordered by their times, False if they are ordered by the history of a repository."""
    kind = "ingested"
    """`ingested` for real platforms, `demo` for fictional ones."""
    pages: Mapping[tuple[str, str], str] = MappingProxyType({})
    """Folder and document -> address of the vendor's page, if known."""

    @property
    @abstractmethod
    def head(self) -> str:
        """Identifier of the collection's current content; `ingest` skips a collection whose identifier has not changed."""

    @abstractmethod
    def captures(self, known: Known) -> Iterator[Capture | int]:
        """Yield an int (the number of versions or commits to go through), then the captures that are not yet stored.

        Parameters
        ----------
        known : callable
            Gets a capture's revision, its "folder/document" and its position in the history; returns whether it is stored.
        """

    def close(self) -> None:
        """Release open resources."""

    def __exit__(self, *raised: object) -> None:
        self.close()


def kind_of(subject: str) -> str:
    """Return why a commit of Open Terms Archive recorded a version of a document.

    Parameters
    ----------
    subject : str
        First line of the commit message, in any of the formats that Open Terms Archive has used.

    Returns
    -------
    str
        `first` (first version), `change` (the document changed), `technical` (the archive's software or settings
        changed), or `other`.
    """
    return next((kind for kind, pattern in _SUBJECTS if pattern.match(subject)), "other")


def sources_of(message: str) -> tuple[str, ...]:
    """Return the sources that a commit message names: URLs, and identifiers of raw snapshots; empty if it names no source."""
    found = [*_SNAPSHOT.findall(message), *_LISTED.findall(message)]
    return tuple(dict.fromkeys(word.rstrip(").,") for word in found if not _UNDEFINED.search(word)))


def public_link(name: str, revision: str, path: str) -> str | None:
    """Return the address on GitHub of one version of a file; None if the collection's name is not OWNER/NAME.

    Parameters
    ----------
    name : str
        Name of the collection.
    revision : str
        Hash of the commit.
    path : str
        Path of the file in the repository.
    """
    if not OWNER_AND_NAME.fullmatch(name):
        return None
    return f"https://github.com/{name}/blob/{revision}/{quote(path, errors='surrogateescape')}"


class FolderCollection(Collection):
    """An archive in a folder: dated files, in one folder for each platform.

    Parameters
    ----------
    path : Path
        Folder that contains the folders of the platforms.
    name : str, optional
        OWNER/NAME of the GitHub repository that publishes the archive. By default the folder's name.

    Raises
    ------
    IngestError
        If the folder contains no file of the form `<service>/<terms type>/<date>.md`.
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
                f"{path} is not a collection: it must be a git repository or contain files like SERVICE/TERMS TYPE/2026-01-31.md"
            )

    @property
    def head(self) -> str:
        """Identifier of the current content: a hash of the names of all files."""
        names = "\n".join(str(file.relative_to(self._root)) for _, file in self._files)
        return sha256_of(names.encode("utf-8", errors="surrogateescape"))

    def captures(self, known: Known) -> Iterator[Capture | int]:
        """Yield the number of all files, then the captures of the files that are not yet stored, oldest first.

        `known` is described at `Collection.captures`.
        """
        yield len(self._files)
        for sequence, (at, file) in enumerate(self._files):
            folder, document = file.parent.parent.name, file.parent.name
            if known(file.stem, f"{folder}/{document}", sequence):
                continue
            with reported_as(IngestError, f"{file} cannot be read"):
                body = file.read_bytes()
            yield Capture(folder, document, at, file.stem, sequence, "change", body)


def _date(file: Path) -> datetime | None:
    """Return the date in a file's name; UTC."""
    match = _DATE.fullmatch(file.stem)
    if match is None or not file.is_file():
        return None
    with contextlib.suppress(ValueError):
        return datetime(*(int(part or 0) for part in match.groups()), tzinfo=UTC)  # type: ignore[arg-type, misc]
    return None


class GitCollection(Collection):
    """The history of a git repository whose files are `<service>/<terms type>.md`, read in one pass.

    Parameters
    ----------
    path : Path
        A bundle, a bare repository or a checkout.
    name : str, optional
        OWNER/NAME of the GitHub repository that publishes the archive. By default, that of the remote `origin`; without such a
        remote, the name of the folder or file.

    Raises
    ------
    IngestError
        If the repository cannot be read; the message has one line.
    """

    def __init__(self, path: Path, name: str | None = None) -> None:
        self._path = path
        self._opened = contextlib.ExitStack()
        try:
            self._head = self._open()
        except Exception as error:
            self.close()
            if isinstance(error, IngestError):
                raise
            raise IngestError(
                f"{path} is not a readable git repository or bundle: {one_line(error)}; clone or copy the collection again"
            ) from error
        self.name = name or self._remote() or path.stem

    @property
    def head(self) -> str:
        """Identifier of the current content: the hash of the head commit."""
        return self._head.decode()

    def captures(self, known: Known) -> Iterator[Capture | int]:
        """Yield the number of all commits, then the captures that are not yet stored, oldest first.

        The contents of documents that are already stored are not read. `known` is described at `Collection.captures`.

        Raises
        ------
        IngestError
            If an object of the repository is missing or damaged.
        """
        try:
            commits = [entry.commit for entry in self._repo.get_walker(include=[self._head], reverse=True)]
            yield len(commits)
            for sequence, commit in enumerate(commits):
                if len(commit.parents) <= 1:  # merges add nothing
                    yield from self._commit(sequence, commit, known)
        except Exception as error:
            raise IngestError(
                f"the collection {self._path} is damaged: {one_line(error)}; clone or copy it again"
            ) from error

    def _commit(self, sequence: int, commit: Commit, known: Known) -> Iterator[Capture]:
        """Yield the captures of one commit."""
        revision, message = commit.id.decode(), commit.message.decode("utf-8", errors="replace")
        before = self._repo[commit.parents[0]].tree if commit.parents else None
        for folder, file, blob in self._changed(before, commit.tree):
            document, path = file.removesuffix(".md"), f"{folder}/{file}"
            if not known(revision, f"{folder}/{document}", sequence):
                yield Capture(
                    folder, document, datetime.fromtimestamp(commit.commit_time, UTC), revision, sequence,
                    kind_of(message), self._repo[blob].data, public_link(self.name, revision, path), sources_of(message),
                )  # fmt: skip

    def _changed(self, before: bytes | None, after: bytes) -> Iterator[tuple[str, str, bytes]]:
        """Yield folder, name and blob of each new or changed document in a tree."""
        for change in tree_changes(self._repo.object_store, before, after):
            entry = change.new
            if entry is None or entry.path is None or not S_ISREG(entry.mode or 0):
                continue
            folder, _, file = entry.path.decode("utf-8", "surrogateescape").partition("/")
            if file.endswith(".md") and "/" not in file and not folder.startswith("."):
                yield folder, file, entry.sha

    def _open(self) -> bytes:
        """Open the repository (a bundle is first unpacked into a temporary folder), and return the hash of its head commit."""
        place = self._path
        if place.is_file():
            place = Path(tempfile.mkdtemp(prefix="riskanalytics-"))
            self._opened.callback(shutil.rmtree, place, ignore_errors=True)
            Repo.init_bare(str(place)).close()
        try:
            self._repo = Repo(str(place))
        except NotGitRepository as error:
            raise IngestError(
                f"{place} is not a git repository: give a clone or a git bundle of the collection"
            ) from error
        self._opened.callback(self._repo.close)
        self._repo.object_store.delta_base_cache_limit = _BASES
        try:
            head = _unpacked(self._path, self._repo) if self._path.is_file() else self._repo.head()
        except KeyError:
            raise IngestError(f"{self._path} has no commit at its HEAD: check out a branch that has commits") from None
        if self._repo.get_shallow():
            raise IngestError(f"{self._path} lacks a part of its history: run git fetch --unshallow in it")
        named = self._repo[head]
        while isinstance(named, Tag):
            named = self._repo[named.object[1]]
        if not isinstance(named, Commit):
            raise IngestError(
                f"the head of {self._path} is not a commit, so that there is no history to read: check out a branch"
            )
        return bytes(named.id)

    def _remote(self) -> str | None:
        """Return OWNER/NAME of the repository that the remote `origin` names; None if there is no such remote."""
        try:
            url = self._repo.get_config().get((b"remote", b"origin"), b"url").decode()
        except KeyError:
            return None
        match = _REMOTE.search(url) if "://" in url or "@" in url else None
        return match[1] if match else None

    def close(self) -> None:
        """Close files and remove the unpacked bundle."""
        with contextlib.suppress(BufferError):  # a raised error may still refer to the mapped file
            self._opened.close()


def _unpacked(path: Path, repo: Repo) -> bytes:
    """Copy a bundle's pack unchanged into an empty repository, and return its head.

    Unpacking single objects would take seven times as long.
    """
    with path.open("rb") as file, read_bundle(file) as bundle:
        if bundle.prerequisites:
            raise IngestError(
                f"the bundle {path} lacks a part of the history: make it with git bundle create FILE --all"
            )
        if not bundle.references:
            raise IngestError(f"the bundle {path} contains no branch or tag: make it with git bundle create FILE --all")
        bundle.pack_data.check()
        file.seek(0)
        for _ in iter(file.readline, b"\n"):  # the pack begins after an empty line
            pass
        pack, finish, abort = repo.object_store.add_pack()
        try:
            shutil.copyfileobj(file, pack)
            finish()
        except BaseException:
            abort()
            raise
        return bytes(bundle.references.get(b"HEAD") or next(iter(bundle.references.values())))
