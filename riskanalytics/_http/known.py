"""Answers that were read before: what did not change since is confirmed by the server and takes no body (RFC 9110 section 13).

None is shown unasked: each use is a request, and only a 304 brings back what is kept, so that nothing is ever old. Answers
are told apart by entity tags alone: a time of last change can go back to an older one, and is the same for every tier.

An answer is a file of its own below the user's cache folder, which nobody else may read. Its name is a digest of the key, the
address and the form asked for, so that what one key was given is never shown to another; the file begins with a digest of
name and content, so that what is damaged, cut off or moved is no answer. What cannot be kept is asked for anew.

A cache of all of RFC 9111 (hishel) gives what is fresh unasked, keeps the headers of requests, which hold the key, bounds no
size, and reads bodies before their limits do: only conditional requests are wanted here.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from riskanalytics._http.answer import Answer
from riskanalytics._http.key import Key, digest
from riskanalytics.errors import Unreachable
from riskanalytics.files import write_file

_TAG: Final = re.compile(r'(W/)?"[!#-~]{0,500}"')
_SUFFIX: Final = ".answer"
_OWN: Final = re.compile(rf"(?:[0-9a-f]{{64}}|\.[a-z0-9_]{{8}})\{_SUFFIX}")
"""Name of an answer, and of one that is not whole yet, as `write_file` gives it."""
_OTHERS_WRITE: Final = 0o022
_DIGEST: Final = 64
_HEAD: Final = 4_096
"""Bytes before a body, at most."""


@dataclass(frozen=True, slots=True)
class Known:
    """An answer, and what a server tells it by.

    Parameters
    ----------
    body : bytes
    content_type : str
    tag : str
        Its entity tag.
    """

    body: bytes
    content_type: str
    tag: str

    @property
    def content(self) -> bytes:
        """All that is written of it."""
        return json.dumps([self.content_type, self.tag]).encode() + b"\n" + self.body

    @property
    def condition(self) -> dict[str, str]:
        """Headers that ask for the answer only where it is another one by now."""
        return {"If-None-Match": self.tag}

    def is_meant_by(self, headers: Mapping[str, str]) -> bool:
        """Say whether a 304 speaks of this answer, and of no other version."""
        told = headers.get("etag")
        return told is None or told.removeprefix("W/") == self.tag.removeprefix("W/")


class Copy:
    """The place of one answer among those that are known.

    Parameters
    ----------
    answers : KnownAnswers
    key : Key or None
        Of whom it is shown to.
    words : str
        What tells it from others of the same key.
    """

    def __init__(self, answers: KnownAnswers, key: Key | None, *words: str) -> None:
        self._answers, self._key = answers, key
        self._name = digest("", *words) if key is None else key.digest(*words)
        self._fresh: Known | None = None

    def find(self, most: int) -> Known | None:
        """Return what is kept, where its body has no more bytes than these."""
        return self._answers.find(self._name, most)

    def confirmed(self, known: Known, headers: Mapping[str, str], path: str) -> Answer | Unreachable:
        """Return the answer that a 304 confirms; one that speaks of another version is to be asked for again, whole."""
        is_meant = known.is_meant_by(headers)
        if not is_meant or not may_be_kept(headers):
            self.forget()
        if is_meant:
            return Answer(known.body, known.content_type, path, self)
        return Unreachable(f"{path} confirmed another version than the one that was asked for", path=path)

    def take(self, body: bytes, content_type: str, headers: Mapping[str, str]) -> None:
        """Take an answer to be kept, should its reader say so; nothing is kept of one that cannot be confirmed."""
        self._fresh = validated(body, content_type, headers)
        if self._fresh is None or (self._key is not None and self._key.is_in(self._fresh.content)):
            self.forget()

    def keep(self) -> None:
        """Keep what was taken, or that what is kept was asked for just now."""
        self._answers.keep(self._name, self._fresh)

    def forget(self) -> None:
        """Keep nothing any more."""
        self._fresh = None
        self._answers.forget(self._name)


class KnownAnswers:
    """A folder of answers, those asked for last; of one user, for any number of processes.

    Parameters
    ----------
    folder : Path
        Made where it is missing, and else left as it is: only answers are removed from it. Nothing is kept or read where
        it cannot be written, is another user's, or may be written to by others, and no answer is read that is theirs.
    most : int
        Bytes of all files, one of 32 at most for one answer; nothing is kept or read where 0.
    """

    def __init__(self, folder: Path, most: int) -> None:
        self._folder, self._most = folder, most
        self._unswept = most
        self._own: bool | None = None if most else False

    def find(self, name: str, most: int) -> Known | None:
        """Return the answer of a name; None where there is none, or it is damaged or larger than so many bytes."""
        if not self._is_own():
            return None
        try:
            with self._place(name).open("rb") as file:
                state = os.fstat(file.fileno())
                if state.st_size > most + _HEAD or not _is_mine(state):
                    return None
                told, content = file.read(_DIGEST), file.read()
            if told == _digest(name, content):
                head, _, body = content.partition(b"\n")
                return Known(body, *json.loads(head))
        except (OSError, ValueError, TypeError):
            return None
        self.forget(name)
        return None

    def keep(self, name: str, known: Known | None) -> None:
        """Keep an answer; where None, only note that the one that is kept was asked for."""
        if not self._is_own():
            return
        with contextlib.suppress(OSError):
            if known is None:
                os.utime(self._place(name))
            elif len(known.body) <= self._most // 32:
                content = known.content
                write_file(self._place(name), _digest(name, content) + content, mode=0o600, sync=False)
                self._unswept += len(content)
                if self._unswept > self._most // 16:
                    self._sweep()

    def forget(self, name: str) -> None:
        """Remove an answer."""
        if self._is_own():
            with contextlib.suppress(OSError):
                self._place(name).unlink()

    def _place(self, name: str) -> Path:
        """Return the file of an answer."""
        return self._folder / f"{name}{_SUFFIX}"

    def _is_own(self) -> bool:
        """Make the folder, and say whether nobody else puts answers there."""
        if self._own is None:
            self._own = False
            with contextlib.suppress(OSError):
                self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                told = self._folder.lstat()
                self._own = stat.S_ISDIR(told.st_mode) and _is_mine(told)
        return self._own

    def _sweep(self) -> None:
        """Remove the answers that were not asked for the longest, until the others are few enough."""
        self._unswept, kept = 0, 0
        files = [(told, entry.path) for entry in os.scandir(self._folder) if (told := _answer_state(entry)) is not None]
        for told, path in sorted(files, key=lambda file: file[0].st_mtime, reverse=True):
            kept += told.st_size
            if kept > self._most:
                with contextlib.suppress(OSError):
                    Path(path).unlink()


NONE_KNOWN: Final = KnownAnswers(Path(), 0)


def validated(body: bytes, content_type: str, headers: Mapping[str, str]) -> Known | None:
    """Return an answer as one that may be kept and that its server will know again; None where it is none.

    Parameters
    ----------
    body : bytes
    content_type : str
    headers : mapping
        Case-insensitive.
    """
    tag = headers.get("etag", "").strip()
    if not _TAG.fullmatch(tag) or not may_be_kept(headers) or len(content_type) > _HEAD // 4:
        return None
    return Known(body, content_type, tag)


def may_be_kept(headers: Mapping[str, str]) -> bool:
    """Say whether a server lets its reader keep an answer (RFC 9111 sections 4.1 and 5.2.2.5)."""
    return "no-store" not in _words(headers, "cache-control") and "*" not in _words(headers, "vary")


def _words(headers: Mapping[str, str], name: str) -> set[str]:
    """Return the directives of a header."""
    return {word.partition("=")[0].strip().lower() for word in headers.get(name, "").split(",")}


def _is_mine(state: os.stat_result) -> bool:
    """Say whether a file or folder is this user's, and only this user may write to it; where that is known."""
    return os.name != "posix" or (state.st_uid == os.getuid() and not state.st_mode & _OTHERS_WRITE)


def _answer_state(entry: os.DirEntry[str]) -> os.stat_result | None:
    """Return the state of a file that is an answer of this user; None of all others, and of what is gone by now."""
    with contextlib.suppress(OSError):
        if _OWN.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
            state = entry.stat(follow_symlinks=False)
            return state if _is_mine(state) else None
    return None


def _digest(name: str, content: bytes) -> bytes:
    """Return what tells that content stands whole under its own name."""
    told = sha256(name.encode())
    told.update(content)
    return told.hexdigest().encode()
