"""Where a consent banner was captured with the document: its sentences are the banner's, not the policy's."""

from __future__ import annotations

import re
from typing import Final

_BUTTONS: Final = re.compile(
    r"(?:reject|decline|deny) all[^\n]{0,60}(?:accept|allow) all"
    r"|(?:accept|allow) all[^\n]{0,60}(?:reject|decline|deny) all",
    re.I,
)
_OPENING: Final = re.compile(
    r"we value your privacy|we and our [0-9,.]{1,6} (?:trusted )?partners|this (?:web)?site uses cookies|"
    r"we use cookies",
    re.I,
)
_CLOSING: Final = re.compile(
    r"save (?:my )?(?:preferences|choices|settings)|confirm (?:my )?(?:choices|selection)", re.I
)
_BEFORE: Final = 3000
_AFTER: Final = 200_000


def may_hold_banner(line: str) -> bool:
    """Say whether a text has words without which it holds no dialogue: the patterns are slow on long texts.

    Parameters
    ----------
    line : str
        All of a text, or lines of it.
    """
    folded = line.lower()
    return "accept all" in folded or "allow all" in folded


def banner_span(text: str) -> tuple[int, int] | None:
    """Find a consent dialogue that was captured with a document.

    Parameters
    ----------
    text : str

    Returns
    -------
    tuple of int, or None
        Start and end; only where both the buttons that open it and those that close it are there.
    """
    buttons = _BUTTONS.search(text)
    if buttons is None:
        return None
    closing = [match.end() for match in _CLOSING.finditer(text, buttons.end(), buttons.end() + _AFTER)]
    if not closing:
        return None
    opening = _OPENING.search(text, max(0, buttons.start() - _BEFORE), buttons.start())
    return (opening.start() if opening else buttons.start()), closing[-1]
