"""A key that shows itself to nobody: not in a text, a traceback's variables, or a pickle."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from html import unescape
from typing import Any, Final, NoReturn

BEARER: Final = "Authorization"
PLAIN: Final = "x-api-key"
"""The two headers that carry a key (specification section 5), the first tried first."""
_ESCAPED: Final = re.compile("(?:u00|%)([2-7][0-9a-f])")
"""A character of ASCII as JSON (its backslashes taken away) and addresses may write it; in lower case."""
_ZEROS: Final = re.compile("&#(x?)0+(?=[0-9a-f])")
_HUGE: Final = re.compile("&#x?[0-9a-f]{8,};?")
"""A reference to no character (HTML): Python refuses to read the longest."""
_DEEPEST: Final = 4
"""How often what holds escapes may have been escaped again."""


def digest(*words: str) -> str:
    """Return the SHA-256 of some words, in hexadecimal."""
    return sha256(json.dumps(words).encode()).hexdigest()


class Key:
    """A key on its way from the settings to one header.

    Parameters
    ----------
    text : str
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return "***"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a key is never written down")

    def header(self, name: str) -> str:
        """Return what the header of that name holds."""
        return f"Bearer {self._text}" if name == BEARER else self._text

    def is_in(self, content: bytes) -> bool:
        """Say whether somebody else's bytes hold the key, in either case and however its characters are escaped."""
        return _plain(self._text.encode()) in _plain(content)

    def digest(self, *words: str) -> str:
        """Return what tells words under this key from those under another, and leads to neither."""
        return digest(self._text, *words)

    def taken_out(self, text: str) -> str:
        """Return a text of somebody else without the key."""
        return text.replace(self._text, "***")

    def out_of(self, value: Any) -> Any:
        """Return a JSON value of somebody else without the key; a text that holds it in another form is left out whole."""
        if not self.is_in(json.dumps(value).encode()):
            return value
        if isinstance(value, dict):
            return {self.out_of(name): self.out_of(part) for name, part in value.items()}
        if isinstance(value, list):
            return [self.out_of(part) for part in value]
        text = self.taken_out(str(value))
        return "***" if self.is_in(json.dumps(text).encode()) else text


def _plain(content: bytes) -> str:
    """Return bytes as text in lower case without escapes, also where what holds escapes was itself escaped."""
    text = content.decode("latin-1").lower()
    for _ in range(_DEEPEST):
        escaped, text = text, text.replace("\\", "")
        text = _HUGE.sub("", _ZEROS.sub(r"&#\1", text))
        text = _ESCAPED.sub(_character, unescape(text)).lower()
        if text == escaped:
            break
    return text


def _character(found: re.Match[str]) -> str:
    """Return what an escape stands for."""
    return chr(int(found[1], 16))
