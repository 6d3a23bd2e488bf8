"""A key that shows itself to nobody: not in a text, a traceback's variables, or a pickle."""

from __future__ import annotations

from typing import Final, NoReturn

BEARER: Final = "Authorization"
PLAIN: Final = "x-api-key"
"""The two headers that carry a key (specification section 5), the first tried first."""


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

    def taken_out(self, text: str) -> str:
        """Return a text of somebody else without the key."""
        return text.replace(self._text, "***")
