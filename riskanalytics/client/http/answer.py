"""One exchange over HTTP: the key, which no text, traceback or pickle shows; limits of size and redirects; the response.

A coroutine runs on a loop in a thread of its own. It can end at any moment, whatever a server does, and serves callers
that run a loop themselves.
"""

from __future__ import annotations

import asyncio
import contextlib
import email.utils
import io
import json
import os
import re
import threading
import zlib
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final, NoReturn, TypeVar

import httpx
from pydantic_core import from_json

from riskanalytics.errors import (
    InvalidAnswer,
    NotAuthorised,
    RateLimited,
    ServiceError,
    TierRequired,
    UnknownPlatform,
    Unreachable,
    cut_inside,
)
from riskanalytics.text.untrusted import marked


class Key:
    """A key on its way from the settings to one header.

    Parameters
    ----------
    text : str
    """

    __slots__ = ("_pattern", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        # in any case, and with characters written as addresses, JSON and HTML may write them
        self._pattern = re.compile(r"\\*".join(map(_forms, text)))

    def __repr__(self) -> str:
        return "***"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a key is never written down")

    def header(self) -> dict[str, str]:
        """Return the header that carries the key."""
        return {"Authorization": f"Bearer {self._text}"}

    def is_in(self, content: bytes) -> bool:
        """Return whether a server's bytes contain the key, in either case and with escaped characters."""
        return self._pattern.search(content.decode("latin-1").lower()) is not None

    def digest(self, *words: str) -> str:
        """Return a SHA-256 that differs for each key, and reveals none."""
        return sha256(json.dumps([self._text, *words]).encode()).hexdigest()

    def taken_out(self, text: str) -> str:
        """Return a server's text without the key."""
        return re.sub(self._pattern.pattern, "***", text, flags=re.IGNORECASE)

    def out_of(self, value: Any) -> Any:
        """Return a server's JSON value without the key."""
        if not self.is_in(json.dumps(value).encode()):
            return value
        if isinstance(value, dict):
            return {self.taken_out(name): self.out_of(part) for name, part in value.items()}
        if isinstance(value, list):
            return [self.out_of(part) for part in value]
        return self.taken_out(str(value))


def _forms(letter: str) -> str:
    """Return a pattern of a character in lower case and of what it may be written as."""
    codes = {ord(letter.lower()), ord(letter.upper())}
    escaped = [rf"%(?:25)*{code:02x}|\\u{code:04x}|&#0*{code};|&#x0*{code:x};" for code in codes]
    return f"(?:{'|'.join([re.escape(letter.lower()), *escaped])})"


MOST_VALUES: Final = 1_000_000
"""Of one answer: many small values fill the memory sooner than their bytes do."""
_HALF: Final = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
"""Half of an emoji in JSON, as programs write it that cut texts at a length."""
_ESCAPES: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_WORDS: Final = ("detail", "message", "error", "error_description", "msg", "reason", "title")
_TEXTS: Final = re.compile(rf'"({"|".join(_WORDS)})"\s*:\s*("(?:[^"\\]|\\.)*")')
"""Words for a person in a failure's record, at any level."""
_LONGEST: Final = 400
_PLATFORM: Final = re.compile(r"/platforms?/[^/]")
"""In the path of one platform."""


@dataclass(frozen=True)
class Answer:
    """A successful answer.

    Parameters
    ----------
    body : bytes
        Decoded, whole.
    content_type : str
        Lower case, without parameters.
    path : str
        Of the request.
    keep : callable
        Keeps the answer, where it may be kept: the next time the server need only confirm it. Call it once the answer is
        known to be what was asked for.
    """

    body: bytes
    content_type: str
    path: str
    keep: Callable[[], None] = field(default=lambda: None, repr=False, compare=False)

    def json(self) -> object:
        """Return the body as JSON (RFC 8259) of at most 200 levels; half characters are replaced.

        Raises
        ------
        InvalidAnswer
            If the body is not JSON.
        """
        said = f"{self.path} did not answer JSON"
        marks = (b",", b"[", b"{") if len(self.body) > MOST_VALUES else ()  # a value takes a byte or more
        if self.content_type and "json" not in self.content_type:
            said = f"{self.path} answered {self.content_type}, not JSON"
        elif sum(map(self.body.count, marks)) > MOST_VALUES:
            said = f"{self.path} answered more than {MOST_VALUES:,} values"
        else:
            body = self.body.removeprefix(b"\xef\xbb\xbf")
            with contextlib.suppress(ValueError):
                return from_json(body, allow_inf_nan=False)
            with contextlib.suppress(ValueError):
                return from_json(_HALF.sub(rb"\\ufffd", body), allow_inf_nan=False)
        raise InvalidAnswer(said, status=200, path=self.path)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to wait (RFC 9110 section 10.2.3); None where it does not ask.

    Parameters
    ----------
    headers : mapping
        Lower-case or case-insensitive.
    """
    asked = headers.get("retry-after", "").strip()
    if asked.isdecimal():
        return float(asked[:12])
    with contextlib.suppress(ValueError, TypeError, IndexError, OverflowError):
        now = headers.get("date")
        since = email.utils.parsedate_to_datetime(now) if now else datetime.now(UTC)
        return max(0.0, (email.utils.parsedate_to_datetime(asked) - since).total_seconds())
    return 1.0 if asked else None


def failure(
    status: int, path: str, headers: Mapping[str, str], body: bytes, key: Key | None, patience: float
) -> ServiceError:
    """Return the error of a status, with the server's own words cut, cleaned and marked as its own.

    Parameters
    ----------
    status : int
    path : str
    headers : mapping
        Case-insensitive.
    body : bytes
    key : Key, optional
        Removed from the server's words.
    patience : float
        Longest wait in seconds.
    """
    detail = cleaned(_explained(body[:4096].decode("utf-8", errors="replace").strip()), key)
    wait = retry_after(headers)
    long = f"; the server asks to wait {wait:,.0f} s" if wait and wait > patience else ""
    kind, said = ServiceError, f"{path} answered status {status}{long}"
    if status == 401:
        kind, said = NotAuthorised, "the key was not accepted"
    elif status in (402, 403):
        kind, said = TierRequired, f"{path} is not in the key's tier"
    elif status == 404 and _PLATFORM.search(path):
        kind, said = UnknownPlatform, f"{path}: no such platform"
    elif status == 429:
        kind, said = RateLimited, f"{path}: too many requests{long}"
    said = f'{said}; the server says: "{detail}"' if detail else said
    return kind(said, status=status, path=path, detail=detail, told_to_wait=wait)


def _explained(text: str) -> str:
    """Return a failure's own words; empty where it has none for a person."""
    found = dict(reversed(_TEXTS.findall(text)))
    for name in (name for name in _WORDS if name in found):
        with contextlib.suppress(ValueError):
            return str(json.loads(found[name], strict=False))
    return "" if text[:1] in ("<", "{", "[") else text


def cleaned(text: str, key: Key | None) -> str:
    """Return a server's words fit for one line: no key, nothing hidden, not long."""
    text = text if key is None else key.taken_out(text)
    text = re.sub(r"[\n\r\t]", " ", _ESCAPES.sub(" ", text))
    return cut_inside(" ".join(marked(text).split()), _LONGEST)


T = TypeVar("T")
MOST_BYTES: Final = 16 * 1024 * 1024
"""Of one decoded body."""
_HOPS: Final = 3
_LOOPS: Final[dict[int, asyncio.AbstractEventLoop]] = {}
"""Process -> its loop: a forked child needs its own."""
_LOCK: Final = threading.Lock()


def loop() -> asyncio.AbstractEventLoop:
    """Return the loop on which the requests of this process run."""
    with _LOCK:
        if os.getpid() not in _LOOPS:
            _LOOPS[os.getpid()] = made = asyncio.new_event_loop()
            # not run_forever: where no task lasts as long as the loop, anyio starts and ends a thread for each request
            forever = asyncio.Event().wait()
            threading.Thread(
                target=made.run_until_complete, args=(forever,), name="riskanalytics-http", daemon=True
            ).start()
        return _LOOPS[os.getpid()]


def start(coroutine: Coroutine[Any, Any, T]) -> Future[T]:
    """Start a coroutine on the loop."""
    return asyncio.run_coroutine_threadsafe(coroutine, loop())


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Return what a coroutine returns; it ends when the caller is interrupted."""
    future = start(coroutine)
    try:
        return future.result()
    finally:
        future.cancel()


async def exchange(
    client: httpx.AsyncClient,
    request: httpx.Request,
    path: str,
    most: int,
    check: Callable[[httpx.URL, httpx.URL], None],
) -> tuple[httpx.Response, bytes]:
    """Send a request, and return the answer with its body.

    Parameters
    ----------
    client : httpx.AsyncClient
        Follows no redirects itself.
    request : httpx.Request
    path : str
        For errors.
    most : int
        Bytes of the decoded body.
    check : callable
        Takes the addresses before and after a redirect of a GET, and refuses one that may not be followed.

    Raises
    ------
    InvalidAnswer
        If the body is too large or of an unknown encoding, or the redirects do not end.
    Unreachable
        If the body is cut off.
    httpx.HTTPError, httpx.InvalidURL, zlib.error, OSError
    """
    for _ in range(_HOPS + 1):
        response = await client.send(request, stream=True)
        try:
            following = response.next_request if request.method == "GET" else None
            if following is None:
                return response, await _decoded(response, path, most)
        finally:
            await response.aclose()
        check(request.url, following.url)
        following.headers.pop("If-None-Match", None)  # a tag speaks of one address only
        request = following
    raise InvalidAnswer(f"{path} redirects without end", path=path)


async def _decoded(response: httpx.Response, path: str, most: int) -> bytes:
    """Return the body, inflated with bounded output: httpx inflates each packet whole."""
    coding = response.headers.get("content-encoding", "identity").strip().lower() or "identity"
    if coding not in ("identity", "gzip", "x-gzip", "deflate"):
        raise InvalidAnswer(f"{path} answered in an encoding that was not asked for", path=path)
    body, raw = io.BytesIO(), b""
    inflate = None if coding == "identity" else zlib.decompressobj(zlib.MAX_WBITS | 32)
    async for raw in response.aiter_raw():
        body.write(raw if inflate is None else inflate.decompress(raw, most + 1 - body.tell()))
        if body.tell() > most:
            raise InvalidAnswer(f"{path} answered more than {most >> 20} MiB", path=path)
    if inflate is not None and raw and not inflate.eof:
        raise Unreachable(f"{path} was cut off", path=path)
    return body.getvalue()
