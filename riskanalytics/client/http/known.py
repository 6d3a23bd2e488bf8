"""Answers that were read before: the server confirms what did not change, and sends no body (RFC 9110 section 13).

No kept answer is shown unasked: each use is a request, and only a 304 brings it back, so that nothing is ever old. Answers
are matched by entity tags alone: a time of last change can go back to an older one, and is the same for every tier.

A cache of all of RFC 9111 (hishel) gives what is fresh unasked, keeps the headers of requests, which hold the key, and
bounds no size: only conditional requests are wanted here.

Two transports need no network: one to an application in this process, one to recorded answers.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import stat
from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import httpx

from riskanalytics.client.http.answer import Key
from riskanalytics.files import write_file

_TAG: Final = re.compile(r'(W/)?"[!#-~]{0,500}"')
_SUFFIX: Final = ".answer"


class Known(NamedTuple):
    """An answer with its entity tag."""

    body: bytes
    content_type: str
    tag: str

    @classmethod
    def of(cls, body: bytes, content_type: str, headers: Mapping[str, str]) -> Self | None:
        """Return an answer as one to keep; None where its server cannot confirm it, or forbids to keep it."""
        tag = headers.get("etag", "").strip()
        kept = "no-store" not in headers.get("cache-control", "").lower() and "*" not in headers.get("vary", "")
        return cls(body, content_type, tag) if kept and _TAG.fullmatch(tag) else None

    @property
    def content(self) -> bytes:
        """All that is written of it."""
        return json.dumps([self.content_type, self.tag]).encode() + b"\n" + self.body


class KnownAnswers:
    """A folder of answers, those asked for last; of one user, for any number of processes.

    Parameters
    ----------
    folder : Path
        Made where it is missing. Nothing is kept or read where it cannot be written, or others may write to it.
    most : int
        Bytes of all files, of which one may take a 32nd part; nothing is kept or read where 0.
    """

    def __init__(self, folder: Path, most: int) -> None:
        self._folder, self._most, self._unswept = folder, most, most

    @cached_property
    def _is_own(self) -> bool:
        """Make the folder, and return whether only this user puts answers there."""
        with contextlib.suppress(OSError):
            if self._most:
                self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                state = self._folder.lstat()
                mine = os.name != "posix" or (state.st_uid == os.getuid() and not state.st_mode & 0o022)
                return stat.S_ISDIR(state.st_mode) and mine
        return False

    def find(self, name: str) -> Known | None:
        """Return the answer of a name; None where it is missing or damaged."""
        if self._is_own:
            with contextlib.suppress(OSError, ValueError, TypeError):
                digest, head, body = self._place(name).read_bytes().split(b"\n", 2)
                if digest == _digest(name, head + b"\n" + body):
                    return Known(body, *json.loads(head))
        return None

    def keep(self, name: str, known: Known | None) -> None:
        """Keep an answer; where None, note that the kept one was asked for."""
        if not self._is_own:
            return
        with contextlib.suppress(OSError):
            if known is None:
                os.utime(self._place(name))
            elif len(known.body) <= self._most // 32:
                content = known.content
                write_file(self._place(name), _digest(name, content) + b"\n" + content, mode=0o600, sync=False)
                self._unswept += len(content)
                if self._unswept > self._most // 16:
                    self._sweep()

    def forget(self, name: str) -> None:
        """Remove an answer."""
        if self._is_own:
            with contextlib.suppress(OSError):
                self._place(name).unlink()

    def _place(self, name: str) -> Path:
        """Return the file of an answer."""
        return self._folder / f"{name}{_SUFFIX}"

    def _sweep(self) -> None:
        """Remove the answers that were not asked for the longest, until the others are few enough."""
        self._unswept, kept = 0, 0
        files = [(path.lstat(), path) for path in self._folder.glob(f"*{_SUFFIX}") if path.is_file()]
        for state, path in sorted(files, key=lambda file: file[0].st_mtime, reverse=True):
            kept += state.st_size
            if kept > self._most:
                path.unlink(missing_ok=True)


NONE_KNOWN: Final = KnownAnswers(Path(), 0)
_NOBODY: Final = Key("")


def name_of(key: Key | None, url: str, accept: str) -> str:
    """Return the name of an answer: what one key is shown is never shown to another."""
    return (key or _NOBODY).digest(url, accept)


def _digest(name: str, content: bytes) -> bytes:
    """Return what shows that content is whole and under its own name."""
    return sha256(name.encode() + content).hexdigest().encode()


class InProcessTransport(httpx.ASGITransport):
    """Speaks to an ASGI application in this process, on the loop of all requests.

    Parameters
    ----------
    app : ASGI application
    at_once : int
        Requests that gain from being on their way together: one where all work is this process's own.
    """

    def __init__(self, app: Callable[[Any, Any, Any], Awaitable[None]], at_once: int = 1) -> None:
        super().__init__(app=app, raise_app_exceptions=False)
        self.at_once = at_once

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request."""
        response = await super().handle_async_request(request)
        if response.is_server_error:
            response.headers.pop("Retry-After", None)  # nobody else keeps a service of this process busy
        return response


class Kept(NamedTuple):
    """An answer that was kept.

    Parameters
    ----------
    status : int
        HTTP status.
    content_type : str
    body : bytes
    """

    status: int
    content_type: str
    body: bytes


class RecordedTransport(httpx.AsyncBaseTransport):
    """Answers GET requests from what was kept, and others with 404.

    Parameters
    ----------
    answer : callable
        Takes a path, unquoted, and the query; called from several threads.
    """

    def __init__(self, answer: Callable[[str, Mapping[str, str]], Kept]) -> None:
        self._answer = answer

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request, in a thread."""
        asked = dict(request.url.params) if request.method == "GET" else {"": request.method}
        status, kind, body = await asyncio.to_thread(self._answer, request.url.path, asked)
        return httpx.Response(status, headers={"Content-Type": kind}, stream=httpx.ByteStream(body))
