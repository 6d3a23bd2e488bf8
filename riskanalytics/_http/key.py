"""A key that shows itself to nobody: not in a text, a traceback's variables, or a pickle."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import Any, NoReturn


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
