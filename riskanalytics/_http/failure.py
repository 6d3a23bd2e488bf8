"""What a failure says: our words, and the server's own, cut, cleaned and marked as its own."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping
from typing import Final

from riskanalytics._http.answer import retry_after
from riskanalytics._http.key import Key
from riskanalytics.errors import NotAuthorised, RateLimited, ServiceError, TierRequired, UnknownPlatform, cut_inside
from riskanalytics.untrusted import marked

_ESCAPES: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_LONGEST: Final = 400
_PLATFORM: Final = re.compile(r"/platforms?/[^/]")
"""In the path of one platform."""
_WORDS: Final = ("detail", "message", "title", "error", "error_description", "description", "msg", "reason")


def failure(
    status: int, path: str, headers: Mapping[str, str], body: bytes, key: Key | None, patience: float
) -> ServiceError:
    """Return the error of a status.

    Parameters
    ----------
    status : int
    path : str
    headers : mapping
        Case-insensitive.
    body : bytes
        Its beginning.
    key : Key, optional
        Taken out of the server's words.
    patience : float
        Seconds that may be waited for at most.
    """
    detail = cleaned(_explained(body), key)
    told = retry_after(headers) if "retry-after" in headers else None
    wait = f"; the server asks to wait {told:,.0f} s" if told and told > patience else ""
    kind, said = ServiceError, f"{path} answered status {status}{wait}"
    if status == 401:
        kind, said = NotAuthorised, "the key was not accepted"
    elif status in (402, 403):
        kind, said = TierRequired, f"{path} is not in the key's tier"
    elif status == 404 and _PLATFORM.search(path):
        kind, said = UnknownPlatform, f"{path}: no such platform"
    elif status == 429:
        kind, said = RateLimited, f"{path}: too many requests{wait}"
    text = f'{said}; the server says: "{detail}"' if detail else said
    return kind(text, status=status, path=path, detail=detail, told_to_wait=told)


def cleaned(text: str, key: Key | None) -> str:
    """Return somebody else's words fit for one line: no key, nothing hidden, not long."""
    if key is not None:
        text = key.taken_out(text)
    text = " ".join(
        marked(
            _ESCAPES.sub(" ", text[: 20 * _LONGEST]).replace("\n", " ").replace("\r", " ").replace("\t", " ")
        ).split()
    )
    return cut_inside(text, _LONGEST)


def _explained(body: bytes) -> str:
    """Return a failure's own words; nothing where it has none for a person."""
    text = body.decode("utf-8", errors="replace").strip()
    with contextlib.suppress(ValueError, RecursionError):
        return _words(json.loads(text), 3)
    return "" if text[:1] in ("<", "{", "[") else text


def _words(value: object, depth: int) -> str:
    """Return the words in a failure's record."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and depth:
        return _words(value[0], depth - 1)
    if isinstance(value, dict) and depth:
        return next((words for name in _WORDS if (words := _words(value.get(name), depth - 1))), "")
    return ""
