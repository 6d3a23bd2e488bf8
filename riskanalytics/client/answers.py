"""The parts of a request to a service: the key that is sent, the answer or error that comes back, and responses cached on disk."""

import email.utils
import html
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple, NoReturn
from urllib.parse import quote

from pydantic_core import from_json

from riskanalytics import errors
from riskanalytics.errors import ServiceError
from riskanalytics.files import write_file
from riskanalytics.text.untrusted import marked

_HALF: Final = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
"""Half of a surrogate pair in JSON, as written by programs that truncate texts."""
_WORDS: Final = ("detail", "message", "error", "msg", "title")
_TEXTS: Final = re.compile(rf'"({"|".join(_WORDS)})"\s*:\s*("(?:[^"\\]|\\.)*")')
"""Fields with an explanation in an error response, at any depth."""
PATIENCE: Final = 120.0
"""Maximum number of seconds for one request with all retries; also the longest accepted Retry-After."""
_NO_TIER: Final = (errors.TierRequired, "{} is not in the key's tier")
_KINDS: Final = {
    401: (errors.NotAuthorised, "the key was not accepted"),
    402: _NO_TIER,
    403: _NO_TIER,
    429: (errors.RateLimited, "{}: too many requests"),
}


class Key:
    """The API key, if there is one. Its text never appears in a repr, traceback or pickle."""

    __slots__ = ("_forms", "_text")

    def __init__(self, text: str) -> None:
        escaped = "".join(sign if sign.isalnum() or sign in "-._" else f"\\u{ord(sign):04x}" for sign in text)
        forms = {text, quote(text, safe=""), escaped, text.replace("/", "\\/"), html.escape(text)}
        self._text, self._forms = text, [form.lower().encode() for form in forms]

    def __bool__(self) -> bool:
        return bool(self._text)

    def __repr__(self) -> str:
        return "***"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "an object with a service's key cannot be pickled: set RISKANALYTICS_API_KEY in the other process, and connect there"
        )

    def header(self) -> dict[str, str]:
        """Return the `Authorization` header with the key, as a dict; without a key, an empty dict."""
        return {"Authorization": f"Bearer {self._text}"} if self else {}

    def digest(self, *words: str) -> str:
        """Return the SHA-256 of the key and some words, such as an address. It names cached responses without revealing the key."""
        return sha256(json.dumps([self._text, *words]).encode()).hexdigest()

    def taken_out(self, body: bytes) -> bytes:
        """Return the body of a response with `***` in place of the key.

        The key is found in upper and lower case, and also if it is encoded for URLs, JSON or HTML.
        """
        lower = body.lower()
        if not self or not any(form in lower for form in self._forms):
            return body
        return re.sub(b"|".join(map(re.escape, self._forms)), b"***", body, flags=re.IGNORECASE)


@dataclass
class Answer:
    """The answer of a server to a request that succeeded.

    Parameters
    ----------
    body : bytes
        Content of the response, complete and decompressed.
    content_type : str
        Media type of the response; it is kept in lower case, without parameters.
    path : str
        Path of the request.
    """

    body: bytes
    content_type: str
    path: str

    def __post_init__(self) -> None:
        self.content_type = self.content_type.partition(";")[0].strip().lower()

    def json(self) -> object:
        """Parse the body as JSON (RFC 8259), and return its value; U+FFFD replaces lone halves of surrogate pairs.

        Raises
        ------
        InvalidAnswer
            If the body is not JSON.
        """
        said = f"{self.path} did not return JSON"
        if self.content_type and "json" not in self.content_type:
            said = f"{self.path} returned {self.content_type}, not JSON"
        else:
            body = self.body.removeprefix(b"\xef\xbb\xbf")
            for mended in (False, True):
                with suppress(ValueError):
                    return from_json(_HALF.sub(rb"\\ufffd", body) if mended else body, allow_inf_nan=False)
        raise errors.InvalidAnswer(said, status=200)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait according to the Retry-After header (RFC 9110 section 10.2.3); None without this header.

    If the header is malformed, the result is 1 second.

    Parameters
    ----------
    headers : mapping
        Headers of the response, with names in lower case, or in a mapping that ignores case.
    """
    wait = headers.get("retry-after", "").strip()
    if wait.isdecimal():
        return float(wait[:12])
    read = email.utils.parsedate_to_datetime
    with suppress(ValueError, TypeError, OverflowError):
        since = read(headers["date"]) if "date" in headers else datetime.now(UTC)
        return max(0.0, (read(wait) - since).total_seconds())
    return 1.0 if wait else None


def failure(status: int, path: str, headers: Mapping[str, str], body: bytes) -> ServiceError:
    """Return the error for a response with an error status; its message quotes the server's explanation, shortened and cleaned.

    Parameters
    ----------
    status : int
        HTTP status.
    path : str
        Path of the request, for the message.
    headers : mapping
        Headers of the response, case-insensitive.
    body : bytes
        Body of the response, which may have an explanation.
    """
    detail, wait = cleaned(_explained(body[:4096].decode(errors="replace").strip())), retry_after(headers)
    kind, said = _KINDS.get(status, (ServiceError, f"{{}} answered status {status}"))
    if status == 404 and re.search("/platforms?/[^/]", path):
        kind, said = errors.UnknownPlatform, "{}: no such platform"
    said = said.format(path)
    if wait and wait > PATIENCE:
        said += f"; the server asks to wait {wait:,.0f} s"
    if detail:
        said += f'; the server says: "{detail}"'
    return kind(said, status=status, detail=detail, retry_after=wait)


def _explained(text: str) -> str:
    """Return the explanation in an error response; empty otherwise."""
    found = dict(reversed(_TEXTS.findall(text)))
    for name in filter(found.get, _WORDS):
        with suppress(ValueError):
            return str(json.loads(found[name], strict=False))
    return "" if text[:1] in ("<", "{", "[") else text


def cleaned(text: str) -> str:
    """Return a server's message as one short line without hidden characters."""
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|[\n\r\t]", " ", text)
    return errors.cut_inside(" ".join(marked(text).split()), 400)


class Known(NamedTuple):
    """A cached response with its entity tag (`ETag`)."""

    tag: str
    content_type: str
    body: bytes


class KnownAnswers:
    """Cached responses of earlier runs in a folder, for conditional requests.

    Each use sends a request. The cached response is used only if the server answers 304 (not modified; RFC 9110 section 13), so it
    is never outdated.

    Parameters
    ----------
    folder : Path
        Created if missing. If the folder cannot be written, nothing is cached.
    most : int
        Maximum size of all files in bytes. One file may take up to 1/32 of it. 0 disables the cache.
    """

    def __init__(self, folder: Path, most: int) -> None:
        self._folder, self._most, self._unswept = folder, most, most

    def find(self, name: str) -> Known | None:
        """Return the response that is cached under a file name; None if it is not cached.

        The name is the `Key.digest` of the request, followed by `.answer`.
        """
        with suppress(OSError, ValueError):
            tag, kind, body = (self._folder / name).read_bytes().split(b"\n", 2)
            return Known(tag.decode(), kind.decode(), body)
        return None

    def keep(self, name: str, body: bytes, headers: Mapping[str, str], key: Key) -> None:
        """Cache a response under a file name (see `find`).

        Nothing is cached if the response has no entity tag, forbids caching in its headers, is too large, or contains the API key
        (`key`).
        """
        tag, kind = headers.get("etag", "").strip(), headers.get("content-type", "")
        content = f"{tag}\n{kind}\n".encode() + body
        kept = "no-store" not in headers.get("cache-control", "").lower() and "*" not in headers.get("vary", "")
        fits = len(body) <= self._most // 32 and re.fullmatch(r'(W/)?"[!#-~]{0,500}"', tag)
        if kept and fits and key.taken_out(content) is content:
            with suppress(OSError):
                self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                write_file(self._folder / name, content, mode=0o600, sync=False)
                self._unswept += len(content)
                if self._unswept > self._most // 16:
                    self._sweep()

    def forget(self, name: str) -> None:
        """Remove the response cached under a file name."""
        with suppress(OSError):
            (self._folder / name).unlink()

    def _sweep(self) -> None:
        """Remove the oldest responses until the size is within the limit."""
        self._unswept = size = 0
        files = {path: path.lstat() for path in self._folder.glob("*.answer") if path.is_file()}
        for path in sorted(files, key=lambda path: files[path].st_mtime, reverse=True):
            size += files[path].st_size
            if size > self._most:
                path.unlink(missing_ok=True)


NONE_KNOWN: Final = KnownAnswers(Path(), 0)
