"""Collections kept in git: a bundle, a bare repository, a checkout. One pass over the history."""

from __future__ import annotations

import contextlib
import hashlib
import re
import shutil
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from stat import S_ISREG
from typing import BinaryIO, Final

from dulwich.diff_tree import tree_changes
from dulwich.errors import NotGitRepository
from dulwich.objects import Commit, Tag
from dulwich.repo import Repo

from riskanalytics.errors import IngestError
from riskanalytics.ingest.collection import Capture, Collection, Known, kind_of, public_link, sources_of

_REMOTE: Final = re.compile(r"[:/]([^/:]+/[^/]+?)(?:\.git)?/?$")
_FORMAT: Final = "names its objects by SHA-256, which is not read here: clone it from a home that uses SHA-1"
_TRAILER: Final = 20
_BASES: Final = 16 << 20
"""Bytes of objects that are kept for those that are told as differences from them (git's core.deltaBaseCacheLimit)."""


class GitCollection(Collection):
    """The history of a git repository whose files are `<service>/<terms type>.md`.

    Parameters
    ----------
    path : Path
        A bundle, a bare repository or a checkout.
    name : str, optional
        OWNER/NAME of its public home; read from the remote where None.

    Raises
    ------
    IngestError
        If it cannot be read: one line.
    """

    def __init__(self, path: Path, name: str | None = None) -> None:
        self._unpacked: str | None = None
        self._path = path
        try:
            self._head = self._open()
        except IngestError:
            self.close()
            raise
        except Exception as error:
            self.close()
            if isinstance(error.__context__, KeyboardInterrupt):
                raise error.__context__ from None  # a pack that is still mapped cannot be closed, which hid it
            raise IngestError(f"{path} cannot be read as a git collection: {_said(error)}") from error
        self.name = name or self._remote() or path.stem

    @property
    def head(self) -> str:
        """The newest commit."""
        return self._head.decode()

    def captures(self, known: Known) -> Iterator[Capture | int]:
        """Give the captures of all commits that are not known, oldest first; blobs only of those.

        Parameters
        ----------
        known : callable
            See `riskanalytics.ingest.collection.Known`.

        Raises
        ------
        IngestError
            If an object is missing or damaged.
        """
        try:
            commits = [entry.commit for entry in self._repo.get_walker(include=[self._head], reverse=True)]
            yield len(commits)
            for sequence, commit in enumerate(commits):
                yield from self._commit(sequence, commit, known)
        except IngestError:
            raise
        except Exception as error:
            if isinstance(error.__context__, KeyboardInterrupt):
                raise error.__context__ from None
            raise IngestError(f"{self._path} is damaged: {_said(error)}") from error

    def _commit(self, sequence: int, commit: Commit, known: Known) -> Iterator[Capture]:
        """Give what one commit brings; merges bring nothing of their own."""
        if len(commit.parents) > 1:
            return
        revision = commit.id.decode()
        before = self._repo[commit.parents[0]].tree if commit.parents else None
        for folder, file, blob in self._changed(before, commit.tree):
            document = file.removesuffix(".md")
            if not known(revision, f"{folder}/{document}", sequence):
                message = commit.message.decode("utf-8", errors="replace")
                yield Capture(
                    folder, document, _time(commit), revision, sequence,
                    kind_of(message), self._repo[blob].data, public_link(self.name, revision, f"{folder}/{file}"),
                    sources_of(message),
                )  # fmt: skip

    def _changed(self, before: bytes | None, after: bytes) -> Iterator[tuple[str, str, bytes]]:
        """Give the folder, the name and the blob of each document that is new or different in a tree."""
        for change in tree_changes(self._repo.object_store, before, after):
            entry = change.new
            if entry is None or entry.path is None or not S_ISREG(entry.mode or 0):
                continue
            folder, _, file = entry.path.decode("utf-8", "surrogateescape").partition("/")
            if file.endswith(".md") and "/" not in file and not folder.startswith("."):
                yield folder, file, entry.sha

    def _open(self) -> bytes:
        """Open the repository, a bundle after unpacking it beside nothing of the user's; give its head."""
        if self._path.is_file():
            self._unpacked = tempfile.mkdtemp(prefix="riskanalytics-")
            self._repo = Repo.init_bare(self._unpacked)
            self._repo.object_store.delta_base_cache_limit = _BASES
            head = _unpacked(self._path, self._repo)
        else:
            try:
                self._repo = Repo(str(self._path))
            except NotGitRepository as error:
                raise IngestError(f"{self._path} is no git repository") from error
            self._repo.object_store.delta_base_cache_limit = _BASES
            head = self._head_of_checkout()
        if self._repo.get_shallow():
            raise IngestError(f"{self._path} holds only a part of a history: git fetch --unshallow brings the rest")
        named = self._repo[head]
        while isinstance(named, Tag):
            named = self._repo[named.object[1]]
        if not isinstance(named, Commit):
            raise IngestError(f"the head of {self._path} is no commit")
        return bytes(named.id)

    def _head_of_checkout(self) -> bytes:
        """Give the newest commit of a repository that is no bundle."""
        with contextlib.suppress(KeyError):
            if self._repo.get_config().get((b"extensions",), b"objectformat").lower() != b"sha1":
                raise IngestError(f"{self._path} {_FORMAT}")
        try:
            return bytes(self._repo.head())
        except KeyError:
            raise IngestError(f"{self._path} has no commit yet, or none where its HEAD leads to") from None

    def _remote(self) -> str | None:
        """OWNER/NAME of the remote called origin."""
        try:
            url = self._repo.get_config().get((b"remote", b"origin"), b"url").decode()
        except KeyError:
            return None
        match = _REMOTE.search(url) if "://" in url or "@" in url else None
        return match[1] if match else None

    def close(self) -> None:
        """Give back files and the unpacked bundle."""
        if hasattr(self, "_repo"):
            with contextlib.suppress(BufferError):  # an error that is on its way still holds what is mapped
                self._repo.close()
        if self._unpacked is not None:
            shutil.rmtree(self._unpacked, ignore_errors=True)


def _time(commit: Commit) -> datetime:
    """Return when a commit was made; one beyond the calendar, which git can tell, at its end."""
    try:
        return datetime.fromtimestamp(commit.commit_time, UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.max.replace(tzinfo=UTC)


def _unpacked(path: Path, repo: Repo) -> bytes:
    """Put a bundle's pack into an empty repository as it is, and give its head.

    The format is git's (gitformat-bundle): signature, capabilities, prerequisites, references, an empty line, a pack.
    Unpacking the objects one by one takes seven times as long as copying the pack.
    """
    references: dict[bytes, bytes] = {}
    with path.open("rb") as file:
        if file.readline() not in (b"# v2 git bundle\n", b"# v3 git bundle\n"):
            raise IngestError(f"{path} is no git bundle")
        for line in iter(file.readline, b"\n"):
            if not line.endswith(b"\n"):
                raise IngestError(f"{path} is cut off")
            if line.startswith(b"-"):
                raise IngestError(f"{path} holds only a part of a history: make a bundle of all of it")
            if line.startswith(b"@object-format=") and line.rstrip() != b"@object-format=sha1":
                raise IngestError(f"{path} {_FORMAT}")
            if not line.startswith(b"@"):
                commit, _, name = line.rstrip().partition(b" ")
                references[name] = commit
        pack, finish, abort = repo.object_store.add_pack()
        try:
            _copy_pack(file, pack, path)
            finish()
        except BaseException:
            abort()
            raise
    if not references:
        raise IngestError(f"{path} names no head")
    return references.get(b"HEAD") or next(iter(references.values()))


def _copy_pack(source: BinaryIO, target: BinaryIO, path: Path) -> None:
    """Copy a pack, and check the SHA-1 of all of it that it ends with (gitformat-pack)."""
    digest, held = hashlib.sha1(usedforsecurity=False), b""
    while chunk := source.read(1 << 20):
        target.write(chunk)
        held += chunk
        digest.update(held[:-_TRAILER])
        held = held[-_TRAILER:]
    if len(held) < _TRAILER or digest.digest() != held:
        raise IngestError(f"{path} is cut off or damaged: fetch it again")


def _said(error: Exception) -> str:
    """An error's own words in one short line."""
    return (" ".join(str(error).split()) or type(error).__name__)[:200]
