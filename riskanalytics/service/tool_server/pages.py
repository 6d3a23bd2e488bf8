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


def fitting(pieces: Iterable[tuple[str, ...]], *written: str) -> int:
    """Return how many pieces fit into one result, from the first on, which always does.

    Parameters
    ----------
    pieces : iterable of tuple of str
        Each in all forms in which it goes out.
    *written : str
        What stands in the result whatever follows.
    """
    left = MOST_TOKENS - _BEGINNING - sum(map(tokens, written))
    count = 0
    for piece in pieces:
        left -= sum(map(tokens, piece))
        if left < 0 and count:
            break
        count += 1
    return count


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
