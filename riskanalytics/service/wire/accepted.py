"""What a reader accepts, as headers like `Accept` and `Accept-Encoding` say it (RFC 9110 section 12.4.2)."""

from __future__ import annotations

import re
from typing import Final

_QUALITY: Final = re.compile(r"q=(0(?:\.[0-9]*)?|1(?:\.0{0,3})?)")
_MOST: Final = 50
"""Entries of a header that are read."""


def weights(header: str) -> dict[str, float]:
    """Return what a header names, in its order and in lower case, each with its weight; the first mention counts.

    Parameters
    ----------
    header : str

    Examples
    --------
    >>> weights("text/html, */*;q=0.5")
    {'text/html': 1.0, '*/*': 0.5}
    """
    named: dict[str, float] = {}
    for part in header.lower().split(",")[:_MOST]:
        name, *parameters = (piece.strip() for piece in part.split(";"))
        found = [float(match[1]) for piece in parameters if (match := _QUALITY.fullmatch(piece.replace(" ", "")))]
        if name:
            named.setdefault(name, found[0] if found else 1.0)
    return named
