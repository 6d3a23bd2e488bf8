"""What a server answered: a body as strict JSON, or a failure in one clean line."""

from __future__ import annotations

import contextlib
import email.utils
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from pydantic_core import from_json

from riskanalytics._http.key import Key
from riskanalytics.errors import (
    InvalidAnswer,
    NotAuthorised,
    RateLimited,
    ServiceError,
    TierRequired,
    UnknownPlatform,
    cut_inside,
)
from riskanalytics.untrusted import marked

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
