"""How much of an answer goes out at once, and where the next part begins."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable
from typing import Final

from riskanalytics.service.tool_server.arguments import ToolError

MOST_TOKENS: Final = 15_000
"""Estimated tokens of one result, its structured content and its text form together."""
_BEGINNING: Final = 400
"""Tokens of what is written around the parts: notes, field names, counts."""
_CURSOR: Final = re.compile(r"([0-9]{1,9})\.([0-9a-f]{16})")


def tokens(text: str) -> int:
    """Estimate the tokens of a text: three characters of ASCII each, one of any other script.

    Parameters
    ----------
    text : str
    """
    plain = len(text.encode("ascii", "ignore"))
    return plain // 3 + 1 + len(text) - plain


class Budget:
    """Room of one result.

    Parameters
    ----------
    *written : str
        What stands in it whatever follows.
    """

    def __init__(self, *written: str) -> None:
        self._left = MOST_TOKENS - _BEGINNING - sum(map(tokens, written))
        self._empty = True

    def takes(self, *parts: str) -> bool:
        """Say whether one more piece fits, and count it; the first one always does.

        Parameters
        ----------
        *parts : str
            The piece in all forms in which it goes out.
        """
        self._left -= sum(map(tokens, parts))
        fits, self._empty = self._left >= 0 or self._empty, False
        return fits


def fingerprint(*words: object) -> str:
    """Return what a cursor is bound to: the query and the state of the data.

    Parameters
    ----------
    *words : str or None
    """
    return hashlib.sha256(json.dumps(words).encode()).hexdigest()[:16]


def cursor_at(offset: int, bound_to: str) -> str:
    """Return the cursor of a place in a result.

    Parameters
    ----------
    offset : int
    bound_to : str
        What `fingerprint` returned.
    """
    return base64.urlsafe_b64encode(f"{offset}.{bound_to}".encode()).decode().rstrip("=")


def offset_of(cursor: str | None, bound_to: str) -> int:
    """Return the place that a cursor names, 0 without one.

    Parameters
    ----------
    cursor : str or None
    bound_to : str
        What `fingerprint` returned.

    Raises
    ------
    ToolError
        If it is malformed, of another query, or of data that have changed since.
    """
    if cursor is None:
        return 0
    try:
        written = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode("ascii")
    except ValueError:
        written = ""
    match = _CURSOR.fullmatch(written)
    if match is None or match[2] != bound_to:
        raise ToolError(
            "The cursor is not one of this query, or the data have changed since: leave cursor out to begin again."
        )
    return int(match[1])


def fitting(budget: Budget, pieces: Iterable[tuple[str, ...]]) -> int:
    """Return how many pieces fit, from the first on.

    Parameters
    ----------
    budget : Budget
    pieces : iterable of tuple of str
    """
    count = 0
    for piece in pieces:
        if not budget.takes(*piece):
            break
        count += 1
    return count
